"""Active claims that give one subject different values of one kind, found by code alone. Pure.

A subject is the set of words that a value belongs to, without those that only say that something is or was set.
Two claims with the same subject and other values, neither of which replaced the other, are disputed until an
operator or a later correction decides (design, section 8).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from bobctx.core.identity import digest
from bobctx.core.language import is_stop_word, language_of
from bobctx.core.literal import Literal
from bobctx.core.literals import scan
from bobctx.core.slots import Slot, family, slots
from bobctx.core.stemming import stem
from bobctx.core.types import ClaimType

VALUED: Final[frozenset[ClaimType]] = frozenset(
    {"decision", "constraint", "definition", "commitment", "fact", "correction", "artifact", "preference"}
)
"""Questions have no value and failures are events: two of them are no contradiction."""
NAMED: Final = frozenset({"email", "url", "ip", "path"})
"""Values of a claim that holds no quantity, time or date."""
DATED: Final = frozenset({"date", "time"})
MAX_SUBJECTS: Final = 8
"""Values of one claim that are looked at."""
MAX_SIDES: Final = 4
"""Claims of one conflict that are shown; more values than these are a list, not a dispute."""
_LAST_WORD: Final = regex.compile(r"(\p{L}{2,})[ #]$")
_GOES_ON: Final = regex.compile(r"\s+\p{L}")
_SET = "set sets setting is are be been was were will use uses using used has have keep keeps kept stay stays run"
_NOW = "now currently current remain remains running new actual actually equal value at must should shall default"
_DECIDED = "change changed move moved update updated correct corrected correction agreed decided final confirmed"
_SAYING: Final = frozenset(stem(word, "en") for word in f"{_SET} {_NOW} {_DECIDED}".split())
"""Words that only say that a value holds or came to hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one value of a claim is a value of."""

    key: str
    """Kind and sorted words: equal for claims that speak of the same thing."""
    value: str
    """The values in one canonical text."""


def subjects(text: str, kind: ClaimType = "fact") -> tuple[Subject, ...]:
    """The subjects of a claim that can be disputed; none where its words name nothing."""
    if kind not in VALUED:
        return ()
    lang = language_of(text)
    found = scan(text, lang)
    valued = [f for f in found if f.measured and not _is_label(f, text)] or [f for f in found if f.kind in NAMED]
    if not valued or len(valued) > MAX_SUBJECTS:
        return ()
    placed = {slot.literal: slot for slot in slots(text, found, lang)}
    families = [family(f) for f in valued]
    by_key: dict[str, set[str]] = defaultdict(set)
    for literal in valued:
        mine = family(literal)
        if families.count(mine) > 1:
            words = _words([placed[literal]] if literal in placed else [], literal)
            # A date or time of the statement says when it held: lines of a log do not dispute one another.
            when = {_value(f) for f in valued if f.kind in DATED and family(f) != mine}
            words = words | when if words else words
        else:
            # The only value of its kind belongs to the whole statement; other values then say which one is meant.
            words = _words(placed.values(), literal)
            others = {_value(f) for f in found if f.measured and f is not literal}
            words = words | others if words else words
        if words:
            by_key["|".join((mine, *sorted(words)))].add(_value(literal))
    return tuple(Subject(key=key, value=" ".join(sorted(values))) for key, values in sorted(by_key.items()))


def _is_label(literal: Literal, text: str) -> bool:
    """`step 3 waits`: a small bare number right after a noun, in the middle of a sentence, names one of several."""
    if literal.kind != "number" or literal.unit or not literal.text.isdigit() or len(literal.text) > 3:
        return False
    before = _LAST_WORD.search(text, max(0, literal.start - 64), literal.start)
    if before is None or stem(before[1].lower(), "en") in _SAYING or is_stop_word(before[1].lower(), language_of(text)):
        return False
    return _GOES_ON.match(text, literal.end) is not None


def _value(literal: Literal) -> str:
    return f"{min(literal.needs)} {literal.unit}" if literal.unit else min(literal.needs)


def _words(placed: Iterable[Slot], literal: Literal) -> set[str]:
    return {
        term.key
        for slot in placed
        for term in slot.terms
        if term.key not in _SAYING and not literal.start <= term.start < literal.end
    }


# -- what is disputed --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One claim of a dispute, as the store has it."""

    subject: str
    """Hash of the subject within one user's claims."""
    claim_id: str
    value: str
    since: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Claims of one subject with different values."""

    conflict_id: str
    """Of the subject and its values: whoever says them again, the conflict is the same."""
    claims: tuple[str, ...]
    """Global ids, oldest first."""
    values: tuple[str, ...]
    """Of each claim."""
    echoes: tuple[tuple[str, str], ...] = ()
    """Older claims that say what a side says, with their values: as disputed as it is, and shown by it."""
    subject: str = ""
    former_id: str = ""
    """What named it in decisions of earlier versions: the subject and the claims."""

    def value_of(self, claim_id: str) -> str | None:
        """The value that a claim of the conflict gives, None for any other claim."""
        return dict((*zip(self.claims, self.values, strict=True), *self.echoes)).get(claim_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """An operator's word on one conflict."""

    conflict_id: str
    keep: str | None
    """The claim that holds; None where all do."""
    lost: tuple[str, ...] = ()
    """The claims that do not hold any more."""
    conversation_id: str | None = None
    """Of one of its claims."""
    decided_ts: float = 0.0
    subject: str = ""
    """Known while it is made: what was decided before against claims of the value that now holds is then void."""

    @property
    def all_hold(self) -> bool:
        """Nothing was decided against."""
        return self.keep is None and not self.lost


