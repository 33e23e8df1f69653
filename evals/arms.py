"""What each arm of an eval puts into the prompt: everything, a window, head and tail, claims by policy, peers."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.assembly import AssemblyMemo, AssemblyRequest, finish_assembly, plan_assembly
from bobctx.core.budget import HISTORY_MAX, Window
from bobctx.core.packing import DEFAULT_POLICY, POLICIES, Policy
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.types import Message, Mode
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.model_data import reference_counter
from evals.compacting import Grown
from evals.reader import Prompt, ShownClaim

PLAIN = ("full", "window", "head_tail")
CLAIMS = "claims"
"""The default policy; `claims_POLICY` are the others."""


def claim_arms() -> dict[str, Policy]:
    """Arm -> policy, the default one first."""
    return {CLAIMS: DEFAULT_POLICY, **{f"{CLAIMS}_{p}": p for p in POLICIES if p != DEFAULT_POLICY}}


def everything(messages: Sequence[Message]) -> Prompt:
    """The whole history: the upper bound."""
    return _raw(messages, range(len(messages)))


def window(messages: Sequence[Message], tokens: int) -> Prompt:
    """The newest messages that fit."""
    start, left = len(messages), tokens
    while start and messages[start - 1].tokens <= left:
        start -= 1
        left -= messages[start].tokens
    return _raw(messages, range(start, len(messages)))


def _raw(messages: Sequence[Message], positions: Sequence[int]) -> Prompt:
    return Prompt(
        raw={p: messages[p].text for p in positions},
        tokens=sum(messages[p].tokens for p in positions),
        messages=[messages[p].body for p in positions],
    )


def assembled(
    grown: Grown,
    size: int,
    *,
    mode: Mode = "live",
    policy: Policy = DEFAULT_POLICY,
    style: Style = DEFAULT_STYLE,
    history_max: int = HISTORY_MAX,
    memo: list[AssemblyMemo] | None = None,
) -> Prompt:
    """What `assemble` returns for a window of `size` tokens; mode `fit` is head and tail by the same anchor rule."""
    request = AssemblyRequest(
        window=Window(tokens=size, source="setting"),
        count=reference_counter().count,
        versions=(PROMPT_VERSION, VALIDATOR_VERSION),
        mode=mode,
        policy=policy,
        style=style,
        history_max=history_max,
    )
    plan = plan_assembly(grown.snapshot(), request, memo[0] if memo else None)
    if memo is not None:
        memo[:] = [plan.memo]
    answer = finish_assembly(plan, [grown.messages[p] for p in plan.positions])
    sent = "\n".join(_text(m) for m in answer.messages)
    place = grown.spine.index_of
    raw: dict[int, str] = {}
    for item in answer.plan:
        position = place(item.id) if item.id is not None else None
        if position is not None:
            text = grown.messages[position].text
            raw[position] = text if text in sent else sent
    shown = plan.cover.pack.claims if mode == "live" else ()
    return Prompt(
        raw=raw,
        claims=tuple(ShownClaim(text=c.text, cites=frozenset(c.cites)) for c in shown if c.text in sent),
        tokens=int(answer.budget["used"]),
        messages=answer.messages,
    )


def _text(body: Mapping[str, Any]) -> str:
    content = body.get("content")
    if isinstance(content, list):
        return "\n".join(b.get("text", "") for b in content if isinstance(b, Mapping))
    return content or json.dumps(body.get("tool_calls") or "")


def has_langchain() -> bool:
    """Whether the peer is installed."""
    return importlib.util.find_spec("langchain_core") is not None


def langchain(messages: Sequence[Message], tokens: int) -> Prompt:
    """`trim_messages` of langchain with the settings its guide advises and our counts."""
    from langchain_core.messages import convert_to_messages
    from langchain_core.messages.utils import trim_messages

    sizes = {m.id: m.tokens for m in messages}
    place = {m.id: i for i, m in enumerate(messages)}
    bodies = [{**m.body, "content": m.body.get("content") or "", "id": m.id} for m in messages]
    kept = trim_messages(
        convert_to_messages(bodies),
        max_tokens=tokens,
        token_counter=lambda given: sum(sizes[str(m.id)] for m in given),
        strategy="last",
        start_on="human",
        include_system=True,
    )
    return _raw(messages, [place[str(m.id)] for m in kept])
