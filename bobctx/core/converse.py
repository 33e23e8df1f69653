"""A consequence tied to the opposite of the condition that its source ties it to, or given to its exception. Pure.

`We bike unless it rains` is turned round by `we bike only if it rains`: the condition has changed its sign and the
consequence has not. `Open daily except Mondays` is by `open on Mondays`. Where both have changed, the claim says the
same (`no bike in the rain`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.function_words import OR
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.negation import affix_flips, flips
from bobctx.core.reading import NAME_WEIGHT, Reading, Segment, read
from bobctx.core.rendered import rendered
from bobctx.core.ties import content, sentences_of, shared, words_of_tie

_WORD: Final = regex.compile(r"\p{L}++")
_PUTS: Final = frozenset({"if", "unless", "when"})
_OTHER: Final = ("whether", "hypothetical", "past")
"""Kinds of cues of a sentence that tells more than one condition and its consequence."""
_ALTERNATIVE: Final = frozenset({"else", "even"})
_DAYS: Final = "weekday"
MOST_OF: Final = 0.6
"""Share of a claim's pairs of signs that its source has, where some of them hold a particle."""
_DENYING: Final = ("negation", "deny", "stop", "lacking")


class _Tied(NamedTuple):
    """A condition and its consequence."""

    term: Segment
    main: tuple[Segment, ...]
    cue: str


def check(case: Case) -> Refusal | None:
    """The condition whose opposite the claim puts for the same consequence, or the exception that it takes in."""
    if case.lang == UNKNOWN:
        return None
    whole = read(case.text, case.lang)
    mine = _tied(whole, case.text)
    for text, lang, alias in sentences_of(case):
        theirs = read(text, lang)
        cue = _turned(mine, _tied(theirs, text), lang) if mine is not None and not rendered(case) else ""
        cue = cue or _taken_in(whole, theirs, text, case.text)
        if cue:
            return Refusal(code="condition_dropped", data={"cue": cue, "clause": text[:200], "message": alias})
    return None


def agrees(case: Case) -> bool:
    """Whether the claim denies under the condition what its source says unless it holds, or of its exception.

    `Not if it snows` of `unless it snows`, `not on Mondays` of `daily except Mondays`.
    """
    if case.lang == UNKNOWN:
        return False
    whole = read(case.text, case.lang)
    mine = _tied(whole, case.text)
    for text, lang, _ in sentences_of(case):
        theirs = read(text, lang)
        other = _tied(theirs, text)
        if mine is not None and other is not None and "unless" in other.term.values("condition"):
            term, main = _turns(mine, other, lang)
            if term and main:
                return True
        if _left_out(whole, theirs, text, case.text) or (mine is not None and _alternative(mine, text, lang)):
            return True
    return False


def _alternative(mine: _Tied, text: str, lang: str) -> bool:
    """Whether the source puts the condition of an `unless` and its consequence to choice (`seven, or we stop`)."""
    if "unless" not in mine.term.values("condition") or len(mine.main) != 1:
        return False
    for match in _WORD.finditer(text):
        if match.group().casefold() in OR:
            asked, lost = read(text[: match.start()], lang), read(text[match.end() :], lang)
            needs = "must" in asked.values("modal") or any(b.value == "at_least" for b in asked.bounds)
            told = all(
                2 * shared(_words(part), {k for s in other.segments for k in _words(s)}) >= len(_words(part))
                for part, other in ((mine.term, asked), (mine.main[0], lost))
            )
            if needs and told and _sign(mine.main[0]) == lost.segments[0].strength % 2:
                return True
    return False


def _tied(whole: Reading, text: str) -> _Tied | None:
    """The only condition of a sentence and what it is the condition of."""
    terms = [s for s in whole.segments if s.kind == "condition"]
    if len(terms) != 1 or whole.question or _others(whole) or not terms[0].values("condition") & _PUTS:
        return None
    if terms[0].values("condition") - _PUTS - {"at"} or any(
        c.kind in _ALTERNATIVE for c in words_of_tie(text, whole.lang)
    ):
        return None
    cue = next(c.text for c in terms[0].cues if c.kind == "condition")
    return _Tied(terms[0], tuple(s for s in whole.segments if s is not terms[0]), cue)


def _others(whole: Reading) -> bool:
    """Whether a sentence tells more than a plain statement and its term."""
    return any(map(whole.has, _OTHER)) or any(s.kind == "contrast" for s in whole.segments)


def _turned(mine: _Tied, theirs: _Tied | None, lang: str) -> str:
    """The condition word of the claim, where its condition has changed its sign and its consequence has not."""
    term, main = _turns(mine, theirs, lang) if theirs is not None else (False, False)
    return mine.cue if term and not main else ""


