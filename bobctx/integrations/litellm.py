"""LiteLLM, as a library and as a proxy: one callback. The extra `litellm`.

In a program `litellm.callbacks = [BobctxLogger(...)]`, for `acompletion` and `Router`; on the proxy `callbacks:
module.name` (`deploy/litellm/`). Requests are rewritten before they are sent; what was said is recorded after the
answer, in the client's own words and never as rewritten.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from litellm.integrations.custom_logger import CustomLogger

from bobctx.client import Daemon
from bobctx.core.types import Body, Json, Mode, Scope
from bobctx.integrations import responses_items
from bobctx.integrations.hosting import LOG, Asked, Options, Owner, scope_of
from bobctx.integrations.keeper import Keeper
from bobctx.integrations.lists import READING, Anchor, Item

MODES: tuple[Mode, ...] = ("off", "fit", "shadow", "live")
"""From the mildest to the strongest."""
MODE_FIELD = "bobctx_mode"
"""In a key's or a team's metadata, where an admin sets it; in a request's, where a client can only ask for less."""
TOKEN = "bobctx_turn"  # noqa: S105 - the name of a field
WAITING = 10_000
"""Requests under way that are remembered; the oldest go first."""
FAILED = 200
"""Of them, those with a failed attempt: another attempt, or another model, may still answer."""
FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")
ROUTES = {"completion": "chat", "acompletion": "chat", "responses": "responses", "aresponses": "responses",
          "anthropic_messages": "messages"}  # fmt: skip
METADATA = ("metadata", "litellm_metadata")
LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request under way, as the client sent it."""

    scope: Scope
    bodies: Sequence[Body]
    anchor: Anchor | None
    trace_id: str | None


def plain(message: Any) -> dict[str, Json]:
    """A chat message, dict or object, with the fields that are part of what was said."""
    dump = getattr(message, "model_dump", None)
    found = dump() if dump is not None else message
    body = {k: found[k] for k in FIELDS if found.get(k) is not None}
    if "tool_calls" in body:
        body["tool_calls"] = [
            {"id": c["id"], "type": "function", "function": {k: c["function"][k] for k in ("name", "arguments")}}
            for c in body["tool_calls"]
        ]
    return {"content": None, **body}


def owner_in(kwargs: Mapping[str, Any]) -> str | None:
    """In a program of your own: `user_id` of the call's metadata, else its `user`."""
    found = (kwargs.get("metadata") or {}).get("user_id") or kwargs.get("user")
    return str(found) if found else None


def proxy_owner(key: Any, end_user: str | None) -> str | None:
    """Who is asking on a proxy: the team, else the key, and below it the end user.

    A client can name any end user, so a name reaches nothing outside the team or key that it came with.
    """
    team, token = getattr(key, "team_id", None), getattr(key, "token", None) or getattr(key, "api_key", None)
    if not (team or token):
        return None
    named = getattr(key, "end_user_id", None) or end_user or getattr(key, "user_id", None) or ""
    who = f"team:{quote(str(team), safe='')}" if team else f"key:{quote(str(token)[:32], safe='')}"
    return f"litellm/{who}/{quote(str(named), safe='')}"


