"""A permission that nobody gave: a claim's `may` where its sources order, state or forbid the matter. Pure.

`modality` compares the strength of aligned segments, and a plain order has none (`keep it shut`). Here a `may` is asked
for anything near its words that permits, holds possible, puts to choice or restricts (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import regex

from bobctx.core.acts import acceptances
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import PREFIX, has_stem, turns, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import ACTS, Cue, cues
from bobctx.core.modality import DIRECTIVE, names_the_end
from bobctx.core.reading import Bound, Reading, Segment, read
from bobctx.core.sources import Clause, Source

SHARED: Final = 2
"""Words of the permitted statement that a clause about the matter has; half of them where they are pairs of signs."""
SIGNS: Final = 2
"""Letters that tell words of other scripts apart."""
FEW: Final = 2
"""Words of a clause that has no matter of its own."""
_LEAVE: Final = regex.compile(
    r"\b(?:permi(?:t|ss)|allow|authori[sz]|entitle|consent|lets?\b|letting|gets?\sto\b|access|right\sto|free\sto|forbidden|any\s?time|without"
    r"\sasking|not\smore|welcome\sto|erlaub|darf|dürf|recht\b|ruhig|autoris|autoriz|je\slaisse|permet|permis|permiso|permit|permess|dejo\sque|lascio\sche"
    r"|(?:n't|not|no)\s(?:see\s|have\s)?(?:an?\s|any\s)?(?:problem|objection|issue)|kein\sproblem|nichts\sdagegen|pas\sd'objection|rien\scontre"
    r"|no\sveo\sproblema|nada\sen\scontra|nada\scontra|não\svejo\sproblema|nessun\sproblema|niente\sin\scontrario|geen\s(?:bezwaar|probleem)"
    r"|не\sпротив|нет\sвозраж|没意见|不反对|問題ありません|لا\sمانع"
    r"|permissão|deixo\s|toestemming|ik\slaat|mag\b|разреш|позвол|пусть)|让|允许|可以|准许|あげ|許可|かまわ|構いません|해도|허락|허용|[أنيت]سمح|اسمح"
)
"""Words of leave beside the modals."""
_GIVES: Final = frozenset({"may", "can", "optional"})
_BINDS: Final = frozenset({"until", "unless", "except"})
"""Conditions behind which a thing may be done."""
_TERMS: Final = frozenset({"before", "after", "at_least"})
"""Bounds that order something as well as permit it."""
_RESTS: Final = ("stop", "soft", "deny", "lacking")
"""Kinds of words with which something stays undone."""
_OPEN: Final = ("hypothetical", "indifferent")
"""Kinds of words that leave a thing open."""
_SAYS_SO: Final = ("hypothetical", "neutral", "whether", "indifferent")


def check(case: Case) -> Refusal | None:
    """The first `may` of the claim for which nothing in its sources stands."""
    if case.lang == UNKNOWN or case.type not in DIRECTIVE:
        return None  # elsewhere `may` is as often a guess
    whole = read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or "only" in whole.values("quantifier"):
        return None
    if any(b.value not in _TERMS for b in whole.bounds):
        return None  # `may carry four at most` of `no more than four`
    for segment in whole.segments:
        if segment.has("negation") or segment.kind != "main" or "must" in segment.values("modal"):
            continue
        spared = _spared(case, segment)
        if spared is not None:
            return spared
        given = next((c for c in segment.of("modal") if c.value == "may"), None)
        if given is None:
            continue
        if any(s is not segment and s.kind != "condition" and turns(s) for s in whole.segments):
            continue  # `the name may be logged, the value must be left out`: what a ban leaves
        near = list(_near(case, words_of(segment) - segment.marked))
        conditions = whole.values("condition") - {"at"}
        if near and not any(_permits(s, c, r, whole) for s, c, r in near) and _held(conditions, near):
            return _refusal(case, given.text, case.ranked[0][1] if case.ranked else near[0][1])
    return None


def _refusal(case: Case, cue: str, clause: Clause) -> Refusal:
    where = {"clause": clause.text[:200], "message": case.source(clause.message).message.alias}
    return Refusal(code="modality", data={"cue": cue, **where})


def _spared(case: Case, segment: Segment) -> Refusal | None:
    """Whether a thing may stay undone that its sources forbid (`may stay shut` of `nobody opens it`)."""
    given = next((c for c in segment.of("modal") if c.value in _GIVES), None)
    rests = {_head(c) for k in _RESTS for c in segment.of(k) if given is None or c.start != given.start}
    if given is None or not rests:
        return None
    near = list(_near(case, words_of(segment) - segment.marked))
    if any(_leaves(s, c, r) for s, c, r in near):
        return None
    bans = [c for _, c, r in near if _bans(r, rests)]
    return _refusal(case, given.text, bans[0]) if bans else None


def _bans(reading: Reading, rests: Collection[str]) -> bool:
    """Whether it denies something other than that the thing rests (`it is no drama if it is kept`)."""
    if any(_head(c) in rests for s in reading.segments for k in _RESTS for c in s.of(k)):
        return False
    denied = (s.strength - len(s.of("lacking")) for s in reading.segments if s.kind == "main")
    return any(n % 2 for n in denied)


def _head(cue: Cue) -> str:
    last = cue.text.casefold().split()[-1]
    return last[: PREFIX if last.isascii() else SIGNS]


def _leaves(source: Source, clause: Clause, reading: Reading) -> bool:
    """Whether a clause asks, gives leave or holds something possible."""
    if reading.question or reading.accepts or any(map(reading.has, _OPEN)):
        return True
    if reading.values("modal") & _GIVES:
        return True
    return _LEAVE.search(clause.text.casefold()) is not None


_Near = tuple[Source, Clause, Reading]


def _near(case: Case, words: set[str]) -> Iterator[_Near]:
    """The clauses about the matter and those of a few words that stand beside them or in other messages."""
    least = max(SHARED, len(words) // SHARED) if case.lang in ("zh", "ja") else min(SHARED, len(words))
    for source in case.cited:
        lang = case.lang_of(source)
        clauses = [(c, read(c.text, lang)) for c in source.clauses]
        said = [{k for s in r.segments for k in s.content if not k.startswith("=")} for _, r in clauses]
        about = {i for i, stems in enumerate(said) if sum(has_stem(w, stems) for w in words) >= least}
        beside = {j for i in about for j in (i - 1, i + 1)}
        for index, (clause, reading) in enumerate(clauses):
            small = len(said[index]) <= FEW and (index in beside or not about)
            if index in about or small:
                yield source, clause, reading


def _permits(source: Source, clause: Clause, reading: Reading, claim: Reading) -> bool:
    """Whether a clause gives leave, holds possible, asks, restricts or accepts."""
    if reading.question or reading.accepts or any(_gives(s) for s in reading.segments):
        return True
    if any(not _same_term(b, reading, claim) for b in reading.bounds):
        return True
    if _LEAVE.search(clause.text.casefold()) is not None:
        return True
    lang = reading.lang
    return bool(acceptances(clause.text, lang) or cues(clause.text, lang, ACTS, ("fitting",)))


def _same_term(bound: Bound, reading: Reading, claim: Reading) -> bool:
    """Whether a bound is no more than the time of what a clause states, and the claim's too (`signs before …`)."""
    stated = bound.value in _TERMS and not any(s.strength or s.turned_bound for s in reading.segments)
    named = any(names_the_end(s, "at_most") for s in claim.segments)
    return stated and not named and any(b.way == bound.way for b in claim.bounds)


def _gives(segment: Segment) -> bool:
    if segment.values("modal") & _GIVES or segment.values("condition") & _BINDS or any(map(segment.has, _SAYS_SO)):
        return True
    return "only" in segment.values("quantifier")


def _held(conditions: set[str], near: list[_Near]) -> bool:
    """Whether the sources put the conditions of the claim too: elsewhere one may stand for `only`."""
    theirs = {v for _, _, r in near for v in r.values("condition")}
    return conditions <= theirs
