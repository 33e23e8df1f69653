"""Which of two names in code a part of a sentence is about: "`db-east` holds the accounts, `db-west` the copies". Pure.

Names in code are no values, so `binding` leaves them; but where each part of one sentence has a name of its own, a
claim with one name and the words of the other one's part gives them to the wrong one (design, section 6, Binding).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.reading import read
from bobctx.core.sources import Source
from bobctx.core.text import Span, content_stems

MOST: Final = 40
"""Sentences of a message that are looked at."""
_NAME: Final = regex.compile(r"`([^`\s]{2,60})`")
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
        if literal.measured or literal.kind == "quote":
            continue
        found: tuple[Source, Span, str] | None = None
        for source, block in ((s, b) for s in case.cited for b in s.blocks[:MOST]):
            if literal.text not in block.of(source.text) or _ASKS.search(block.of(source.text)):
                continue
            rival = _rival(case, literal.text, block.of(source.text), case.lang_of(source))
            if rival is None:
                found = None
                break
            found = found or (source, block, rival)
        if found is not None:
            source, block, rival = found
            data = {"literal": literal.text, "kind": literal.kind, "rival": rival, "message": source.message.alias}
            return Refusal(code="binding", data={**data, "clause": block.of(source.text)[:200]})
    return None


def _rival(case: Case, name: str, sentence: str, lang: str) -> str | None:
    """The other name of a sentence whose part has the claim's words, where the part of this one has none of its own."""
    cuts = [0, *(m.start() for m in _CUT.finditer(sentence)), len(sentence)]
    parts = [sentence[a:b] for a, b in pairwise(cuts)]
    named = [(part, _NAME.findall(part)) for part in parts]
    own = [part for part, names in named if name in names]
    if len(own) != 1 or any(len(names) > 1 for _, names in named):
        return None
    mine = content_stems(_NAME.sub("", own[0]), lang)
    for part, names in named:
        if not names or names[0] == name or names[0] in case.text:
            continue
        other = content_stems(_NAME.sub("", part), lang)
        if mine - other and case.stems & (other - mine) and not case.stems & (mine - other):
            return str(names[0])
    return None
