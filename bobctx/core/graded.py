"""A comparison whose grade a claim has turned round: `slower than the old one` of `takes less time than …`. Pure.

The thing in front of `than` has more of something, the thing behind it less. A claim that gives one of them the other
end of the same scale says the opposite, whichever side it puts it on (`younger than her` of `she is older than me`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.compared import sides_of
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import read
from bobctx.core.ties import content, sentences_of, shared, words_of_tie

_FIGURE: Final = regex.compile(r"^\W*\d")
_LACKS: Final = regex.compile("没有|不如")
"""What Chinese puts in the place of its `than` for `not as … as`."""


class _Grade(NamedTuple):
    """A scale, what has more of it and what has less, and the word that says so."""

    scale: str
    more: frozenset[str]
    less: frozenset[str]
    cue: str


def check(case: Case) -> Refusal | None:
    """The first comparison of the claim that its sources make the other way round and nowhere as it does."""
    if case.lang == UNKNOWN:
        return None
    mine = list(_grades(case.text, case.lang))
    found: Refusal | None = None
    for text, lang, alias in sentences_of(case) if mine else ():
        for theirs in _grades(text, lang):
            for grade in mine:
                straight, crossed = _compared(grade, theirs)
                if straight and not crossed:
                    return None
                if crossed and not straight and found is None:
                    found = Refusal(code="antonym", data={"cue": grade.cue, "clause": text[:200], "message": alias})
    return found


def agrees(case: Case) -> bool:
    """Whether the claim makes a comparison of its sources in other words (`fewer` of `not as many as`)."""
    mine = list(_grades(case.text, case.lang)) if case.lang != UNKNOWN else []
    pairs = (
        _compared(m, t)
        for text, lang, _ in (sentences_of(case) if mine else ())
        for t in _grades(text, lang)
        for m in mine
    )
    return any(straight and not crossed for straight, crossed in pairs)


def _compared(mine: _Grade, theirs: _Grade) -> tuple[bool, bool]:
    """Whether the same things have more or less of the same, and whether they have changed places."""
    if mine.scale != theirs.scale:
        return False, False
    straight = shared(mine.more, theirs.more) or shared(mine.less, theirs.less)
    crossed = shared(mine.more, theirs.less) or shared(mine.less, theirs.more)
    return bool(straight), bool(crossed)


def _grades(text: str, lang: str) -> Iterator[_Grade]:
    known = words_of_tie(text, lang, "grades")
    found = [c for c in known if not any(o.start < c.start and c.end <= o.end for o in known)]
    signs = {c.kind: {o.value for o in found if o.kind == c.kind} for c in found}
    scales = [c for c in found if len(signs[c.kind]) == 1]
    whole = read(text, lang)
    if not scales or len({c.kind for c in scales}) > 1 or whole.question or whole.has("hypothetical"):
        return
    cue = scales[0]
    lacks = _LACKS.search(text) if lang == "zh" else None
    if lacks is None and any(c.kind in ("negation", "deny") for c in whole.cues):
        return
    first, other = (text[: lacks.start()], text[lacks.end() :]) if lacks is not None else _sides(text, lang, cue.end)
    inside = {k for _, k in content(cue.text, lang)} if lacks is None else set[str]()
    one = {k for _, k in content(first, lang)} - inside
    two = {k for _, k in content(other, lang)} - inside
    left, right = frozenset(one - two), frozenset(two - one)  # `the new build … the old build`
    if left | right and not _FIGURE.match(other):
        more, less = (left, right) if cue.value == "+" else (right, left)
        yield _Grade(cue.kind, more, less, cue.text)


def _sides(text: str, lang: str, end: int) -> tuple[str, str]:
    """What stands on either side of a `than`; in Russian, which may do without it, of the grade."""
    sides = sides_of(text, lang)
    if sides is not None:
        return sides.first, sides.other
    return (text[:end], text[end:]) if lang == "ru" else ("", "")
