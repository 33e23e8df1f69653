"""How much of what later questions need is still in the prompt: evidence turns of real conversations.

`python -m evals evidence`: LoCoMo (categories 1 to 4) and QMSum at budgets of 10, 25 and 50 % of each conversation.
A turn counts when it stands raw in the prompt, or when a shown claim that cites it states a clause of it; a claim
counts for one turn a clause, so that citing neighbours gains nothing. All arms use the same anchor rule and tokens.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bobctx.core.budget import Budget, plan_budget
from bobctx.core.claims import ViewClaim, merge
from bobctx.core.extract import extract
from bobctx.core.fit import fit
from bobctx.core.packing import DEFAULT_POLICY, PackRequest, pack
from bobctx.core.render import Style
from bobctx.core.types import Message
from bobctx.model_data import reference_counter
from evals.compacting import Grown, Seat, grow, read
from evals.datasets import DATA, locomo, qmsum
from evals.results import Ledger

SHARES = (10, 25, 50)
ARMS = ("window", "head_tail", "claims")
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation and, per question, the positions of its evidence."""

    name: str
    messages: list[Message]
    questions: list[tuple[int, ...]]


def locomo_samples(data: Path) -> Iterator[Sample]:
    """LoCoMo, questions of categories 1 to 4; evidence ids that do not resolve are left out."""
    chats = locomo(data)
    records = [r for path in sorted((data / "locomo").glob("*.json")) for r in json.loads(path.read_text("utf-8"))]
    for (name, items), record in zip(chats, records, strict=True):
        place = {item["id"]: i for i, item in enumerate(items)}
        questions = []
        for question in record["qa"]:
            found = tuple(sorted({place[e] for e in question.get("evidence", ()) if e in place}))
            if question["category"] in (1, 2, 3, 4) and found:
                questions.append(found)
        yield Sample(name, read(items), questions)


def qmsum_samples(data: Path) -> Iterator[Sample]:
    """QMSum, the gold spans of its specific questions."""
    chats = qmsum(data)
    records = [
        json.loads(line) for path in sorted((data / "qmsum").glob("*.jsonl")) for line in path.open(encoding="utf-8")
    ]
    for (name, items), record in zip(chats, records, strict=True):
        questions = []
        for question in record["specific_query_list"]:
            spans = [(int(a), int(b)) for a, b in question["relevant_text_span"]]
            found = tuple(sorted({i for a, b in spans for i in range(a, min(b, len(items) - 1) + 1)}))
            if found:
                questions.append(found)
        yield Sample(name, read(items), questions)


SETS: Mapping[str, Callable[[Path], Iterator[Sample]]] = {"locomo": locomo_samples, "qmsum": qmsum_samples}


def budget_of(tokens: int, *, live: bool) -> Budget:
    """A budget of so many tokens of history, from a window of twice that."""
    return plan_budget(2 * tokens, live=live)


def raw_positions(grown: Grown, budget: Budget) -> set[int]:
    """What stands raw in the prompt."""
    return set(fit(grown.spine, budget).positions)


def window_positions(messages: Sequence[Message], tokens: int) -> set[int]:
    """The newest messages that fit: a sliding window at the same tokens."""
    kept: set[int] = set()
    for position in range(len(messages) - 1, -1, -1):
        tokens -= messages[position].tokens
        if tokens < 0:
            break
        kept.add(position)
    return kept


def shown_claims(grown: Grown, budget: Budget, *, style: Style) -> tuple[tuple[ViewClaim, ...], int]:
    """The claims in the block, and the block's tokens."""
    gap = fit(grown.spine, budget).gap
    view = merge(grown.links)
    usable = sum(1 for link in grown.links if gap[0] <= link.start and link.end <= gap[1])
    found = pack(
        PackRequest(
            view=view,
            usable=usable,
            spine=grown.spine,
            room=budget.block_cap,
            count=reference_counter().count,
            policy=DEFAULT_POLICY,
            style=style,
        )
    )
    return found.claims, found.tokens


def covered_positions(claims: Sequence[ViewClaim], messages: Sequence[Message]) -> set[int]:
    """Cited turns of which the claim states a clause: each clause counts for the turn it was taken from."""
    found: set[int] = set()
    for claim in claims:
        rest = " ".join(claim.claim.text.split())
        for position in claim.cites:
            source = " ".join(messages[position].text.split())
            if rest in source or any(len(piece) > 8 and piece in source for piece in _clauses(rest)):
                found.add(position)
    return found


