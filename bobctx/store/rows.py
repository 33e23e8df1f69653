"""Messages as rows and back: lossless bodies, row numbers, one bounded cache of what was read."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from bobctx.core import parts
from bobctx.core.segments import Entry, entry_of
from bobctx.core.types import Body, Json, Message
from bobctx.errors import InvalidInput
from bobctx.ports import Incoming
from bobctx.store import folding
from bobctx.store.driver import Conn
from bobctx.store.statements import SQL

SEQ_BITS = 32
FEW = 8
"""Ids that are looked up one by one; more are handed over in one list."""
MAX_SEQ = (1 << SEQ_BITS) - 1


def row_of(conv: int, seq: int) -> int:
    """The row number of a message: its conversation and its arrival number in one integer."""
    return conv << SEQ_BITS | seq


def seq_of(row: int) -> int:
    """The arrival number in a row number."""
    return row & MAX_SEQ


def conv_of(row: int) -> int:
    """The conversation in a row number."""
    return row >> SEQ_BITS


def bounds(conv: int) -> tuple[int, int]:
    """The first and the last row number a conversation can have."""
    return conv << SEQ_BITS, conv << SEQ_BITS | MAX_SEQ


def encode(value: Json) -> tuple[str, int]:
    """A value as JSON text, and 1 where only the standard library reads it back exactly (integers over 64 bits)."""
    try:
        data = orjson.dumps(value)
        if orjson.loads(data) == value:
            return data.decode(), 0
    except (TypeError, ValueError):
        pass
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")), 1
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidInput(f"a message is not JSON: {exc}", field="messages") from exc


def decode(text: str, exact: int) -> Json:
    """The value that `encode` wrote."""
    return json.loads(text) if exact else orjson.loads(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One incoming message with all its columns, made before the transaction starts."""

    incoming: Incoming
    entry: Entry
    body_json: str
    exact: int
    content: str | None
    """None where it is the body's own string."""
    words: str | None
    """None where the message is not to be found by search."""

    @property
    def message(self) -> Message:
        """The message itself."""
        return self.incoming.message


def prepare(incoming: Incoming, *, searchable: bool) -> Prepared:
    """The columns of one message; the only step whose cost follows the size of the text."""
    message = incoming.message
    body_json, exact = encode(message.body)
    own = message.body.get("content")
    plain = isinstance(own, str) and own == message.text and "\0" not in own
    return Prepared(
        incoming=incoming,
        entry=entry_of(message),
        body_json=body_json,
        exact=exact,
        content=None if plain else message.text,
        words=folding.words(message.text) if searchable else None,
    )


def call_list(ids: Sequence[str]) -> str | None:
    """Call ids as a column: null where there are none."""
    return orjson.dumps(list(ids)).decode() if ids else None


def message_of(row: Sequence[Any]) -> Message:
    """The message of one row of `loaded_…`."""
    _, message_id, seq, role, sha256, tokens, egress, injected, speaker, created_at, exact, body_json, content = row
    body: Body = decode(body_json, exact)
    found = parts.parts_of(body)
    return Message(
        id=message_id,
        role=role,
        body=body,
        parts=found,
        text=parts.text_of(found) if content is None else content,
        sha256=sha256,
        seq=seq,
        speaker=speaker,
        created_at=created_at,
        tokens=tokens,
        egress=egress,
        injected=bool(injected),
    )


def text_of_row(conn: Conn, row: int) -> str:
    """The searchable text of a stored message."""
    found = conn.execute(SQL["body"], (row,)).fetchone()
    if found is None:
        return ""
    exact, body_json, content = found
    return str(decode(body_json, exact)["content"]) if content is None else str(content)


# -- reading --------------------------------------------------------------------------


class MessageCache:
    """Messages read lately, by row and shape revision; a change of anything but an append misses."""

    def __init__(self, *, messages: int = 4096, characters: int = 8_000_000) -> None:
        self._limit = messages
        self._characters = characters
        self._held = 0
        self._items: OrderedDict[int, tuple[int, int, Message]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, shape: int, wanted: Iterable[int]) -> dict[int, Message]:
        """Those of the rows that are held for this shape."""
        found = {}
        with self._lock:
            for row in wanted:
                item = self._items.get(row)
                if item is not None and item[0] == shape:
                    found[row] = item[2]
                    self._items.move_to_end(row)
        return found

    def put(self, shape: int, messages: Mapping[int, tuple[int, Message]]) -> None:
        """Hold messages, by row: (characters, message). Those too large to be worth it are left out."""
        with self._lock:
            for row, (size, message) in messages.items():
                if size * 8 > self._characters:
                    continue
                self._forget(row)
                self._items[row] = (shape, size, message)
                self._held += size
            while len(self._items) > self._limit or self._held > self._characters:
                self._forget(next(iter(self._items)))

    def drop(self, conv: int) -> None:
        """Forget a conversation."""
        with self._lock:
            for row in [row for row in self._items if conv_of(row) == conv]:
                self._forget(row)

    def _forget(self, row: int) -> None:
        item = self._items.pop(row, None)
        if item is not None:
            self._held -= item[1]


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending row numbers as closed ranges."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and runs[-1][1] == row - 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


def load_rows(conn: Conn, wanted: Sequence[int], *, shape: int, cache: MessageCache) -> dict[int, Message]:
    """Messages by row number; deleted ones are left out. Reads only what is asked and not held."""
    found = cache.get(shape, wanted)
    missing = sorted(set(wanted) - found.keys())
    fresh: dict[int, tuple[int, Message]] = {}
    for first, last in _runs(missing):
        for row in conn.execute(SQL["loaded_range"], (first, last)):
            fresh[row[0]] = (len(row[11]), message_of(row))
    cache.put(shape, fresh)
    found.update((row, message) for row, (_, message) in fresh.items())
    return found


def stored(conn: Conn, conv: int, ids: Iterable[str]) -> dict[str, tuple[int, str, bool]]:
    """Of message ids, those that are stored: row, hash, and whether it is a tombstone."""
    wanted = list(dict.fromkeys(ids))
    found: list[Any] = []
    many = [i for i in wanted if "\0" not in i]
    if len(many) <= FEW:
        many = []
    else:
        found.extend(conn.execute(SQL["stored_by_names"], (orjson.dumps(many).decode(), conv)))
    # SQLite ends a JSON string at its first NUL, so an id that has one is asked for by itself.
    for message_id in wanted if not many else [i for i in wanted if "\0" in i]:
        found.extend(conn.execute(SQL["stored_by_name"], (message_id, conv)))
    return {row[0]: (row[1], row[2], bool(row[3])) for row in found}


def load_names(conn: Conn, conv: int, ids: Sequence[str], *, shape: int, cache: MessageCache) -> list[Message]:
    """Messages by id, in the order asked; unknown and deleted ones are left out."""
    rows = {name: row for name, (row, _, deleted) in stored(conn, conv, ids).items() if not deleted}
    found = load_rows(conn, list(rows.values()), shape=shape, cache=cache)
    return [found[rows[i]] for i in ids if i in rows]
