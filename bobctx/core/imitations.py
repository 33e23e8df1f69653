"""Texts of a conversation that look like ours and are not: shown so that nobody takes them for ours. Pure.

A block that was altered on its way through a host, or forged, is recorded as it came; in a prompt its
markup is changed, as it is in claims (design, section 3, Recording). So is that of a block which somebody
repeats: ours have been taken out of the user's messages before.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

import regex

from bobctx.core import identity, parts
from bobctx.core.confusables import alike, skeleton
from bobctx.core.folding import fold_char
from bobctx.core.sentinel import sealed_in
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import Count
from bobctx.core.types import Json, Message

_GONE = "\x7f"
"""Stands for a character that nobody sees."""
_UNSEEN = frozenset({"Cf", "Cc", "Mn", "Me"})
_BRACKETS = frozenset("❲〔【⟦⁅〚")
"""Openings that a reader takes for `[`; those of other widths fold to it."""
_ODD = regex.compile(r"[^\x20-\x7e\t\n\r]")
LOOKS = 20_000
"""Characters whose look is remembered."""


def _word(words: str) -> str:
    """A pattern of words, between whose letters stands what nobody sees."""
    between = rf"{_GONE}*+"
    return rf"[\s{_GONE}]++".join(between.join(map(regex.escape, word)) for word in words.split())


_COMPACTED, _NOT_SHOWN, _BOBCTX = map(_word, ("compacted history", "not shown", "bobctx"))
_OWN_WORDS = "|".join((_COMPACTED, _NOT_SHOWN, _BOBCTX, _word("cites"), _word("omitted")))
_OWN_MARKUP = regex.compile(
    rf"\[[\s{_GONE}]*+(?=(?:{_OWN_WORDS})(?!\w))|\({_GONE}*+(?={_word('replaces')}[\s{_GONE}])", regex.I
)
_SIGN = regex.compile(
    rf"\[[\s{_GONE}]*+(?:{_BOBCTX}[\s{_GONE}]*+:|{_COMPACTED}(?!\w)"
    rf"|{_NOT_SHOWN}(?!\w)[^:\]\n]{{0,40}}+:[\s{_GONE}]*+(?:m\d|earlier\s))",
    regex.I,
)
"""One of them stands in every text of ours; words of the user's own beside none are left alone."""


class _Looks(dict[int, str]):
    """What each character looks like: one character, so that places stay what they are."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        look = skeleton(char)
        if char in _BRACKETS:
            look = "["
        elif unicodedata.category(char) in _UNSEEN and char not in "\t\n\r":
            look = _GONE
        elif not look.isascii() and len(folded := fold_char(char)) == 1:
            look = skeleton(folded)
        if len(self) < LOOKS:
            self[code] = look
        return look


_LOOKS = _Looks()


_FIRST = "".join(map(regex.escape, alike("BbCcNn"))) + r"\U0001D400-\U0001D7FF\uFF21-\uFF5A\u24B6-\u24E9"
_PERHAPS = regex.compile(rf"[\[［﹇{''.join(_BRACKETS)}][\s\p{{Cf}}\p{{Cc}}\p{{Mn}}\p{{Me}}]*+[BbCcNn{_FIRST}]")
"""A quick look at where a sign may begin: most texts, also long ones, need no other."""


def _signed(text: str) -> bool:
    return _PERHAPS.search(text) is not None and _SIGN.search(_look(text)) is not None


def _look(text: str) -> str:
    """`text` as it is seen, character by character."""
    return text if _ODD.search(text) is None else text.translate(_LOOKS)


def escaped(text: str) -> str:
    """`text` without our markup, its words kept."""
    pieces: list[str] = []
    at = 0
    for found in _OWN_MARKUP.finditer(_look(text)):
        pieces += text[at : found.start()], "{" if found[0][0] == "(" else "("
        at = found.end()
    return "".join((*pieces, text[at:]))


def told_apart(message: Message, key: bytes | None, count: Count) -> Message:
    """The message, what only looks like ours in it escaped; the same object where there is nothing of the kind.

    Without the database's key nothing can be told, and nothing is changed.
    """
    if key is None:
        return message
    read = {k: _read(k, message.body[k], key) for k in _TOP if k in message.body}
    if all(value == message.body[k] for k, value in read.items()):
        return message
    body = {**message.body, **read}
    found = parts.parts_of(body)
    speaker = message.speaker and _unverified_escaped(message.speaker, key)
    changed = replace(
        message,
        body=body,
        parts=found,
        text=parts.text_of(found),
        speaker=speaker,
        sha256=identity.content_sha256(body),
    )
    return replace(changed, tokens=counted_tokens(changed, count))


_TOP = ("content", "refusal", "speaker", "name")
_SAID = frozenset({"text", "refusal", "title", "context", "speaker", "name", "filename"})
"""Fields of a message or of a block that a model reads as they stand."""
_HELD = frozenset({"content", "source", "file"})
"""Fields that hold blocks: a result's content, a document, a file."""


def _read(name: str, value: Json, key: bytes) -> Json:
    """A field of a message or block, what is read in it escaped; thoughts, calls and encoded media stay as they are."""
    if isinstance(value, str):
        return _unverified_escaped(value, key) if name in _SAID or name == "content" else value
    if name not in _HELD:
        return value
    if isinstance(value, list):
        return [_unverified_escaped(v, key) if isinstance(v, str) else _block(v, key) for v in value]
    return _block(value, key)


def _block(block: Json, key: bytes) -> Json:
    if not isinstance(block, Mapping):
        return block
    kind = parts.block_type(block)
    if kind is not None and (kind in parts.THINKING_BLOCKS or kind.endswith("tool_use")):
        return block
    found = {k: _read(k, v, key) for k, v in block.items()}
    if kind == "text" and isinstance(block.get("data"), str):  # the source of a plain document
        found["data"] = _unverified_escaped(block["data"], key)
    return found


def _unverified_escaped(text: str, key: bytes) -> str:
    if not _signed(text):
        return text
    pieces: list[str] = []
    at = 0
    for ours in sealed_in(text, key):
        if ours.kind == "block":
            continue  # repeated by a model or a tool: what it says may no longer hold
        pieces += escaped(text[at : ours.start]), text[ours.start : ours.end]
        at = ours.end
    return "".join((*pieces, escaped(text[at:])))
