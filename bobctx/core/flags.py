"""What the line of one of several like things says yes or no to: `booking 52: projector=no`, `pitch 3: no power`. Pure.

The line of another one, which says the opposite, would answer for a claim that turns its own line around (design,
section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.reading import Segment, read
from bobctx.core.sources import Source
from bobctx.core.text import content_stems

MOST: Final = 60
"""Lines of a message that are looked at."""
LINE: Final = 240
"""Code points of a line that are read."""
_MARKS: Final = frozenset({"number", "identifier", "ticket"})
_HEAD: Final = regex.compile(
    r"^[ \t*-]*+(?P<noun>\p{L}{1,20})[ #-]{0,2}(?P<mark>[\p{L}\p{Nd}-]*\p{Nd})(?=[ ]?[:,|])", regex.MULTILINE
)
"""How a line of one of several like things begins (`pitch 31: …`)."""
_NO: Final = "no|false|none|off|n|nein|non|não|nee|нет|否|无|なし|아니요|없음|لا"
_YES: Final = "yes|true|on|y|ja|oui|sí|si|sim|sì|да|是|有|あり|예|있음|نعم"
_FLAG: Final = regex.compile(
    rf"(?P<key>\p{{L}}[\p{{L}} _-]{{1,30}}+)\s?[=:：]\s?(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?![\p{{L}}\p{{Nd}}])"
    r"|[:：,;|]\s?(?:no|without|kein|keine|ohne|sans|pas de|sin|sem|senza|geen|zonder|без|нет)\s"
    r"(?P<lacks>[^,;|\n]{2,40}+)",
    regex.IGNORECASE,
)


def check(case: Case) -> Refusal | None:
    """The first thing that the claim's own line denies and the claim has, or the other way round."""
    for source, line, key, says, denied in _said(case):
        if says == denied:
            code = "negation_added" if denied else "negation_dropped"
            return Refusal(code=code, data={"cue": key, "clause": line, "message": source.message.alias})
    return None


def agrees(case: Case) -> bool:
    """Whether the claim's own line says yes or no just as the claim does (`projector=no`: it has no projector)."""
    said = [(says, denied) for *_, says, denied in _said(case)]
    return bool(said) and all(says != denied for says, denied in said)


def _said(case: Case) -> Iterator[tuple[Source, str, str, bool, bool]]:
    """What the lines of the claim's one thing say yes (True) or no to, and whether the claim denies it."""
    marks = [lit.text for lit in case.literals if lit.unit is None and lit.kind in _MARKS]
    if len(marks) != 1:
        return
    segments = read(case.text, case.lang).segments
    for source in case.cited:
        for line in _lines(source, marks[0]):
            spoken = [
                (key, says, named)
                for key, says in _flags(line)
                if (named := content_stems(key, case.lang)) and named <= case.stems
            ]
            for key, says, named in spoken:
                denied = _denied(segments, named, alone=len(spoken) == 1)
                if denied is not None:
                    yield source, line, key, says, denied


def _denied(segments: Sequence[Segment], named: frozenset[str], *, alone: bool) -> bool | None:
    """Whether a claim denies one thing; None where a denial may be of another one (`power and no shade`)."""
    holding = [s for s in segments if named & s.content.keys()]
    if len(holding) != 1:
        return None
    segment = holding[0]
    if segment.strength % 2 == 0:
        return False
    if named & segment.heads:
        return True
    return True if alone else None


def _lines(source: Source, mark: str) -> Iterator[str]:
    """The lines of a message that begin with the mark, where another line begins with another one of the same noun."""
    if mark not in source.text:
        return
    heads = [m for m in _HEAD.finditer(source.text)][:MOST]
    for head in heads:
        others = any(h["noun"] == head["noun"] and h["mark"] != head["mark"] for h in heads)
        if head["mark"] == mark and others:
            yield source.text[head.start() : head.start() + LINE].lstrip().split("\n", 1)[0]


def _flags(line: str) -> Iterator[tuple[str, bool]]:
    """The keys of a line with whether it says yes to each."""
    for match in _FLAG.finditer(line):
        yield match["key"] or match["lacks"], match["yes"] is not None
