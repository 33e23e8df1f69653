"""Whether a claim may replace an earlier one: same subject, something changed, by someone who may change it. Pure.

A link that does not hold is dropped with a warning; the claim stays. A target that was replaced before stands for
the head of its chain (design, section 6, Supersession).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bobctx.core import change, literals
from bobctx.core.acts import negations
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case
from bobctx.core.function_words import ORDINALS
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.leaning import COMPOUND, leans, values_of
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.markers import markers
from bobctx.core.salience import NAMES
from bobctx.core.slots import PARTICLE, family, stemmed
from bobctx.core.text import content_stems, words
from bobctx.core.types import ClaimType, Json

SAME_SUBJECT: Final = 0.3
"""Share of the shorter statement's words that both must have."""
VALUED: Final = 0.25
"""The same where both give a value of one kind, and another one."""
MAX_CHAIN: Final = 64
_CLOCK: Final = frozenset(
    {"uhr", "heur", "hor", "ora", "ore", "ur", "час", "утр", "вечер", "o'clock", "ساع", "صباح", "ساء", "오전", "오후"}
)
"""Stems of what goes with any time of day and is no subject; written out, for stemming them needs ten languages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An earlier claim as a link sees it."""

    alias: str
    id: str
    type: ClaimType
    text: str
    superseded_by: str | None = None
    cited_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What becomes of a link: the id it goes to, or None; a warning where it was dropped or moved."""

    id: str | None
    code: str = ""
    data: Mapping[str, Json] | None = None


def resolve(case: Case, wanted: Json, targets: Mapping[str, Target]) -> Link:
    """The claim that `case` replaces."""
    if not isinstance(wanted, str) or wanted not in targets:
        return Link(id=None, code="link_unknown", data={"target": str(wanted)[:40]})
    target = head(targets[wanted], targets)
    moved = target is not targets[wanted]
    if not same_subject(case, target):
        return Link(id=None, code="link_other_subject", data={"target": wanted})
    if not changes(case, target):
        return Link(id=None, code="link_no_change", data={"target": wanted})
    if moved:
        return Link(id=target.id, code="link_stale", data={"target": wanted, "head": target.alias})
    return Link(id=target.id)


def head(target: Target, targets: Mapping[str, Target]) -> Target:
    """The newest claim of the chain that replaced `target`."""
    for _ in range(MAX_CHAIN):
        after = targets.get(target.superseded_by or "")
        if after is None or after is target:
            return target
        target = after
    return target


def same_subject(case: Case, target: Target) -> bool:
    """Whether both speak of the same thing: names or words in common."""
    mine, theirs = _subject(case.text, case.lang), _subject(target.text, case.lang)
    shared = mine & theirs
    if case.type == "correction" and _exchanges(case, target):
        return True
    if not shared - _places(case.text, case.lang):
        # What was called by another name may share its source's words.
        if target.cited_text and len(mine & _subject(target.cited_text, case.lang)) * 2 >= max(2, len(mine)):
            return True
        return _repairs(case, target)
    if any("_" in name or any(c.isdigit() for c in name) or COMPOUND.fullmatch(name) for name in shared):
        return True  # one identifier in common says enough
    mine_values, theirs_values = _amounts(case.text, case.lang), _amounts(target.text, case.lang)
    valued = any(
        family(new) == family(old) and not new.needs & old.offers and (not one or not other or one == other)
        for new, one in mine_values
        for old, other in theirs_values
    ) and _other_value([v for v, _ in mine_values], [v for v, _ in theirs_values])
    kept = any(new.needs & old.offers for new, _ in mine_values for old, _ in theirs_values)
    valued = valued or (kept and len(shared) > 1)  # it names the value that it sets aside
    enough = len(shared) >= max(1, (VALUED if valued else SAME_SUBJECT) * min(len(mine), len(theirs)))
    return enough or _repairs(case, target)  # two paths may share a folder, which is no subject


def _exchanges(case: Case, target: Target) -> bool:
    """Whether it has a word and a value of the target, and another value of its kind (`1,500 rather than 1,200`)."""
    common = content_stems(case.text, case.lang) & content_stems(target.text, case.lang)
    if not any(any(c.isalpha() for c in stem) for stem in common):
        return False
    old = literals.of_claim(target.text, case.lang)
    new = literals.of_claim(case.text, case.lang)
    kept = {family(v) for v in old if v.measured and any(v.offers & own.needs for own in new)}
    return any(family(v) in kept and not any(v.needs & other.offers for other in old) for v in new)


def _places(text: str, lang: str) -> frozenset[str]:
    """The words of a text that are ordinals or one of two opposites: shared, they name no subject (`first replies`)."""
    sides = {c.text for c in cues(text, lang, LOGIC, ("opposite",))}
    said = {w.text for w in words(text, lang)} & ORDINALS
    return content_stems(" ".join(sorted(said | sides)), lang)


def _amounts(text: str, lang: str) -> list[tuple[literals.Literal, str]]:
    """The values of a statement, each with the word right behind a bare number (`2 broken plates`)."""
    starts = dict(stemmed(text, lang))
    found = literals.of_claim(text, lang)
    return [(v, starts.get(v.end + 1, "") if v.kind == "number" and v.unit is None else "") for v in found]


def _repairs(case: Case, target: Target) -> bool:
    """Whether a correction without a subject (`make that 9443`) gives another value of a kind that the target has."""
    if not leans(case.text, case.lang):
        return False
    new, old = values_of(case.text, case.lang), values_of(target.text, language_of(target.text))
    return not new <= old and {kind for kind, _ in new} <= {kind for kind, _ in old}


def _subject(text: str, lang: str) -> frozenset[str]:
    """Words and names of a statement without its measured values."""
    found = literals.of_claim(text, lang)
    values = [(f.start, f.end) for f in found if f.measured]
    bare = list(text)
    for start, end in values:
        bare[start:end] = " " * (end - start)
    names = {f.text.casefold() for f in found if not f.measured}
    own = lang if lang != UNKNOWN else language_of(text)
    stems = content_stems("".join(bare), own) - _CLOCK
    if own in ("zh", "ja"):
        stems = frozenset(s for s in stems if not PARTICLE.search(s)) or stems
    return stems | names


def changes(case: Case, target: Target) -> bool:
    """Whether the claim says something else than the target, and its cites may say so."""
    roles = {s.message.role for s in case.cited}
    if roles == {"tool"} and target.type in DIRECTIVES | RESOLVES | {"correction"}:
        return False
    mine = literals.of_claim(case.text, case.lang)
    theirs = literals.of_claim(target.text, case.lang)
    if _other_value(mine, theirs) or _other_person(case, target) or _turned(case, target) or _reversed(case, target):
        return True
    if _goes_on(case):
        return False
    if case.type == "correction":
        return True
    said = [case.text, *(c.text for c in case.supports[:3])]
    return _words_differ(case, target) and any(change.marks_change(t, case.lang) for t in said)


def _goes_on(case: Case) -> bool:
    """Whether the claim, or the sentence it rests on most, says that all stays as it was."""
    best = case.supports[:1]
    sentence = next((b.of(s.text) for c in best for s in [case.source(c.message)] if (b := s.sentence_at(c.start))), "")
    changed = change.marks_change(case.text, case.lang)
    return change.goes_on(case.text, case.lang) or (not changed and change.goes_on(sentence, case.lang))


def _other_value(mine: list[literals.Literal], theirs: list[literals.Literal]) -> bool:
    """A value of one kind that one has and the other has not."""
    for new in mine:
        if any(new.needs & old.offers for old in theirs):
            continue
        if any(family(new) == family(old) for old in theirs):
            return True
    return False


def _other_person(case: Case, target: Target) -> bool:
    """Whether the claim names whom the target names, and somebody else beside (`Bo took over from Ana`)."""
    mine, theirs = ({v for k, v in values_of(t, case.lang) if k == "name"} for t in (case.text, target.text))
    return bool(mine & theirs) and bool(mine - theirs)


def _reversed(case: Case, target: Target) -> bool:
    """Whether both have the same two or more people in another order (`from Ana to Bo`, `from Bo to Ana`)."""
    mine, theirs = (tuple(m.group() for m in NAMES.finditer(t)) for t in (case.text, target.text))
    return len(mine) > 1 and mine != theirs and sorted(mine) == sorted(theirs)


def _turned(case: Case, target: Target) -> bool:
    def denies(text: str) -> bool:
        return bool(negations(text, case.lang) or cues(text, case.lang, LOGIC, ("deny", "stop")))

    if denies(case.text) != denies(target.text):
        return True
    # `The ban is lifted` denies a denial.
    return _lifts(case.text) != _lifts(target.text)


def _lifts(text: str) -> bool:
    return "lift" in markers(text, language_of(text))


def _words_differ(case: Case, target: Target) -> bool:
    mine, theirs = content_stems(case.text, case.lang), content_stems(target.text, case.lang)
    return len(mine - theirs) > 1