def _clauses(text: str) -> list[str]:
    from bobctx.core.text import clauses

    return [span.of(text) for span in clauses(text)]


def recall(questions: Sequence[Sequence[int]], visible: set[int]) -> tuple[int, int]:
    """Evidence turns that are visible, and all of them."""
    return sum(1 for q in questions for p in q if p in visible), sum(len(q) for q in questions)


def score(sample: Sample, share: int, *, style: Style = "compact", seat: Seat = extract) -> dict[str, tuple[int, int]]:
    """Hits and totals of one conversation by arm."""
    tokens = sum(m.tokens for m in sample.messages) * share // 100
    live, plain = budget_of(tokens, live=True), budget_of(tokens, live=False)
    grown = grow(sample.messages, live, seat=seat)
    claims, _ = shown_claims(grown, live, style=style)
    visible = {
        "window": window_positions(sample.messages, tokens),
        "head_tail": raw_positions(grown, plain),
        "claims": raw_positions(grown, live) | covered_positions(claims, sample.messages),
    }
    return {arm: recall(sample.questions, visible[arm]) for arm in ARMS}


def run(
    data: Path,
    sets: Sequence[str],
    *,
    seed: int = 0,
    part: str = "all",
    style: Style = "compact",
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """`{sets: {name: {share: {arm: recall}}}, gain: {name: {share: [low, mean, high]}}}`.

    `part` is `dev` (even conversations), `test` (odd ones) or `all`.
    """
    answer: dict[str, Any] = {"sets": {}, "gain": {}}
    for name in sets:
        samples = [s for i, s in enumerate(SETS[name](data)) if part == "all" or (i % 2 == 0) == (part == "dev")]
        answer["sets"][name], answer["gain"][name] = {}, {}
        for share in SHARES:
            rows = []
            for sample in samples:
                progress(f"{name} {share} % {sample.name}")
                rows.append(score(sample, share, style=style))
            total = {arm: _ratio([r[arm] for r in rows]) for arm in ARMS}
            answer["sets"][name][str(share)] = {arm: round(value, 4) for arm, value in total.items()}
            answer["gain"][name][str(share)] = bootstrap(rows, seed)
    return answer


def run_units(data: Path, ledger: Ledger, *, seat: Seat, seed: int, part: str = "all") -> dict[str, Any]:
    """`run`, one conversation and budget at a time, so that an interrupted run goes on where it stopped."""
    answer: dict[str, Any] = {"sets": {}, "gain": {}}
    for name in SETS:
        samples = [s for i, s in enumerate(SETS[name](data)) if part == "all" or (i % 2 == 0) == (part == "dev")]
        answer["sets"][name], answer["gain"][name] = {}, {}
        for share in SHARES:
            rows = [
                ledger.unit(
                    seed,
                    f"{name} {share} {sample.name}",
                    lambda s=sample, b=share: {"arms": score(s, b, seat=seat)},  # type: ignore[misc]
                )["arms"]
                for sample in samples
            ]
            answer["sets"][name][str(share)] = {arm: round(_ratio([r[arm] for r in rows]), 4) for arm in ARMS}
            answer["gain"][name][str(share)] = bootstrap(rows, seed)
    return answer


def _ratio(pairs: Sequence[tuple[int, int]]) -> float:
    total = sum(n for _, n in pairs)
    return sum(h for h, _ in pairs) / total if total else 0.0


def bootstrap(rows: Sequence[Mapping[str, tuple[int, int]]], seed: int) -> list[float]:
    """Gain of `claims` over `head_tail`: 2.5 %, mean and 97.5 % over conversations drawn with replacement."""
    dice = random.Random(seed)
    gains = []
    for _ in range(RESAMPLES):
        drawn = dice.choices(rows, k=len(rows))
        gains.append(_ratio([r["claims"] for r in drawn]) - _ratio([r["head_tail"] for r in drawn]))
    gains.sort()
    mean = _ratio([r["claims"] for r in rows]) - _ratio([r["head_tail"] for r in rows])
    return [round(gains[int(RESAMPLES * 0.025)], 4), round(mean, 4), round(gains[int(RESAMPLES * 0.975)], 4)]


def main(argv: Sequence[str] | None = None) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m evals.evidence", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--set", choices=sorted(SETS), action="append")
    parser.add_argument("--part", choices=("all", "dev", "test"), default="all")
    parser.add_argument("--style", choices=("seed", "compact"), default="compact")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    answer = run(options.data, options.set or sorted(SETS), seed=options.seed, part=options.part, style=options.style)
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main()
