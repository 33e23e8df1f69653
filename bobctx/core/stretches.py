"""Whose words each stretch of a message is: the speaker's, quoted or pasted ones, a tool's, a host's. Pure."""

from __future__ import annotations

from typing import Final
from typing import Literal as Choice

import regex

from bobctx.core.letters import LETTER
from bobctx.core.reported import reported
from bobctx.core.types import Message

Voice = Choice["own", "pasted", "result", "call", "injected"]
"""Whose words a stretch is: the speaker's, something they quote or paste, a tool's, a tool call, a host's."""

_PASTED: Final = regex.compile(
    r"""
    ^[ \t]*+(?P<fence>```|~~~)[^\n]*+\n(?:(?![ \t]*+(?P=fence))[^\n]*+\n)*+(?:[ \t]*+(?P=fence)[^\n]*+|\Z)
  | ^[ \t]*+>[^\n]*+(?:\n[ \t]*+>[^\n]*+)*+
    """
    + rf"  | ^(?:{LETTER})[\s\S]*+\Z",
    regex.VERBOSE | regex.MULTILINE | regex.IGNORECASE,
)


def stretches(message: Message, lang: str) -> list[tuple[int, int, Voice]]:
    """Stretches of a message that are not the speaker's own words, in order; `lang` is that of its text."""
    text = message.text
    if message.injected:
        return [(0, len(text), "injected")]
    found: list[tuple[int, int, Voice]] = []
    at = 0
    for part in message.parts:
        shown = f"{part.name or 'tool'}({part.text})" if part.kind == "call" else part.text
        if part.kind not in ("text", "call", "result") or not shown:
            continue
        start = text.find(shown, at)
        if start < 0:
            continue
        at = start + len(shown)
        if part.kind != "text":
            found.append((start, at, "call" if part.kind == "call" else "result"))
            continue
        pasted = {m.span() for m in _PASTED.finditer(shown)}
        if message.role == "user":
            pasted.update(q for q in reported(shown, lang) if not any(a <= q[0] < b for a, b in pasted))
        found.extend((start + a, start + b, "pasted") for a, b in sorted(pasted))
    return found
