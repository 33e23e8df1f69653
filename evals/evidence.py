"""How much of what later questions need is still in the prompt: evidence turns of real conversations.

`python -m evals evidence`: LoCoMo (categories 1 to 4) and QMSum at budgets of 10, 25 and 50 % of each conversation.
A turn counts when it stands raw in the prompt, or when a shown claim that cites it states a clause of it; a claim
counts for one turn a clause, so that citing neighbours gains nothing. All arms use the same anchor rule and tokens.
Beside turns, `words` counts how many of the gold answers' words stand in the prompt, of those that were ever said.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bobctx.core.budget import Budget, plan_budget
from bobctx.core.claims import ViewClaim, merge
from bobctx.core.extract import extract
from bobctx.core.fit import fit
from bobctx.core.packing import DEFAULT_POLICY, PackRequest, pack
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.text import clauses, content_stems
from bobctx.core.types import Message
from bobctx.model_data import reference_counter
from evals.compacting import Grown, Seat, grow, read
from evals.datasets import locomo, qmsum
from evals.results import Ledger

SHARES = (10, 25, 50)
ARMS = ("window", "head_tail", "claims")
RESAMPLES = 2_000


class MissingData(SystemExit):
    """The data set is not there: nothing could be scored, which is no score of 0."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation and, per question, the positions of its evidence and the words of its answer."""

    name: str
    messages: list[Message]
    questions: list[tuple[int, ...]]
    answers: list[frozenset[str]]


def locomo_samples(data: Path) -> Iterator[Sample]:
    """LoCoMo, questions of categories 1 to 4; evidence ids that do not resolve are left out."""
    chats = locomo(data)
    records = [r for path in sorted((data / "locomo").glob("*.json")) for r in json.loads(path.read_text("utf-8"))]
    for (name, items), record in zip(chats, records, strict=True):
        place = {item["id"]: i for i, item in enumerate(items)}
        questions, answers = [], []
        for question in record["qa"]:
            found = tuple(sorted({place[e] for e in question.get("evidence", ()) if e in place}))
            if question["category"] in (1, 2, 3, 4) and found:
                questions.append(found)
                answers.append(_words(str(question.get("answer", ""))))
        yield Sample(name, read(items), questions, answers)


def qmsum_samples(data: Path) -> Iterator[Sample]:
    """QMSum, the gold spans of its specific questions."""
    chats = qmsum(data)
    records = [
        json.loads(line) for path in sorted((data / "qmsum").glob("*.jsonl")) for line in path.open(encoding="utf-8")
    ]
    for (name, items), record in zip(chats, records, strict=True):
        questions, answers = [], []
        for question in record["specific_query_list"]:
            spans = [(int(a), int(b)) for a, b in question["relevant_text_span"]]
            found = tuple(sorted({i for a, b in spans for i in range(a, min(b, len(items) - 1) + 1)}))
            if found:
                questions.append(found)
                answers.append(_words(question.get("answer", "")))
        yield Sample(name, read(items), questions, answers)


def _words(text: str) -> frozenset[str]:
    """Stems of the words that carry meaning, and numbers."""
    return content_stems(text, "en")


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
    return [span.of(text) for span in clauses(text)]


def recall(questions: Sequence[Sequence[int]], visible: set[int]) -> tuple[int, int]:
    """Evidence turns that are visible, and all of them."""
    return sum(1 for q in questions for p in q if p in visible), sum(len(q) for q in questions)


def answer_words(sample: Sample, texts: Iterable[str]) -> tuple[int, int]:
    """Answer words that are visible in `texts`, and all that the conversation has."""
    known = frozenset().union(*(_words(m.text) for m in sample.messages))
    seen = frozenset().union(*map(_words, texts))
    return sum(len(a & seen) for a in sample.answers), sum(len(a & known) for a in sample.answers)


def score(
    sample: Sample, share: int, *, style: Style = DEFAULT_STYLE, seat: Seat = extract
) -> dict[str, dict[str, tuple[int, int]]]:
    """`{turns, words: {arm: (hits, total)}}` of one conversation."""
    tokens = sum(m.tokens for m in sample.messages) * share // 100
    live, plain = budget_of(tokens, live=True), budget_of(tokens, live=False)
    grown = grow(sample.messages, live, seat=seat)
    claims, _ = shown_claims(grown, live, style=style)
    raw = {
        "window": window_positions(sample.messages, tokens),
        "head_tail": raw_positions(grown, plain),
        "claims": raw_positions(grown, live),
    }
    stated = covered_positions(claims, sample.messages)
    turns, words = {}, {}
    for arm in ARMS:
        shown = claims if arm == "claims" else ()
        turns[arm] = recall(sample.questions, raw[arm] | (stated if shown else set()))
        texts = (*(sample.messages[p].text for p in raw[arm]), *(c.claim.text for c in shown))
        words[arm] = answer_words(sample, texts)
    return {"turns": turns, "words": words}


def run_units(
    data: Path,
    ledger: Ledger,
    *,
    seat: Seat,
    seed: int,
    part: str = "all",
    sets: Sequence[str] = tuple(SETS),
    chat: str | None = None,
    shares: Sequence[int] = SHARES,
) -> dict[str, Any]:
    """`{sets, gain, words, words_gain}`, each `{set: {share: …}}`; `gain` is [low, mean, high] against head and tail.

    One conversation and budget at a time, so that an interrupted run goes on where it stopped. `part` is `dev` (even
    conversations), `test` (odd ones) or `all`; `chat` names a single conversation, `locomo-conv-30`, of whichever set.
    """
    answer: dict[str, Any] = {"sets": {}, "gain": {}, "words": {}, "words_gain": {}}
    for name in sets:
        samples = [s for i, s in enumerate(SETS[name](data)) if part == "all" or (i % 2 == 0) == (part == "dev")]
        samples = [s for s in samples if chat in (None, s.name)]
        if chat is not None and not samples:
            continue
        if not samples:
            raise MissingData(f"no {name} conversations under {data}: pass --data, or leave the set out")
        for kind in answer:
            answer[kind][name] = {}
        for share in shares:
            rows = [_kept(ledger, seed, f"{name} {share} {sample.name}", sample, share, seat) for sample in samples]
            for kind, field in (("sets", "arms"), ("words", "words")):
                cells = [r[field] for r in rows]
                answer[kind][name][str(share)] = {a: round(_ratio([c[a] for c in cells]), 4) for a in ARMS}
                answer["gain" if kind == "sets" else "words_gain"][name][str(share)] = bootstrap(cells, seed)
    if not answer["sets"]:
        raise MissingData(f"no conversation {chat!r} in {', '.join(sets)} under {data}")
    return answer


def _kept(ledger: Ledger, seed: int, unit: str, sample: Sample, share: int, seat: Seat) -> Mapping[str, Any]:
    def work() -> dict[str, Any]:
        found = score(sample, share, seat=seat)
        return {"arms": found["turns"], "words": found["words"]}

    return ledger.unit(seed, unit, work)


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
