"""Which earlier statement a later one replaces: same subject, changed value, in order. Pure.

The extractor links corrections by code; the validator checks each link again (design, section 6, Supersession).
A wrong link would hide a valid statement, so a look-alike twin (another service, another person) is never
replaced: what names a thing belongs to the subject, and only measured values and addresses may change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from bobctx.core import change, literals
from bobctx.core.acts import modals
from bobctx.core.language import is_stop_word, language_of
from bobctx.core.markers import markers
from bobctx.core.salience import NAMES, stems
from bobctx.core.sorting import Draft
from bobctx.core.text import stem
from bobctx.core.types import PriorClaim

CHANGEABLE = literals.MEASURED | {"ip", "port", "url", "email", "path", "money", "ticket"}
"""Kinds of literal that are values; identifiers, flags, names and the like say what a statement is about."""
TOLD = frozenset({"ticket", "name"})
"""Kinds that are values only where the statement says that something changed."""
SHARED = 0.5
"""Words in common, by share of the smaller statement, where the later one says that something changed."""
SHARED_NAMED = 0.3
"""The same where it also repeats the old value (`9443, not 8443`)."""
LEAST_PLAIN = 2
"""Words in common where nothing marks a change but the value itself: then the whole subject must be the same."""
LEAST_TURNED = 2
"""Words in common where a rule is lifted or set."""
OPPOSITE = 0.6
"""Words in common, by share of all words of both, of a rule and its opposite."""
ELLIPTIC = 40
"""Characters of a statement that only repairs a value just given."""
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
    former: frozenset[tuple[str, str]]
    """Those of the values that it says held before."""
    forbids: bool
    permits: bool
    """Says that something may be done again."""
    modifiers: Mapping[str, str]
    """Word -> the word right before it, both of content."""

    @classmethod
    def of(cls, text: str, lang: str) -> _Statement:
        found = literals.scan(text, lang)
        values = {(lit.kind, lit.text) for lit in found if lit.kind in CHANGEABLE}
        values |= {("name", m.group()) for m in NAMES.finditer(text)}
        spelled = {v for _, v in values} | {v.casefold() for _, v in values}
        names = {lit.text.casefold() for lit in found if lit.kind not in CHANGEABLE}
        names |= {m.group().casefold() for m in _COMPOUND.finditer(text)}
        marked = markers(text, lang)
        return cls(
            subject=frozenset(s for s in stems(text, lang) if s not in spelled and not any(s in v for v in spelled)),
            names=frozenset(n for n in names if not any(n in v for v in spelled)),
            values=frozenset(values),
            former=frozenset(v for v in values if _is_former(text, v[1], lang)),
            forbids="forbid" in marked and "lift" not in marked,
            permits="lift" in marked or ("forbid" not in marked and any(c.value == "may" for c in modals(text, lang))),
            modifiers=_modifiers(text, lang),
        )

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.values)

    def contradicts(self, other: _Statement) -> bool:
        """Whether the same noun is told apart by another word: the `upper` and the `lower` dock."""
        return any(
            word not in other.subject and other.modifiers[noun] not in self.subject
            for noun, word in self.modifiers.items()
            if other.modifiers.get(noun, word) != word
        )


_APOLOGY = regex.compile(
    r"(?:oh |no |wait |nein |non |нет )?[, ]*(?:sorry|pardon|oops|perd[óo]n|entschuldigung|"
    r"scusa|desculp[ae]|прости(?:те)?|извини(?:те)?"
    r"|抱歉|对不起|すみません|죄송|عفوا)",
    regex.IGNORECASE,
)
"""With which a repair begins."""
_COMPOUND = regex.compile(r"(?<![A-Za-z0-9_/-])[A-Za-z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++){2,}+(?![A-Za-z0-9_/-])")
_WORD = regex.compile(r"[\p{L}\p{M}]++")


def _is_former(text: str, value: str, lang: str) -> bool:
    """Whether a value stands where a former one does: `instead of 8443`, `not 8443`, `from 8443 to 9443`."""
    at = text.find(value)
    if at < 0:
        return False
    end = at + len(value)
    if change.former_before(text[:at], lang) or (lang in ("zh", "ja", "ko") and change.former_after(text[end:], lang)):
        return True
    return change.from_to(text[:at], text[end : end + 30], lang) and change.marks_change(text, lang)


def _modifiers(text: str, lang: str) -> dict[str, str]:
    found: dict[str, str] = {}
    before = None
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if is_stop_word(word, lang):
            before = None
            continue
        own = stem(word, lang)
        if before is not None and text[before[1] : match.start()] == " ":
            found[own] = before[0]
        before = (own, match.end())
    return found


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
    repairs = len(draft.text) <= ELLIPTIC and len(now.values) == 1 and _APOLOGY.match(draft.text) is not None
    if (draft.corrects and len(now.subject) <= 2) or repairs:
        return _nearest(draft, now, earlier, reach=NEAR if draft.corrects else 2), False
    return None, True


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
    others = bool(now.names and old.names and not now.names & old.names)
    if not draft.corrects and now.forbids != old.forbids and not others:
        return _turned_over(now, old)
    if not draft.corrects and repeats and not others and not now.contradicts(old):
        # It says the old value too, so nothing is lost where it stands for the earlier statement.
        common = len(now.subject & old.subject)
        return 1.0 + common / len(old.subject) if common >= SHARED * len(old.subject) else 0.0
    misses = bool(now.former) and not now.former & old.values
    if not (changed or turned) or others or misses or now.contradicts(old):
        return 0.0
    common = len(now.subject & old.subject)
    if not draft.corrects:
        if now.forbids and old.forbids:
            return 0.0  # rules add up: what may not happen to 2 may not happen to 4 either
        same = now.subject == old.subject and now.names == old.names and common >= LEAST_PLAIN
        return 1.0 if same and now.kinds == old.kinds and not now.kinds & TOLD else 0.0
    if not changed:
        # A rule is lifted or set only by a statement about most of what it is about: one shared noun is no subject.
        share = common / len(old.subject)
        return share if common >= LEAST_TURNED and share >= SHARED else 0.0
    share = common / min(len(now.subject), len(old.subject))
    if now.names & old.names:
        share = max(share, SHARED + 0.4 * share)  # what is named alike is the same thing
    needed = SHARED_NAMED if repeats else SHARED
    return share + (0.5 if repeats else 0.0) if share >= needed else 0.0


def _turned_over(now: _Statement, old: _Statement) -> float:
    """A rule and its opposite about exactly the same thing: the later one holds."""
    common = len(now.subject & old.subject)
    if old.permits and now.names & old.names:
        return 1.0
    near = common >= LEAST_TURNED and common >= OPPOSITE * len(now.subject | old.subject)
    return common / len(now.subject | old.subject) if near and not now.contradicts(old) else 0.0


def _nearest(draft: Draft, now: _Statement, earlier: Sequence[_Earlier], *, reach: int) -> int | None:
    """The newest statement shortly before, with a value of the same kind, for a correction that names no subject."""
    for place in range(len(earlier) - 1, -1, -1):
        then = earlier[place]
        if not 0 < draft.position - then.position <= reach or then.position < 0:
            continue
        if now.kinds and now.kinds <= then.said.kinds and now.values != then.said.values:
            return place
    return None


def _linked(draft: Draft, then: _Earlier, drafts: Sequence[Draft], *, named: bool) -> Draft:
    """The draft with its link; one that names no subject is quoted behind what it changes."""
    importance = 3 if draft.corrects or not named else draft.importance
    if (draft.corrects or not named) and draft.type in ("fact", "artifact"):
        draft = replace(draft, type="correction")
    if not isinstance(then.target, int):
        return replace(draft, importance=importance, replaces_prior=then.target.alias)
    old = drafts[then.target]
    draft = replace(draft, importance=max(importance, old.importance), replaces=then.target)
    if not named and len(old.text) + len(draft.text) < JOINED_CHARS and not old.also:
        return replace(draft, text=f"{old.text} {draft.text}", also=(old.position,))
    return draft
