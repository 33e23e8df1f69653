"""The two ways to a lane: the running daemon over HTTP, or the same API in this process.

Reading opens the database `mode=ro`, whether or not a daemon runs. Writing goes through the daemon
where one runs, else this process takes the lock and is the daemon for as long as the command lasts.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from bobctx.core.types import Scope
from bobctx.errors import BobctxError, InvalidInput, NotFound, StoreUnavailable, Unauthorized

if TYPE_CHECKING:
    import httpx

    from bobctx.ports import Store
    from bobctx.settings import Settings

T = TypeVar("T")

CALL_TIMEOUT_S = 60.0
LONG_CALL_TIMEOUT_S = 3600.0
"""Compaction waits for seats, region after region."""
PROBE_TIMEOUT_S = 2.0
PATIENT_MS = 60_000
"""Milliseconds an assembly may take where this process was started for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One open way to a lane, as an HTTP client of its API."""

    http: httpx.AsyncClient
    settings: Settings
    reader: Store | None = None
    """The database, where this process opened it; None where a daemon answers."""
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(user, further name) -> conversation id, where the database is open here; a daemon knows them itself."""

    @property
    def store(self) -> Store:
        """The database as this process opened it."""
        if self.reader is None:
            raise StoreUnavailable("this command reads the database itself")
        return self.reader

    async def call(
        self, method: str, path: str, *, body: Any = None, params: dict[str, Any] | None = None, long: bool = False
    ) -> Any:
        """The JSON answer. Raises a `BobctxError` with the API's own code and text."""
        import httpx

        content = None if body is None else json.dumps(body).encode()  # escapes carry lone surrogates too
        try:
            answer = await self.http.request(
                method,
                path,
                content=content,
                params=None if params is None else {k: v for k, v in params.items() if v is not None},
                headers={"content-type": "application/json"},
                timeout=LONG_CALL_TIMEOUT_S if long else CALL_TIMEOUT_S,
            )
        except httpx.TimeoutException as error:
            raise StoreUnavailable("the daemon did not answer in time; see `bobctx status`") from error
        except httpx.TransportError as error:
            raise StoreUnavailable(f"the daemon cannot be reached ({error}); see `bobctx doctor`") from error
        return _read(answer)

    async def conversation(
        self, method: str, scope: Scope, rest: str = "", *, thing: str | None = None, **more: Any
    ) -> Any:
        """A call about one conversation; the user goes where the method wants it. `thing`: what a 404 is about."""
        path = f"/v1/conversations/{quote(scope.conversation_id, safe='')}{rest}"
        if method in ("GET", "DELETE"):
            more["params"] = {"user_id": scope.user_id, **(more.get("params") or {})}
        else:
            more["body"] = {"user_id": scope.user_id, **(more.get("body") or {})}
        try:
            return await self.call(method, path, **more)
        except _Answered as error:
            if error.code != NotFound.code:
                raise
            raise NotFound(await self.missing(scope, error.data.get("id"), thing)) from error

    async def missing(self, scope: Scope, ref: str | None = None, thing: str | None = None) -> str:
        """What is not there: the conversation, or in it the message that `ref` names, or the `thing`."""
        path = f"/v1/conversations/{quote(scope.conversation_id, safe='')}/messages"
        try:
            await self.call("GET", path, params={"user_id": scope.user_id, "limit": 1})
        except _Answered:
            return f"no conversation {scope.conversation_id} of {scope.user_id}; see `bobctx conversations`"
        place = f"in the conversation {scope.conversation_id} of {scope.user_id}"
        if ref is None:
            return f"no {thing or 'such thing'} {place}"
        return f"no message {ref} {place}; name one as `m12`, a range as `m20..m31`, or the id it was recorded with"


class _Answered(BobctxError):
    """An error that the API reported: its own code, status and text."""

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        data = error.get("data")
        text = str(error.get("message") or "the daemon refused")
        super().__init__(text, field=error.get("field"), **(data if isinstance(data, dict) else {}))
        self.code = str(error.get("code") or "failed")
        self.status = status


def _read(answer: httpx.Response) -> Any:
    try:
        value = answer.json()
    except ValueError as error:
        raise StoreUnavailable(f"the daemon answered {answer.status_code} without JSON") from error
    if answer.status_code == 401:
        text = "the daemon knows no such key; unset BOBCTX_KEY, or set it to what `bobctx key` prints for this database"
        raise _Answered(401, {"code": Unauthorized.code, "message": text})
    if answer.status_code >= 400:
        raise _Answered(answer.status_code, value.get("error", {}) if isinstance(value, dict) else {})
    return value


# -- finding a daemon --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The process that holds the database's lock."""

    pid: int | None
    url: str | None
    """None for a command that writes, which answers nobody."""
    socket: str | None
    ready: bool
    reason: str | None
    """Why it is not ready, or does not say how it stands."""

    def as_json(self) -> dict[str, Any]:
        """For `status`."""
        return {"pid": self.pid, "url": self.url, "ready": self.ready, "reason": self.reason}


def _client(settings: Settings, url: str | None, socket: str | None) -> httpx.AsyncClient:
    import httpx

    from bobctx import keys

    key = settings.key or keys.default_key(settings.keys_path)
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    transport = None if socket is None else httpx.AsyncHTTPTransport(uds=socket)
    base = url if url is not None and socket is None else "http://localhost"
    return httpx.AsyncClient(base_url=base, headers=headers, transport=transport)


