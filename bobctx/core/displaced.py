"""A negation put into the condition, term or reason of a statement (`until the fan has not come`). Pure.

Segments are compared as wholes (`polarity`), so that a `not` in the main part of a source hides one in the term of the
claim. Here the part behind a linking word is compared with the parts behind the linking words of the sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from bobctx.core.acts import negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import CONCORD, has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, Cue, cues
from bobctx.core.settled import denied_there
from bobctx.core.text import content_stems

MOST: Final = 12
"""Clauses that are looked at, those with most of the claim first."""
SAME: Final = 0.6
"""Share of the part's words that a part of a source must have to be the same."""
_END: Final = regex.compile(r"[,;:.!?،؛。！？]\s|$")
_TERMS: Final = frozenset({"until", "before", "after", "reason"})
"""Links behind which a negation says the reverse, whatever stands before them.

Read in English and not at the beginning: elsewhere the denied main verb may stand behind a mere time (`vor 14 Uhr`)."""
_CASES: Final = frozenset({"if", "when"})
"""Links behind which `not X` may say what `unless X` or `not before X` does."""


def check(case: Case) -> Refusal | None:
    """The first negation behind a linking word of the claim that no source has there."""
    if case.lang in (UNKNOWN, "zh", "ja", "ko"):
        return None
    whole = negations(case.text, case.lang)
    for link, part, behind in _parts(case.text, case.lang):
        if link in _TERMS and not (behind and case.lang == "en"):
            continue
        inside = negations(part, case.lang)
        words = content_stems(part, case.lang)
        one = len(inside) == 1 or (inside and case.lang in CONCORD)
        if not one or not words or (link in _CASES and len(whole) > len(inside)):
            continue
        clause = _affirmed(case, link, words, inside[0].text)
        if clause is not None:
            return Refusal(code="negation_added", data={"cue": inside[0].text, "clause": clause[:200], "message": ""})
    return None


def _parts(text: str, lang: str) -> Iterator[tuple[str, str, bool]]:
    """What each linking word is, the words behind it up to a mark or the next one, and whether any stand before it."""
    links = [c for c in cues(text, lang, LOGIC, ("condition", "comparator", "reason")) if _class(c)]
    for at, cue in enumerate(links):
        mark = _END.search(text, cue.end)
        end = min(mark.start() if mark else len(text), *(c.start for c in links[at + 1 : at + 2]), len(text))
        yield _class(cue), text[cue.end : end], bool(text[: cue.start].strip())


def _class(cue: Cue) -> str:
    if cue.kind == "reason":
        return "reason"
    return cue.value if cue.value in _TERMS or cue.value in _CASES or cue.value == "unless" else ""


def _affirmed(case: Case, link: str, words: frozenset[str], denial: str) -> str | None:
    """The clause that has the same part without a denial, if none has it with one."""
    found: str | None = None
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        lang = case.lang_of(source)
        if any(s.position > source.position and denied_there(case, clause, s) for s in case.cited):
            continue  # `asks if they may stay until May` and `no stay`
        for theirs, part, _ in _parts(clause.text, lang):
            stems = content_stems(part, lang)
            if sum(has_stem(w, stems) for w in words) < SAME * len(words):
                continue
            if any(
                c.text == denial or c.text not in case.text
                for c in cues(part, lang, LOGIC, ("negation", "deny", "stop"))
            ):
                return None
            alike = (
                theirs in _TERMS | _CASES if link in _TERMS else theirs in _CASES and not negations(clause.text, lang)
            )
            found = found or (clause.text if alike else None)
    return found
