"""`planted`, `iterated`, `long`: are the planted facts in the prompt, current and within how many tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.core.budget import HISTORY_MAX, plan_budget
from evals import arms
from evals.compacting import Grown, Seat, grow, limited, read, without_narrative
from evals.planting import Fact
from evals.prose import Writer, prose
from evals.reader import Ask, Prompt, answer, is_stale, scored
from evals.results import Ledger
from evals.scenarios import SHAPES, Conversation, converse

TAILS: Mapping[str, int] = {
    "": 116_000,
    "_250k": 224_000,
    "_64k": 64_000,
    "_48k": 48_000,
    "_32k": 32_000,
    "_24k": 24_000,
}
"""Arms of `long`: suffix -> history tokens; the first is the seed's tail of 100K."""
PROSE_TAILS = ("", "_250k")
"""Tails at which the seed measured the prose summary."""
REGION_SIZES = (8_000, 12_000, 40_000)
PROPORTIONAL = 400
"""Tokens of region for each claim in the arm with a proportional cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a run is asked for."""

    seat: Seat
    ask: Ask | None = None
    write: Writer | None = None
    """Writes the summaries of the prose arm."""
    tools: bool = False
    plain: bool = False
    """Only the variant without tools, where both are run."""
    scale: float = 1.0
    phrasings: str = "first"
    """Which statements are planted (`planting.PHRASINGS`)."""

    @property
    def mark(self) -> str:
        """What sets a kept unit of other phrasings apart."""
        return "" if self.phrasings == "first" else f" {self.phrasings}"


def run(name: str, setting: Setting, ledger: Ledger, *, seed: int, repeats: int) -> dict[str, dict[str, float]]:
    """`{arm: {correct, questions, context_tokens, stale_shown}}` over all repeats."""
    rows = []
    for number in range(repeats):
        both = name == "planted" and not setting.tools and not setting.plain
        variants = [False, True] if both else [setting.tools]
        for tools in variants:
            unit = (
                ("tools" if tools else "chat") + (f" x{setting.scale}" if setting.scale != 1.0 else "") + setting.mark
            )
            make = _long if name == "long" else _short
            rows.append(
                ledger.unit(seed + number, unit, lambda s=seed + number, t=tools, m=make: m(name, setting, s, t))  # type: ignore[misc]
            )
    return total(rows)


