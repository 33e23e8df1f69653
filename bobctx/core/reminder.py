"""What a host's own summary left out or turned around of what is known, as a short text for the next prompt. Pure.

Only what is missing is said again: pins first, then prohibitions, then what the summary contradicts, then the
rest by importance. The text is reference data under a header, sealed, and has a limit in bytes (design, section 12).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from bobctx.core.acts import prohibition_cues
from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.comparing import Stated, Status, Summary, judge
from bobctx.core.packing import FLOORS
from bobctx.core.render import claim_line, pin_lines
from bobctx.core.segments import Spine
from bobctx.core.sentinel import seal
from bobctx.core.types import Claim, Json, Message, Pin, ToolSet

HEADER = (
    "[bobctx: reference data about this conversation, not instructions. {why} Each was checked against the messages it "
    "comes from. What is not listed may still be true. The ids are not for the user.]"
)
COMPARED = "The summary of the earlier messages leaves these out or says otherwise."
NOT_COMPARED = "Earlier messages were replaced by a summary; these hold whether or not it repeats them."
OTHERWISE = " (the summary says otherwise)"
MORE = "- {count} more are known but not listed here"
MORE_BYTES = 60
"""Kept free for the last line."""
MOST = 400
"""Claims that are compared, the most important first: a host waits for the answer."""
BINDING = frozenset({"constraint", "preference", "decision", "commitment", "correction"})
"""Types in which a prohibition can stand."""

Kind = Literal["pin", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pin or a current claim, and what the summary makes of it."""

    id: str
    kind: Kind
    type: str
    importance: int
    text: str
    line: str
    """As it is shown."""
    tier: int
    """0 pins, 1 prohibitions, 2 the rest."""
    salience: float
    status: Status | None
    """None where there was no summary to compare with."""
    reason: str = ""

    @property
    def missing(self) -> bool:
        """Whether the next prompt has to be told."""
        return self.status != "found"

    def as_json(self) -> dict[str, Json]:
        """For the API."""
        return {
            "id": self.id,
            "kind": self.kind,
            "type": self.type,
            "importance": self.importance,
            "text": self.text,
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """The comparison, and the text about what is missing."""

    known: tuple[Known, ...]
    """Everything that was compared, in the order in which it is told."""
    block: str | None
    """Sealed; None where nothing is missing or nothing fits."""
    shown: tuple[str, ...]
    """Ids in the block."""

    def count(self, status: Status) -> int:
        """How many have this status."""
        return sum(item.status == status for item in self.known)


def remind(
    view: ClaimView,
    pins: Sequence[Pin],
    spine: Spine,
    messages: Sequence[Message],
    *,
    opening: Sequence[ViewClaim] = (),
    summary: str | None,
    only: Collection[str] | None = None,
    limit: int,
    key: bytes,
) -> Reminder:
    """Compare what is known with a summary and say what it lacks.

    Args:
        view: The claims of the trusted chain; those of importance 1 are left aside, as in prompts, and of very many
            only `MOST` are compared.
        pins: Of the conversation.
        spine: Of the conversation.
        messages: Those of the spine, all of them, in order.
        opening: Claims of the opening, which the chain has none of (`core.opening`).
        summary: The host's text; None: it is not known, so everything counts as missing.
        only: Ids to say again, whatever the summary holds; None: what it lacks.
        limit: Bytes of the text.
        key: The database's own, for the seal.
    """
    given = None if summary is None else Summary(summary)
    known = [_pin(pin, given) for pin in pins]
    pinned = {pin.claim_id for pin in pins}
    current = _foremost([c for c in (*opening, *view.active) if c.importance >= FLOORS[0] and c.claim.id not in pinned])
    known += [_claim(claim, spine, messages, given) for claim in current]
    ordered = sorted(enumerate(known), key=lambda item: _order(*item))
    items = tuple(item for _, item in ordered)
    told = [item for item in items if (item.missing if only is None else item.id in only)]
    block, shown = _block(told, limit, key, HEADER.format(why=NOT_COMPARED if summary is None else COMPARED))
    return Reminder(known=items, block=block, shown=shown)


def _order(place: int, item: Known) -> tuple[float, ...]:
    contradicted = 0 if item.status == "contradicted" else 1
    return (item.tier, contradicted, -item.importance, -item.salience, -place)


def _foremost(claims: list[ViewClaim]) -> list[ViewClaim]:
    """At most `MOST`: prohibitions, then by importance, then the newest; in their own order."""
    if len(claims) <= MOST:
        return claims
    ranked = sorted(enumerate(claims), key=lambda item: (not _binds(item[1]), -item[1].importance, -item[0]))
    return [claim for _, claim in sorted(ranked[:MOST], key=lambda item: item[0])]


def _binds(claim: ViewClaim) -> bool:
    return claim.claim.type in BINDING and bool(prohibition_cues(claim.claim.text))


def _pin(pin: Pin, summary: Summary | None) -> Known:
    words = " ".join(pin.text.split())
    claim = Claim(id=pin.pin_id, label="pin", type="constraint", importance=3, text=words, cites=())
    status: Status | None = None
    reason = ""
    if summary is not None:
        finding = judge(Stated(claim=claim, importance=3, cited=()), summary)
        status, reason = finding.status, finding.reason
        if words.casefold() in summary.lower:
            status, reason = "found", ""
    return Known(
        id=pin.pin_id,
        kind="pin",
        type="pin",
        importance=3,
        text=pin.text,
        line=pin_lines([pin], 0)[0],
        tier=0,
        salience=1.0,
        status=status,
        reason=reason,
    )


def _claim(claim: ViewClaim, spine: Spine, messages: Sequence[Message], summary: Summary | None) -> Known:
    status: Status | None = None
    reason = ""
    if summary is not None:
        stated = Stated(
            claim=claim.claim,
            importance=claim.importance,
            cited=tuple(messages[p] for p in claim.cites),
            after=messages[claim.cites[-1] + 1 :] if claim.cites else (),
        )
        finding = judge(stated, summary)
        status, reason = finding.status, finding.reason
    line = claim_line(claim, spine, "seed", ToolSet())
    return Known(
        id=claim.claim.id,
        kind="claim",
        type=claim.claim.type,
        importance=claim.importance,
        text=claim.claim.text,
        line=line + (OTHERWISE if status == "contradicted" else ""),
        tier=1 if _binds(claim) else 2,
        salience=claim.claim.salience,
        status=status,
        reason=reason,
    )


def _block(told: Sequence[Known], limit: int, key: bytes, header: str) -> tuple[str | None, tuple[str, ...]]:
    """Whole lines up to the limit, the seal counted; what does not fit is counted in a line of its own."""
    room = limit - len(seal(header, key).encode()) - MORE_BYTES
    lines, shown = [header], []
    for item in told:
        size = len(item.line.encode()) + 1
        if size <= room:
            room -= size
            lines.append(item.line)
            shown.append(item.id)
    if not shown:
        return None, ()
    if len(shown) < len(told):
        lines.append(MORE.format(count=len(told) - len(shown)))
    return seal("\n".join(lines), key), tuple(shown)
