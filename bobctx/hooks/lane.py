"""The daemon as a hook reaches it: found as the command line finds it, asked over HTTP or its Unix socket."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from bobctx import places
from bobctx.hooks.environment import variable

if TYPE_CHECKING:
    from http.client import HTTPConnection

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One daemon and whose conversations are meant."""

    db: str
    user: str
    url: str
    socket: str | None
    key: str | None
    deadline: float
    """Monotonic seconds."""

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
        from http.client import HTTPException

        seconds = self.left() if most_s is None else min(most_s, self.left())
        if seconds < LEAST_S:
            raise DaemonSilent
        sent = json.dumps({"user_id": self.user, **{k: v for k, v in body.items() if v is not None}}).encode()
        headers = {"content-type": "application/json"}
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key}"
        connection = self._connection(seconds)
        try:
            connection.request("POST", f"/v1/conversations/{quote(conversation, safe='')}/{verb}", sent, headers)
            answer = connection.getresponse()
            found = json.loads(answer.read())
        except (OSError, HTTPException, ValueError) as error:
            raise DaemonSilent from error
        finally:
            connection.close()
        if answer.status >= 400 or not isinstance(found, dict):
            told = found.get("error") if isinstance(found, dict) else None
            raise DaemonRefused(answer.status, str(told.get("code")) if isinstance(told, dict) else "no_json")
        return found

    def _connection(self, seconds: float) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        if self.socket is not None:
            connection = HTTPConnection("localhost", timeout=seconds)
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(seconds)
            try:
                connection.sock.connect(self.socket)
            except OSError as error:
                connection.close()
                raise DaemonSilent from error
            return connection
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "127.0.0.1", parts.port, timeout=seconds)


def _configured(environ: Mapping[str, str]) -> str:
    host, port = variable(environ, "BOBCTX_HOST") or "127.0.0.1", variable(environ, "BOBCTX_PORT") or "8642"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _note(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
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