def total(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Sums over the units; context is their mean."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        for arm, cell in row["arms"].items():
            sums = found.setdefault(arm, {"correct": 0, "questions": 0, "context_tokens": 0, "stale_shown": 0})
            for key in sums:
                sums[key] += cell[key]
    counts = {arm: sum(arm in row["arms"] for row in rows) for arm in found}
    return {a: {**c, "context_tokens": round(c["context_tokens"] / counts[a])} for a, c in found.items()}


def _short(name: str, setting: Setting, seed: int, tools: bool) -> dict[str, Any]:
    talk = converse(name, seed, tools=tools, scale=setting.scale, phrasings=setting.phrasings)
    messages = read(talk.messages)
    size = SHAPES[name].window
    grown = grow(messages, plan_budget(size), seat=setting.seat)
    prompts: dict[str, Callable[[], Prompt]] = {
        "full": lambda: arms.everything(messages),
        "window": lambda: arms.window(messages, size // 2),
        "head_tail": lambda: arms.assembled(grown, size, mode="fit"),
    }
    if arms.has_langchain():
        prompts["langchain"] = lambda: arms.langchain(messages, size // 2)
    for arm, policy in arms.claim_arms().items():
        prompts[arm] = lambda p=policy: arms.assembled(grown, size, policy=p)  # type: ignore[misc]
    if any(link.compaction.narrative for link in grown.links):
        prompts["claims_no_narrative"] = lambda: arms.assembled(without_narrative(grown), size)
    if (written := prose(grown, size, setting.write)) is not None:
        prompts["prose"] = lambda: written
    prompts["claims_seed_style"] = lambda: arms.assembled(grown, size, style="seed")
    return _scored(talk, grown, prompts, setting.ask)


def _long(name: str, setting: Setting, seed: int, tools: bool) -> dict[str, Any]:
    talk = converse(name, seed, tools=tools, scale=setting.scale, phrasings=setting.phrasings)
    messages = read(talk.messages)
    # One chain for all tails, as one lane serves several windows: compacted for the smallest of them.
    least = int(min(TAILS.values()) * setting.scale)
    grown = grow(messages, plan_budget(2 * least), seat=setting.seat)
    prompts: dict[str, Callable[[], Prompt]] = {"full": lambda: arms.everything(messages)}

    for suffix, given in TAILS.items():
        if suffix in PROSE_TAILS and setting.write is not None:
            written = prose(grown, 2 * int(given * setting.scale), setting.write, history_max=max(HISTORY_MAX, given))
            if written is not None:
                prompts["prose" + suffix] = lambda w=written: w  # type: ignore[misc]
        history = int(given * setting.scale)
        top = max(HISTORY_MAX, history)
        for arm, policy in arms.claim_arms().items():
            prompts[arm + suffix] = lambda h=history, p=policy, t=top: arms.assembled(  # type: ignore[misc]
                grown, 2 * h, policy=p, history_max=t
            )
        if suffix in ("", "_250k"):
            prompts["window" + suffix] = lambda h=history: arms.window(messages, h)  # type: ignore[misc]
            prompts["head_tail" + suffix] = lambda h=history, t=top: arms.assembled(  # type: ignore[misc]
                grown, 2 * h, mode="fit", history_max=t
            )
    return _scored(talk, grown, prompts, setting.ask)


def _scored(
    talk: Conversation, grown: Grown, prompts: Mapping[str, Callable[[], Prompt]], ask: Ask | None
) -> dict[str, Any]:
    """Every arm's cell, its answers for a rescore, and what the compaction did."""
    cells: dict[str, dict[str, int]] = {}
    answers: dict[str, list[str | None]] = {}
    asked = [talk.facts[i] for i in talk.questions]
    for arm, make in prompts.items():
        prompt = make()
        given = [_answer(prompt, fact, ask) for fact in asked]
        right = [g for g, _ in given if g is not None]
        answers[arm] = [text for _, text in given]
        cells[arm] = {
            "correct": sum(right),
            "questions": len(right),
            "context_tokens": prompt.tokens,
            "stale_shown": sum(is_stale(prompt, f) for f in talk.facts),
        }
    return {
        "arms": cells,
        "answers": answers,
        "expected": [f.value for f in asked],
        "unscored": {arm: a.count(None) for arm, a in answers.items() if None in a},
        "compaction": {
            "messages": len(grown.messages),
            "tokens": sum(m.tokens for m in grown.messages),
            "runs": grown.runs,
            "regions": len(grown.links),
            "claims": grown.raw,
            "rejected": grown.rejected,
            "taken_over": grown.taken_over,
        },
    }


def _answer(prompt: Prompt, fact: Fact, ask: Ask | None) -> tuple[bool | None, str | None]:
    if ask is None:
        text = answer(prompt, fact)
        return text == fact.value, text
    reply = ask(prompt.messages, fact.question)
    return scored(reply, fact), reply


def regions(setting: Setting, ledger: Ledger, *, seed: int, repeats: int) -> dict[str, dict[str, float]]:
    """Region sizes and a proportional claim cap on `iterated`, with the share of shown claims that no fact needs."""

    def work(number: int) -> dict[str, Any]:
        talk = converse("iterated", number, scale=setting.scale, phrasings=setting.phrasings)
        messages = read(talk.messages)
        size = SHAPES["iterated"].window
        cells = {}
        ways = {f"claims_{cap // 1000}k": (cap, setting.seat) for cap in REGION_SIZES}
        ways["claims_proportional"] = (12_000, limited(PROPORTIONAL, setting.seat))
        for arm, (cap, seat) in ways.items():
            grown = grow(messages, plan_budget(size), seat=seat, cap=cap)
            prompt = arms.assembled(grown, size)
            cell = _scored(talk, grown, {arm: lambda p=prompt: p}, None)["arms"][arm]  # type: ignore[misc]
            cells[arm] = {**cell, "noise": _noise(prompt, talk.facts), "claims": len(prompt.claims)}
        return {"arms": cells}

    rows = [ledger.unit(seed + n, "chat" + setting.mark, lambda s=seed + n: work(s)) for n in range(repeats)]  # type: ignore[misc]
    found = total(rows)
    for arm in found:
        noise = [r["arms"][arm]["noise"] for r in rows]
        found[arm]["noise"] = round(sum(noise) / len(noise), 4)
    return found


def _noise(prompt: Prompt, facts: Sequence[Fact]) -> float:
    """Share of the shown claims that cite no message in which a fact was stated."""
    needed = {s.position for f in facts for s in f.statements}
    return sum(not (c.cites & needed) for c in prompt.claims) / max(1, len(prompt.claims))
