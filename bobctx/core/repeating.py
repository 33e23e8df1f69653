"""Whether a claim repeats whole sentences of a cited message word for word. Pure.

Such a claim says what its source says, in whatever language either is read: no cue word of it can be missing there
(design, section 6). A line that only goes on, or belongs to the words before it, is no whole sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bobctx.core.sources import Source
from bobctx.core.text import Span, sentences

_EDGES: Final = ".,;:!\"'()[]*_`。，；：！、،؛…’‘“”"
"""Marks that may differ; a question mark may not."""
_ENDS: Final = (".", "!", "?", "…", "。", "！", "？", "؟", '."', ".)", "。」", ".”")


class Repeated(NamedTuple):
    """A source and the sentences of it."""

    source: Source
    spans: Sequence[Span]


def repeated(text: str, source: Source) -> Repeated | None:
    """The whole sentences of the source's own voice that `text` is made of, in order; None if it is not."""
    wanted = [_words(span.of(text)) for span in sentences(text)]
    if not wanted or not all(wanted) or not all(word in source.lower for words in wanted for word in words):
        return None
    blocks = source.blocks
    for first in range(len(blocks) - len(wanted) + 1):
        run = blocks[first : first + len(wanted)]
        if all(_words(b.of(source.text)) == w for b, w in zip(run, wanted, strict=True)) and _whole(source, run):
            return Repeated(source, run)
    return None


def _words(text: str) -> list[str]:
    found = [word.strip(_EDGES) for word in text.casefold().split()]
    return [word for word in found if word]


def _whole(source: Source, run: Sequence[Span]) -> bool:
    """Whether the run begins and ends where a sentence does: no line that is cut or announced by another."""
    text, start, end = source.text, run[0].start, run[-1].end
    before, after = text[:start].rstrip(" \t"), text[end:].lstrip(" \t")
    begun = not before or before.endswith(("\n\n", *_ENDS)) or before.rstrip().endswith(_ENDS)
    ended = text[start:end].endswith(_ENDS) or not after or after.startswith("\n\n")
    return begun and ended and all(source.voice_at(span.start) == "own" for span in run)
