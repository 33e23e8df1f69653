"""One link of the chain, the chain of them, and how a row gets its hashes. Pure.

A link is a stored compaction at its place on a spine; a row binds its region's content hashes,
its claims and the row before it (design, section 3, Identity).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bobctx.core import identity
from bobctx.core.types import Claim, Compaction, Json, Scope

BreakCode = Literal[
    "status",
    "scope",
    "prompt_version",
    "validator_version",
    "place",
    "count",
    "input_hash",
    "chain_hash",
    "previous_link",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One trusted compaction at its place on the spine."""

    start: int
    end: int
    compaction: Compaction

    @property
    def count(self) -> int:
        """Messages in the region."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainBreak:
    """Where trust ended, and why."""

    code: BreakCode
    compaction_id: str
    position: int
    """Spine position where the next link should have started."""

    def as_json(self) -> dict[str, Json]:
        """For decisions and reports."""
        return {"code": self.code, "compaction_id": self.compaction_id, "position": self.position}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The links that may be used, oldest first, without a hole."""

    links: tuple[Link, ...]
    start: int
    """End of the opening: where the first link has to begin."""
    head_sha256: str = identity.CHAIN_START
    break_: ChainBreak | None = None
    untrusted: tuple[Compaction, ...] = ()
    """Rows after the break that still name messages of this spine."""

    @property
    def covered_end(self) -> int:
        """Spine position after the last trusted link."""
        return self.links[-1].end if self.links else self.start


def region_prefix(index: int) -> str:
    """The prefix of the link at `index` (from 0): `r1`."""
    return f"r{index + 1}"


def new_link(
    scope: Scope,
    *,
    previous: str,
    index: int,
    ids: Sequence[str],
    hashes: Sequence[str],
    status: Literal["shadow_ok", "empty", "shadow_rejected"],
    claims: Sequence[Claim] = (),
    narrative: Mapping[str, str] | None = None,
    reply_key: str | None = None,
    prior_sha256: str = "",
    backend: str = "none",
    prompt_version: str = "",
    validator_version: str = "",
    attempts: int = 0,
    validation: Mapping[str, Json] | None = None,
    tokens_in: int = 0,
    tokens_out: int = 0,
    elapsed_ms: int = 0,
    error: str | None = None,
    now: float = 0.0,
) -> Compaction:
    """A row with all its hashes, for the link at `index` of a chain whose head is `previous`.

    `ids` and `hashes` are those of the region's messages, in order; `now` in Unix seconds.
    """
    region_input = identity.input_sha256(hashes)
    narrative = dict(narrative or {})
    return Compaction(
        compaction_id=identity.compaction_id(
            scope,
            reply=reply_key,
            prefix=region_prefix(index),
            previous_chain=previous,
            region_input=region_input,
            validator_version=validator_version,
        ),
        reply_key=reply_key,
        first_id=ids[0],
        last_id=ids[-1],
        count=len(ids),
        input_sha256=region_input,
        prior_sha256=prior_sha256,
        prev_chain_sha256=previous,
        chain_sha256=identity.chain_sha256(previous, region_input, claims, narrative),
        status=status,
        backend=backend,
        prompt_version=prompt_version,
        validator_version=validator_version,
        attempts=attempts,
        claims=tuple(claims),
        narrative=narrative,
        validation=dict(validation or {}),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        elapsed_ms=elapsed_ms,
        error=error,
        created_ts=now,
    )
