"""The client library: records turns and gets prompts from the daemon; fits locally when it does not answer.

`assemble` has a budget of 300 ms and never raises for the daemon's sake: whatever goes wrong, the
messages given are fitted in this process and the decision says `mode: local_fit` and why (design,
section 9, Fails open). What the daemon refuses (wrong key, misspelt argument) is logged and said in `warnings` too.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

import httpx
import orjson

from bobctx import keys
from bobctx.core import local_fit
from bobctx.core.types import Body, Json
from bobctx.errors import BobctxError
from bobctx.model_data import window_catalog

DEFAULT_URL = "http://127.0.0.1:8642"
ASSEMBLE_TIMEOUT_S = 0.3
"""A turn waits no longer for its history than this."""
CALL_TIMEOUT_S = 10.0
RETRIES = 2
"""Further tries of calls that are idempotent: recording (by message id and `Idempotency-Key`) and reading."""
RETRIED_STATUS = frozenset({502, 503, 504})
LOG = logging.getLogger("bobctx")


class DaemonError(BobctxError):
    """The daemon refused or could not be reached."""

    code = "daemon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """Where the daemon is and the key to send."""

    url: str = DEFAULT_URL
    key: str | None = None
    socket: Path | None = None
    timeout_s: float = ASSEMBLE_TIMEOUT_S
    window: int | None = None
    """Tokens, for every model, where a prompt has to be fitted locally; None: by model."""
    injected_prefixes: tuple[str, ...] = ()
    """What texts of the host begin with, as the daemon's setting says; counts where a prompt is fitted locally."""

    @classmethod
    def find(
        cls,
        *,
        url: str | None = None,
        key: str | None = None,
        key_file: Path | None = None,
        socket: Path | None = None,
        timeout_s: float = ASSEMBLE_TIMEOUT_S,
        window: int | None = None,
        injected_prefixes: tuple[str, ...] = (),
    ) -> Daemon:
        """`key`, else the plain default key beside `key_file`."""
        if key is None and key_file is not None:
            key = keys.default_key(key_file)
        url = (url or DEFAULT_URL).rstrip("/")
        return cls(
            url=url, key=key, socket=socket, timeout_s=timeout_s, window=window, injected_prefixes=injected_prefixes
        )

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every call."""
        own = {"content-type": "application/json"}
        return own if self.key is None else {**own, "authorization": f"Bearer {self.key}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, ready to send; the same for both clients."""

    method: str
    path: str
    body: bytes
    idempotent: bool
    headers: Mapping[str, str]


def _call(path: str, body: Mapping[str, Json], *, idempotent: bool, method: str = "POST") -> Call:
    changing = method == "DELETE" or path.endswith(("/messages", "/pins"))
    headers = {"idempotency-key": os.urandom(16).hex()} if changing else {}
    return Call(method=method, path=path, body=_encoded(body), idempotent=idempotent, headers=headers)


