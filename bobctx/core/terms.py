"""An answer that is no more than a term: `Shall I switch it?` `Not before the export is done.` Pure.

It settles the question for a claim that keeps the term: the thing is to be done, or waits, until then.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import Reading, read
from bobctx.core.sources import Source
from bobctx.core.text import sentences

OPENING: Final = 160
"""Code points of a message in which its answer stands."""
FIRST: Final = 12
"""Code points within which the word of time stands that a bare term opens with."""
_OPENS: Final = frozenset({"condition", "comparator", "comparator_post"})
_TERMS: Final = frozenset({"until", "when", "at", "if", "unless"})
"""Conditions that say when something is to be done."""


def keeps_term(case: Case, answer: Source) -> bool:
    """Whether a user's answer opens with a bare term of which the claim has half (`only after the review`)."""
    given = _term(answer, case)
    if given is None:
        return False
    mine = read(case.text, case.lang)
    term = {k for s in given.segments for k in s.content if not k.startswith("=")}
    shared = term & {k for s in mine.segments for k in s.content}
    if not shared or 2 * len(shared) < len(term) or not _times(mine):
        return False
    return not _before(mine) or _turned(mine) or (_before(given) and not _turned(given))


def waits_for_term(case: Case) -> bool:
    """Whether a claim that denies or puts off keeps the term of an answer (`not before the review`)."""
    return any(keeps_term(case, s) and _not_yet(_term(s, case)) for s in case.cited if s.message.role == "user")


def _term(answer: Source, case: Case) -> Reading | None:
    """The first sentence of a user's answer where it is no more than a term."""
    if answer.message.role != "user" or answer.message.injected or answer.lang == UNKNOWN or not answer.position:
        return None
    first = sentences(answer.text[:OPENING])
    given = read(first[0].of(answer.text), case.lang_of(answer)) if first else None
    return given if given is not None and not given.question and _bare(given) else None


def _bare(reading: Reading) -> bool:
    """Whether all that is said is when or on what condition."""
    said = [s for s in reading.segments if s.content]
    if not said or not _times(reading):
        return False
    start = min((c.start for c in reading.cues if c.kind in _OPENS), default=FIRST)
    return all(s.kind == "condition" or s.inline for s in said) or (len(said) == 1 and start < FIRST)


def _times(reading: Reading) -> bool:
    """Whether a text has a word that says when or until when."""
    bounded = any(b.value in ("before", "after", "at_least") for b in reading.bounds)
    return bounded or bool(reading.values("condition") & _TERMS)


def _before(reading: Reading) -> bool:
    """Whether a text sets something before its term."""
    return any(b.way == "upper" for b in reading.bounds)


def _turned(reading: Reading) -> bool:
    """Whether a text denies, puts off or keeps something, so that it is done behind its term."""
    return any(s.strength or s.has("stop") or s.has("soft") or s.turned_bound for s in reading.segments)


def _not_yet(given: Reading | None) -> bool:
    """Whether a term leaves the thing undone up to it; an order bound to it (`once dry`) does not deny anything."""
    if given is None:
        return False
    lower = any(b.value == "at_least" or (b.value == "before" and b.way == "lower") for b in given.bounds)
    return lower or "until" in given.values("condition") or _turned(given)
