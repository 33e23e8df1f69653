"""Where the files of a lane stand beside its database, as texts. Imports `os` alone: hooks start with little else."""

from __future__ import annotations

import os


def database(named: str | None, memory: str | None, data_home: str | None) -> str:
    """The database file (design, section 3).

    Args:
        named: As the operator set it.
        memory: The host's memory database; the file stands beside it.
        data_home: `$XDG_DATA_HOME`; None: `~/.local/share`.
    """
    if named is not None:
        return os.path.expanduser(named)
    if memory is not None:
        return os.path.join(os.path.dirname(os.path.expanduser(memory)), "bobclaw_context.db")
    return os.path.join(os.path.expanduser(data_home or "~/.local/share"), "bobctx", "bobctx.db")


def key_file(db: str) -> str:
    """The hashed keys."""
    return _beside(db, ".keys.json")


def plain_key(keys: str) -> str:
    """The plain default key of a key file."""
    return keys.removesuffix(".json") + ".default"


def daemon_note(db: str) -> str:
    """What a running daemon says about how it is reached."""
    return _beside(db, ".daemon.json")


def hook_states(db: str) -> str:
    """The folder of what hooks remember of each session."""
    return _beside(db, ".hooks")


def _beside(db: str, suffix: str) -> str:
    return os.path.splitext(db)[0] + suffix


def open_to_others(path: str) -> int | None:
    """The mode of a file that others may use, None of a private one. Raises `OSError`."""
    mode = os.stat(path).st_mode & 0o7777
    return mode if mode & 0o077 else None
