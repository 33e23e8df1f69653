"""The measuring commands on small inputs of our own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from evals import cases, real_claims, stress
from evals.corruptions import corruptions
from evals.frames import frames
from evals.intervals import wilson

MESSAGES = [{"id": "m1", "role": "user", "content": "The public port is 8443 and the admin port is 9443."}]
RIGHT = {"id": "c1", "type": "fact", "importance": 2, "text": "The admin port is 9443.", "cites": ["m1"]}
WRONG = {**RIGHT, "id": "c2", "text": "The admin port is 8443."}


def case(claim: dict[str, object], expect: str) -> dict[str, object]:
    return {
        "id": str(claim["id"]),
        "category": "binding",
        "lang": "en",
        "messages": MESSAGES,
        "prior": [],
        "claim": claim,
        "expect": expect,
    }


def test_cases_count_what_is_right() -> None:
    result = cases.measure([case(RIGHT, "accept"), case(WRONG, "reject"), case(WRONG, "accept")])
    assert (result["cases"], result["accept_recall"], result["reject_recall"]) == (3, 0.5, 1.0)
    assert [w["id"] for w in result["wrong"]] == ["c2"]
    assert result["link_recall"] is None


def test_real_claims_count_false_rejections() -> None:
    row = {
        "region": "r",
        "messages": MESSAGES,
        "claims": [RIGHT, WRONG],
        "audit": [{"id": "c1", "supported": True}, {"id": "c2", "supported": False}],
    }
    result = real_claims.measure([row])
    assert (result["supported"], result["false_rejects"]) == (1, 0)
    assert (result["unsupported"], result["wrongly_accepted"]) == (1, 0)


def test_stress_corrupts_every_kind() -> None:
    rng = random.Random(5)
    kinds = {kind for base in frames(rng) for kind, _ in corruptions(base, rng)}
    assert kinds == set(stress.KINDS)


def test_corruptions_change_the_claim() -> None:
    rng = random.Random(6)
    for base in frames(rng):
        for _, claim in corruptions(base, rng):
            assert (claim["text"], claim["cites"]) != (base.claim["text"], base.claim["cites"])


def test_intervals_hold_the_share() -> None:
    low, high = wilson(97, 100) or (0.0, 0.0)
    assert low < 0.97 < high
    assert wilson(0, 0) is None


@pytest.mark.shared
def test_handed_cases_reach_what_is_promised(shared: Path) -> None:
    result = cases.measure(cases.read_lines(shared / "cases" / "validator_cases.jsonl"))
    assert result["accept_recall"] >= 0.95
    assert result["reject_recall"] >= 0.93


@pytest.mark.shared
def test_honest_claims_on_real_conversations_are_let_through(shared: Path) -> None:
    assert real_claims.measure(cases.read_lines(shared / "cases" / "real_claims.jsonl"))["false_rejects"] <= 5
