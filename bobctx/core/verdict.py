"""A denial that is a clause of its own after what it denies: `candles in the loft: not on your life`. Pure.

The clause that names the matter denies nothing, and the one that denies names nothing, so neither contradicts a claim
alone (`polarity`). Here the two are read together (design, section 6, Polarity).
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, turns
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import Reading, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems

MOST: Final = 4
"""Clauses that are looked at, those with most of the claim first."""
NAMED: Final = 0.6
"""Share of the words of the matter that the claim must have."""
GAP: Final = 4
"""Code points between a matter and its verdict."""


def check(case: Case) -> Refusal | None:
    """Whether the claim asserts what the next clause of its source refuses in a word."""
    if case.lang == UNKNOWN or case.type == "open_question":
        return None
    mine = read(case.text, case.lang)
    if mine.question or mine.has("hypothetical") or any(turns(s) for s in mine.segments):
        return None
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        after = _next(source, clause)
        if after is None or not _names(case, clause, source):
            continue
        cue = _bare_denial(read(after.text, case.lang_of(source)))
        if cue:
            return Refusal(
                code="negation_dropped", data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            )
    return None


def follows(source: Source, clause: Clause, lang: str) -> bool:
    """Whether the next clause refuses in a word what this one names."""
    after = _next(source, clause)
    return after is not None and bool(_bare_denial(read(after.text, source.lang if source.lang != UNKNOWN else lang)))


def _next(source: Source, clause: Clause) -> Clause | None:
    """The clause behind one, of the same sentence or behind a question that its speaker answers."""
    at = source.clause_at(clause.start)
    if at + 1 >= len(source.clauses):
        return None
    after = source.clauses[at + 1]
    between = source.text[clause.end : after.start]
    asked = clause.text.rstrip().endswith(("?", "？", "؟"))
    if len(between) > GAP or "\n" in between or (not asked and any(c in between for c in ".!。！")):
        return None
    return after if asked or not clause.text.rstrip().endswith((".", "!", "。", "！")) else None


def _names(case: Case, clause: Clause, source: Source) -> bool:
    """Whether the claim is about the matter, which is only named or asked and not denied itself."""
    lang = case.lang_of(source)
    stems = content_stems(clause.text, lang)
    if not stems or any(turns(s) for s in read(clause.text, lang).segments):
        return False
    return sum(has_stem(w, case.stems) for w in stems) >= NAMED * len(stems)


def _bare_denial(after: Reading) -> str:
    """The word of a clause that denies and says nothing else of anything."""
    if after.question or len(after.segments) == 0 or not after.segments[0].strength % 2:
        return ""
    first = after.segments[0]
    if first.content.keys() - first.marked or first.kind != "main" or not first.has("deny"):
        return ""
    return first.of("deny")[0].text
