"""A claim may not add what its source sets apart: `the pads and the bracket` of `go ahead with the pads`. Pure.

What is added with an `and`, a `too` or an `included` must not be what the last clause about it leaves out, puts off or
says otherwise of (`the bracket can wait`, `cup games are different`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import REACH, cues
from bobctx.core.reading import Reading, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stem, content_stems, forms
from bobctx.core.widening import ADDS

NEAR: Final = 24
"""Code points from the word that adds to what it adds."""
FIRST: Final = 3
"""Clauses that a claim may rest on."""
MOST_SHARED: Final = 2
"""Words that name what is added (`cup games`)."""
_APART: Final = frozenset({"part", "apart"})
_KEEPS: Final = frozenset({"keep+", "stay+"})
"""What stays as it is, which sets nothing apart from what is kept."""
_DENIES: Final = ("negation", "deny", "stop")


def check(case: Case) -> Refusal | None:
    """The thing that the claim adds and the last clause about it sets apart."""
    if case.lang == UNKNOWN or case.type in ("correction", "open_question"):
        return None
    whole = read(case.text, case.lang)
    limits = (c for c in cues(case.text, case.lang, REACH, ("limit",)) if c.value in _APART)
    if whole.question or whole.has("condition") or whole.values("polar") & _KEEPS or any(limits):
        return None
    denies = any(s.strength for s in whole.segments) or whole.has("stop")
    for one, other, cue in _added(case):
        last = _last(case, one)
        if last is None or not _only_of(case, one, other, *last):
            continue
        source, clause = last
        lang = case.lang_of(source)
        reading = read(clause.text, lang)
        if reading.has("condition") or any(c.value == "included" for c in cues(clause.text, lang, REACH, ("wide",))):
            continue
        if _allows(reading) if denies else _sets_apart(clause.text, reading, lang):
            data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            return Refusal(code="quantifier", data=data)
    return None


def _added(case: Case) -> Iterator[tuple[str, str, str]]:
    """What the claim adds, what it adds it to (if it is named beside it), and the word that does it."""
    said = [(at, key) for word, at in forms(case.text, case.lang) if (key := content_stem(word, case.lang))]
    link = ADDS.get(case.lang)
    for joined in link.finditer(case.text) if link is not None else ():
        before = [k for at, k in said if at < joined.start()]
        after = [k for at, k in said if at >= joined.end()]
        if before and after and (len(before) == 1 or len(after) <= MOST_SHARED):  # two things, not two statements
            yield after[0], before[-1], joined.group().strip()
            yield before[-1], after[0], joined.group().strip()
    for cue in cues(case.text, case.lang, REACH, ("wide",)):
        if cue.value == "included":
            near = [k for at, k in reversed(said) if cue.start - NEAR <= at < cue.start][:1]
            near += [k for at, k in said if cue.end <= at < cue.end + NEAR][:1]
            yield from ((key, "", cue.text) for key in near)


def _last(case: Case, stem: str) -> tuple[Source, Clause] | None:
    """The last clause of the cited messages that speaks of something and does not ask."""
    for source in sorted(case.cited, key=lambda s: -s.position):
        lang = case.lang_of(source)
        for clause, stems in zip(reversed(source.clauses), reversed(source.clause_stems), strict=True):
            if has_stem(stem, stems) and not read(clause.text, lang).question:
                return source, clause
    return None


def _speaks_of(stem: str, clause: Clause, source: Source) -> bool:
    return has_stem(stem, content_stems(clause.text, source.lang))


def _only_of(case: Case, one: str, other: str, source: Source, clause: Clause) -> bool:
    """Whether a clause behind the one that the claim rests on has nothing of the claim but what is added."""
    best = next((c for c in case.supports[:FIRST] if not other or _speaks_of(other, c, case.source(c.message))), None)
    if best is None or (clause.message, clause.start) <= (best.message, best.start):
        return False
    if other and _speaks_of(other, clause, source):
        return False
    if _speaks_of(one, best, case.source(best.message)) and not _asks(best, case):
        return False  # `order the pads and the bracket. No paint on the bracket.`
    ours = content_stems(best.text, case.lang_of(case.source(best.message))) & case.stems
    shared = {k for k in content_stems(clause.text, source.lang) if has_stem(k, case.stems)}
    return not (shared & ours) - {k for k in shared if has_stem(one, (k,))} and len(shared) <= MOST_SHARED


def _asks(clause: Clause, case: Case) -> bool:
    """Whether a clause asks, or tells what somebody asked (`asked whether they may`)."""
    reading = read(clause.text, case.lang_of(case.source(clause.message)))
    return reading.question or reading.has("whether")


def _sets_apart(text: str, reading: Reading, lang: str) -> bool:
    """Whether a clause leaves out, puts off or says otherwise of what it is about."""
    if any(c.value in _APART for c in cues(text, lang, REACH, ("limit",))):
        return True
    return any(s.strength for s in reading.segments) or any(reading.has(kind) for kind in _DENIES)


def _allows(reading: Reading) -> bool:
    """Whether a clause allows what it is about, and nothing in it denies."""
    return "may" in reading.values("modal") and not any(reading.has(kind) for kind in _DENIES)
