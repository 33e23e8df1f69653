"""The sentences of a user's text that forbid: what a cut keeps while it leaves out what stands around them. Pure."""

from __future__ import annotations

from bobctx.core.language import language_of
from bobctx.core.markers import language_within, markers, telling
from bobctx.core.remembering import remembered
from bobctx.core.text import sentences

READ_CHARS = 40_000
"""Characters of one text that are read."""
RULE_CHARS = 300
"""A longer sentence is no rule but a paragraph."""
MOST = 12


@remembered(64)
def prohibitions(text: str) -> tuple[str, ...]:
    """At most twelve sentences that forbid something, in order."""
    usual = language_of(text)
    found: list[str] = []
    for span in sentences(text[:READ_CHARS]):
        sentence = span.of(text).strip()
        if len(sentence) > RULE_CHARS:
            continue
        if "forbid" in markers(sentence, telling(sentence, language_within(sentence, usual))):
            found.append(sentence)
            if len(found) == MOST:
                break
    return tuple(dict.fromkeys(found))