class BobctxLogger(CustomLogger):  # type: ignore[misc,unused-ignore]
    """One object for a process: put it into `litellm.callbacks`."""

    def __init__(
        self,
        daemon: Daemon | None = None,
        *,
        owner: Owner = owner_in,
        options: Options | None = None,
        mode: Mode = "live",
    ) -> None:
        """A callback on one daemon.

        Args:
            daemon: Where it is; `runtime.daemon_of(settings.load())` finds it.
            owner: Without a proxy: the owner, or a function of the call's arguments.
            options: Backend, window, output.
            mode: For keys and teams that have none of their own (`bobctx_mode` in their metadata).
        """
        super().__init__()
        self.keeper = Keeper(daemon, options)
        self._owner, self._default = owner, mode
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._failed: OrderedDict[str, None] = OrderedDict()
        """Those of `_turns` whose newest attempt failed."""
        self._keeping = 0

    # -- before the call ---------------------------------------------------------------

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Any, call_type: str) -> Any:
        """On a proxy: rewrite the request of an authenticated key."""
        route = ROUTES.get(str(call_type))
        mode = self._mode(user_api_key_dict, data)
        if route is None or mode == "off":
            return data
        owner = proxy_owner(user_api_key_dict, data.get("user"))
        scope = scope_of(owner or "", data, _conversation(data))
        turn = await self._rewrite(route, data, scope, mode)
        if turn is not None:
            field = next((f for f in METADATA[::-1] if isinstance(data.get(f), dict)), "metadata")
            token = secrets.token_hex(16)
            data[field] = {**(data.get(field) or {}), TOKEN: token}
            self._remember(token, turn)
        return data

    async def async_pre_call_deployment_hook(self, kwargs: Any, call_type: Any) -> Any:
        """In a program: rewrite the request of a call. A proxy's requests were rewritten before."""
        route = ROUTES.get(str(getattr(call_type, "value", call_type)))
        if route is None or self._default == "off" or _of_a_proxy(kwargs):
            return None
        scope = scope_of(self._owner, kwargs, _conversation(kwargs))
        made = dict(kwargs)
        turn = await self._rewrite(route, made, scope, self._default)
        call_id = kwargs.get("litellm_call_id")
        if turn is not None and call_id:
            self._remember(str(call_id), turn)
        return made

    async def _rewrite(self, route: str, data: dict[str, Any], scope: Scope | None, mode: Mode) -> Turn | None:
        """Put the list that fits into `data`; what there is to record once it is answered."""
        try:
            read = _READERS[route](data)
        except READING:
            self.keeper.counters["unreadable"] += 1
            LOG.warning("bobctx: a call is sent as it is; give `model` and `messages` by name")
            return None
        if read is None:
            return None
        asked, write = read
        fitted = await self.keeper.fit(scope, Asked(**{**asked, "mode": mode, "model": _model(data)}))
        if fitted.changed(len(asked["bodies"])):
            write(fitted.items)
        if scope is None:
            return None
        return Turn(scope=scope, bodies=asked["bodies"], anchor=fitted.anchor, trace_id=fitted.trace_id)

    def _mode(self, key: Any, data: Mapping[str, Any]) -> Mode:
        """The key's mode, else its team's, else the lane's; a request can only be milder."""
        metadata = (getattr(key, "metadata", None) or {}, getattr(key, "team_metadata", None) or {})
        mode = next((mode for m in metadata for mode in _modes(m)), self._default)
        return min([mode, *(asked for m in _metadata(data) for asked in _modes(m))], key=MODES.index)

    def _remember(self, token: str, turn: Turn) -> None:
        self._turns[token] = turn
        self._failed.pop(token, None)
        while len(self._turns) > WAITING:
            self._forget(next(iter(self._turns)))

    def _forget(self, token: str) -> Turn | None:
        self._failed.pop(token, None)
        return self._turns.pop(token, None)

    def _token(self, kwargs: Mapping[str, Any]) -> str | None:
        """Under which a call is remembered."""
        params = kwargs.get("litellm_params") or {}
        tokens = [m.get(TOKEN) for m in (*_metadata(params), *_metadata(kwargs))]
        known = (str(t) for t in (*tokens, kwargs.get("litellm_call_id")))
        return next((t for t in known if t in self._turns), None)

    # -- after it ----------------------------------------------------------------------

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Record the turn, once; a stream comes as the whole that it was."""
        token = self._token(kwargs)
        turn = None if token is None else self._forget(token)
        if turn is None:
            return
        try:
            reply = replies_of(response_obj)
            usage = {**_usage(response_obj), "trace_id": turn.trace_id} if turn.trace_id else None
        except READING:
            reply, usage = [], None
        self._keeping += 1
        try:
            await self.keeper.keep(turn.scope, [*turn.bodies, *reply], turn.anchor, usage)
        finally:
            self._keeping -= 1

    async def settled(self, timeout_s: float = 30.0) -> bool:
        """Wait, for a program that ends, until what was answered is recorded; whether it is, after `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                while len(self._turns) > len(self._failed) or self._keeping:  # noqa: ASYNC110 - LiteLLM's log worker sets no event
                    await asyncio.sleep(0.02)
        except TimeoutError:
            return False
        return True

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """An attempt that failed said nothing; a retry or a fallback may answer the same call."""
        token = self._token(kwargs)
        if token is not None:
            self._failed[token] = None
            self._failed.move_to_end(token)
            while len(self._failed) > FAILED:
                self._forget(next(iter(self._failed)))

    async def async_post_call_failure_hook(
        self, request_data: Any, original_exception: Exception, user_api_key_dict: Any, *_: Any, **__: Any
    ) -> None:
        """On a proxy: no attempt is left; the client sends its messages again."""
        token = self._token(request_data if isinstance(request_data, Mapping) else {})
        if token is not None:
            self._forget(token)


# -- reading requests ------------------------------------------------------------------

Read = tuple[dict[str, Any], Callable[[Sequence[Item]], None]]
"""Fields of `Asked`, and how the fitted list is put in its place."""


def _chat(data: dict[str, Any]) -> Read | None:
    own = data["messages"]

    def write(items: Sequence[Item]) -> None:
        data["messages"] = [own[i] if isinstance(i, int) else i for i in items]

    return {**_common(data), "bodies": [plain(m) for m in own]}, write


def _messages(data: dict[str, Any]) -> Read | None:
    own = data["messages"]

    def write(items: Sequence[Item]) -> None:
        data["messages"] = [own[i] if isinstance(i, int) else i for i in items]

    besides = str(data.get("system") or "")
    return {**_common(data), "bodies": [dict(m) for m in own], "besides": besides, "dialect": "anthropic"}, write


def _responses(data: dict[str, Any]) -> Read | None:
    if data.get("previous_response_id") or data.get("conversation"):
        return None  # the provider keeps the history: nothing here to rewrite
    own = data["input"]
    found = responses_items.groups(own)

    def write(items: Sequence[Item]) -> None:
        data["input"] = responses_items.written(own, found, items)

    besides = str(data.get("instructions") or "")
    return {**_common(data), "bodies": [g.body for g in found], "besides": besides}, write


_READERS = {"chat": _chat, "messages": _messages, "responses": _responses}


def _common(data: Mapping[str, Any]) -> dict[str, Any]:
    limit = next((data[k] for k in LIMITS if isinstance(data.get(k), int)), None)
    return {"tools": list(data.get("tools") or ()), "output_tokens": limit}


def _model(data: Mapping[str, Any]) -> str | None:
    found = data.get("model")
    return found if isinstance(found, str) else None


def _metadata(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [m for f in METADATA if isinstance(m := data.get(f), Mapping)]


def _modes(metadata: Mapping[str, Any]) -> list[Mode]:
    return [mode for mode in MODES if metadata.get(MODE_FIELD) == mode]


def _conversation(data: Mapping[str, Any]) -> str | None:
    """`conversation_id` or `session_id` of the metadata, else what LiteLLM found in the headers."""
    for metadata in _metadata(data):
        found = metadata.get("conversation_id") or metadata.get("session_id")
        if found and not metadata.get("litellm_session_id_generated"):
            return str(found)
    found = data.get("litellm_session_id")
    return str(found) if found else None


def _of_a_proxy(kwargs: Mapping[str, Any]) -> bool:
    return "proxy_server_request" in kwargs or any("user_api_key" in m or TOKEN in m for m in _metadata(kwargs))


# -- reading answers -------------------------------------------------------------------


def replies_of(response: Any) -> list[Body]:
    """What the model said, of any of the three routes. Raises `READING`."""
    response = getattr(response, "response", None) or response  # the last event of a stream
    if _field(response, "choices"):
        said = plain(_field(_field(response, "choices")[0], "message"))
        return [said] if said.get("content") or said.get("tool_calls") else []
    if _field(response, "output") is not None:
        return responses_items.recordable(responses_items.groups(list(_field(response, "output"))))
    content = _field(response, "content")
    return [{"role": "assistant", "content": [dict(b) for b in content]}] if content else []


def _usage(response: Any) -> dict[str, Json]:
    response = getattr(response, "response", None) or response
    usage = _field(response, "usage")
    details = _field(usage, "prompt_tokens_details") or _field(usage, "input_tokens_details")
    found = {
        "prompt_tokens": _field(usage, "prompt_tokens") or _field(usage, "input_tokens"),
        "cached_tokens": _field(details, "cached_tokens"),
    }
    return {k: v for k, v in found.items() if isinstance(v, int)}


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
