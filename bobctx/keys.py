"""The key file: hashed keys with roles, made at first start, rotated without a restart (design, section 9).

Keys are 256 random bits, so one SHA-256 is hash enough. The plain default key stands in a second
file beside it, mode 0600, where the CLI and clients of the same account find it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from bobctx import places
from bobctx.core.types import Mode
from bobctx.errors import ConfigurationError

Role = Literal["user", "gateway", "operator"]
"""`user`: one user's data; `gateway`: any user's; `operator`: also status, metrics, pins for all, erase."""

KEY_PREFIX = "bobctx_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who is calling."""

    key_id: str
    role: Role
    user_id: str | None = None
    """The one user of a `user` key."""
    mode: Mode | None = None
    """The key's own mode, if it has one."""


LOCAL_OPERATOR = Principal(key_id="local", role="operator")
"""Whoever may open the 0600 Unix socket."""


def hash_of(key: str) -> str:
    """What the key file keeps of a key."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def plain_path(path: Path) -> Path:
    """The file of the plain default key of the key file `path`."""
    return Path(places.plain_key(str(path)))


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step, mode 0600."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _write(path: Path, text: str) -> None:
    """Write a file of keys. Raises `ConfigurationError` where the disk does not let it."""
    try:
        write_private(path, text)
    except OSError as exc:
        raise ConfigurationError(f"the key file {path} cannot be written: {exc.strerror or exc}") from exc


def _refuse_wide_mode(path: Path) -> None:
    mode = places.open_to_others(str(path))
    if mode is not None:
        raise ConfigurationError(f"{path} has mode {mode:04o}; others may read it. Run: chmod 600 {path}")


def _entry(key: str, *, key_id: str, role: Role, user_id: str | None, mode: Mode | None) -> dict[str, Any]:
    return {"id": key_id, "role": role, "user": user_id, "mode": mode, "sha256": hash_of(key)}


def _principal(entry: Mapping[str, Any], path: Path) -> tuple[str, Principal]:
    key_id, role, user, mode = (entry.get(k) for k in ("id", "role", "user", "mode"))
    digest = entry.get("sha256")
    valid = (
        isinstance(key_id, str)
        and role in get_args(Role)
        and isinstance(digest, str)
        and len(digest) == 64
        and (mode is None or mode in get_args(Mode))
        and (isinstance(user, str) and bool(user) if role == "user" else user is None)
    )
    if not valid:
        raise ConfigurationError(f"{path}: the entry {key_id!r} is not valid")
    return str(digest), Principal(key_id=str(key_id), role=role, user_id=user, mode=mode)  # type: ignore[arg-type]  # checked


def read(path: Path) -> dict[str, Principal]:
    """Principals by key hash. Raises `ConfigurationError` for a file that cannot be used, OSError if absent."""
    try:
        _refuse_wide_mode(path)
        entries = json.loads(path.read_text("utf-8"))["keys"]
        return dict(_principal(entry, path) for entry in entries)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise ConfigurationError(f"{path} is not a key file") from exc
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise ConfigurationError(f"{path} cannot be read: {exc.strerror or exc}") from exc


def _entries(path: Path) -> list[dict[str, Any]]:
    read(path)
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["keys"]
    return found


def _save(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    _write(path, json.dumps({"version": 1, "keys": list(entries)}, indent=1) + "\n")


def ensure(path: Path) -> bool:
    """Make the key file and the plain default key where there are none; True if it did."""
    if path.exists():
        read(path)
        return False
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    _write(plain_path(path), key + "\n")
    _save(path, [_entry(key, key_id="default", role="operator", user_id=None, mode=None)])
    return True


def add(path: Path, key_id: str, role: Role, *, user_id: str | None = None, mode: Mode | None = None) -> str:
    """Add a key, or replace the one of this id (rotation); the plain key, shown once."""
    if (role == "user") != (user_id is not None):
        raise ConfigurationError(
            "a `user` key names its user, no other key does (`--role user --for USER`)", field="user_id"
        )
    kept = [entry for entry in _entries(path) if entry["id"] != key_id]
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    _save(path, [*kept, _entry(key, key_id=key_id, role=role, user_id=user_id, mode=mode)])
    if key_id == "default":
        _write(plain_path(path), key + "\n")
    return key


def named(path: Path, key_id: str) -> Principal | None:
    """Whose key this id is, if there is one."""
    return next((found for found in read(path).values() if found.key_id == key_id), None)


def revoke(path: Path, key_id: str) -> bool:
    """Remove a key; False if there was none of this id."""
    entries = _entries(path)
    kept = [entry for entry in entries if entry["id"] != key_id]
    _save(path, kept)
    return len(kept) < len(entries)


def default_key(path: Path) -> str | None:
    """The plain default key of this key file, or None where it is not readable by us."""
    plain = plain_path(path)
    try:
        _refuse_wide_mode(plain)
        return plain.read_text("utf-8").strip() or None
    except OSError:
        return None


RECHECK_S = 0.25
"""A key that was revoked is refused after this at the latest; a new one counts at once."""


class Keyring:
    """The keys of a running daemon, read again when their file changes."""

    def __init__(
        self,
        path: Path,
        *,
        required: bool = True,
        recheck_s: float = RECHECK_S,
        told: Callable[[str], object] = str,
    ) -> None:
        """Reads `path` at once: a daemon does not start on a bad key file, nor without one that is `required`.

        `told` hears of each later file that cannot be used, once.
        """
        self._path = path
        self._told = told
        self._recheck_s = recheck_s
        self._checked = time.monotonic()
        self._stamp: tuple[int, int, int] | None = self._stat()
        self._keys = read(path) if required or self._stamp is not None else {}
        self.problem: str | None = None
        """Why the newest file could not be used; the keys read before stay valid until it can."""

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _refresh(self) -> None:
        self._checked = time.monotonic()
        stamp = self._stat()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._keys = read(self._path)
            self.problem = None
        except (ConfigurationError, OSError) as exc:
            self.problem = exc.message if isinstance(exc, ConfigurationError) else f"{self._path} cannot be read"
            self._told(self.problem)

    def who(self, key: str) -> Principal | None:
        """The principal of a key; None for an unknown one."""
        if time.monotonic() - self._checked >= self._recheck_s:
            self._refresh()
        found = self._find(key)
        if found is None:
            self._refresh()
            found = self._find(key)
        return found

    def _find(self, key: str) -> Principal | None:
        digest = hash_of(key)
        found = None
        for known, principal in self._keys.items():  # every entry is compared, in constant time each
            if hmac.compare_digest(known, digest):
                found = principal
        return found