def _turns(mine: _Tied, theirs: _Tied, lang: str) -> tuple[bool, bool]:
    """Whether the condition has changed its sign, and whether the consequence has; neither if they are others."""
    if len(mine.main) != 1 or len(theirs.main) != 1 or not _common(mine.main[0], theirs.main[0]):
        return False, False
    if not _common(mine.term, theirs.term) or not _reaches(mine.term, theirs.term):
        return False, False
    if not _reaches(theirs.term, mine.term) and "unless" not in theirs.term.values("condition"):
        return False, False
    term = _sign(mine.term) ^ _sign(theirs.term) ^ _flips(mine.term, theirs.term, lang)
    main = _sign(mine.main[0]) ^ _sign(theirs.main[0]) ^ _flips(mine.main[0], theirs.main[0], lang)
    return bool(term), bool(main)


def _common(mine: Segment, theirs: Segment) -> int:
    return shared(_words(mine), _words(theirs))


def _words(segment: Segment) -> Mapping[str, float]:
    return {k: w for k, w in segment.content.items() if not k.startswith("=")}


def _reaches(segment: Segment, other: Segment) -> bool:
    """Whether what it denies is something that the other speaks of too."""
    heads = {h for h in segment.heads if not h.startswith("=")}
    return not heads or bool(shared(heads, other.content))


def _sign(segment: Segment) -> int:
    if "unless" in segment.values("condition"):
        return 1  # `a meno che non`: its own negation only follows
    return segment.strength % 2


def _flips(mine: Segment, theirs: Segment, lang: str) -> int:
    names = {*flips(mine, theirs, "polar"), *flips(mine, theirs, "opposite")}
    return (bool(names) + affix_flips(mine, theirs, lang)) % 2


def _taken_in(claim: Reading, whole: Reading, text: str, said: str) -> str:
    """The word of an exception of which the claim says what its source says of all else."""
    mine, out = _of_exception(claim, whole, text, said)
    if mine is None or out is None or any(map(mine.has, _DENYING)) or mine.values("modal") & {"optional"}:
        return ""
    if any(_flips(mine, s, whole.lang) for s in whole.segments if s is not out and s.kind == "main"):
        return ""
    return next(c.text for c in out.of("condition"))


def _left_out(claim: Reading, whole: Reading, text: str, said: str) -> bool:
    """Whether the claim denies of the exception what its source says of all else."""
    mine, out = _of_exception(claim, whole, text, said)
    if mine is None or out is None:
        return False
    turned = any(_flips(mine, s, whole.lang) for s in whole.segments if s is not out and s.kind == "main")
    return bool(mine.strength % 2) != turned


def _of_exception(claim: Reading, whole: Reading, text: str, said: str) -> tuple[Segment | None, Segment | None]:
    """The claim's segment and the exception of a sentence that affirms, where the claim speaks of just that."""
    out = next((s for s in whole.segments if s.values("condition") == {"except"}), None)
    if out is None or whole.question or claim.question or len(claim.segments) != 1 or _others(claim):
        return None, None
    mine = claim.segments[0]
    if mine.kind != "main" or "only" in mine.values("quantifier"):
        return None, None
    rest = [s for s in whole.segments if s is not out and s.kind == "main"]
    if not rest or any(s.has(k) for s in rest for k in _DENYING):
        return None, None
    if any(c.kind == "also" for c in words_of_tie(text, whole.lang)):
        return None, None  # `apart from A, B too`
    general = {k for s in rest for k in _words(s)}
    named, taken = _named(out, mine)
    spoken = {k for _, k in content(said, whole.lang)} if whole.lang == "zh" else _words(mine).keys()
    turned = {k for c in (*mine.of("polar"), *mine.of("opposite")) for k in mine.wording.get("=" + c.value[:-1], ())}
    own = spoken - {k for k in spoken if shared((k,), named)}
    whole_of = MOST_OF if whole.lang in CHARACTER_LANGUAGES else 1.0
    known = shared(own, general | _words(out).keys() - named | turned)
    return (mine, out) if taken and own and known >= whole_of * len(own) and own - turned else (None, None)


def _named(out: Segment, mine: Segment) -> tuple[set[str], bool]:
    """What an exception names, a day before all else, and whether the claim names the same."""
    days = {c.value: c for c in out.of("opposite") if c.value[:-1] == _DAYS}
    if days:
        kept = {c.value for c in mine.of("opposite") if c.value[:-1] == _DAYS}
        return {
            k for k in _words(out) if any(k in d.text or shared((k,), (d.text.casefold(),)) for d in days.values())
        }, (set(days) == kept)
    term = _words(out)
    named = {k for k, w in term.items() if w >= NAME_WEIGHT} or set(term)
    return named, bool(named) and shared(named, _words(mine)) == len(named)
