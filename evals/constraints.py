"""Is what was forbidden still in the prompt at every turn: an agent session of hundreds of tool messages.

One prohibition stands in the opening (at its start, or in the middle of a long one), others are said later. After
every assistant message the prompt of each arm is checked for each prohibition said so far; survival is the share held.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.assembly import AssemblyMemo
from bobctx.core.budget import plan_budget
from evals import arms
from evals.compacting import Grown, read, turn_by_turn
from evals.planting import FLAG, LANGUAGES, PHRASINGS, PLANTS, Fact, Planter
from evals.reader import Prompt, supported
from evals.recalling import Setting
from evals.results import Ledger
from evals.scenarios import Body

WINDOWS = (8_192, 16_384, 32_768)
EXCHANGES = 40
STEPS = (4, 14)
"""Tool calls of an exchange."""
LATER = 5
EVERY = 3
"""Every third assistant turn is assembled."""


def session(seed: int, *, long_opening: bool, phrasings: str = "first") -> tuple[list[Body], list[Fact]]:
    """An agent session and its prohibitions, in order."""
    dice = random.Random(f"constraints {seed} {long_opening}")
    planter = Planter(dice, PHRASINGS[phrasings])
    facts = [planter.twins("en" if n < 3 else planter.lang(2 * n + 1), FLAG)[0] for n in range(LATER + 1)]
    places = [0, *sorted(dice.sample(range(2, EXCHANGES - 8), LATER))]
    messages: list[Body] = []
    calls = 0
    for number in range(EXCHANGES):
        said = [facts[i] for i, at in enumerate(places) if at == number]
        text = [_filler(dice, "user") for _ in range(60 if long_opening and not number else 2)]
        for fact in said:
            statement = planter.state(fact)
            statement.position = len(messages)
            text.insert(len(text) // 2, statement.sentence)
        _post(messages, "user", " ".join(text))
        for _ in range(dice.randint(*STEPS)):
            calls += 1
            call = {
                "id": f"call_{calls}",
                "type": "function",
                "function": {"name": "run", "arguments": json.dumps({"n": calls})},
            }
            _post(messages, "assistant", None, tool_calls=[call])
            lines = (f"{w} {dice.randint(1, 9999)} ms" for w in dice.choices(PLANTS["words"], k=dice.randint(8, 50)))
            _post(messages, "tool", "\n".join(lines), tool_call_id=f"call_{calls}")
        _post(messages, "assistant", " ".join(_filler(dice, "assistant") for _ in range(4)))
    return messages, facts


def _filler(dice: random.Random, role: str) -> str:
    text: str = dice.choice(LANGUAGES["en"][role])
    return text.format(n=dice.randint(2, 900), p=dice.choice(PLANTS["people"]), w="the board")


def _post(messages: list[Body], role: str, content: str | None, **fields: Any) -> None:
    messages.append({"id": f"x{len(messages)}", "role": role, "content": content, **fields})


def run(setting: Setting, ledger: Ledger, *, seed: int, repeats: int) -> dict[str, dict[str, float]]:
    """`{arm: {survival}}` over windows, openings and repeats."""
    rows = []
    windows = WINDOWS if setting.scale >= 1.0 else WINDOWS[:1]
    for number in range(repeats):
        for size in windows:
            for long_opening in (False, True):
                key = f"{size} {'long' if long_opening else 'short'} opening" + setting.mark
                rows.append(
                    ledger.unit(
                        seed + number,
                        key,
                        lambda s=seed + number, w=size, o=long_opening: _unit(setting, s, w, o),  # type: ignore[misc]
                    )
                )
    names = rows[0]["arms"]
    held = {a: sum(r["arms"][a]["held"] for r in rows) for a in names}
    asked = {a: sum(r["arms"][a]["asked"] for r in rows) for a in names}
    return {a: {"survival": round(held[a] / asked[a], 4)} for a in names}


def _unit(setting: Setting, seed: int, size: int, long_opening: bool) -> dict[str, Any]:
    bodies, facts = session(seed, long_opening=long_opening, phrasings=setting.phrasings)
    messages = read(bodies)
    cells: dict[str, dict[str, Any]] = {}
    memos: dict[str, list[AssemblyMemo]] = {}
    turns = 0
    for position, grown in turn_by_turn(messages, plan_budget(size), seat=setting.seat):
        if messages[position].role != "assistant" or bodies[position].get("tool_calls"):
            continue
        turns += 1
        if turns % EVERY and position < len(messages) - 1:
            continue
        for arm, prompt in _prompts(grown, messages[: position + 1], size, memos).items():
            cell = cells.setdefault(arm, {"held": 0, "asked": 0, "curve": []})
            said = [f for f in facts if f.statements[0].position <= position]
            held = sum(supported(prompt, f, 0) for f in said)
            cell["held"] += held
            cell["asked"] += len(said)
            cell["curve"].append([len(grown.links), round(held / len(said), 4), prompt.tokens])
    return {"arms": cells, "regions": len(grown.links), "messages": len(messages)}


def _prompts(
    grown: Grown, messages: Sequence[Any], size: int, memos: dict[str, list[AssemblyMemo]]
) -> Mapping[str, Prompt]:
    found = {
        "window": arms.window(messages, size // 2),
        "head_tail": arms.assembled(grown, size, mode="fit", memo=memos.setdefault("head_tail", [])),
    }
    for arm, policy in arms.claim_arms().items():
        found[arm] = arms.assembled(grown, size, policy=policy, memo=memos.setdefault(arm, []))
    return found
