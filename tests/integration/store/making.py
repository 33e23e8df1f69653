"""What the store tests are made of: messages, regions, claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bobctx.core import identity
from bobctx.core.chain import new_link, trusted_chain
from bobctx.core.parts import read_message
from bobctx.core.types import Claim, Compaction, Message, Scope
from bobctx.ports import Incoming, Snapshot
from bobctx.store import SqliteStore

SCOPE = Scope(conversation_id="talk", user_id="ana")
PROMPT, VALIDATOR = "claims-test", "validator-test"


def posted(message_id: str, role: str, content: Any, **fields: Any) -> Incoming:
    """A message on its way into the store."""
    parents = fields.pop("parents", None)
    egress = fields.pop("egress", "cloud_ok")
    tokens = fields.pop("tokens", None)
    body = {"id": message_id, "role": role, "content": content, **fields}
    message = read_message(
        body, tokens=tokens if tokens is not None else len(str(content)) // 4 + 4, egress=egress,
        created_at=fields.get("created_at"),
    )  # fmt: skip
    return Incoming(message=message, parents=tuple(parents) if parents is not None else None, counter_id="test")


def turns(start: int, count: int, *, text: str = "about port {port}") -> list[Incoming]:
    """`count` exchanges: u1, a1, u2, a2, …"""
    found = []
    for i in range(start, start + count):
        found.append(posted(f"u{i}", "user", f"question {i} " + text.format(port=8000 + i), tokens=2000))
        found.append(posted(f"a{i}", "assistant", f"answer {i}", tokens=100))
    return found


async def put(
    store: SqliteStore,
    messages: Sequence[Incoming],
    *,
    scope: Scope = SCOPE,
    truncate_after: str | None = None,
    now: float = 1000.0,
) -> Any:
    """Record a call."""
    return await store.record(scope, messages, backend="cloud", truncate_after=truncate_after, now=now)


async def ids(store: SqliteStore, scope: Scope = SCOPE, leaf_id: str | None = None) -> list[str]:
    """Ids on a spine."""
    return list((await store.snapshot(scope, leaf_id)).spine.ids)


async def texts(store: SqliteStore, wanted: Sequence[str], scope: Scope = SCOPE) -> list[str]:
    """Texts as `expand` gives them."""
    found, _, _ = await store.expand(scope, wanted, offset=0, max_messages=1000, max_chars=10**9)
    return [item.message.text for item in found]


def claim(scope: Scope, region: Sequence[str], label: str, text: str, cite: int, **fields: Any) -> Claim:
    """An accepted claim that cites one message of a region."""
    return Claim(
        id=identity.claim_id(scope, "fact", text, [region[cite]]),
        label=label,
        type="fact",
        importance=fields.pop("importance", 2),
        text=text,
        cites=(cite,),
        **fields,
    )


def chain_of(snapshot: Snapshot) -> Any:
    """The trusted chain of a snapshot."""
    return trusted_chain(
        snapshot.spine,
        snapshot.compactions,
        prompt_version=PROMPT,
        validator_version=VALIDATOR,
        scope=snapshot.scope,
    )


def link_at(snapshot: Snapshot, count: int, claims: Sequence[tuple[str, str, int]] = (), **fields: Any) -> Compaction:
    """The next link: `count` messages from the covered end on; `claims` as (label, text, cite)."""
    chain = chain_of(snapshot)
    start = chain.covered_end
    region = snapshot.spine.ids[start : start + count]
    supersedes = fields.pop("supersedes", {})
    made = [
        claim(snapshot.scope, region, label, text, cite, supersedes=supersedes.get(label))
        for label, text, cite in claims
    ]
    return new_link(
        snapshot.scope,
        previous=chain.head_sha256,
        index=len(chain.links),
        ids=region,
        hashes=snapshot.spine.hashes[start : start + count],
        status=fields.pop("status", "shadow_ok"),
        claims=made,
        reply_key=fields.pop("reply_key", f"reply-{len(chain.links)}"),
        backend="scripted",
        prompt_version=PROMPT,
        validator_version=VALIDATOR,
        **fields,
    )


async def compact(store: SqliteStore, count: int, claims: Sequence[tuple[str, str, int]] = (), **fields: Any) -> Any:
    """Commit the next link; the link and whether it was taken."""
    scope = fields.pop("scope", SCOPE)
    snapshot = await store.snapshot(scope)
    link = link_at(snapshot, count, claims, **fields)
    return link, await store.commit_compaction(scope, link, region_hashes=hashes_of(snapshot, link))


def hashes_of(snapshot: Snapshot, link: Compaction) -> list[str]:
    """Content hashes of a link's region."""
    start = snapshot.spine.index_of(link.first_id)
    assert start is not None
    return snapshot.spine.hashes[start : start + link.count]


def body_of(message: Message) -> dict[str, Any]:
    """A message's body as a plain dict."""
    return dict(message.body)


async def opened(path: Path, *, readonly: bool = False, tolerate: bool = False) -> SqliteStore:
    """A store with the versions that these tests write."""
    return await SqliteStore.open(
        path, readonly=readonly, tolerate=tolerate, prompt_version=PROMPT, validator_version=VALIDATOR
    )
