"""Which earlier statement a later one replaces: same subject, changed value, in order. Pure.

The extractor links corrections by code; the validator checks each link again (design, section 6, Supersession).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bobctx.core.markers import markers
from bobctx.core.salience import VALUE, stems
from bobctx.core.sorting import Draft
from bobctx.core.types import PriorClaim

SHARED_MARKED = 0.5
"""Words in common, by share of the smaller statement, where the later one says that something changed."""
SHARED_PLAIN = 0.8
"""The same where nothing marks a change but the value itself."""
LEAST_SHARED = 2
"""Words in common at least."""
LEAST_MARKED = 1


@dataclass(frozen=True, slots=True)
class _Statement:
    subject: frozenset[str]
    values: frozenset[str]
    denies: bool

    @classmethod
    def of(cls, text: str, lang: str) -> _Statement:
        values = frozenset(m.group().rstrip(".,:") for m in VALUE.finditer(text))
        folded = {v.casefold() for v in values}
        return cls(
            subject=frozenset(s for s in stems(text) if s not in values and s not in folded),
            values=values,
            denies="forbid" in markers(text, lang),
        )


def link(drafts: Sequence[Draft], prior: Sequence[PriorClaim] = ()) -> list[Draft]:
    """The drafts with `replaces` or `replaces_prior` set where one changes an earlier statement.

    Each statement is replaced once, by the next one that changes it, so that chains stay in order.
    """
    linked = list(drafts)
    order = sorted(range(len(drafts)), key=lambda i: (drafts[i].position, drafts[i].order))
    said = {i: _Statement.of(drafts[i].text, drafts[i].lang) for i in order}
    earlier: list[tuple[int | PriorClaim, _Statement]] = [
        (claim, _Statement.of(claim.text, "en")) for claim in prior if claim.active
    ]
    for index in order:
        draft, now = drafts[index], said[index]
        place = _replaced(draft, now, earlier)
        if place is not None:
            target = earlier.pop(place)[0]
            linked[index] = (
                replace(draft, replaces=target)
                if isinstance(target, int)
                else replace(draft, replaces_prior=target.alias)
            )
        earlier.append((index, now))
    return [_settled(draft) for draft in linked]


def _replaced(draft: Draft, now: _Statement, earlier: Sequence[tuple[int | PriorClaim, _Statement]]) -> int | None:
    """Place of the best earlier statement that `now` changes, the latest among equals."""
    if draft.tool or not now.subject:
        return None
    best: tuple[float, int] | None = None
    for place, (_, then) in enumerate(earlier):
        share = _shared(draft.corrects, now, then)
        if share and (best is None or (share, place) > best):
            best = (share, place)
    return None if best is None else best[1]


def _shared(corrects: bool, now: _Statement, then: _Statement) -> float:
    """How much of the subject is the same where the value changed; 0 if nothing is replaced."""
    common = now.subject & then.subject
    size = min(len(now.subject), len(then.subject))
    repeats = corrects and bool(then.values) and then.values <= now.values
    changed = bool(now.values - then.values) and (repeats or bool(then.values - now.values))
    if not size:
        return 0.0
    if not changed:
        # A rule is lifted or set only by a statement about most of what it is about: one shared noun is no subject.
        share = len(common) / len(then.subject)
        lifted = corrects and now.denies != then.denies and len(common) >= LEAST_SHARED
        return share if lifted and share >= SHARED_MARKED else 0.0
    share = len(common) / size
    least, needed = (LEAST_MARKED, SHARED_MARKED) if corrects else (LEAST_SHARED, SHARED_PLAIN)
    # `now` may repeat the old value ("9443 instead of 8443"): that is the surest sign of all.
    if repeats:
        needed = 0.34
    return share if len(common) >= least and share >= needed else 0.0


def _settled(draft: Draft) -> Draft:
    """A replacement of a rule or value must be kept like one."""
    if (draft.replaces is not None or draft.replaces_prior) and draft.importance < 3 and draft.corrects:
        return replace(draft, importance=3)
    return draft
