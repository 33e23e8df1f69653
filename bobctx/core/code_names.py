"""Which of two names in code a part of a sentence is about: "`db-east` holds the accounts, `db-west` the copies". Pure.

Names in code are no values, so `binding` leaves them; but where each part of one sentence has a name of its own, a
claim with one name and the words of the other one's part gives them to the wrong one (design, section 6, Binding).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import regex

from bobctx.core import twins
from bobctx.core.checking import Case, Refusal
from bobctx.core.literals import Literal
from bobctx.core.reading import read
from bobctx.core.sources import Source
from bobctx.core.text import Span, content_stems

MOST: Final = 40
"""Sentences of a message that are looked at."""
_NAME: Final = regex.compile(r"`([^`\s]{2,60})`")
_NOUN: Final = regex.compile(r"\p{L}[\p{L}.]*+$")
_KINDS: Final = frozenset({"code", "identifier", "ticket", "version", "date"})
"""What names a thing; dates and versions may be numbers of things too (`acc. no. 1987.44.3`)."""
_ASKS: Final = regex.compile(r"[?？؟]")
_CUT: Final = regex.compile(
    r"[,;，；、،؛\n]|[ ](?:and|while|but|whereas|und|während|aber|et|tandis que|mais|y|mientras|pero|e|mas|enquanto"
    r"|mentre|ma|en|terwijl|maar|и|а|но)(?=[ ])"
)


def check(case: Case) -> Refusal | None:
    """The first name of the claim that has the words of another name's part wherever it stands."""
    if any(s.strength for s in read(case.text, case.lang).segments):
        return None
    for literal in case.literals:
        if literal.kind not in _KINDS:
            continue
        found: tuple[Source, Span, str] | None = None
        for source, block in ((s, b) for s in case.cited for b in _units(s)):
            sentence = block.of(source.text)
            if literal.text not in sentence or _ASKS.search(sentence):
                continue
            rival = _rival(case, literal, source, block)
            if rival is None:
                found = None
                break
            found = found or (source, block, rival)
        if found is not None:
            source, block, rival = found
            data = {"literal": literal.text, "kind": literal.kind, "rival": rival, "message": source.message.alias}
            return Refusal(code="binding", data={**data, "clause": block.of(source.text)[:200]})
    return None


def _units(source: Source) -> list[Span]:
    """The sentences of a message; the lines of a log are parts of one."""
    blocks = list(source.blocks[:MOST])
    if source.message.role != "tool" or not blocks:
        return blocks
    return [Span(blocks[0].start, blocks[-1].end)]


def _rival(case: Case, literal: Literal, source: Source, block: Span) -> str | None:
    """The other name of a sentence whose part has the claim's words, where the part of this one has none of its own."""
    sentence, lang = block.of(source.text), case.lang_of(source)
    ticked = [(m.start(1), m.group(1)) for m in _NAME.finditer(sentence)]
    names = ticked if any(name == literal.text for _, name in ticked) else _kin(literal, source, block)
    cuts = [0, *(m.start() for m in _CUT.finditer(sentence)), len(sentence)]
    parts = [(sentence[a:b], [(at - a, n) for at, n in names if a <= at < b]) for a, b in pairwise(cuts)]
    own = [(part, held[0]) for part, held in parts if literal.text in (n for _, n in held)]
    if len(own) != 1 or any(len(held) > 1 for _, held in parts):
        return None
    mine, ours = (_about(*own[0], lang, called=called) for called in (False, True))
    for part, held in parts:
        if not held or held[0][1] == literal.text or held[0][1] in case.text:
            continue
        if source.message.role == "tool" and not _same_place(part, held[0], own[0]):
            continue
        other = _about(part, held[0], lang, called=False)
        if mine - other and case.stems & (other - mine) and not case.stems & (ours - other):
            return held[0][1]
    return None


def _kin(literal: Literal, source: Source, block: Span) -> list[tuple[int, str]]:
    """The names of a sentence that are of one make with the literal, itself among them, and where they stand in it."""
    return [
        (x.start - block.start, x.text)
        for x in source.literals
        if block.start <= x.start < block.end and x.kind == literal.kind
        if x.text == literal.text or twins.alike(x.text, literal.text)
    ]


def _same_place(part: str, name: tuple[int, str], own: tuple[str, tuple[int, str]]) -> bool:
    """Whether two names are the same word of their lines, counted from either end."""
    lines = [
        (part[: name[0]].split(), part[name[0] :].split()),
        (own[0][: own[1][0]].split(), own[0][own[1][0] :].split()),
    ]
    return any(len(lines[0][end]) == len(lines[1][end]) for end in (0, 1))


def _about(part: str, name: tuple[int, str], lang: str, *, called: bool) -> frozenset[str]:
    """The words of a part without its name, and where `called`, without the noun before it (`on runner `x``)."""
    at, text = name
    lead, rest = part[:at].rstrip(" `'\""), part[at + len(text) :]
    if called and (noun := _NOUN.search(lead)) is not None:
        lead = lead[: noun.start()]
    return content_stems(f"{lead} {rest}".replace("`", " "), lang)
