"""A state without a value that a later cited message replaces: `Samir owns it`, then `Ines owns it now`. Pure.

`staleness` follows values. Here the last cited message is asked, where users alone are cited: if it changes something
of the claim's matter and brings in a word of its own, while the claim has nothing from it but the matter, it tells the
state before (design, section 6, Stale values).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core import change
from bobctx.core.checking import Case, Refusal
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.staleness import CURRENT
from bobctx.core.text import content_stems

_COMMA: Final = regex.compile(r"[,;，；、،؛]")
SHARED: Final = 2
"""Words of the claim in the clause that changes something."""
BRIEF: Final = 5
"""Content words of a clause that has few others: half as many of the claim's are enough."""


def check(case: Case) -> Refusal | None:
    """Whether the last cited message gives something else in the place of what the claim says."""
    if case.type not in CURRENT or len(case.cited) < SHARED:
        return None
    last = max(case.cited, key=lambda s: s.position)
    before = [s for s in case.cited if s is not last]
    if any(s.message.role != "user" for s in case.cited) or change.marks_former(case.text, case.lang):
        return None
    earlier = frozenset().union(*(s.clauses_with.keys() for s in before))
    if any(k in last.clauses_with and k not in earlier for k in case.stems):
        return None  # it has something from it
    if any(lit.measured for lit in case.literals) or any(
        p.message == last.position for places in case.found for p in places
    ):
        return None  # values are `staleness`
    rest = _part(case)
    for clause, stems in zip(last.clauses, last.clause_stems, strict=True):
        if not change.marks_change(clause.text, last.lang):
            continue
        moved = content_stems(change.words_of_change(clause.text, last.lang), last.lang)
        mine, new = stems & case.stems - moved, stems - earlier - case.stems - moved
        least = SHARED if len(stems - moved) > BRIEF else SHARED // 2
        other = stems & earlier - case.stems - moved - rest  # `Bo now has it` says nothing of what Anna has
        if new and not (other and case.lang not in CHARACTER_LANGUAGES) and len(mine) >= least:
            data = {"literal": ", ".join(sorted(mine)), "now": ", ".join(sorted(new)[:4])}
            return Refusal(
                code="stale_value", data={**data, "message": last.message.alias, "clause": clause.text[:200]}
            )
    return None


def _part(case: Case) -> frozenset[str]:
    """The words of the part of a sentence that the claim rests on."""
    if not case.supports:
        return frozenset()
    best = case.supports[0]
    lang = case.lang_of(case.source(best.message))
    parts = [content_stems(part, lang) for part in _COMMA.split(best.text)]
    return max(parts, key=lambda stems: len(stems & case.stems))
