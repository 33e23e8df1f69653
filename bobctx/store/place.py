"""Where the database may live: private modes, a local file system, one writing process."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bobctx.errors import StoreRefused, StoreUnavailable

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
MAGIC = b"SQLite format 3\0"
"""How every database file begins; an empty one has nothing in it yet."""
LOCK_TRIES = 5
LOCK_PAUSE = 0.02
"""Seconds between two tries for the lock."""

NETWORK_FILE_SYSTEMS = frozenset(
    {
        "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "glusterfs",
        "lustre", "beegfs", "gpfs", "davfs", "davfs2", "ocfs2", "gfs2", "orangefs", "pvfs2", "moosefs", "quobyte",
    }
)  # fmt: skip
"""Locks and shared memory, on which WAL rests, are not dependable there."""
NETWORK_FUSE = ("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs", "fuse.gcsfuse",
                "fuse.curlftpfs", "fuse.juicefs", "fuse.smbnetfs", "fuse.moosefs")  # fmt: skip


def _refuse_wide(path: Path, allowed: int, what: str, instead: str = "") -> None:
    """`instead`: what to do rather than change the mode."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & ~allowed & 0o777:
        todo = f"{instead}run: chmod {allowed:o} {path}"
        raise StoreRefused(
            f"{what} {path} can be read by other users (mode {mode:04o}); {todo}", reason="mode", path=str(path)
        )


def _refuse_other(path: Path) -> None:
    """A file of another kind is told from a lane before anything is said about its folder."""
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError:
        return  # said where it is opened
    if start and start != MAGIC:
        raise StoreRefused(
            f"{path} is no database: name the lane's own file (--db); if this was it, `bobctx restore` a backup",
            reason="not_a_database",
            path=str(path),
        )


def _unescape(field: str) -> str:
    """Mount tables write spaces and tabs as three octal digits."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field


def file_system_of(path: Path, mounts: str) -> str:
    """Type of the file system that holds `path`, from the text of a mount table; `` if it is not listed."""
    best, kind = "", ""
    target = str(path)
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _unescape(fields[1])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def _refuse_network(directory: Path) -> None:
    table = Path("/proc/self/mounts")
    if not table.exists():
        return
    kind = file_system_of(directory.resolve(), table.read_text("utf-8", "replace"))
    if kind in NETWORK_FILE_SYSTEMS or kind in NETWORK_FUSE:
        raise StoreRefused(
            f"{directory} is on a network file system ({kind}); the database needs a local disk",
            reason="network_file_system",
            path=str(directory),
        )


def _refuse_foreign(path: Path) -> None:
    """A file of another user would leave a WAL behind that its owner cannot open."""
    owner = path.stat().st_uid
    if owner != os.geteuid():
        raise StoreRefused(
            f"{path} belongs to user id {owner}, this process runs as {os.geteuid()}; stop what has it open, then run: "
            f"chown {os.geteuid()} {path} (or start as user id {owner})",
            reason="owner",
            path=str(path),
        )


def siblings(path: Path) -> tuple[Path, Path]:
    """The WAL and its shared-memory file."""
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def missing(path: Path) -> StoreUnavailable:
    """The error of whoever reads where nothing is."""
    return StoreUnavailable(
        f"there is no database at {path}; start `bobctx serve`, or make one with `bobctx import FILE -c ID -u USER`",
        reason="missing",
        path=str(path),
    )


def prepare(path: Path, *, readonly: bool) -> None:
    """Check the place, and make directory and file with private modes unless `readonly`.

    Raises `StoreRefused` for wider modes, foreign owners, network file systems and, to be read, files that are no
    database, and `StoreUnavailable` where nothing is there to read.
    """
    directory = path.parent
    if readonly:
        if not path.exists():
            raise missing(path)
        if path.is_file():
            _refuse_other(path)
    else:
        try:
            directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        except OSError as exc:
            raise StoreUnavailable(f"cannot make {directory}: {exc.strerror}", reason="cannot_open") from exc
    _refuse_network(directory)
    own = directory / "bobctx" / path.name
    move = f"keep the database in a folder of its own (--db {own}); or, if nobody else needs this one, "
    _refuse_wide(directory, DIRECTORY_MODE, "the directory", move)
    if path.is_dir():
        raise StoreRefused(f"{path} is a directory", reason="not_a_file", path=str(path))
    if not readonly and not path.exists():
        _create(path)
    for file in (path, *siblings(path)):
        if file.exists():
            _refuse_wide(file, FILE_MODE, "the file")
            if not readonly:
                _refuse_foreign(file)


def _create(path: Path) -> None:
    """An empty file with a private mode, whatever the umask: SQLite copies it to the WAL."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    except FileExistsError:
        return
    except OSError as exc:
        raise StoreUnavailable(f"cannot make {path}: {exc.strerror}", reason="cannot_open", path=str(path)) from exc


# -- one writing process -----------------------------------------------------------


def lock_path(path: Path) -> Path:
    """The lock file of a database, the same one for every link to it."""
    path = path.resolve()
    return path.with_name(path.name + ".lock")


class Lock:
    """The lock of the one process that writes. It ends with the process, however that ends."""

    def __init__(self, path: Path) -> None:
        self._path = lock_path(path)
        self._fd: int | None = None

    def acquire(self, note: Mapping[str, Any] | None = None) -> None:
        """Take the lock and leave `note` (and the process id) for others to read.

        Raises `StoreUnavailable` with reason `in_use` and what its holder noted.
        """
        try:
            fd = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, FILE_MODE)
        except OSError as exc:
            raise StoreUnavailable(f"cannot open {self._path}: {exc.strerror}", reason="cannot_open") from exc
        if not _taken(fd):
            os.close(fd)
            raise in_use(holder(self._path.with_name(self._path.name.removesuffix(".lock"))) or {})
        self._fd = fd
        self.note(note or {})

    def note(self, note: Mapping[str, Any]) -> None:
        """Replace what other processes read about the holder, such as the daemon's address; on a full disk, nothing."""
        if self._fd is None:
            return
        data = json.dumps({"pid": os.getpid(), **note}).encode()
        with contextlib.suppress(OSError):  # the lock holds all the same
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, data, 0)

    def release(self) -> None:
        """Give the lock back; the file stays, since removing it would race with the next holder."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None


def _taken(fd: int) -> bool:
    """Whether the lock is ours now; tried a few times, since `holder` in another process holds it for an instant."""
    for attempt in range(LOCK_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < LOCK_TRIES:
                time.sleep(LOCK_PAUSE)
        else:
            return True
    return False


def in_use(found: Mapping[str, Any]) -> StoreUnavailable:
    """The error of a second writer, which says what the first one is; `found` is what that noted."""
    where = found.get("url") or found.get("socket")
    said = f"the daemon at {where}; see `bobctx status`" if where else "a command that writes; try again after it"
    text = f"another process (pid {found.get('pid', 'unknown')}) has this database: {said}"
    return StoreUnavailable(text, reason="in_use", holder=dict(found))


def holder(path: Path) -> dict[str, Any] | None:
    """What the process that holds the lock of the database at `path` noted; None if nobody holds it."""
    try:
        fd = os.open(lock_path(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            data = os.pread(fd, 65_536, 0)
            try:
                found = json.loads(data) if data else {}
            except ValueError:
                found = {}
            return found if isinstance(found, dict) else {}
        return None
    finally:
        os.close(fd)
