"""Lanes with claims of their own making, for the tests of compile, feedback and inspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bobctx.core import identity
from bobctx.core.chain import trusted_chain
from bobctx.core.links import new_link
from bobctx.core.types import Claim, ClaimType, Evidence, Scope
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from tests.integration.api.conftest import BASE, Api

__all__ = ["BASE", "Api", "Said", "compiled", "tell"]

Said = tuple[str, str, ClaimType]
"""Role, text, type of the claim that the message becomes word for word."""
SINCE = 1_700_000_000.0


async def tell(
    api: Api,
    said: Sequence[Said],
    *,
    user: str = "u1",
    conversation: str = "c1",
    importance: int = 2,
    supersedes: dict[int, str] | None = None,
    since: float = SINCE,
    backend: str | None = None,
) -> list[str]:
    """Record one message and one claim for each; the global ids of the claims, in order.

    `supersedes` maps an index of `said` to the claim that it replaces.
    """
    scope = Scope(conversation_id=conversation, user_id=user)
    store = api.runtime.store
    n = (await store.snapshot(scope)).spine.n
    opening = [] if n else [{"id": "open", "role": "user", "content": "hello", "created_at": since}]
    messages = [
        {"id": f"x{n + i}", "role": role, "content": text, "created_at": since + i}
        for i, (role, text, _) in enumerate(said)
    ]
    answer = await api.http.post(
        f"/v1/conversations/{conversation}/messages",
        json={"user_id": user, "messages": [*opening, *messages], "backend": backend},
    )
    assert answer.status_code == 200, answer.text
    snapshot = await store.snapshot(scope)
    spine = snapshot.spine
    chain = trusted_chain(
        spine,
        snapshot.compactions,
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
        scope=scope,
    )
    start = spine.index_of(str(messages[0]["id"]))
    assert start is not None
    first = chain.covered_end
    claims = [
        Claim(
            id=identity.claim_id(scope, kind, text, [str(messages[i]["id"])]),
            label=f"c{i + 1}",
            type=kind,
            importance=importance,
            text=text,
            cites=(start - first + i,),
            supersedes=(supersedes or {}).get(i),
            evidence=(Evidence(literal="8080", kind="number", message=start - first + i, start=0, end=4),)
            if any(c.isdigit() for c in text)
            else (),
            salience=0.5,
        )
        for i, (_, text, kind) in enumerate(said)
    ]
    link = new_link(
        scope,
        previous=chain.head_sha256,
        index=len(chain.links),
        ids=spine.ids[first:],
        hashes=spine.hashes[first:],
        status="shadow_ok",
        claims=claims,
        reply_key=f"reply-{n}",
        backend="scripted",
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
    )
    assert await store.commit_compaction(scope, link, region_hashes=spine.hashes[first:])
    return [claim.id for claim in claims]


async def compiled(api: Api, task: str, *, user: str = "u1", conversation: str | None = "c1", **more: Any) -> Any:
    """The answer of compile."""
    body = {"user_id": user, "conversation_id": conversation, "task": task, **more}
    answer = await api.http.post("/v1/context/compile", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()
