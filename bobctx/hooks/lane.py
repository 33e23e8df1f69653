"""The daemon as a hook reaches it: found as the command line finds it, asked over HTTP or its Unix socket."""

from __future__ import annotations

import os
import time

from bobctx import places
from bobctx.hooks import json_text
from bobctx.hooks.asking import NoAnswer, ask, quoted
from bobctx.hooks.environment import variable

TYPE_CHECKING = False  # this package avoids whatever costs more than what it is needed for
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LEAST_S = 0.05
"""With less time than this left nothing is asked."""
MARGIN_S = 0.15
"""Left after the last call for the answer to the host."""


class DaemonSilent(Exception):
    """No daemon, or none that answers in time."""


class DaemonRefused(Exception):
    """The daemon said no; its status code is in `status`."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status


def user_of(environ: Mapping[str, str]) -> str:
    """Whose conversations a host's sessions are: `BOBCTX_USER`, else the account's name."""
    named = variable(environ, "BOBCTX_USER")
    if named is not None:
        return named
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


class Lane:
    """One daemon and whose conversations are meant."""

    def __init__(self, *, db: str, user: str, url: str, socket: str | None, key: str | None, deadline: float) -> None:
        """What is known of it; `deadline` in monotonic seconds."""
        self.db, self.user, self.url, self.socket, self.key = db, user, url, socket, key
        self.deadline = deadline

    @classmethod
    def find(cls, environ: Mapping[str, str], *, db: str, deadline: float) -> Lane:
        """As the command line does: the daemon's own note first, then the settings."""
        note = _note(places.daemon_note(db))
        url = variable(environ, "BOBCTX_URL") or note.get("url") or _configured(environ)
        path = note.get("socket") or variable(environ, "BOBCTX_SOCKET")
        if variable(environ, "BOBCTX_URL"):
            path = None
        key_file = variable(environ, "BOBCTX_KEY_FILE")
        keys = os.path.expanduser(key_file) if key_file else places.key_file(db)
        return cls(
            db=db,
            user=user_of(environ),
            url=url.rstrip("/"),
            socket=None if path is None else os.path.expanduser(path),
            key=variable(environ, "BOBCTX_KEY") or _plain_key(places.plain_key(keys)),
            deadline=deadline,
        )

    def left(self) -> float:
        """Seconds that a call may take."""
        return self.deadline - MARGIN_S - time.monotonic()

    def post(
        self, conversation: str, verb: str, body: Mapping[str, Any], *, most_s: float | None = None
    ) -> dict[str, Any]:
        """One call about a conversation of this user, of `most_s` seconds. Raises `DaemonSilent`, `DaemonRefused`."""
        seconds = self.left() if most_s is None else min(most_s, self.left())
        if seconds < LEAST_S:
            raise DaemonSilent
        sent = json_text.dumps({"user_id": self.user, **{k: v for k, v in body.items() if v is not None}}).encode()
        headers = {"content-type": "application/json"}
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key}"
        path = f"/v1/conversations/{quoted(conversation)}/{verb}"
        try:
            status, data = ask(self.url, path, sent, headers, seconds=seconds, unix=self.socket)
            found = json_text.loads(data)
        except (NoAnswer, ValueError, RecursionError) as error:
            raise DaemonSilent from error
        if status >= 400 or not isinstance(found, dict):
            told = found.get("error") if isinstance(found, dict) else None
            raise DaemonRefused(status, str(told.get("code")) if isinstance(told, dict) else "no_json")
        return found


def _configured(environ: Mapping[str, str]) -> str:
    host, port = variable(environ, "BOBCTX_HOST") or "127.0.0.1", variable(environ, "BOBCTX_PORT") or "8642"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _note(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = json_text.loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _plain_key(path: str) -> str | None:
    """The plain default key, where only this account may read it."""
    try:
        if places.open_to_others(path) is not None:
            return None
        with open(path, encoding="utf-8") as file:
            return file.read().strip() or None
    except OSError:
        return None
