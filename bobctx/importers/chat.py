"""Plain chats and meetings between people: each line or object has a speaker and a text; everyone is a `user`."""

from __future__ import annotations

import regex

from bobctx.core.types import Json
from bobctx.importers.source import Source
from bobctx.importers.transcript import Reading, Transcript, message

NAME = "chat"
DESCRIPTION = "Plain chats: `Name: text` lines, or JSON objects with a speaker and a text"

SPEAKER_KEYS = ("speaker", "name", "author", "sender", "user", "from", "username")
TEXT_KEYS = ("text", "message", "content", "body", "utterance")
TIME_KEYS = ("created_at", "timestamp", "ts", "date", "time")
ID_KEYS = ("id", "message_id", "dia_id", "uuid")
LIST_KEYS = ("messages", "meeting_transcripts", "dialogue", "dialog", "turns", "transcript", "utterances", "chat")

DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?"
STAMP = rf"(?:\[[^\]\n]{{4,40}}\]\s*|{DATE},?\s+{TIME}\s*(?:-\s*)?)?"
NAMED = r"(?P<speaker>[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’()&-]{0,39})"
LINE = regex.compile(rf"^{STAMP}{NAMED}:\s+(?P<text>\S.*)$")
FULLWIDTH = regex.compile(r"^(?P<speaker>[\p{L}\p{N}][\p{L}\p{M}\p{N} ·]{0,19})：\s*(?P<text>\S.*)$")
MIN_SHARE = 0.6
"""Of the lines that are not continuations, how many must open with a speaker."""


def _first(item: dict[str, Json], keys: tuple[str, ...]) -> Json:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)


def _name(value: Json) -> str | None:
    if isinstance(value, dict):
        value = _first(value, ("name", "username", "id"))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _is_turn(item: Json) -> bool:
    return isinstance(item, dict) and "role" not in item and isinstance(_first(item, TEXT_KEYS), str)


def _list(value: Json) -> list[Json] | None:
    if isinstance(value, dict):
        value = next((value[key] for key in LIST_KEYS if isinstance(value.get(key), list)), None)
    if isinstance(value, list) and value and sum(map(_is_turn, value)) * 2 > len(value):
        return value
    return None


def _conversations(source: Source) -> list[list[Json]]:
    document = source.document
    if document is None:
        lines = [value for _, value in source.lines]
        own = _list(lines)
        return [own] if own is not None else [inner for value in lines if (inner := _list(value)) is not None]
    whole = _list(document)
    if whole is not None:
        return [whole]
    items = document if isinstance(document, list) else []
    return [inner for value in items if (inner := _list(value)) is not None]


def _turn(line: str) -> tuple[str, str] | None:
    """(speaker, text) where a text line opens a turn."""
    found = LINE.match(line[:4000]) or FULLWIDTH.match(line[:4000])
    if found is None:
        return None
    return found["speaker"].strip(), line[found.start("text") :]


def matches(source: Source) -> bool:
    """Whether objects have a speaker and a text, or most text lines open with a name."""
    if source.is_json:
        return bool(_conversations(source))
    lines = [line for line in source.text.splitlines() if line.strip() and not line[0].isspace()][:200]
    turns = [turn for line in lines if (turn := _turn(line)) is not None]
    speakers = {speaker for speaker, _ in turns}
    return len(turns) >= 2 and len(turns) >= MIN_SHARE * len(lines) and 2 <= len(speakers) <= max(2, len(turns) // 2)


def read(source: Source) -> list[Transcript]:
    """Every conversation of the file."""
    if source.is_json:
        return [_objects(items) for items in _conversations(source)]
    return [_text(source.text)]


def _objects(items: list[Json]) -> Transcript:
    reading = Reading(NAME)
    unnamed = 0
    for index, item in enumerate(items):
        if not _is_turn(item):
            reading.skip("no_text", index)
            continue
        speaker = _name(_first(item, SPEAKER_KEYS))
        if speaker is None:
            speaker, unnamed = "AB"[unnamed % 2], unnamed + 1
        ident = _first(item, ID_KEYS)
        reading.messages.append(
            message(
                "user",
                _first(item, TEXT_KEYS),
                id=ident if isinstance(ident, str | int) else None,
                created_at=_first(item, TIME_KEYS),
                speaker=speaker,
            )
        )
    if unnamed:
        reading.warn("turns without a speaker were given A and B in turn")
    return reading.done()


def _text(text: str) -> Transcript:
    reading = Reading(NAME)
    for number, line in enumerate(text.splitlines(), 1):
        turn = _turn(line)
        if turn is not None:
            reading.messages.append(message("user", turn[1], speaker=turn[0]))
        elif reading.messages:
            reading.messages[-1]["content"] += "\n" + line
        elif line.strip():
            reading.skip("no_speaker", number, line[:40])
    for item in reading.messages:
        item["content"] = item["content"].rstrip()
    return reading.done()
