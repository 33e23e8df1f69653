"""A claim that tells as done what its sources only hold possible, wait for or put as a condition. Pure.

`my uncle may get us a deal` is no deal that he has secured, and `if the sponsor pays` no promise to pay: the words are
the same, what happened is new (design, section 6, Support and hypotheticals).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.patterns import pattern, patterns
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.stemming import stem
from bobctx.core.text import content_stems, folded

MOST: Final = 12
"""Clauses with a word of the claim that are read."""
LEAST: Final = 2
"""Words of the claim in a clause that speaks of the matter."""
_DONE: Final = patterns("done")
"""What says in each language that something has been done; the verb is new where no clause about the matter has it."""
_PLANNED: Final = pattern("planned")
"""What is still to be done."""
_ALREADY: Final = pattern("already")
"""What says that the deed is over: one word in common with a clause that leaves it open is enough then."""
_TOLD: Final = pattern("told")
"""What says that somebody was told something."""


class _About(NamedTuple):
    """A clause with words of the claim."""

    source: Source
    clause: Clause
    reading: Reading
    shared: int
    """How many words of the claim it has, the verb apart."""
    stated: bool
    """Whether it has the verb too, and not as a condition or plan."""


def check(case: Case) -> Refusal | None:
    """Whether all that the claim rests on leaves open what it tells as done."""
    telling = _DONE.get(case.lang)
    if telling is None or case.type == "open_question":
        return None
    done = telling.search(folded(case.text))
    whole = read(case.text, case.lang)
    if done is None or whole.question or any(s.has("negation") for s in whole.segments):
        return None
    if whole.has("hypothetical") or whole.has("condition"):
        return None
    verb = stem(done["verb"], case.lang)
    about = list(_about(case, verb))
    if any(a.stated for a in about):
        return None
    blamed = _blamed(case, about)
    if blamed is None:
        return _untold(case)
    at, cue = blamed
    if _came_about(case, at.source, verb):
        return None
    data = {"cue": cue, "clause": at.clause.text[:200], "message": at.source.message.alias}
    return Refusal(code="hypothetical", data=data)


def _came_about(case: Case, source: Source, verb: str) -> bool:
    """Whether a later cited message has the verb, or two words of the claim: it tells what has become of it."""
    later = [s for s in case.cited if s.position > source.position and s.message.role != "tool"]
    return any(has_stem(verb, s.stems) or sum(has_stem(w, s.stems) for w in case.stems) >= LEAST for s in later)


def _blamed(case: Case, about: Sequence[_About]) -> tuple[_About, str] | None:
    """The clause that leaves open what the claim tells as done, and its cue: one that waits before all others."""
    most = max((a.shared for a in about), default=0)
    least = 1 if _ALREADY.search(case.text) else LEAST
    best = [a for a in about if a.shared == most >= least]
    cues = [_left_open(case, a) for a in best]
    for at, cue in zip(best, cues, strict=True):
        if at.reading.has("awaiting"):
            return at, cue
    for at in about:
        if at.shared >= LEAST and at.reading.has("awaiting"):
            return at, at.reading.cues[0].text
    if least == LEAST and not all(cues):
        return None
    return next(((a, c) for a, c in zip(best, cues, strict=True) if c), None)


def _about(case: Case, verb: str) -> Iterator[_About]:
    """Each clause with words of the claim."""
    rest = case.stems - {verb}
    for source, clause, reading in case.readings(MOST):
        stems = content_stems(clause.text, case.lang_of(source))
        shared = sum(has_stem(w, stems) for w in rest)
        stated = shared > 0 and has_stem(verb, stems) and not _open(case, clause, reading, verb)
        yield _About(source, clause, reading, shared, stated)


def _left_open(case: Case, about: _About) -> str:
    """The word with which a clause waits for, supposes or holds possible what the claim speaks of."""
    planned = _PLANNED.search(about.clause.text)
    for segment in about.reading.segments:
        for cue in segment.cues:
            possible = cue.kind == "modal" and cue.value == "may"
            if cue.kind in ("awaiting", "hypothetical") or possible:
                return cue.text
        if planned is not None:
            return planned.group()
        if segment.kind == "condition" and _supposes(case, segment):
            return next(c.text for c in segment.cues if c.kind == "condition")
    return ""


def _supposes(case: Case, segment: Segment) -> bool:
    """Whether a condition names two words of the claim."""
    supposed = segment.values("condition") & {"if", "unless"}
    return bool(supposed) and sum(has_stem(w, segment.content.keys()) for w in case.stems) >= LEAST


def _open(case: Case, clause: Clause, reading: Reading, verb: str) -> bool:
    """Whether the clause has the verb only as a condition, a plan or something possible."""
    if _PLANNED.search(clause.text):
        return True
    return any(
        has_stem(verb, s.content.keys())
        and ((s.kind == "condition" and _supposes(case, s)) or s.has("hypothetical") or "may" in s.values("modal"))
        for s in reading.segments
    )


def _untold(case: Case) -> Refusal | None:
    """Whether somebody whom no source names is said to have been told (`the owner has been told that it snapped`)."""
    told = _TOLD.search(case.text) if case.lang == "en" else None
    if told is None:
        return None
    whom = content_stems(case.text[: told.start()], case.lang) - {"user", "assist"}
    said = any(_TOLD.search(s.text) or regex.search(r"\b(?:told|tell|inform|notif|warn)", s.lower) for s in case.cited)
    if whom and not said and not any(has_stem(w, s.stems) for w in whom for s in case.cited):
        return Refusal(code="unsupported", data={"missing": ", ".join(sorted(whom)), "share": 0.0})
    return None
