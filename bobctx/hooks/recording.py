"""Records a transcript from where it was last read to its end, piece by piece; every step is safe to repeat.

Reading begins at the newest prompt that was recorded, not at its end: what the host appends to that turn is then read
together with it, and what is known already changes nothing.
"""

from __future__ import annotations

import os
import stat

from bobctx.hooks.lane import DaemonRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from bobctx.hooks.lane import Lane
    from bobctx.hooks.memory import Memory, Session

PIECE = 2 * 1024 * 1024
"""Bytes of one call; parsing as many takes the daemon a fraction of a second."""
LARGEST = 32 * 1024 * 1024
"""Bytes of the largest piece: a longer turn is read in parts, a longer line is passed over."""
REREAD = 8 * 1024 * 1024
"""Bytes up to which a transcript with a rewound prompt is read again from its start; in a longer one such a prompt
follows what stands before it."""
UNREADABLE = frozenset({400, 409, 413, 422})
"""Statuses that the same bytes would get again."""


class Recording:
    """What one run did."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.complete = False
        """The transcript is recorded to its end."""
        self.refused: str | None = None
        """Code of the newest refusal of a piece that was passed over."""


def record(lane: Lane, memory: Memory, session: str, path: str, *, format: str, backend: str | None) -> Recording:
    """Record what is new. Raises `DaemonSilent` and `DaemonRefused`; what was recorded before stays noted."""
    done = Recording()
    try:
        file = _open(path)
    except OSError:
        return done
    with file:
        size = os.fstat(file.fileno()).st_size
        known = memory.read(session)
        if known.path != path or known.end > size:
            known = memory.change(session, path=path, offset=0, end=0, previous=None)
        length, accept = PIECE, False
        while known.end < size:
            text, end = _lines(file, known.offset, max(length, known.end - known.offset + PIECE))
            if end <= known.end:
                break  # the last line is still being written
            accept = accept or known.offset == 0 or end > REREAD
            body = {"format": format, "backend": backend, "previous": known.previous, "whole": accept}
            try:
                answer = lane.post(session, "transcript", {**body, "text": text.decode("utf-8", "replace")})
            except DaemonRefused as refused:
                if refused.status not in UNREADABLE:
                    raise
                done.refused = str(refused)
                known = memory.change(session, offset=end, end=end)
                continue
            if answer.get("read_whole"):
                known = memory.change(session, offset=0, end=0, previous=None)
                length, accept = REREAD, True
                continue
            restart = _restart(text, answer.get("restart_line"))
            if not restart and end < size and end - known.offset < LARGEST:
                length = 2 * (end - known.offset)  # one turn fills the piece: a larger one reads it whole
                known = memory.change(session, end=end)
                continue
            known = _advanced(memory, session, known, end, restart, end < size, answer.get("previous"))
            length = PIECE
    done.complete = True
    return done


def _advanced(
    memory: Memory, session: str, known: Session, end: int, restart: int | None, more: bool, previous: object
) -> Session:
    """Go on at the newest prompt; a turn that was too large to be read whole is gone on with where reading ended."""
    given = previous if isinstance(previous, str) else None
    if restart:
        return memory.change(session, offset=known.offset + restart, end=end, previous=given)
    if more:
        return memory.change(session, offset=end, end=end)
    return memory.change(session, end=end)


def _open(path: str) -> BinaryIO:
    """A regular file; a pipe or a device would never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not a file")
    return os.fdopen(handle, "rb")


def _lines(file: BinaryIO, start: int, length: int) -> tuple[bytes, int]:
    """Whole lines from `start` on, about `length` bytes, and where they end; a line over `LARGEST` is passed over."""
    file.seek(start)
    data = file.read(length)
    cut = data.rfind(b"\n") + 1
    while not cut:
        more = file.read(PIECE)
        if not more:
            return b"", start
        cut = more.find(b"\n") + 1
        cut = len(data) + cut if cut else 0
        data += more
        if len(data) > LARGEST and not cut:
            return b"\n", _after_line(file, start + len(data))
    return data[:cut], start + cut


def _after_line(file: BinaryIO, at: int) -> int:
    """Where the line ends that goes on at `at`; `at` where it does not end yet."""
    file.seek(at)
    while data := file.read(PIECE):
        found = data.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(data)
    return at


def _restart(text: bytes, line: object) -> int | None:
    """Bytes before a line (from 1) of the text; None for no line."""
    if not isinstance(line, int):
        return None
    at = 0
    for _ in range(line - 1):
        at = text.find(b"\n", at) + 1
        if at == 0:
            return None
    return at
