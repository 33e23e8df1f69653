"""Opposites that have changed places: `tenors stand left` of `altos stand left, tenors right`. Pure.

A sentence with two members of one set of opposites (left and right, red and blue, summer and winter) gives each to the
part it stands in. A claim with one of them and the words of the other one's part is refused.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.slots import BOUNDARY, stemmed

MOST: Final = 12
"""Clauses that are looked at, those with most of the claim first."""


def check(case: Case) -> Refusal | None:
    """The first opposite of the claim that its best sentence gives to something else."""
    if case.lang == UNKNOWN:
        return None
    mine = {c.value[:-1]: c.value for c in cues(case.text, case.lang, LOGIC, ("opposite",))}
    if not mine:
        return None
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        sentence = next((b for b in source.blocks if b.start <= clause.start < b.end), None)
        cue = _given_to_other(case, sentence.of(source.text), mine, source.lang) if sentence else ""
        if cue:
            return Refusal(
                code="antonym", data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            )
    return None


def _given_to_other(case: Case, sentence: str, mine: dict[str, str], lang: str) -> str:
    """The word of the claim's opposite, if the claim has the subject of its rival's part and not that of its own."""
    parts = [p for p in BOUNDARY.split(sentence) if p and p.strip()]
    if len(parts) < 2:
        return ""
    found = [(c, _subject(p, lang)) for p in parts for c in cues(p, lang, LOGIC, ("opposite",))]
    for concept, value in mine.items():
        own = [(c, subject) for c, subject in found if c.value == value]
        rival = [subject for c, subject in found if c.value[:-1] == concept and c.value != value]
        if len(own) == len(rival) == 1 and own[0][1] not in case.stems and rival[0] in case.stems:
            return own[0][0].text
    return ""


def _subject(part: str, lang: str) -> str:
    """The first word of a part that carries meaning."""
    return next((key for _, key in stemmed(part, lang)), "")
