"""Differences of meaning that count, and those that do not."""

from __future__ import annotations

import pytest

from bobctx.core import denial, meaning, support, widening
from tests.unit.core.claim_cases import case, region, verdict

TALK = region(
    ("assistant", "Should I raise the drain timeout from 60 s to 120 s?"),
    "Yes, 120 s is fine. Travel is frozen until further notice.",
    ("assistant", "Shall I take a deposit of 10 € for groups?"),
    "No, no deposit.",
)


def test_a_question_that_is_answered_is_open_no_longer() -> None:
    text = "The drain timeout goes up from 60 s to 120 s."
    alone = meaning.check(case(TALK, text, "m1", type="decision"))
    assert alone is not None
    assert alone.code == "question"
    assert meaning.check(case(TALK, text, "m1", "m2", type="decision")) is None


def test_a_refused_proposal_may_only_be_claimed_as_refused() -> None:
    assert meaning.check(case(TALK, "Groups pay a deposit of 10 €.", "m3", "m4", type="decision")) is not None
    assert meaning.check(case(TALK, "No deposit is taken from groups.", "m3", "m4", type="decision")) is None


def test_a_decision_is_none_while_its_source_doubts() -> None:
    of = region("I haven't decided whether we renew the lease, so wait.", ("assistant", "OK."))
    refusal = meaning.check(case(of, "The user decided to renew the lease.", type="decision"))
    assert refusal is not None
    assert refusal.code == "hypothetical"


def test_a_denial_needs_a_source() -> None:
    of = region("The new behaviour is in commit 543227f.")
    assert denial.check(case(of, "The new behaviour is not in commit 543227f.")) is not None
    assert denial.check(case(region("It isn't in commit 543227f."), "It is not in commit 543227f.")) is None


def test_one_is_not_all() -> None:
    of = region("Travel is frozen for now. The training budget is as before.")
    assert widening.check(case(of, "All budgets are frozen.", type="constraint")) is not None
    assert widening.check(case(region("All budgets are frozen."), "All budgets are frozen.")) is None


@pytest.mark.parametrize(
    ("text", "held"),
    [("The office is painted green.", False), ("Travel stays frozen.", True), ("Travel is not to be booked.", True)],
)
def test_a_claim_shares_its_words_with_its_cites(text: str, held: bool) -> None:
    assert (support.check(case(TALK, text, "m2")) is None) is held


def test_what_waits_for_a_decision_says_that_it_is_open() -> None:
    """Fails if `not before she has made up her mind` is refused as settled, or a decision on it passes."""
    of = region("I have not made up my mind about the renewal, so please hold back the notice to Oslo.")
    kept = "No notice goes to Oslo until the user has made up their mind about the renewal."
    assert verdict(of, kept, type="constraint") == "accepted"
    assert verdict(of, "The user decided to renew.", type="decision") != "accepted"


def test_a_proposal_that_the_answer_waives_in_its_own_words_is_refused() -> None:
    of = region(("assistant", "I suggest printing a badge for every guest."), "No badges needed. The list will do.")
    assert verdict(of, "A badge is printed for every guest.", "m1", "m2", type="decision") != "accepted"


KEPT = region(("assistant", "Shall I delete the old photos?"), "Leave them for now.")


def test_what_an_answer_leaves_as_it_is_is_no_opposite_of_the_question() -> None:
    """Fails if a claim that keeps what the answer keeps is refused for the proposal, or the proposal passes."""
    assert verdict(KEPT, "The old photos are kept for now.", "m1", "m2", type="decision") == "accepted"
    assert verdict(KEPT, "The old photos are deleted.", "m1", "m2", type="decision") == "question"


def test_a_question_to_be_asked_may_be_reported() -> None:
    """Fails if the `whether` of a request leaves the request open."""
    of = region("Please ask the landlord whether we could paint the door.")
    claim = "The landlord is to be asked whether the door could be painted."
    assert verdict(of, claim, type="commitment") == "accepted"
