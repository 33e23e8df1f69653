"""Backticked code and quoted strings of a text; quotes pair at word edges, so that apostrophes open nothing. Pure."""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.literal import Literal

_PAIRS: Final = [tuple(p) for p in ("“”", "„“", "„”", "«»", "»«", "「」", "『』", "‘’", "‚‘")]
_QUOTE: Final = regex.compile(
    "|".join(
        [
            r"(?P<code>`{1,3}+(?P<incode>[^`\n]{1,300}+)`{1,3}+)",
            r"(?<![\w])(?P<dq>\"(?=\S)(?P<indq>(?:[^\"\\\n]|\\.){1,300}+)(?<=\S)\"(?!\w))",
            r"(?<![\w'])(?P<sq>'(?=\S)(?P<insq>(?:[^'\n]|(?<=\w)'(?=\w)){1,300}+)(?<=\S)'(?!\w))",
            *(
                rf"(?<!\w){o}(?P<in{i}>[^{o}{c}\n]{{1,300}}+){c}"
                if o != "「" and o != "『"
                else rf"{o}(?P<in{i}>[^{o}{c}\n]{{1,300}}+){c}"
                for i, (o, c) in enumerate(_PAIRS)
            ),
        ]
    )
)


def containers(text: str) -> list[Literal]:
    """Backticked code and quoted strings; `text` of each is what stands between the marks."""
    found = []
    for match in _QUOTE.finditer(text):
        name = next(n for n in match.groupdict() if n.startswith("in") and match.group(n) is not None)
        start, end = match.span(name)
        inner = match.group(name)
        if not inner.strip():
            continue
        kind = "code" if name == "incode" else "quote"
        keys = frozenset({inner.strip()})
        found.append(Literal(kind=kind, text=inner, start=start, end=end, needs=keys, offers=keys))
    return found
