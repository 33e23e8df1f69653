"""The answer of last resort: the caller's own messages, fitted without any daemon or database. Pure.

The client library uses it when the daemon does not answer in time. It takes the body of an assemble
call as it is and never fails: what it cannot read it gives back unchanged and says so (design, section 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.assembly import AssemblyRequest, plain_fit
from bobctx.core.budget import resolve_window
from bobctx.core.dialect import DIALECTS
from bobctx.core.identity import scrub_surrogates
from bobctx.core.injected import mark_injected
from bobctx.core.parts import read_message
from bobctx.core.tokens import Estimator
from bobctx.core.tools import names_of
from bobctx.core.types import ROLES, Json, Message, ToolSet
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION

MODE = "local_fit"


def answer(
    body: Mapping[str, Json],
    *,
    reason: str,
    catalog: Mapping[str, int] | None = None,
    window: int | None = None,
    injected: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The API's object for an assemble `body`; `reason` says why no daemon made it.

    Args:
        body: Fields of `POST …/assemble`; `messages`, else `append`, is what is fitted.
        reason: `timeout`, `unreachable`, or the code the daemon refused with.
        catalog: Windows by model, where the caller has them.
        window: For every model, where the caller knows it better.
        injected: What texts of the host begin with: such a user message does not anchor the opening.
    """
    posted = [*_list(body.get("messages")), *_list(body.get("append"))]
    messages = _read(posted)
    if messages is None:
        return _unchanged(posted, reason, "unreadable_messages")
    assembled = plain_fit(mark_injected(messages, injected), _request(body, catalog, window))
    if assembled.cannot_fit:
        return _unchanged(posted, reason, "cannot_fit")
    if body.get("messages") is None:
        assembled = assembled.unread("history_unavailable")
    warnings = list(assembled.warnings)
    found: dict[str, Any] = {
        "messages": list(assembled.messages),
        "plan": [item.as_json() for item in assembled.plan],
        "decision": {**assembled.decision, "mode": MODE, "reason": reason, "warnings": warnings},
        "budget": dict(assembled.budget),
        "warnings": warnings,
        "trace_id": None,
    }
    if assembled.system is not None:
        found["system"] = assembled.system
    return found


def _request(body: Mapping[str, Json], catalog: Mapping[str, int] | None, window: int | None) -> AssemblyRequest:
    model, backend, dialect = body.get("model"), body.get("backend"), body.get("dialect")
    tools = body.get("tools")
    counter = Estimator()
    return AssemblyRequest(
        window=resolve_window(
            model if isinstance(model, str) else None,
            setting=_number(body.get("window")) or window,
            catalog=catalog,
            backend=backend if isinstance(backend, str) else None,
        ),
        count=counter.count,
        counter_id=counter.counter_id,
        versions=(PROMPT_VERSION, VALIDATOR_VERSION),
        profile="long" if body.get("profile") == "long" else "default",
        reserved_tokens=_number(body.get("reserved_tokens")) or 0,
        budget_tokens=_number(body.get("budget_tokens")),
        dialect=dialect if isinstance(dialect, str) and dialect in DIALECTS else "openai",
        tools=ToolSet.of(names_of(tools if isinstance(tools, list) else ())),
        answer="plan" if body.get("return") == "plan" else "messages",
    )


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: Json) -> int | None:
    """A positive whole number, else None: a bad limit is no limit."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _read(posted: Sequence[Json]) -> list[Message] | None:
    """The messages; None if one of them is none."""
    found: list[Message] = []
    previous: str | None = None
    for item in posted:
        if not isinstance(item, Mapping) or not _is_message(item):
            return None
        try:
            clean, _ = scrub_surrogates(item)
            found.append(read_message(clean, previous_id=previous))
        except (TypeError, ValueError, RecursionError):  # values that no JSON holds
            return None
        previous = found[-1].id
    return found


def _is_message(item: Mapping[str, Json]) -> bool:
    """Whether every field that is read has a type that can be."""
    texts = all(isinstance(item.get(name), str | None) for name in ("id", "name", "speaker", "tool_call_id"))
    lists = isinstance(item.get("content"), str | list | None) and isinstance(item.get("tool_calls"), list | None)
    role = item.get("role")
    return isinstance(role, str) and role in ROLES and texts and lists


def _unchanged(posted: Sequence[Json], reason: str, why: str) -> dict[str, Any]:
    """Nothing could be done: the caller's messages as they came."""
    return {
        "messages": list(posted),
        "plan": [],
        "decision": {"mode": MODE, "reason": reason, "claims_shown": 0, "warnings": [why]},
        "budget": {},
        "warnings": [why],
        "trace_id": None,
    }
