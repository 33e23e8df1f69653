"""Long conversations for the bench: recorded through the real recorder, with a real chain of checked-looking links."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from bobctx.api import posted
from bobctx.core.chain import trusted_chain
from bobctx.core.identity import CHAIN_START, chain_sha256, claim_id, compaction_id, input_sha256, prior_sha256
from bobctx.core.types import Claim, Compaction, Scope
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.runtime import Runtime

WORDS = (
    "queue",
    "drain",
    "retry",
    "shard",
    "ledger",
    "replica",
    "index",
    "cursor",
    "batch",
    "window",
    "cache",
    "quota",
)
REGION = 200  # messages a link
CLAIMS = 8  # a link
DENSE_REGION, DENSE_CLAIMS = 160, 80  # messages and claims a link where many claims are wanted


def turn(rng: random.Random, index: int, size: int = 400) -> list[dict[str, Any]]:
    """One exchange of about `size` characters a message."""
    words = " ".join(rng.choice(WORDS) for _ in range(size // 6))
    return [
        {"id": f"q{index}", "role": "user", "content": f"Step {index} on node-{index % 97}: {words}?"},
        {"id": f"r{index}", "role": "assistant", "content": f"Step {index} is done, ticket OPS-{index}. {words}."},
    ]


def turns(count: int, *, seed: int = 1, first: int = 0) -> Iterator[list[dict[str, Any]]]:
    """Exchanges numbered from `first`."""
    rng = random.Random(seed)
    for index in range(first, first + count):
        yield turn(rng, index)


async def fill(runtime: Runtime, scope: Scope, messages: int, *, batch: int = 250) -> None:
    """Record `messages` messages."""
    held: list[dict[str, Any]] = []
    for pair in turns(messages // 2):
        held += pair
        if len(held) >= batch:
            await record(runtime, scope, held)
            held = []
    if held:
        await record(runtime, scope, held)


async def record(runtime: Runtime, scope: Scope, messages: list[dict[str, Any]]) -> None:
    """Record one call's messages."""
    checked = posted.check_all(messages, "messages", at_most=10_000)
    await runtime.lane.recorder.record(scope, checked, backend="local")


async def chain(
    runtime: Runtime,
    scope: Scope,
    *,
    keep: int = 100,
    region: int = REGION,
    claims: int = CLAIMS,
    limit: int | None = None,
    say: Callable[[int, int], str] | None = None,
) -> int:
    """Cover all but the newest `keep` messages by links; returns how many. `say` words a claim by link and place."""
    snapshot = await runtime.store.snapshot(scope)
    spine, start, previous, made = snapshot.spine, snapshot.spine.opening_end, CHAIN_START, 0
    while start + region <= spine.n - keep and (limit is None or made < limit):
        ids, hashes = spine.ids[start : start + region], spine.hashes[start : start + region]
        link = _link(scope, ids, hashes, previous, made, claims, say or _say)
        if not await runtime.store.commit_compaction(scope, link, region_hashes=hashes):
            raise RuntimeError(f"link {made} was refused")
        start, previous, made = start + region, link.chain_sha256, made + 1
    stored = await runtime.store.compactions(scope)
    found = trusted_chain(
        spine, stored, prompt_version=PROMPT_VERSION, validator_version=VALIDATOR_VERSION, scope=scope
    )
    if len(found.links) != made:
        raise RuntimeError(f"{made} links made, {len(found.links)} trusted: {found.break_}")
    return made


def _say(number: int, label: int) -> str:
    return f"Node node-{number % 97} keeps ticket OPS-{number * REGION // 2 + label} open until the ledger is whole."


def _link(
    scope: Scope, ids: Any, hashes: Any, previous: str, number: int, count: int, say: Callable[[int, int], str]
) -> Compaction:
    claims = []
    for label in range(count):
        text = say(number, label)
        cite = label * 2
        claims.append(
            Claim(
                id=claim_id(scope, "fact", text, [ids[cite]]),
                label=f"c{label + 1}",
                type="decision" if label == 0 else "fact",
                importance=3 if label == 0 else 2,
                text=text,
                cites=(cite,),
                salience=0.5,
            )
        )
    inputs = input_sha256(hashes)
    return Compaction(
        compaction_id=compaction_id(
            scope,
            reply=None,
            prefix=f"r{number + 1}",
            previous_chain=previous,
            region_input=inputs,
            validator_version=VALIDATOR_VERSION,
        ),
        reply_key=None,
        first_id=ids[0],
        last_id=ids[-1],
        count=len(ids),
        input_sha256=inputs,
        prior_sha256=prior_sha256([]),
        prev_chain_sha256=previous,
        chain_sha256=chain_sha256(previous, inputs, claims, {}),
        status="shadow_ok",
        backend="scripted",
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
        claims=tuple(claims),
    )
