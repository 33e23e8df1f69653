"""Conversations with a chain of compactions, as small as a test wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bobctx.core import identity
from bobctx.core.budget import Window
from bobctx.core.links import new_link
from bobctx.core.parts import read_message
from bobctx.core.plan import AssemblyRequest
from bobctx.core.records import Snapshot
from bobctx.core.segments import Spine, entry_of
from bobctx.core.tokens import estimate, message_tokens
from bobctx.core.types import Claim, ClaimType, Compaction, Message, Pin, Scope, ToolSet

SCOPE = Scope(conversation_id="c", user_id="u")
VERSIONS = ("claims-test", "validator-test")
KEY = b"k" * 32
BOTH = ToolSet(expand=True, search=True)


def message(text: str, *, id: str, seq: int | None = None, role: str = "user", **body: Any) -> Message:
    """One counted message."""
    made = read_message({"role": role, "content": text, **body}, id=id, seq=seq)
    return replace(made, tokens=message_tokens(made.parts, estimate))


def talk(count: int, *, words: int = 40, start: int = 0) -> list[Message]:
    """`count` messages, user and assistant in turn, `words` words each."""
    return [
        message(f"turn {i} " + "alpha beta " * (words // 2), id=f"id{i}", seq=i + 1, role=("user", "assistant")[i % 2])
        for i in range(start, start + count)
    ]


def spine_of(messages: Sequence[Message]) -> Spine:
    """Their spine."""
    return Spine.build(map(entry_of, messages))


def claim(
    text: str,
    ids: Sequence[str],
    cites: Sequence[int] = (0,),
    *,
    label: str = "c1",
    type: ClaimType = "fact",
    importance: int = 2,
    supersedes: Claim | str | None = None,
    salience: float = 0.0,
    speaker: str | None = None,
) -> Claim:
    """One accepted claim; `ids` are those of the region's messages."""
    target = supersedes.id if isinstance(supersedes, Claim) else supersedes
    return Claim(
        id=identity.claim_id(SCOPE, type, text, [ids[c] for c in cites]),
        label=label,
        type=type,
        importance=importance,
        text=text,
        cites=tuple(cites),
        supersedes=target,
        salience=salience,
        speaker=speaker,
    )


def rows_of(
    spine: Spine, regions: Sequence[tuple[int, int, Sequence[Claim]]], *, scope: Scope = SCOPE
) -> tuple[Compaction, ...]:
    """Chained rows for (start, end, claims); a region with `claims` None-like empty is still `shadow_ok`."""
    rows: list[Compaction] = []
    head = identity.CHAIN_START
    for index, (start, end, claims) in enumerate(regions):
        row = new_link(
            scope,
            previous=head,
            index=index,
            ids=spine.ids[start:end],
            hashes=spine.hashes[start:end],
            status="shadow_ok",
            claims=claims,
            reply_key=f"reply{index}",
            backend="scripted",
            prompt_version=VERSIONS[0],
            validator_version=VERSIONS[1],
        )
        rows.append(row)
        head = row.chain_sha256
    return tuple(rows)


def snapshot(spine: Spine, rows: Sequence[Compaction] = (), *, pins: Sequence[Pin] = ()) -> Snapshot:
    """What a store would read."""
    return Snapshot(scope=SCOPE, revision=1, spine=spine, compactions=tuple(rows), pins=tuple(pins))


def request(window: int = 8_192, **fields: Any) -> AssemblyRequest:
    """A request with both tools, sealed."""
    values: dict[str, Any] = {
        "window": Window(tokens=window, source="setting"),
        "count": estimate,
        "counter_id": "estimate",
        "versions": VERSIONS,
        "tools": BOTH,
        "key": KEY,
        **fields,
    }
    return AssemblyRequest(**values)
