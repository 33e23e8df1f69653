"""What a host says about a call, and what every adapter makes of it; asking the daemon is in `keeper`.

Whatever goes wrong is logged by its code and counted; the host goes on with its own messages, fitted in this process.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import Any

from bobctx.client import Daemon, DaemonError
from bobctx.core import local_fit
from bobctx.core.tokens import Estimator
from bobctx.core.tools import EXPAND, SEARCH
from bobctx.core.types import Body, Json, Mode, Scope
from bobctx.integrations.lists import READING, Anchor, Item, anchor_of, posted, readable, restored
from bobctx.model_data import window_catalog

KEEP_TIMEOUT_S = 2.0
"""A finished turn is held up no longer than this; what was not kept is kept with the next one."""
USE_TIMEOUT_S = 10.0
"""A model waits no longer than this for originals."""
OUTPUT_TOKENS = 4_096
"""Room for the model's answer where the host does not say."""
FIELDS = {EXPAND: ("ids", "offset"), SEARCH: ("query", "limit")}
"""All that a model can say: never whose conversation, nor which."""
SHOWN = ("role", "content", "name", "tool_calls", "tool_call_id", "speaker", "created_at", "snippet")
"""Fields of a stored message that a model has a use for, after its id."""
LOG = logging.getLogger("bobctx")

