"""The sentences of a region that could become claims: who said each, and whether they only quoted it. Pure.

Only a genuine user's own words bind; a fence, a block quote, a forwarded letter or pasted output is a
record of somebody else's words (design, section 6, Authority).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from bobctx.core import letters
from bobctx.core.language import LATIN, UNKNOWN, language_of
from bobctx.core.markers import language_within, telling
from bobctx.core.quotable import MAX_CHARS, denials, labelled, pieces, unmarked, without_conjunction
from bobctx.core.reported import reported
from bobctx.core.text import Span, clauses
from bobctx.core.types import Message, Part, Region

Voice = Literal["user", "assistant", "tool", "quoted"]

MIN_CHARS = 6
"""Characters of a claim at least."""
PROSE_CHARS = 40_000
"""Characters of one message that are read as prose."""

_FENCE_LINE = regex.compile(r"^[ \t>]{0,8}(`{3,}|~{3,})")
_TAG_OPEN = regex.compile(r"^[ \t]*<(?P<name>[A-Za-z][\w-]{0,40})(?:\s[^<>]{0,300})?>")
_UNSAFE = regex.compile(r"[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]")
_OWN_MARKUP = regex.compile(
    r"\[cites?:|compacted history|\br\d+\.c\d+\b|<secret:(?![a-z]++:[0-9a-f]{8}>)|\(replaces\s", regex.IGNORECASE
)
_LATIN = regex.compile(r"\p{Latin}")
_LETTER = regex.compile(r"\p{L}")
_INTERJECTION = regex.compile(
    r"^(?:(?:yeah|yes|yep|yup|oh|wow|well|so|haha|hey|hi|hello|ok|okay|right|sure|um|uh|uh-huh|hmm|mm|mm-hmm|anyway|plus"
    r"|you know|i mean|and|but|also|then|thanks|thank you|aww?|by the way|ja|oui|sí|sim|ah|alors"
    r"|na ja|bueno|ну|да)"
    r"(?:\s++\p{Lu}\p{Ll}++)?\s*+[,!.…–-]++\s++){1,4}",
    regex.IGNORECASE,
)
LEAST_WORDS = 4
"""Words of a clause that is quoted alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One quotable stretch of one message."""

    position: int
    """Message in the region."""
    order: int
    """Place in the message."""
    text: str
    lang: str
    voice: Voice
    before: str = ""
    """The sentence before it in the same message and voice."""


def candidates(region: Region) -> list[Candidate]:
    """Every sentence of the region that could be quoted, in order."""
    usual = language_of("\n".join(m.text[:200] for m in region.messages if m.role in ("user", "assistant")))
    return [c for position, message in enumerate(region.messages) for c in _of_message(position, message, usual)]


def _of_message(position: int, message: Message, usual: str) -> Iterator[Candidate]:
    order = 0
    for part in message.parts:
        voice = _voice(message, part)
        if voice is None or voice == "tool" or part.kind != "text":
            continue  # results and calls are read value by value (`observations`)
        whole = part.text[:PROSE_CHARS]
        lang = language_of(whole)
        if lang == UNKNOWN and _same_script(whole, usual):
            lang = usual
        before = ""
        others = [Span(a, b) for a, b in reported(whole, lang)] if voice == "user" else []
        for quoted, span in _stretches(whole):
            for place, text in _pieces(whole, span, lang):
                said: Voice = "quoted" if quoted or _inside(place, others) else voice
                own = language_within(text, lang)
                if said == "user":
                    own = telling(text, own)
                yield Candidate(position=position, order=order, text=text, lang=own, voice=said, before=before)
                before = text
                order += 1


def shorter(text: str, lang: str) -> list[str]:
    """Ways to quote less of a sentence: without a leading interjection, or one coordinated clause of it.

    A condition, exception or reason stays with what it governs, because clauses do (`text.clauses`); what stands
    behind a colon stays with its label; a denial stays, since it may govern what another clause says.
    """
    found = dict.fromkeys([_plain(text)])
    parts = clauses(text)
    if len(parts) > 1:
        label = labelled(text)
        own = [
            span
            for span in parts
            if not (label is not None and span.end > label)
            and not text[span.start :].removeprefix(span.of(text)).lstrip().startswith((":", "："))
            and not span.of(text).endswith((":", "："))
        ]
        found |= dict.fromkeys(_plain(without_conjunction(span.of(text))) for span in own)
    least = len(denials(text, lang)) if len(found) > 1 else 0
    return [f for f in found if f != text and len(f.split()) >= LEAST_WORDS and len(denials(f, lang)) >= least]


def _plain(text: str) -> str:
    return _INTERJECTION.sub("", text, count=1).strip()


def _voice(message: Message, part: Part) -> Voice | None:
    if part.kind == "result" or message.role == "tool":
        return "tool"
    if message.injected or message.role in ("system", "developer"):
        return None
    return "user" if message.role == "user" else "assistant"


def _same_script(text: str, lang: str) -> bool:
    """Whether a text too short to guess may be in the region's usual language."""
    return lang in LATIN and _LATIN.search(text) is not None


def _stretches(text: str) -> Iterator[tuple[bool, Span]]:
    """Runs of lines: (quoted or pasted, span)."""
    start, at, quoted = 0, 0, False
    reader = _Quotes()
    for line in text.splitlines(keepends=True):
        now = reader.quoted(line, text, at)
        if now != quoted:
            if at > start:
                yield quoted, Span(start, at)
            start, quoted = at, now
        at += len(line)
    if at > start:
        yield quoted, Span(start, at)


class _Quotes:
    """Reads lines in order and says of each whether it stands in a fence, a block quote, a letter or a tag."""

    def __init__(self) -> None:
        self._fence = ""
        self._tag = ""
        self._letter = False

    def quoted(self, line: str, text: str, at: int) -> bool:
        """Of the line of `text` that starts at offset `at`."""
        fence = _FENCE_LINE.match(line)
        if fence is not None:
            mark = fence.group(1)
            if not self._fence:
                self._fence = mark
            elif mark.startswith(self._fence):
                self._fence = ""
            return True
        if self._fence or self._letter:
            return True
        if self._tag:
            if f"</{self._tag}>" in line:
                self._tag = ""
            return True
        if letters.begins(text, at):
            self._letter = True
            return True
        tag = _TAG_OPEN.match(line)
        if tag is not None:
            if f"</{tag['name']}>" not in line:
                self._tag = tag["name"]
            return True
        return line.lstrip().startswith(">")


def _pieces(text: str, span: Span, lang: str) -> Iterator[tuple[Span, str]]:
    """What can be quoted, each with its place, without list marks and what no claim may hold."""
    for place, words in pieces(text, span, lang):
        yield from ((place, piece) for piece in _clean(words))


def _inside(place: Span, others: Sequence[Span]) -> bool:
    """Whether a sentence begins or ends within somebody else's quoted words: it is a part of them."""
    return any(
        other.start < place.start < other.end or place.start <= other.start < place.end < other.end for other in others
    )


def unsafe(text: str) -> bool:
    """Whether a claim may not hold this text: control or invisible characters, or markup of our own block."""
    return _UNSAFE.search(text) is not None or _OWN_MARKUP.search(text) is not None


def _clean(text: str) -> Iterator[str]:
    text = unmarked(text.replace("\t", " "))
    short = len(text) < MIN_CHARS and not (len(text) >= 3 and text > "\u2e80")
    if not short and len(text) <= MAX_CHARS and _LETTER.search(text) and not unsafe(text):
        yield text