def _encoded(body: Mapping[str, Json]) -> bytes:
    """The fields that are set as JSON, lone surrogates and integers of any size too; `DaemonError` for what is none."""
    given = {k: v for k, v in body.items() if v is not None}
    try:
        return orjson.dumps(given)
    except TypeError:
        pass
    try:
        return json.dumps(given, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as exc:
        refused = DaemonError("the call cannot be written as JSON")
        refused.code, refused.status = "not_json", 422
        raise refused from exc


def _path(conversation_id: str, verb: str) -> str:
    return f"/v1/conversations/{quote(conversation_id, safe='')}/{verb}"


def _user(user_id: str | None) -> dict[str, str]:
    return {} if user_id is None else {"user_id": user_id}


def _record_call(conversation_id: str, messages: Sequence[Body], body: Mapping[str, Json]) -> Call:
    return _call(_path(conversation_id, "messages"), {**body, "messages": list(messages)}, idempotent=True)


def _read(status: int, content: bytes) -> dict[str, Any]:
    """The answer's object. Raises `DaemonError` with the daemon's own code."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        value = None
    if 200 <= status < 300 and isinstance(value, dict):
        return value
    error = value.get("error") if isinstance(value, dict) else None
    error = error if isinstance(error, dict) else {}
    refused = DaemonError(str(error.get("message") or f"the daemon answered {status}"), field=error.get("field"))
    refused.code = str(error.get("code") or "daemon")
    refused.status = status
    raise refused


def _read_prompt(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer to `assemble`; what another program says at that address is none."""
    if isinstance(answer.get("messages"), list) and isinstance(answer.get("decision"), dict):
        return answer
    raise DaemonError("the answer is not a prompt")


def _retriable(call: Call, failure: Exception) -> bool:
    if not call.idempotent:
        return isinstance(failure, httpx.ConnectError)
    return isinstance(failure, httpx.TransportError) or (
        isinstance(failure, DaemonError)
        and (failure.status in RETRIED_STATUS or failure.code == "idempotency_in_flight")
    )


class _Fallback:
    """What both clients do when the daemon does not help: fit locally, and count why."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self._said: set[tuple[str, str]] = set()
        self.counters: Counter[str] = Counter()
        """`assembled`, `local_fit`, `local_fit.REASON` for each reason; `retried`, `failed` and `failed.REASON`."""

    def _assemble_call(self, conversation_id: str, body: Mapping[str, Json]) -> Call:
        return _call(_path(conversation_id, "assemble"), body, idempotent=False)

    def _pin_call(self, conversation_id: str, text: str, body: Mapping[str, Json]) -> Call:
        return _call(_path(conversation_id, "pins"), {**body, "text": text}, idempotent=True)

    def _claims_call(self, conversation_id: str, user_id: str | None) -> Call:
        path = f"{_path(conversation_id, 'claims')}?{urlencode({'active': 'true', **_user(user_id)})}"
        return _call(path, {}, idempotent=True, method="GET")

    def _clear_call(self, conversation_id: str, user_id: str | None) -> Call:
        path = f"/v1/conversations/{quote(conversation_id, safe='')}?{urlencode(_user(user_id))}"
        return _call(path, {}, idempotent=True, method="DELETE")

    def _forget_call(self, conversation_id: str, kind: str, name: str, user_id: str | None) -> Call:
        path = f"{_path(conversation_id, kind)}/{quote(name, safe='')}?{urlencode(_user(user_id))}"
        return _call(path, {}, idempotent=True, method="DELETE")

    def _again(self, call: Call, failure: httpx.TransportError | DaemonError, attempt: int) -> None:
        """Count one failed try. Raises `DaemonError` where it was the last one."""
        if attempt == RETRIES or not _retriable(call, failure):
            error = _as_daemon_error(failure)
            self.counters.update(("failed", f"failed.{error.code}"))
            raise error from failure
        self.counters["retried"] += 1

    def _locally(self, body: Mapping[str, Json], failure: Exception) -> dict[str, Any]:
        reason = _reason(failure)
        self.counters.update(("local_fit", f"local_fit.{reason}"))
        injected, window = self.daemon.injected_prefixes, self.daemon.window
        found = local_fit.answer(body, reason=reason, catalog=window_catalog(), window=window, injected=injected)
        if isinstance(failure, DaemonError) and 400 <= failure.status < 500:
            found["warnings"] = [*found["warnings"], self._refused(failure)]
        return found

    def _refused(self, failure: DaemonError) -> str:
        """What the daemon says is wrong with the request, which it will refuse again: each kind is logged once."""
        text = ": ".join(filter(None, (failure.code, failure.field, failure.message)))
        kind = (failure.code, (failure.field or "").split(".")[0])
        if kind not in self._said:
            self._said.add(kind)
            LOG.warning("bobctx: the daemon refused to assemble, what was given is only fitted (%s)", text)
        return text


def _reason(failure: Exception) -> str:
    if isinstance(failure, DaemonError):
        return failure.code
    if isinstance(failure, TimeoutError | FutureTimeout | httpx.TimeoutException):
        return "timeout"
    return "unreachable"


FAILURES = (httpx.HTTPError, httpx.InvalidURL, DaemonError, TimeoutError, FutureTimeout, OSError)


class AsyncClient(_Fallback):
    """For hosts that run an event loop."""

    def __init__(self, daemon: Daemon | None = None, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """`transport` replaces the network, for tests and for an app in this process."""
        super().__init__(daemon or Daemon())
        if transport is None and self.daemon.socket is not None:
            transport = httpx.AsyncHTTPTransport(uds=str(self.daemon.socket))
        self._http = httpx.AsyncClient(
            base_url=self.daemon.url, headers=self.daemon.headers, timeout=CALL_TIMEOUT_S, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections."""
        await self._http.aclose()

    async def _send(self, call: Call) -> dict[str, Any]:
        answer = await self._http.request(call.method, call.path, content=call.body, headers=dict(call.headers))
        return _read(answer.status_code, answer.content)

    async def _send_again(self, call: Call) -> dict[str, Any]:
        for attempt in range(RETRIES + 1):
            try:
                return await self._send(call)
            except (httpx.TransportError, DaemonError) as failure:
                self._again(call, failure, attempt)
                await asyncio.sleep(0.1 * 2**attempt)
        raise AssertionError("unreachable")

    async def record(self, conversation_id: str, messages: Sequence[Body], **more: Json) -> dict[str, Any]:
        """Record a turn: `user_id`, `backend`, `truncate_after`, `usage`. Raises `DaemonError` after its retries."""
        return await self._send_again(_record_call(conversation_id, messages, more))

    async def assemble(self, conversation_id: str, **body: Json) -> dict[str, Any]:
        """The messages of the next request; the fields are those of the API. Fits locally rather than fail."""
        try:
            async with asyncio.timeout(self.daemon.timeout_s):
                answer = _read_prompt(await self._send(self._assemble_call(conversation_id, body)))
        except FAILURES as failure:
            return self._locally(body, failure)
        self.counters["assembled"] += 1
        return answer

    async def expand(self, conversation_id: str, ids: Sequence[str], **more: Json) -> dict[str, Any]:
        """Originals: aliases, ids, ranges."""
        call = _call(_path(conversation_id, "expand"), {**more, "ids": list(ids)}, idempotent=True)
        return await self._send_again(call)

    async def search(self, conversation_id: str, query: str, **more: Json) -> dict[str, Any]:
        """Matches, best first."""
        call = _call(_path(conversation_id, "search"), {**more, "query": query}, idempotent=True)
        return await self._send_again(call)

    async def pin(self, conversation_id: str, text: str, **more: Json) -> dict[str, Any]:
        """Show `text` verbatim in the block of every prompt that leaves something out."""
        return await self._send_again(self._pin_call(conversation_id, text, more))

    async def claims(self, conversation_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """What is kept of the conversation: active claims, oldest first."""
        return await self._send_again(self._claims_call(conversation_id, user_id))

    async def forget(self, conversation_id: str, message_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete one message for good; the receipt."""
        return await self._send_again(self._forget_call(conversation_id, "messages", message_id, user_id))

    async def forget_conversation(self, conversation_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete a conversation for good; the receipt."""
        return await self._send_again(self._clear_call(conversation_id, user_id))

    async def forget_speaker(self, conversation_id: str, speaker: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete what one speaker said, for good; the receipt."""
        return await self._send_again(self._forget_call(conversation_id, "speakers", speaker, user_id))


def _as_daemon_error(failure: Exception) -> DaemonError:
    if isinstance(failure, DaemonError):
        return failure
    error = DaemonError("the daemon cannot be reached")
    error.code = _reason(failure)
    error.status = 503
    return error


class Client(_Fallback):
    """For hosts without an event loop; safe to use from several threads."""

    def __init__(self, daemon: Daemon | None = None, *, transport: httpx.BaseTransport | None = None) -> None:
        """`transport` replaces the network."""
        super().__init__(daemon or Daemon())
        if transport is None and self.daemon.socket is not None:
            transport = httpx.HTTPTransport(uds=str(self.daemon.socket))
        self._http = httpx.Client(
            base_url=self.daemon.url, headers=self.daemon.headers, timeout=CALL_TIMEOUT_S, transport=transport
        )
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="bobctx-client")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections; does not wait for a call that is late."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def _send(self, call: Call, timeout_s: float = CALL_TIMEOUT_S) -> dict[str, Any]:
        answer = self._http.request(
            call.method, call.path, content=call.body, headers=dict(call.headers), timeout=timeout_s
        )
        return _read(answer.status_code, answer.content)

    def _send_again(self, call: Call) -> dict[str, Any]:
        for attempt in range(RETRIES + 1):
            try:
                return self._send(call)
            except (httpx.TransportError, DaemonError) as failure:
                self._again(call, failure, attempt)
                time.sleep(0.1 * 2**attempt)
        raise AssertionError("unreachable")

    def record(self, conversation_id: str, messages: Sequence[Body], **more: Json) -> dict[str, Any]:
        """Record a turn: `user_id`, `backend`, `truncate_after`, `usage`. Raises `DaemonError` after its retries."""
        return self._send_again(_record_call(conversation_id, messages, more))

    def assemble(self, conversation_id: str, **body: Json) -> dict[str, Any]:
        """The messages of the next request; the fields are those of the API. Fits locally rather than fail."""
        timeout = self.daemon.timeout_s
        try:  # on a thread: the library's own time-outs are per phase, the turn's is not
            future = self._threads.submit(self._send, self._assemble_call(conversation_id, body), timeout)
            answer = _read_prompt(future.result(timeout))
        except FAILURES as failure:
            return self._locally(body, failure)
        self.counters["assembled"] += 1
        return answer

    def expand(self, conversation_id: str, ids: Sequence[str], **more: Json) -> dict[str, Any]:
        """Originals: aliases, ids, ranges."""
        return self._send_again(_call(_path(conversation_id, "expand"), {**more, "ids": list(ids)}, idempotent=True))

    def search(self, conversation_id: str, query: str, **more: Json) -> dict[str, Any]:
        """Matches, best first."""
        return self._send_again(_call(_path(conversation_id, "search"), {**more, "query": query}, idempotent=True))

    def pin(self, conversation_id: str, text: str, **more: Json) -> dict[str, Any]:
        """Show `text` verbatim in the block of every prompt that leaves something out."""
        return self._send_again(self._pin_call(conversation_id, text, more))

    def claims(self, conversation_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """What is kept of the conversation: active claims, oldest first."""
        return self._send_again(self._claims_call(conversation_id, user_id))

    def forget(self, conversation_id: str, message_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete one message for good; the receipt."""
        return self._send_again(self._forget_call(conversation_id, "messages", message_id, user_id))

    def forget_conversation(self, conversation_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete a conversation for good; the receipt."""
        return self._send_again(self._clear_call(conversation_id, user_id))

    def forget_speaker(self, conversation_id: str, speaker: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Delete what one speaker said, for good; the receipt."""
        return self._send_again(self._forget_call(conversation_id, "speakers", speaker, user_id))
