"""Which policy keeps most at equal budget: `seed`, `pinned`, `ranked`, and `pinned` with a recall block.

`python -m evals.policies [--set locomo --set qmsum --set joined --set aider] [--limit N] [--share N] [--out DIR]`:
two figures for each arm at a share of each conversation. Constraint survival: importance-3 constraints, preferences,
corrections and definitions of the omitted messages that are shown. Evidence recall: evidence turns of a question that
stand raw or in a shown claim; `ranked` and recall are asked with the question's own words, the others cannot know it.
`joined` is four of LoCoMo as one, so that the block has the size it has in a window of 32K and more.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from bobctx.core import context, scoring
from bobctx.core.budget import Budget
from bobctx.core.claims import ClaimView, ViewClaim, merge
from bobctx.core.context import ContextRequest
from bobctx.core.fit import fit
from bobctx.core.packing import PackRequest, Policy, pack
from bobctx.core.ranking import PINNED_TYPES, Ranking, ranking_of
from bobctx.core.recall import RecallRequest, recall, recall_room
from bobctx.core.scoring import Source, Statistics
from bobctx.core.shortlist import Candidate, Shortlist
from bobctx.core.types import Message, ToolSet
from bobctx.model_data import reference_counter
from bobctx.store import claim_words
from evals.compacting import Grown, grow, read
from evals.datasets import DATA, DATASETS, locomo, qmsum
from evals.evidence import budget_of, covered_positions
from evals.results import Ledger

ARMS: dict[str, tuple[Policy, float]] = {
    "seed": ("seed", 0.0),
    "pinned": ("pinned", 0.0),
    "ranked": ("ranked", 0.0),
    "recall_20": ("pinned", 0.2),
    "recall_33": ("pinned", 1 / 3),
    "recall_50": ("pinned", 0.5),
}
"""Arm -> policy of the stable block, share of the block's room that a recall block takes."""
SHARES = (10, 25, 50)
JOINED = 4
"""Conversations of LoCoMo that make a long one."""
SETS = ("locomo", "qmsum", "joined", "aider")
TOOLS = ToolSet(expand=True, search=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A conversation and its questions with the positions of their evidence."""

    name: str
    messages: list[Message]
    questions: list[tuple[str, tuple[int, ...]]]


def samples(name: str, data: Path) -> Iterator[Sample]:
    """The conversations of a data set; only LoCoMo and QMSum have questions."""
    if name == "locomo":
        yield from _locomo(data)
    elif name == "joined":
        yield joined(list(islice(_locomo(data), JOINED)))
    elif name == "qmsum":
        yield from _qmsum(data)
    else:
        for ident, items in DATASETS[name](data):
            yield Sample(name=ident, messages=read(items), questions=[])


def _locomo(data: Path) -> Iterator[Sample]:
    records = [r for path in sorted((data / "locomo").glob("*.json")) for r in json.loads(path.read_text("utf-8"))]
    for (name, items), record in zip(locomo(data), records, strict=True):
        place = {item["id"]: i for i, item in enumerate(items)}
        asked = []
        for question in record["qa"]:
            found = tuple(sorted({place[e] for e in question.get("evidence", ()) if e in place}))
            if question["category"] in (1, 2, 3, 4) and found:
                asked.append((str(question["question"]), found))
        yield Sample(name=name, messages=read(items), questions=asked)


def joined(parts: Sequence[Sample]) -> Sample:
    """Conversations one after the other as one, with all their questions."""
    messages: list[Message] = []
    asked: list[tuple[str, tuple[int, ...]]] = []
    for part in parts:
        start = len(messages)
        asked += [(question, tuple(start + p for p in found)) for question, found in part.questions]
        for message in part.messages:
            seq = len(messages) + 1
            messages.append(replace(message, id=f"j{seq}", seq=seq))
    return Sample(name="joined", messages=messages, questions=asked)


def _qmsum(data: Path) -> Iterator[Sample]:
    paths = sorted((data / "qmsum").glob("*.jsonl"))
    records = [json.loads(line) for path in paths for line in path.open(encoding="utf-8")]
    for (name, items), record in zip(qmsum(data), records, strict=True):
        asked = []
        for question in record["specific_query_list"]:
            spans = [(int(a), int(b)) for a, b in question["relevant_text_span"]]
            found = tuple(sorted({i for a, b in spans for i in range(a, min(b, len(items) - 1) + 1)}))
            if found:
                asked.append((str(question["query"]), found))
        yield Sample(name=name, messages=read(items), questions=asked)


class Lab:
    """One conversation at one budget."""

    def __init__(self, sample: Sample, share: int) -> None:
        tokens = sum(m.tokens for m in sample.messages) * share // 100
        self.budget: Budget = budget_of(tokens, live=True)
        self.grown: Grown = grow(sample.messages, self.budget)
        plan = fit(self.grown.spine, self.budget)
        self.gap, self.raw = plan.gap, set(plan.positions)
        self.view: ClaimView = merge(self.grown.links)
        self.ranking: Ranking = ranking_of(self.view)
        self.usable = sum(1 for x in self.grown.links if self.gap[0] <= x.start and x.end <= self.gap[1])
        self._words = {c.alias: claim_words.words(c.claim.text) for c in self.view.active}
        self._terms = {c.alias: claim_words.indexed(c.claim.text).split() for c in self.view.active}
        self._stated: dict[str, set[int]] = {}
        self.scores = lru_cache(maxsize=1)(self._scores)
        """For a question: every arm is asked the same one in turn."""

    def stated(self, claims: Sequence[ViewClaim]) -> set[int]:
        """Turns of which a claim states a clause."""
        for claim in claims:
            if claim.alias not in self._stated:
                self._stated[claim.alias] = covered_positions((claim,), self.grown.messages)
        return set().union(*(self._stated[c.alias] for c in claims))

    def _scores(self, question: str) -> dict[str, float]:
        """As the daemon would score the claims for a question: by the product's terms, counts and components."""
        terms = claim_words.terms_of(question)
        rows = []
        for claim in self.view.active:
            own = list(self._words[claim.alias])
            matched = claim_words.matches(terms, own, self._terms[claim.alias])
            if any(matched):
                rows.append(self._candidate(claim, matched, len(own)))
        spread = tuple(sum(1 for r in rows if r.matched[i]) for i in range(len(terms)))
        words = sum(len(w) for w in self._words.values())
        listed = Shortlist(statistics=Statistics(claims=len(self._words), words=words, spread=spread), rows=tuple(rows))
        request = ContextRequest(now=0.0, count=len)
        return {item.claim.claim_id: item.score for item in context.ranked(listed, request)}

    def _candidate(self, claim: ViewClaim, matched: tuple[int, ...], length: int) -> Candidate:
        sources = Source.NONE
        for position in claim.cites:
            sources |= scoring.source_of(self.grown.messages[position].role)
        return Candidate(
            claim_id=claim.claim.id,
            alias=claim.alias,
            conversation_id="",
            type=claim.claim.type,
            importance=claim.importance,
            text=claim.claim.text,
            sources=int(sources),
            literal=bool(claim.claim.evidence),
            valid_from=0.0,
            matched=matched,
            length=length,
        )

    def shown(self, arm: str, question: str) -> tuple[ViewClaim, ...]:
        """The claims of the prompt, block and recall together."""
        policy, share = ARMS[arm]
        scores = self.scores(question) if share or policy == "ranked" else {}
        could = sum(self.ranking.unreplaced[: self.usable])
        extra = recall_room(self.budget.block_cap, could, share) if share else 0
        count = reference_counter().count
        found = pack(
            PackRequest(
                view=self.view,
                usable=self.usable,
                spine=self.grown.spine,
                room=self.budget.block_cap - extra,
                count=count,
                policy=policy,
                style="compact",
                tools=TOOLS,
                ranking=self.ranking,
                scores=scores,
            )
        ).claims
        if not extra:
            return found
        more = recall(
            RecallRequest(
                view=self.view,
                spine=self.grown.spine,
                usable=self.usable,
                shown={c.alias for c in found},
                scores=scores,
                room=extra,
                style="compact",
                tools=TOOLS,
                key=b"k" * 32,
                count=count,
            )
        )
        return (*found, *more.claims)

    def survival(self, arm: str, question: str) -> tuple[int, int]:
        """Constraints shown, and those that were omitted."""
        wanted = {
            c.alias
            for c in self.view.active
            if c.region < self.usable and c.importance >= 3 and c.claim.type in PINNED_TYPES
        }
        return len(wanted & {c.alias for c in self.shown(arm, question)}), len(wanted)


def measure(sample: Sample, share: int) -> dict[str, Counter[str]]:
    """Counts by arm: constraints shown and omitted, evidence turns visible and all."""
    lab = Lab(sample, share)
    newest = next((m.text for m in reversed(sample.messages) if m.role == "user"), "")
    found: dict[str, Counter[str]] = {arm: Counter() for arm in ARMS}
    for arm in ARMS:
        kept, wanted = lab.survival(arm, newest)
        found[arm].update(constraints_kept=kept, constraints=wanted)
    fixed = {arm: lab.stated(lab.shown(arm, "")) for arm, (policy, share) in ARMS.items() if not _asks(policy, share)}
    for question, evidence in sample.questions:
        for arm in ARMS:
            covered = fixed[arm] if arm in fixed else lab.stated(lab.shown(arm, question))
            found[arm].update(seen=sum(p in lab.raw or p in covered for p in evidence), evidence=len(evidence))
    return found


def _asks(policy: Policy, share: float) -> bool:
    return policy == "ranked" or share > 0


def run(
    data: Path, sets: Sequence[str], limit: int | None, shares: Sequence[int] = SHARES, ledger: Ledger | None = None
) -> dict[str, Any]:
    """`{set: {share: {arm: {survival, recall}}}}`; every conversation and share is one unit of the ledger."""
    kept = ledger or Ledger("policies")
    answer: dict[str, Any] = {}
    for name in sets:
        total: dict[str, dict[str, Counter[str]]] = {str(share): {arm: Counter() for arm in ARMS} for share in shares}
        count = 0
        for sample in islice(samples(name, data), limit):
            count += 1
            for share in shares:
                row = kept.unit(
                    0,
                    f"{sample.name} {share}",
                    lambda s=sample, n=share: {"arms": {a: dict(c) for a, c in measure(s, n).items()}},  # type: ignore[misc]
                )
                for arm, counts in row["arms"].items():
                    total[str(share)][arm].update(counts)
        answer[name] = {"conversations": count} | {
            share: {arm: _figures(counts) for arm, counts in arms.items()} for share, arms in total.items()
        }
    return answer


def _figures(counts: Counter[str]) -> dict[str, Any]:
    def part(a: str, b: str) -> float | None:
        return round(counts[a] / counts[b], 4) if counts[b] else None

    return {
        "constraint_survival": part("constraints_kept", "constraints"),
        "constraints": counts["constraints"],
        "evidence_recall": part("seen", "evidence"),
        "evidence": counts["evidence"],
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m evals.policies", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--set", choices=[*sorted(DATASETS), "joined"], action="append")
    parser.add_argument("--share", type=int, action="append", help="percent of each conversation; default 10, 25, 50")
    parser.add_argument("--limit", type=int, help="conversations of each set")
    parser.add_argument("--out", type=Path, help="folder of kept units")
    options = parser.parse_args()
    ledger = Ledger("policies", options.out)
    found = run(options.data, options.set or list(SETS), options.limit, options.share or SHARES, ledger)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
