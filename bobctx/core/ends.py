"""A value that a claim takes for the lower end where its source makes it the upper one, and the reverse. Pure.

`Opens at the end of September` of `open until the end of September`, `up to 4.2` of `from 4.2 on`. What lies beyond an
end may be told with the other one (`closed from ten`, `over-12s pay`): a claim with words of its own is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.limits import number_stems
from bobctx.core.negation import affix_flips, flips
from bobctx.core.reading import WAY, Reading, read
from bobctx.core.slots import BOUNDARY
from bobctx.core.ties import LOOSE, content, sentences_of, shared, words_of_tie

_COMPARING: Final = ("comparator", "comparator_post")
_EVENTS: Final = frozenset({"open", "begin"})
"""Opposites whose words tell what happens at an end."""
VALUE: Final = 3
"""Content words beside a word for an end that may be its value."""
NEAR: Final = 24
"""Code points between them."""
_NUMBER: Final = regex.compile(r"\d++(?:[.,:/]\d++)*+")
SHARE: Final = 0.5
"""Share of the other words of the claim that the source must have."""
_TURNS: Final = ("deny", "stop", "contrast", "negation")


class _End(NamedTuple):
    """A value, the end that it is, and the word that says so."""

    way: str
    value: tuple[str, ...]
    cue: str
    at: int


def check(case: Case) -> Refusal | None:
    """The first end of the claim whose value its source gives as the other end of the same matter."""
    if case.lang == UNKNOWN or case.type == "correction":
        return None  # a correction tells both the former value and the new one
    mine = list(_ends(case.text, case.lang))
    whole = read(case.text, case.lang)
    if not mine or whole.question:
        return None
    found: Refusal | None = None
    for text, lang, alias in sentences_of(case):
        theirs = list(_ends(text, lang))
        for end in mine:
            same = [t for t in theirs if _equal(end, t)]
            if any(t.way == end.way for t in same):
                return None
            if any(t.way == end.way and not _figure(t) for t in theirs) and _figure(end):
                continue  # `valid until the 14th, from that day on …`
            if _counted_back(case.text, case.lang) and _counted_back(text, lang):
                continue  # `no later than a day before` is `at least a day before`
            if any(_matter(end, case.text, whole, t, text, lang) for t in same):
                data = {"cue": end.cue, "clause": text[:200], "message": alias}
                found = found or Refusal(code="comparator", data=data)
            elif same:
                return None
    return found


def agrees(case: Case, word: str) -> bool:
    """Whether the claim tells an end of its sources by what happens there (`closes at six` of `open until six`)."""
    if case.lang == UNKNOWN:
        return False
    polar = [
        c.text
        for c in read(case.text, case.lang).cues
        if c.kind == "polar" and c.text == word and c.value[:-1] in _EVENTS
    ]
    mine = [e for e in _ends(case.text, case.lang) if any(text in e.cue for text in polar)]
    ends = [t for text, lang, _ in (sentences_of(case) if mine else ()) for t in _ends(text, lang)]
    return bool(mine) and all(any(_equal(e, t) and e.way == t.way for t in ends) for e in mine)


def _ends(text: str, lang: str) -> Iterator[_End]:
    said = [(m.start(), m.group()) for m in _NUMBER.finditer(text)]
    said = sorted([*said, *((at, k) for at, k in content(text, lang) if not k[:1].isnumeric())])
    whole = [c for c in read(text, lang).cues if c.kind in _COMPARING and c.value in WAY]
    known = [(c, _value(text, c, said, lang, behind=c.kind == "comparator_post")) for c in whole]
    told = [(c, value) for c, value in known if value]
    for cue, value in told:
        yield _End(WAY[cue.value], value, cue.text, cue.start)
    terms = [c for c in read(text, lang).cues if (c.kind, c.value) == ("condition", "until")]  # `前不`: not before
    for cue in words_of_tie(text, lang, "ends"):
        if any(_over(cue, c) and (c.start, c.end) != (cue.start, cue.end) for c in terms):
            continue
        value = _value(text, cue, said, lang, behind=cue.kind.endswith("_post"))
        if value and not any(_over(cue, c) for c, _ in told):
            yield _End(cue.kind[:5], value, cue.text, cue.start)


def _over(mine: Cue, other: Cue) -> bool:
    """Whether a comparator stands on the same words (`not more than`)."""
    return mine.start < other.end and other.start < mine.end


def _value(text: str, cue: Cue, said: Sequence[tuple[int, str]], lang: str, *, behind: bool) -> tuple[str, ...]:
    """The words of the value beside a word for an end, the figure alone where there is one."""
    near = [k for at, k in said if cue.start < at < cue.end and k[:1].isnumeric()]
    if behind:
        near = [k for at, k in said if cue.start - NEAR <= at < cue.start and not BOUNDARY.search(text, at, cue.start)]
        near = near[-VALUE:]
    elif not near:
        near = [k for at, k in said if cue.end <= at < cue.end + NEAR and not BOUNDARY.search(text, cue.end, at)]
        near = near[:VALUE]
        if not near and len(cue.text) > NEAR // 2:  # `gaat om half zes open`: the value stands inside
            near = [k for at, k in said if cue.start < at < cue.end][:VALUE]
    figures = [k for k in near if _is_figure(k, lang)]
    return tuple(figures or (near if cue.text.casefold() not in LOOSE else ()))


def _figure(end: _End) -> bool:
    return end.value[0][:1].isnumeric()


def _is_figure(key: str, lang: str) -> bool:
    return key[:1].isnumeric() or key in number_stems(lang)


def _counted_back(text: str, lang: str) -> bool:
    """Whether a time is counted back from something (`24 hours before the start`)."""
    return any(c.kind == "before" for c in words_of_tie(text, lang))


def _equal(mine: _End, theirs: _End) -> bool:
    if _figure(mine) or _figure(theirs):
        return set(mine.value) <= set(theirs.value) or set(theirs.value) <= set(mine.value)
    return mine.value[0] == theirs.value[0] or shared(mine.value[:2], theirs.value[:2]) == len(mine.value[:2])


def _matter(end: _End, said: str, claim: Reading, other: _End, text: str, lang: str) -> bool:
    """Whether both say the same of the value, but for the end that it is."""
    theirs = read(text, lang)
    own = {k for _, k in content(said, claim.lang)} - set(end.value)
    known = {k for _, k in content(text, theirs.lang)} - set(end.value)
    own = own - {k for _, k in content(end.cue, claim.lang)} or own
    if not own or theirs.has("until_then") or shared(own, known) < SHARE * len(own):
        return False
    part = [s for s in theirs.segments if s.first <= other.at < s.last or s.kind == "condition"]
    if any(s.kind == "condition" for s in part) or len(part) == 1 == len(theirs.segments):
        part = list(theirs.segments)
    if any(claim.has(kind) != any(s.has(kind) for s in part) for kind in _TURNS):
        return False
    pairs = [(a, b) for a in claim.segments for b in part]
    return not any(flips(a, b, "polar") or flips(a, b, "opposite") or affix_flips(a, b, claim.lang) for a, b in pairs)
