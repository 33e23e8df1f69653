"""The keyed mark on texts that bobctx itself wrote, so that they are never taken for the user's. Pure.

A sealed text ends with one line that holds its kind, its length and an HMAC over both and the
text. The length finds the start again where a host or a dialect merged the text into a longer
one. What does not verify is ordinary text (design, section 3, Recording).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import regex

from bobctx.core import identity, parts
from bobctx.core.types import Json, Message

SealKind = Literal["block", "tool"]

MAC_HEX = 20
"""80 bits: enough against guessing through an API, few tokens in the prompt."""

MERGE = "\n\n"
"""What a dialect puts between texts that it joins in one message."""

HASHED_TIMES, HASHED_LEAST = 4, 1_000_000
"""Code points hashed at most in one text, as a multiple of its length and at least: true seals do not
overlap, so they need its length once; forged ones would cost the square of it."""

_SEAL = regex.compile(r"\[bobctx:(block|tool):(\d{1,9}):([0-9a-f]{20})\]")


def _mac(text: str, kind: str, key: bytes) -> str:
    data = f"bobctx-seal\n{kind}\n{len(text)}\n{text}".encode("utf-8", "surrogatepass")
    return hmac.new(key, data, hashlib.sha256).hexdigest()[:MAC_HEX]


def seal(text: str, key: bytes, *, kind: SealKind = "block") -> str:
    """`text` plus the line that marks it as ours; `key` is the database's own."""
    return f"{text}\n[bobctx:{kind}:{len(text)}:{_mac(text, kind, key)}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One verified text of ours inside a longer one."""

    kind: SealKind
    start: int
    end: int
    """Span with its seal line, in code points."""
    text: str
    """Without the seal line."""


def sealed_in(text: str, key: bytes) -> tuple[Sealed, ...]:
    """Every verified text of ours in `text`, in order, none inside another."""
    if "[bobctx:" not in text:
        return ()
    found: list[Sealed] = []
    left = max(HASHED_LEAST, HASHED_TIMES * len(text))
    for match in _SEAL.finditer(text):
        size = int(match[2])
        body_end = match.start() - 1
        start = body_end - size
        if start < 0 or text[body_end] != "\n" or size > left:
            continue
        left -= size
        body = text[start:body_end]
        if not hmac.compare_digest(_mac(body, match[1], key), match[3]):
            continue
        kind: SealKind = "block" if match[1] == "block" else "tool"
        while found and found[-1].start >= start:
            found.pop()
        found.append(Sealed(kind=kind, start=start, end=match.end(), text=body))
    return tuple(found)


def is_ours(text: str, key: bytes, *, kind: SealKind | None = None) -> bool:
    """Whether the whole of `text`, but for white space around it, is one verified text of ours."""
    stripped = text.strip()
    return any(s.start == 0 and s.end == len(stripped) and kind in (None, s.kind) for s in sealed_in(stripped, key))


def split_at_blocks(content: Json, key: bytes) -> list[Json]:
    """Message content as the pieces around our verified blocks; one piece means there was none.

    A dialect that demands alternation merges the block into the user messages beside it, so what
    stood before and after are two messages again. Tool results of ours stay where they are.
    """
    if isinstance(content, str):
        return _split_text(content, key)
    if not isinstance(content, list):
        return [content]
    pieces: list[list[Json]] = [[]]
    for part in content:
        text = part.get("text") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or not isinstance(text, str):
            pieces[-1].append(part)
            continue
        first, *others = _split_text(text, key)
        if not others:
            pieces[-1].append(part)
            continue
        if first:
            pieces[-1].append({**part, "text": first})
        pieces.extend([{**part, "text": other}] if other else [] for other in others)
    return list(pieces)


def _split_text(text: str, key: bytes) -> list[Json]:
    blocks = [s for s in sealed_in(text, key) if s.kind == "block"]
    if not blocks:
        return [text]
    edges = [0, *(edge for s in blocks for edge in (s.start, s.end)), len(text)]
    raw = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    last = len(raw) - 1
    pieces = [p.removeprefix(MERGE if i else "").removesuffix(MERGE if i < last else "") for i, p in enumerate(raw)]
    return [piece if piece.strip() else "" for piece in pieces]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """Messages without our blocks."""

    messages: tuple[Message, ...]
    holes: tuple[tuple[int, str], ...] = ()
    """Places in `messages` before which a block of ours stood, ascending, and its text."""


def strip(messages: Sequence[Message], key: bytes) -> Stripped:
    """Take our blocks out of a request: assembling twice gives the same (design, section 7)."""
    kept: list[Message] = []
    holes: list[tuple[int, str]] = []
    for message in messages:
        if message.role != "user" or "[bobctx:block:" not in message.text:
            kept.append(message)
            continue
        pieces = split_at_blocks(message.body.get("content"), key)
        if len(pieces) == 1:
            kept.append(message)
            continue
        texts = [s.text for s in sealed_in(message.text, key) if s.kind == "block"]
        for place, piece in enumerate(pieces):
            if place:
                holes.append((len(kept), texts[place - 1] if place <= len(texts) else ""))
            if piece:
                kept.append(_with_content(message, piece))
    return Stripped(messages=tuple(kept), holes=tuple(holes))


def without_blocks(message: Message, key: bytes) -> Message | None:
    """A user's message without our blocks, as it would be recorded; None where there is nothing else in it."""
    if message.role != "user" or "[bobctx:block:" not in message.text:
        return message
    pieces = split_at_blocks(message.body.get("content"), key)
    if len(pieces) == 1:
        return message
    kept = [piece for piece in pieces if piece]
    return _with_content(message, _joined(kept)) if kept else None


def _joined(pieces: Sequence[Json]) -> Json:
    if all(isinstance(p, str) for p in pieces):
        return MERGE.join(str(p) for p in pieces)
    return [part for piece in pieces for part in (piece if isinstance(piece, list) else [piece])]


def _with_content(message: Message, content: Json) -> Message:
    body = {**message.body, "content": content}
    part_list = parts.parts_of(body)
    return replace(
        message,
        body=body,
        parts=part_list,
        text=parts.text_of(part_list),
        sha256=identity.content_sha256(body),
        tokens=0,
    )
