"""A claim may not say `everyone`, `at any time` or `for good` where what it rests on names a limit. Pure.

`Dairy is out for good` of `dairy is out for four weeks`, `all groups, toddlers included` of `all but the toddlers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from bobctx.core.acts import conditions, quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, REACH, Cue, cues
from bobctx.core.others import denies_in, divided, said_of_both
from bobctx.core.reading import read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import Span, content_stem, forms
from bobctx.core.widening import THE_REST

MOST_CLAUSES: Final = 3
"""Clauses with most of the claim whose sentences may name its limit."""
SHARED: Final = 3
"""Content words of a claim that tell whom an `only` is said of."""
_PART_ENDS: Final = regex.compile(r"[,;.!?，。；！？、]")
_ALONE: Final = frozenset({"only", "most"})
_LIMITED_BY: Final = {
    "all": frozenset({"part"}),
    "included": frozenset({"part"}),
    "regardless": frozenset({"part", "term"}),
    "always": frozenset({"part", "term"}),
    "now": frozenset({"term"}),
}
"""Which limits a word that reaches far does away with: those of whom or what, those of time."""
_BACKED_BY: Final = {
    "all": frozenset({"all", "none", "regardless"}),
    "included": frozenset({"included"}),
    "regardless": frozenset({"regardless", "indifferent"}),
    "always": frozenset({"always"}),
    "now": frozenset({"now"}),
}
"""What the source may say itself that reaches as far."""


def check(case: Case) -> Refusal | None:
    """The word of a claim that reaches beyond the limit its source sets, where the claim keeps no limit at all."""
    if case.lang == UNKNOWN or case.type == "correction":
        return None  # a correction has its subject from what it corrects
    if (other := _other_group(case)) is not None:
        return other
    wide = _wide(case.text, case.lang)
    own = {c.text.casefold() for c in _limits(case.text, case.lang, wide)}
    if not wide or said_of_both(case):
        return None
    if (later := _from_later(case, wide)) is not None:
        return later
    if (rest := _not_the_rest(case, wide)) is not None:
        return rest
    for source, span in _sentences(case):
        text, lang = span.of(source.text), case.lang_of(source)
        theirs = _wide(text, lang)
        limits = _limits(text, lang, theirs)
        if own - {c.text.casefold() for c in limits}:
            return None  # it keeps a limit in words of its own
        limits = [c for c in limits if c.text.casefold() not in own and (not own or c.kind == "condition")]
        if all(c.value == "all" for c in wide):
            limits = [c for c in limits if not _same_way_round(c, text, lang, case)]
        said = _said(text, lang, theirs)
        for cue in wide:
            limit = next((c for c in limits if c.value in _LIMITED_BY[cue.value]), None)
            if limit is not None and said.isdisjoint(_BACKED_BY[cue.value]):
                data = {"cue": cue.text, "clause": text[:200], "message": source.message.alias}
                return Refusal(code="quantifier", data=data)
    return None


def _same_way_round(limit: Cue, text: str, lang: str, case: Case) -> bool:
    """Whether the claim tells all of the rest what is told of it only (`all contact in writing`, `in writing only`)."""
    if limit.value != "part" or not any(c.start == limit.start for c in quantifiers(text, lang) if c.value == "only"):
        return False
    words = _content(text, lang)
    behind = text[limit.end :].lstrip()[:1].isalnum() and lang not in ("ja", "ko")  # else it follows what it limits
    if not behind:
        return any(key in case.stems for key in [k for at, k in words if at < limit.start][-1:])
    end = next((m.start() for m in _PART_ENDS.finditer(text, limit.end)), len(text))
    limited = [k for at, k in words if limit.end <= at < end][:SHARED]
    return bool(limited) and case.stems.issuperset(limited)


def _not_the_rest(case: Case, wide: Sequence[Cue]) -> Refusal | None:
    """`Everyone is without water` of `3B and 5A are without water, the others have it lukewarm`."""
    every = next((c for c in wide if c.value == "all"), None)
    if every is None or "except" in read(case.text, case.lang).values("condition"):
        return None
    for told in divided(case):
        of_some, of_others = told.of_some - told.of_others, told.of_others - told.of_some
        same = told.denies == denies_in(case.text, case.lang)
        too = any(c.value == "included" for c in _wide(told.text, case.lang))
        if same and not too and of_others and of_some & case.stems and not of_others & case.stems:
            data = {"cue": every.text, "clause": told.text[:200], "message": told.source.message.alias}
            return Refusal(code="quantifier", data=data)
    return None


def _from_later(case: Case, wide: Sequence[Cue]) -> Refusal | None:
    """`All issues, this one included` of `from the next issue on`, where the claim has its point from there."""
    if not any(c.value in ("all", "included") for c in wide) or _onward(case.text, case.lang):
        return None
    for clause in case.supports[:MOST_CLAUSES]:
        source = case.source(clause.message)
        begins = _onward(clause.text, case.lang_of(source))
        others = [c for c in case.supports if c is not clause]
        own = _keys(clause, case) - set[str]().union(*(_keys(c, case) for c in others))
        if begins and own:
            data = {"cue": begins[0].text, "clause": clause.text[:200], "message": source.message.alias}
            return Refusal(code="quantifier", data=data)
    return None


def _onward(text: str, lang: str) -> list[Cue]:
    """The words with which something begins with the next one."""
    return [c for c in cues(text, lang, REACH, ("limit",)) if c.value == "onward"]


def _keys(clause: Clause, case: Case) -> set[str]:
    """The words and values of the claim that a clause has."""
    lang = case.lang_of(case.source(clause.message))
    mine = {k for s in read(case.text, case.lang).segments for k in s.content}
    return {k for s in read(clause.text, lang).segments for k in s.content} & mine


def _other_group(case: Case) -> Refusal | None:
    """`Members row only with a coach` of `juniors …`: an `only` said of those whom its source names elsewhere."""
    only = next((c for c in quantifiers(case.text, case.lang) if c.value == "only"), None)
    best = case.supports[0] if case.supports else None
    if only is None or best is None:
        return None
    source = case.source(best.message)
    lang = case.lang_of(source)
    theirs = next((c for c in quantifiers(best.text, lang) if c.value == "only"), None)
    said, heard = _content(case.text, case.lang), _content(best.text, lang)
    if theirs is None or len(said) < SHARED or not heard:
        return None
    (at, subject), (before, other) = said[0], heard[0]
    named = {k for _, k in heard}
    if at >= only.start or before >= theirs.start or has_stem(other, case.stems) or has_stem(subject, named):
        return None
    rest = [k for _, k in said[1:]]
    elsewhere = any(subject in s.stems for s in case.cited)
    if not elsewhere or sum(has_stem(k, named) for k in rest) < max(SHARED - 1, len(rest) - 1):
        return None
    data = {"cue": only.text, "clause": best.text[:200], "message": source.message.alias}
    return Refusal(code="quantifier", data=data)


def _content(text: str, lang: str) -> list[tuple[int, str]]:
    """The words of a text that carry meaning, with their places."""
    return [(at, key) for word, at in forms(text, lang) if (key := content_stem(word, lang))]


def _wide(text: str, lang: str) -> list[Cue]:
    """The words of a text that reach far; `all the others` reach no further than what was named before."""
    found = cues(text, lang, REACH, ("wide",))
    return [c for c in found if c.value != "all" or not THE_REST.match(text, c.end)]


def _limits(text: str, lang: str, wide: Sequence[Cue]) -> list[Cue]:
    """What limits a text, in terms of time or of whom it is said; a limit inside `not only` is none."""
    found = [c for c in cues(text, lang, REACH, ("limit",)) if c.value not in ("apart", "onward")]
    alone = [c for c in quantifiers(text, lang) if c.value in _ALONE]
    alone += [c for c in conditions(text, lang) if c.value == "except"]
    alone += cues(text, lang, LOGIC, ("reserved",))
    found += [c._replace(value="part") for c in alone]
    return [c for c in found if not any(w.start <= c.start < w.end for w in wide)]


def _said(text: str, lang: str, wide: Sequence[Cue]) -> set[str]:
    """The classes of words that reach far in a source, `nobody` and `it does not matter` among them."""
    found = {c.value for c in wide}
    found |= {c.kind for c in cues(text, lang, REACH, ("none",))}
    return found | {c.kind for c in cues(text, lang, LOGIC, ("indifferent",))}


def _sentences(case: Case) -> Iterator[tuple[Source, Span]]:
    """The sentences of the clauses that have most of the claim, up to the first that does not ask."""
    seen: set[tuple[int, int]] = set()
    for _, clause in case.ranked[:MOST_CLAUSES]:
        source = case.source(clause.message)
        span = source.sentence_at(clause.start) or Span(clause.start, clause.end)
        if (clause.message, span.start) in seen:
            continue
        seen.add((clause.message, span.start))
        if read(span.of(source.text), case.lang_of(source)).question:
            continue
        yield source, span
        return