Messages = list[dict[str, Json]]
Usage = Mapping[str, Json] | None
"""What the provider reported: `prompt_tokens`, `cached_tokens`, `trace_id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The same for every host."""

    backend: str | None = None
    """Where prompts go (`openai`, `anthropic`); decides which seats may read the history. None: local ones only."""
    mode: Mode | None = None
    """Milder than the daemon's own."""
    output_tokens: int = OUTPUT_TOKENS
    window: int | None = None
    """Tokens of the model, where no catalogue has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The list to send."""

    items: list[Item]
    anchor: Anchor | None
    decision: Mapping[str, Any]
    trace_id: str | None = None
    system: str | None = None

    def changed(self, size: int) -> bool:
        """Whether it is another list than the host's own of `size` messages."""
        return self.items != list(range(size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One list that a host is about to send."""

    bodies: Sequence[Body]
    model: str | None = None
    tools: Sequence[Any] = ()
    """Definitions as the model gets them: their names, and their size."""
    besides: str = ""
    """Instructions that the host sends beside the list."""
    dialect: str = "openai"
    output_tokens: int | None = None
    budget_tokens: int | None = None
    """For the list, where the host knows."""
    window: int | None = None
    """Of the model, where the host knows."""
    mode: Mode | None = None


Owner = str | Callable[[Any], str | None]
"""One owner for all, or how to find it in what the host knows about a call."""


def user_id_in(context: Any) -> str | None:
    """`user_id` of an object that the application gave to a run, as a field or a key."""
    found = context.get("user_id") if isinstance(context, Mapping) else getattr(context, "user_id", None)
    return str(found) if found else None


def scope_of(owner: Owner, given: Any, conversation: Any) -> Scope | None:
    """Whose conversation it is; None where owner or conversation are unknown."""
    try:
        found = owner if isinstance(owner, str) else owner(given)
    except READING:
        return None
    return Scope(conversation_id=str(conversation), user_id=str(found)) if found and conversation else None


def allowed(name: str, arguments: Mapping[str, Any]) -> dict[str, Json]:
    """A model's arguments for one of our tools, without anything else that it may have said."""
    return {k: arguments[k] for k in FIELDS[name] if arguments.get(k) is not None}


class Hosting:
    """What both keepers share: everything but the waiting."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.counters: Counter[str] = Counter()
        """`kept`, `not_kept` and `not_kept.REASON`; `unreadable`, `no_scope`."""

    def _body(self, asked: Asked, bodies: Messages, scope: Scope | None) -> dict[str, Json]:
        count = Estimator().count
        tools = json.dumps(list(asked.tools), default=str) if asked.tools else ""
        output = self.options.output_tokens if asked.output_tokens is None else asked.output_tokens
        return {
            "user_id": scope.user_id if scope is not None else None,
            "messages": bodies,
            "model": asked.model,
            "backend": self.options.backend,
            "window": asked.window or self.options.window,
            "budget_tokens": asked.budget_tokens,
            "reserved_tokens": output + count(tools) + count(asked.besides),
            "dialect": asked.dialect,
            "tools": list(asked.tools) or None,
            "mode": asked.mode or self.options.mode,
        }

    def _readable(self, asked: Asked) -> Messages | None:
        try:
            return readable(asked.bodies)
        except READING:
            self.counters["unreadable"] += 1
            return None

    def _alone(self, body: dict[str, Json], daemon: Daemon) -> dict[str, Any]:
        """Nobody to ask for: whose conversation it is, or which, the host did not say."""
        self.counters["no_scope"] += 1
        LOG.warning("bobctx: the host names no owner or no conversation; the list is only fitted")
        return local_fit.answer(
            body,
            reason="no_scope",
            catalog=window_catalog(),
            window=daemon.window,
            injected=daemon.injected_prefixes,
        )

    def _fitted(self, bodies: Messages, asked: Asked, answer: Mapping[str, Any]) -> Fitted:
        try:
            items = restored(bodies, answer["messages"], asked.dialect)
            anchor = anchor_of(bodies, items, answer.get("plan") or ())
        except READING:
            return self._unfitted(asked)
        system = answer.get("system")
        return Fitted(
            items=items, anchor=anchor, decision=answer["decision"], trace_id=answer.get("trace_id"), system=system
        )

    def _unfitted(self, asked: Asked) -> Fitted:
        return Fitted(
            items=list(range(len(asked.bodies))), anchor=None, decision={"mode": "off", "reason": "unreadable"}
        )

    def _posted(self, bodies: Sequence[Body], anchor: Anchor | None = None) -> Messages | None:
        try:
            return posted(bodies, anchor)
        except READING:
            self.counters["unreadable"] += 1
            return None

    def _lost(self, what: str, error: Exception) -> str:
        code = error.code if isinstance(error, DaemonError) else type(error).__name__
        self.counters["not_kept"] += 1
        self.counters[f"not_kept.{code}"] += 1
        LOG.warning("bobctx: %s failed (%s); the turn goes on", what, code)
        return code

    def _gone(self, error: Exception) -> bool:
        if isinstance(error, DaemonError) and error.status == 404:
            return True
        self._lost("deleting", error)
        return False

    def _more(self, scope: Scope, usage: Usage) -> dict[str, Json]:
        return {"user_id": scope.user_id, "backend": self.options.backend, "usage": dict(usage) if usage else None}


RENAMED = 5
"""Names tried for a message whose own name belongs to a deleted one."""


def renamed(message_id: str, number: int) -> str:
    """The name of a message for the `number`th try, from 0."""
    return f"{message_id}.{number}" if number else message_id


FAILED = (DaemonError, TimeoutError, FutureTimeout, OSError, *READING)


def told(error: Exception) -> str:
    """A failure for a model."""
    code = error.code if isinstance(error, DaemonError) else "invalid_input"
    text = error.message if isinstance(error, DaemonError) else "the arguments are not those of this tool"
    return json.dumps({"error": {"code": code, "message": text}})


def shown(answer: Mapping[str, Any]) -> str:
    """A reading for a model: aliases as ids, and of each message what was said."""
    rows = answer.get("messages") if "messages" in answer else answer.get("hits")
    found: dict[str, Any] = {
        "messages": [{"id": r.get("alias"), **{k: r[k] for k in SHOWN if r.get(k) is not None}} for r in rows or ()]
    }
    found.update({k: answer[k] for k in ("total", "next_offset") if answer.get(k) is not None})
    return json.dumps(found, ensure_ascii=False)
