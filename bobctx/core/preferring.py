"""What a claim puts above another thing (`would rather have a band than a DJ`), as its source sets that aside. Pure.

A claim that names the side set aside asserts it, unless it says in the same breath that something else is
preferred to it. Source: design, section 6, Polarity.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from bobctx.core.accounted import as_change, old_and_new
from bobctx.core.checking import Case
from bobctx.core.patterns import patterns
from bobctx.core.reading import read
from bobctx.core.sources import Clause
from bobctx.core.text import content_stems

FEW: Final = 4
"""Clauses with most of the claim's words that are looked at."""
_ABOVE: Final = patterns("above")


def set_against(case: Case) -> bool:
    """Whether the claim sets two things against each other as one of the clauses it rests on does."""
    return any(preferred(case, clause) or moved(case, clause) for _, clause, _ in case.readings(FEW))


def moved(case: Case, clause: Clause) -> bool:
    """Whether the claim tells as old and new what the clause sets aside and keeps (`up from 64`, `from 64 to 67`)."""
    source = case.source(clause.message)
    there = [x for x in source.literals if clause.start <= x.start < clause.end and x.measured]
    for one, other in pairwise([lit for lit in case.literals if lit.measured]):
        told = as_change(case, one, other)
        if told is None:
            continue
        old, new = ([x for x in there if x.offers & lit.needs] for lit in told)
        if old and new and old_and_new(source.text, case.lang_of(source), old[0], new[0]) == (old[0], new[0]):
            return True
    return False


def preferred(case: Case, clause: Clause) -> bool:
    """Whether the claim prefers something else of the clause to what the clause sets aside."""
    found = _ABOVE[case.lang].search(case.text) if case.lang in _ABOVE else None
    if found is None:
        return False
    sides = content_stems(found["one"], case.lang), content_stems(found["other"], case.lang)
    above, below = sides if case.lang not in _TURNED else sides[::-1]
    segments = read(clause.text, case.lang_of(case.source(clause.message))).segments
    aside = {k for s in segments if s.kind == "contrast" for k in (s.heads or s.content)}
    kept = {k for s in segments if s.kind != "contrast" for k in s.content} - aside
    return bool(aside & below) and not aside & above and bool(kept & above)


_TURNED: Final = frozenset({"ja", "ko"})
"""Languages in which what is set below stands first (`XよりY`)."""