def running_daemon(settings: Settings) -> Running | None:
    """Who holds the database, and whether it answers; None if nobody does."""
    from bobctx.store import holder

    note = holder(settings.db_path)
    if note is None:
        return None
    pid, url, socket = note.get("pid"), note.get("url"), note.get("socket")
    if url is None and socket is None:
        return Running(pid=pid, url=None, socket=None, ready=False, reason="it is a command, not a daemon")

    async def probe() -> tuple[bool, str | None]:
        import httpx

        try:
            async with _client(settings, url, socket) as http:
                answer = await http.get("/readyz", timeout=PROBE_TIMEOUT_S)
                return answer.status_code == 200, str(answer.json().get("reason"))
        except (httpx.HTTPError, ValueError, OSError) as error:
            return False, f"no answer ({type(error).__name__})"

    ready, reason = asyncio.run(probe())
    return Running(pid=pid, url=url, socket=socket, ready=ready, reason=None if ready else reason)


def daemon_status(settings: Settings) -> tuple[Running | None, dict[str, Any] | None]:
    """Who holds the database, and what a daemon that is ready says of itself: its settings, its seat."""
    running = running_daemon(settings)
    if running is None or not running.ready:
        return running, None

    async def ask() -> dict[str, Any]:
        async with _client(settings, running.url, running.socket) as http:
            found: dict[str, Any] = await Access(http=http, settings=settings).call("GET", "/v1/status")
            return found

    try:
        return running, asyncio.run(ask())
    except BobctxError as error:
        return replace(running, reason=error.message), None


# -- opening -----------------------------------------------------------------------


@asynccontextmanager
async def _in_process(settings: Settings, *, readonly: bool) -> AsyncIterator[Access]:
    import httpx

    from bobctx import logs, runtime

    # A cold process on a busy machine has no turn that waits: the deadline is the daemon's business.
    # Nor does a run go on after this process: it is waited for.
    patient = {"assemble_deadline_ms": PATIENT_MS, "compact_wait_s": LONG_CALL_TIMEOUT_S}
    settings = settings.model_copy(update=patient)
    logs.configure(level="error", stream=io.StringIO())  # what goes wrong is told by the answer, on one line
    async with runtime.open(settings, readonly=readonly, background=False) as lane:
        transport = httpx.ASGITransport(app=lane.local_app)
        async with httpx.AsyncClient(base_url="http://localhost", transport=transport) as http:
            yield Access(http=http, settings=settings, reader=lane.store, names=lane.lane.aliases)


@asynccontextmanager
async def _over_http(settings: Settings, note: dict[str, Any]) -> AsyncIterator[Access]:
    async with _client(settings, note.get("url"), note.get("socket")) as http:
        yield Access(http=http, settings=settings)


@asynccontextmanager
async def open_access(settings: Settings, *, writing: bool, making: bool = False) -> AsyncIterator[Access]:
    """A way to the lane for one command, `making` its database or not. Raises `StoreUnavailable`, `StoreRefused`."""
    if not writing:
        async with _in_process(settings, readonly=True) as access:
            yield access
        return
    from bobctx.store import holder, place

    if not making and not settings.db_path.exists():
        raise place.missing(settings.db_path)
    note = holder(settings.db_path)
    if note is None:
        async with _in_process(settings, readonly=False) as access:
            yield access
    elif note.get("url") is None and note.get("socket") is None:
        raise StoreUnavailable(f"another command (pid {note.get('pid')}) is writing this database; try again after it")
    else:
        async with _over_http(settings, note) as access:
            yield access


def run(settings: Settings, work: Callable[[Access], Awaitable[T]], *, writing: bool, making: bool = False) -> T:
    """Open a way, do the work, close it."""

    async def whole() -> T:
        async with open_access(settings, writing=writing, making=making) as access:
            return await work(access)

    return asyncio.run(whole())


# -- whose conversation ------------------------------------------------------------


async def _scopes(settings: Settings) -> tuple[list[Scope], Mapping[tuple[str, str], str]]:
    """Every conversation in the file, and their further names: whoever runs this may read all of it."""
    from bobctx.store import SqliteStore

    async with await SqliteStore.open(settings.db_path, readonly=True) as store:
        return await store.scopes(), await store.ledger.aliases()


async def scope_in(access: Access, conversation: str | None, user: str | None) -> Scope:
    """The conversation that was named, also by a further name, or the only one that fits what was named."""
    if conversation and user:
        return Scope(conversation_id=access.names.get((user, conversation), conversation), user_id=user)
    scopes, names = await _scopes(access.settings)
    found = [
        scope
        for scope in scopes
        if (not conversation or names.get((scope.user_id, conversation), conversation) == scope.conversation_id)
        and (not user or scope.user_id == user)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        named = " ".join(filter(None, (conversation, user and f"of {user}")))
        raise NotFound(f"no conversation {named}; see `bobctx conversations`" if named else "no conversation yet")
    raise InvalidInput(f"{len(found)} conversations fit; name one with -c and -u (see `bobctx conversations`)")


async def users_in(access: Access) -> list[str]:
    """Every user with a conversation in the file."""
    scopes, _ = await _scopes(access.settings)
    return sorted({scope.user_id for scope in scopes})


async def id_of(access: Access, scope: Scope, ref: str) -> str:
    """The id of the message that an alias or id names. Raises `NotFound`."""
    found = await access.conversation("POST", scope, "/expand", body={"ids": [ref]})
    return str(found["messages"][0]["id"])
