"""Which earlier statement a later one replaces: same subject, changed value, in order. Pure.

The extractor links corrections by code; the validator checks each link again (design, section 6, Supersession).
A wrong link would hide a valid statement, so a look-alike twin (another service, another person) is never
replaced: what names a thing belongs to the subject, and only measured values and addresses may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bobctx.core import literals
from bobctx.core.language import language_of
from bobctx.core.markers import markers
from bobctx.core.salience import stems
from bobctx.core.sorting import Draft
from bobctx.core.types import PriorClaim

CHANGEABLE = literals.MEASURED | {"ip", "port", "url", "email", "path", "money"}
"""Kinds of literal that are values; identifiers, flags, names and the like say what a statement is about."""
SHARED = 0.5
"""Words in common, by share of the smaller statement, where the later one says that something changed."""
SHARED_NAMED = 0.3
"""The same where it also repeats the old value (`9443, not 8443`)."""
LEAST_PLAIN = 2
"""Words in common where nothing marks a change but the value itself: then the whole subject must be the same."""
LEAST_TURNED = 2
"""Words in common where a rule is lifted or set."""
NEAR = 6
"""Messages back to which a correction that names no subject (`make that 9443`) may refer."""
JOINED_CHARS = 400
"""Characters of two statements that are quoted together, where the second makes no sense alone."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a sentence is about and the values it gives."""

    subject: frozenset[str]
    names: frozenset[str]
    values: frozenset[tuple[str, str]]
    """(kind, value)."""
    forbids: bool

    @classmethod
    def of(cls, text: str, lang: str) -> _Statement:
        found = literals.scan(text, lang)
        values = [lit for lit in found if lit.kind in CHANGEABLE]
        spelled = {lit.text for lit in values} | {lit.text.casefold() for lit in values}
        names = frozenset(lit.text.casefold() for lit in found if lit.kind not in CHANGEABLE)
        return cls(
            subject=frozenset(s for s in stems(text, lang) if s not in spelled and not any(s in v for v in spelled)),
            names=names,
            values=frozenset((lit.kind, lit.text) for lit in values),
            forbids="forbid" in markers(text, lang),
        )

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.values)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """A statement that may be replaced."""

    target: int | PriorClaim
    said: _Statement
    position: int
    """Message in the region; -1 for an earlier claim."""


def link(drafts: Sequence[Draft], prior: Sequence[PriorClaim] = ()) -> list[Draft]:
    """The drafts with `replaces` or `replaces_prior` set where one changes an earlier statement.

    Each statement is replaced once, by the next one that changes it, so that chains stay in order.
    """
    linked = list(drafts)
    order = sorted(range(len(drafts)), key=lambda i: (drafts[i].position, drafts[i].order))
    earlier = [_Earlier(c, _Statement.of(c.text, language_of(c.text)), -1) for c in prior if c.active]
    for index in order:
        draft = drafts[index]
        now = _Statement.of(draft.text, draft.lang)
        place, named = (None, True) if draft.tool else _replaced(draft, now, earlier)
        if place is not None:
            linked[index] = _linked(draft, earlier.pop(place), linked, named=named)
        if not draft.tool:
            earlier.append(_Earlier(index, now, draft.position))
    return linked


def _replaced(draft: Draft, now: _Statement, earlier: Sequence[_Earlier]) -> tuple[int | None, bool]:
    """Place of the one earlier statement that `now` changes (None: there is none, or two look alike); is it named."""
    ranked = sorted(
        ((share, place) for place, e in enumerate(earlier) if (share := _shared(draft, now, e)) > 0.0), reverse=True
    )
    if len(ranked) > 1 and ranked[0][0] == ranked[1][0] and not _same_subject(earlier, ranked[0][1], ranked[1][1]):
        return None, True
    if ranked:
        return ranked[0][1], True
    return (_nearest(draft, now, earlier), False) if draft.corrects and len(now.subject) <= 2 else (None, True)


def _same_subject(earlier: Sequence[_Earlier], first: int, second: int) -> bool:
    return earlier[first].said.subject == earlier[second].said.subject


def _shared(draft: Draft, now: _Statement, then: _Earlier) -> float:
    """How much of the subject is the same where the value changed; 0 if nothing is replaced."""
    old = then.said
    if then.position == draft.position or not now.subject or not old.subject:
        return 0.0
    new_values, gone = now.values - old.values, old.values - now.values
    repeats = bool(old.values & now.values) and bool(new_values)
    changed = bool({k for k, _ in new_values} & {k for k, _ in gone}) or (draft.corrects and repeats)
    turned = draft.corrects and now.forbids != old.forbids
    if not (changed or turned) or (now.names and old.names and not now.names & old.names):
        return 0.0
    common = len(now.subject & old.subject)
    if not draft.corrects:
        if now.forbids and old.forbids:
            return 0.0  # rules add up: what may not happen to 2 may not happen to 4 either
        same = now.subject == old.subject and now.names == old.names and common >= LEAST_PLAIN
        return 1.0 if same and now.kinds == old.kinds else 0.0
    if not changed:
        # A rule is lifted or set only by a statement about most of what it is about: one shared noun is no subject.
        share = common / len(old.subject)
        return share if common >= LEAST_TURNED and share >= SHARED else 0.0
    share = common / min(len(now.subject), len(old.subject))
    needed = SHARED_NAMED if repeats else SHARED
    return share + (0.5 if repeats else 0.0) if share >= needed else 0.0


def _nearest(draft: Draft, now: _Statement, earlier: Sequence[_Earlier]) -> int | None:
    """The newest statement shortly before, with a value of the same kind, for a correction that names no subject."""
    for place in range(len(earlier) - 1, -1, -1):
        then = earlier[place]
        if not 0 < draft.position - then.position <= NEAR or then.position < 0:
            continue
        if now.kinds and now.kinds <= then.said.kinds and now.values != then.said.values:
            return place
    return None


def _linked(draft: Draft, then: _Earlier, drafts: Sequence[Draft], *, named: bool) -> Draft:
    """The draft with its link; one that names no subject is quoted behind what it changes."""
    importance = 3 if draft.corrects else draft.importance
    if draft.corrects and draft.type in ("fact", "artifact"):
        draft = replace(draft, type="correction")
    if not isinstance(then.target, int):
        return replace(draft, importance=importance, replaces_prior=then.target.alias)
    old = drafts[then.target]
    draft = replace(draft, importance=max(importance, old.importance), replaces=then.target)
    if not named and len(old.text) + len(draft.text) < JOINED_CHARS and not old.also:
        return replace(draft, text=f"{old.text} {draft.text}", also=(old.position,))
    return draft