def resolution(conflict: Conflict, keep: str | None) -> Resolution | None:
    """The decision for one side, or (None) for all of them; None where `keep` is no side of the conflict."""
    if keep is None:
        return Resolution(conflict_id=conflict.conflict_id, keep=None, subject=conflict.subject)
    value = conflict.value_of(keep)
    if value is None:
        return None
    lost = tuple(c for c in (*conflict.claims, *(echo for echo, _ in conflict.echoes)) if conflict.value_of(c) != value)
    return Resolution(conflict_id=conflict.conflict_id, keep=keep, lost=lost, subject=conflict.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """What is open, and which claims lost."""

    open: tuple[Conflict, ...] = ()
    lost: frozenset[str] = frozenset()
    """Claims that an operator decided against."""
    decided: tuple[Resolution, ...] = ()
    """The decisions that hold."""

    def of(self, claim_id: str) -> tuple[Conflict, ...]:
        """The open conflicts of a claim."""
        return tuple(c for c in self.open if c.value_of(claim_id) is not None)


def disputes(sides: Iterable[Side], resolutions: Sequence[Resolution]) -> Disputes:
    """Open conflicts among active claims. Claims that lost dispute nothing, with whomever.

    Where all values were said to hold, who says one of them again changes nothing; a value that lost counts again.
    """
    agreed = {r.conflict_id for r in resolutions if r.all_hold}
    lost = frozenset(claim for r in resolutions for claim in r.lost)
    groups: dict[str, list[Side]] = defaultdict(list)
    for side in sides:
        if side.claim_id not in lost:
            groups[side.subject].append(side)
    found = (_conflict(subject, members) for subject, members in sorted(groups.items()))
    open_ = tuple(c for c in found if c is not None and agreed.isdisjoint((c.conflict_id, c.former_id)))
    return Disputes(open=open_, lost=lost, decided=tuple(resolutions))


def _conflict(subject: str, members: Collection[Side]) -> Conflict | None:
    if len({m.value for m in members}) < 2:
        return None
    # The newest claim of each value stands for it.
    by_age = sorted(members, key=lambda m: (m.since, m.claim_id))
    newest = {m.value: m for m in by_age}
    if len(newest) > MAX_SIDES:
        return None
    ordered = sorted(newest.values(), key=lambda m: (m.since, m.claim_id))
    ids = tuple(m.claim_id for m in ordered)
    return Conflict(
        conflict_id="cf_" + digest("conflict_values", [subject, sorted(newest)])[:32],
        former_id="cf_" + digest("conflict", [subject, sorted(ids)])[:32],
        subject=subject,
        claims=ids,
        values=tuple(m.value for m in ordered),
        echoes=tuple((m.claim_id, m.value) for m in by_age if m.claim_id not in ids),
    )
