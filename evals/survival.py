"""Literals of native agent sessions that are seen before the cut, gone from the tail and used again later.

A session is cut where the model is asked; a literal counts if a message before the cut has it, no message of the
window's tail has it, and a message after the cut uses it. It survives in an arm if the arm's prompt holds it. The
claims the model is shown, and what one `conv_search` for it would find, are not the same: only the prompt counts.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import regex

from bobctx.core.budget import plan_budget
from bobctx.core.types import Message
from bobctx.importers import read_all
from evals import arms
from evals.compacting import Seat, grow, read
from evals.intervals import wilson
from evals.reader import Prompt
from evals.results import Ledger

WINDOWS = (8_192, 32_768)
CUTS = (0.5, 0.75)
LEAST_TOKENS = 6_000
SESSIONS = 6
LITERAL = regex.compile(
    r"(?<![\w./-])(?:https?://[^\s\"'<>)\]]{6,120}+|(?:~|\.{0,2})/[\w.@-]++(?:/[\w.@-]++)++|[\w-]++(?:/[\w.-]++)+\.\w{1,5}"
    r"|(?=[\w-]*\d)(?=[\w-]*\p{L})[\w-]{6,40}+)(?![\w])"
)
"""Addresses, paths, identifiers with figures."""


def literals(message: Message) -> frozenset[str]:
    """The exact values of a message."""
    return frozenset(m.group().rstrip(".,:") for m in LITERAL.finditer(message.text[:200_000]))


def run(data: Path, seat: Seat, ledger: Ledger, *, seed: int) -> dict[str, dict[str, Any]]:
    """`{arm: {survival, of, interval}}` over sessions, cuts and windows."""
    rows = []
    for path in sorted((data / "native_sessions").iterdir())[: SESSIONS + 3]:
        messages = read([dict(m) for m in read_all(path)[0].messages])
        if sum(m.tokens for m in messages) < LEAST_TOKENS:
            continue
        for size in WINDOWS:
            rows.append(  # noqa: PERF401 - each unit is kept as it is made
                ledger.unit(seed, f"{path.stem[:24]} {size}", lambda m=messages, w=size: _unit(m, w, seat, seed))  # type: ignore[misc]
            )
    found: dict[str, dict[str, Any]] = {}
    for arm in dict.fromkeys(a for r in rows for a in r["arms"]):
        cells = [r["arms"][arm] for r in rows if arm in r["arms"]]  # a session that fits its window is not cut
        held, asked = (sum(c[i] for c in cells) for i in (0, 1))
        found[arm] = {
            "survival": round(held / asked, 4) if asked else None,
            "of": asked,
            "interval": wilson(held, asked),
        }
    return found


def _unit(messages: Sequence[Message], size: int, seat: Seat, seed: int) -> dict[str, Any]:
    cells: dict[str, list[int]] = {}
    for share in CUTS:
        cut = int(len(messages) * share)
        while cut < len(messages) - 1 and messages[cut - 1].role != "user":
            cut += 1
        before, after = list(messages[:cut]), messages[cut:]
        if sum(m.tokens for m in before) <= size // 2:
            continue
        grown = grow(before, plan_budget(size), seat=seat)
        prompts = {
            "window": arms.window(before, size // 2),
            "head_tail": arms.assembled(grown, size, mode="fit"),
            **{arm: arms.assembled(grown, size, policy=policy) for arm, policy in arms.claim_arms().items()},
        }
        tail = frozenset().union(*(literals(before[p]) for p in prompts["window"].raw))
        known = frozenset().union(*map(literals, before)) - tail
        used = sorted(known & frozenset().union(*map(literals, after)))
        asked = random.Random(seed).sample(used, min(200, len(used)))
        for arm, prompt in prompts.items():
            cell = cells.setdefault(arm, [0, 0])
            cell[0] += sum(_has(prompt, value) for value in asked)
            cell[1] += len(asked)
    return {"arms": cells}


def _has(prompt: Prompt, value: str) -> bool:
    texts: Mapping[int, str] = prompt.raw
    return any(value in t for t in texts.values()) or any(value in c.text for c in prompt.claims)
