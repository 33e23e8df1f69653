"""Plays the conversation through a running daemon over HTTP and notes what each side still knows."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bobctx.core.records import JobResult
from bobctx.demo import bad_seat, conversation
from bobctx.demo.conversation import PROBES
from bobctx.demo.daemon import WINDOW

TOOLS = ["conv_expand", "conv_search"]


class Calls(Protocol):
    """A conversation's API, as `cli.access` gives it."""

    async def __call__(self, method: str, rest: str, **more: Any) -> Any:
        """One call about the demo's conversation; `rest` follows its path."""
        ...


@dataclass(slots=True, kw_only=True)
class Played:
    """Everything that was seen, for the promises and the screen."""

    recorded: int = 0
    why: str = ""
    """What became of m3, in words."""
    stored: list[dict[str, Any]] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    """Of each assembled prompt that omits something: the part identical to the one before."""
    assembled: dict[str, Any] = field(default_factory=dict)
    window: list[dict[str, Any]] = field(default_factory=list)
    """The last messages that fit the same budget, newest last."""
    claims: list[dict[str, Any]] = field(default_factory=list)
    compactions: list[dict[str, Any]] = field(default_factory=list)
    chain: dict[str, Any] = field(default_factory=dict)
    hits: list[dict[str, Any]] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)
    """Probe -> alias of the message that a search finds for it, where the prompt does not hold it."""
    expanded: list[dict[str, Any]] = field(default_factory=list)
    refused: JobResult | None = None
    chain_after_edit: dict[str, Any] = field(default_factory=dict)
    claims_after_edit: list[dict[str, Any]] = field(default_factory=list)
    claims_after_delete: list[dict[str, Any]] = field(default_factory=list)
    block_after_delete: str = ""
    expand_after_delete: str = ""
    """The error code that reading the deleted message back gave."""

    @property
    def prompt_text(self) -> str:
        """Everything the model would read."""
        return text_of(self.assembled["messages"])

    @property
    def window_text(self) -> str:
        """Everything a model behind the usual window would read."""
        return text_of(self.window)


def text_of(messages: Sequence[dict[str, Any]]) -> str:
    """All text of a message list."""
    return "\n".join(
        m["content"] if isinstance(m.get("content"), str) else json.dumps(m.get("content"), ensure_ascii=False)
        for m in messages
    )


def omitted(prompt: dict[str, Any]) -> int:
    """Messages that an assembled prompt leaves out."""
    decision = prompt["decision"]
    return int(decision["messages_covered"] + decision["messages_uncovered"])


def same_start(before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> float:
    """Share of the newer prompt's bytes that are the older one's, from the start on."""
    shared = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        shared += len(json.dumps(new))
    whole = sum(len(json.dumps(m)) for m in now)
    return shared / whole if whole else 0.0


def last_window(stored: Sequence[dict[str, Any]], budget: int) -> list[dict[str, Any]]:
    """What a plain window sends at the same budget: as many of the newest messages as fit."""
    kept: list[dict[str, Any]] = []
    used = 0
    for item in reversed(stored):
        used += item["tokens_est"]
        if kept and used > budget:
            break
        kept.append(item)
    return kept[::-1]


async def play(
    call: Calls, why: Callable[[], Awaitable[str]], advance: Callable[[str, float], None], folder: Path
) -> Played:
    """The whole demo, step by step; `advance` hears what is done and the share of the work behind it."""
    seen = Played()
    history = conversation.messages()
    turns = list(conversation.turns(history))
    before: list[dict[str, Any]] | None = None
    for number, turn in enumerate(turns):
        answer = await call("POST", "/messages", body={"backend": "local", "messages": turn})
        seen.recorded += answer["indexed"]
        prompt = await _assemble(call, None)
        if before is not None and omitted(prompt):
            seen.shares.append(same_start(before, prompt["messages"]))
        before = prompt["messages"]
        advance(f"playing message {seen.recorded} of {len(history)}", 0.7 * (number + 1) / len(turns))
    await _compact_and_look(call, seen, advance)
    seen.why = await why()
    advance("asking the bad seat", 0.85)
    end = next(i for i, item in enumerate(seen.stored) if item["id"] == conversation.INJECTION) + 1
    seen.refused = await bad_seat.ask(seen.stored[2:end], folder)
    advance("editing and deleting", 0.95)
    await _edit_and_delete(call, seen)
    advance("done", 1.0)
    return seen


async def _assemble(call: Calls, question: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {"window": WINDOW, "tools": TOOLS}
    if question is not None:
        body["append"] = [{"role": "user", "content": question}]
    answer: dict[str, Any] = await call("POST", "/assemble", body=body)
    return answer


async def _compact_and_look(call: Calls, seen: Played, advance: Callable[[str, float], None]) -> None:
    advance("compacting what is left", 0.72)
    await call("POST", "/compact", body={}, long=True)
    seen.stored = (await call("GET", "/messages", params={"limit": 1000}))["messages"]
    seen.claims = (await call("GET", "/claims"))["claims"]
    seen.compactions = (await call("GET", "/compactions"))["compactions"]
    seen.chain = await call("GET", "/chain")
    seen.assembled = await _assemble(call, conversation.QUESTION)
    seen.window = last_window(seen.stored, seen.assembled["budget"]["history"])
    seen.hits = (await call("POST", "/search", body={"query": conversation.QUERY, "limit": 5}))["hits"]
    seen.expanded = (await call("POST", "/expand", body={"ids": ["m3", "m89"]}))["messages"]
    prompt = seen.prompt_text
    for probe in PROBES:
        if probe.needle not in prompt:
            hits = (await call("POST", "/search", body={"query": probe.query, "limit": 5}))["hits"]
            hit = next((h for h in hits if h["id"] == probe.source), None)
            if hit is not None:
                seen.found[probe.what] = hit["alias"]


async def _edit_and_delete(call: Calls, seen: Played) -> None:
    original = next(m for m in conversation.messages() if m["id"] == conversation.EDITED)
    edited = {**original, "content": conversation.EDITED_TEXT}
    await call("POST", "/messages", body={"backend": "local", "messages": [edited]})
    seen.chain_after_edit = await call("GET", "/chain")
    seen.claims_after_edit = (await call("GET", "/claims"))["claims"]
    await call("DELETE", f"/messages/{conversation.RULE}")
    seen.claims_after_delete = (await call("GET", "/claims"))["claims"]
    seen.block_after_delete = text_of((await _assemble(call, conversation.QUESTION))["messages"])
    seen.expand_after_delete = await _error_of(call, conversation.RULE)


async def _error_of(call: Calls, ident: str) -> str:
    from bobctx.errors import BobctxError

    try:
        await call("POST", "/expand", body={"ids": [ident]})
    except BobctxError as error:
        return error.code
    return ""
