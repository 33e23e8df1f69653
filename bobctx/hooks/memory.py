"""What a hook remembers of a session between two events: how far the transcript is recorded, what to say next.

One small file for each session, beside the database, 0600: positions, ids and hashes, never text, so that nothing
outlives a deletion here. Read on every prompt, so nothing is imported that need not be.
"""

from __future__ import annotations

import os

from bobctx.hooks import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT_S = 90 * 86_400.0
"""Seconds after which what is remembered of a session is dropped."""
LOOKED_AT = 200
"""Files that one clean-up looks at."""
LONGEST_NAME = 100
"""Characters of a session's name that may become a file's."""


class Session:
    """One session of a host."""

    def __init__(
        self,
        *,
        path: str = "",
        offset: int = 0,
        end: int = 0,
        previous: str | None = None,
        compacted_from: int = 0,
        unfinished: bool = False,
        waited: int = 0,
        compared: bool = False,
        pending: tuple[str, ...] = (),
        shown: tuple[str, ...] = (),
        kept: dict[str, str] | None = None,
    ) -> None:
        """A session of which nothing is known, but for what is given."""
        self.path = path
        """Its transcript."""
        self.offset = offset
        """Bytes of the transcript before its newest recorded prompt: reading begins there."""
        self.end = end
        """Bytes that were recorded."""
        self.previous = previous
        """Id of the message before `offset`."""
        self.compacted_from = compacted_from
        """Bytes of the transcript when the newest compaction began: its summary stands behind them."""
        self.unfinished = unfinished
        """The daemon's own compaction went on when the hook had to end: claims may be missing."""
        self.waited = waited
        """Prompts that have looked whether it ended."""
        self.compared = compared
        """That summary was compared with the claims, and the result reported."""
        self.pending = pending
        """Ids of claims and pins that the next prompt brings again."""
        self.shown = shown
        """Ids that were brought since the newest compaction."""
        self.kept = kept or {}
        """Rules files whose text is in the context: path -> hash."""


class Memory:
    """The files of one lane."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def file(self, session: str) -> str:
        """The file of a session."""
        plain = session.replace("-", "").replace("_", "")
        name = session if plain.isascii() and plain.isalnum() and len(session) <= LONGEST_NAME else _hashed(session)
        return os.path.join(self._folder, name + ".json")

    def read(self, session: str) -> Session:
        """What is known; of a new session, or where the file is damaged, nothing."""
        try:
            with open(self.file(session), "rb") as file:
                found = json_text.loads(file.read())
        except (OSError, ValueError, RecursionError):
            return Session()
        return _session(found) if isinstance(found, dict) else Session()

    def change(self, session: str, **changes: Any) -> Session:
        """Write these fields and leave the others as another hook may have written them meanwhile."""
        import fcntl

        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        lock = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)  # for the instant of one change; it ends with the process
            now = self.read(session)
            for name, value in changes.items():
                setattr(now, name, value)
            path = self.file(session)
            new = f"{path}.{os.getpid()}"
            handle = os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            try:
                os.write(handle, json_text.dumps(vars(now)).encode())
            finally:
                os.close(handle)
            os.replace(new, path)
        finally:
            os.close(lock)
        return now

    def tidy(self, now: float) -> None:
        """Drop what belongs to sessions that ended long ago; a bounded look. `now` in Unix seconds."""
        try:
            with os.scandir(self._folder) as entries:
                for _, entry in zip(range(LOOKED_AT), entries, strict=False):
                    if entry.stat().st_mtime < now - KEPT_S:
                        os.unlink(entry.path)
        except OSError:
            return


def _hashed(session: str) -> str:
    import hashlib

    return "h_" + hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]


def _session(found: dict[str, Any]) -> Session:
    """The fields that have their type; the rest as new."""

    def ids(name: str) -> tuple[str, ...]:
        given = found.get(name)
        return tuple(i for i in given if isinstance(i, str)) if isinstance(given, list) else ()

    def number(name: str) -> int:
        given = found.get(name)
        return given if isinstance(given, int) and given >= 0 else 0

    path, previous, kept = found.get("path"), found.get("previous"), found.get("kept")
    return Session(
        path=path if isinstance(path, str) else "",
        offset=number("offset"),
        end=number("end"),
        previous=previous if isinstance(previous, str) else None,
        compacted_from=number("compacted_from"),
        unfinished=found.get("unfinished") is True,
        waited=number("waited"),
        compared=found.get("compared") is True,
        pending=ids("pending"),
        shown=ids("shown"),
        kept={k: v for k, v in kept.items() if isinstance(v, str)} if isinstance(kept, dict) else {},
    )
