"""When a conversation is due, and what follows from a result; every outcome has a name."""

from __future__ import annotations

import pytest

from bobctx.core.budget import plan_budget
from bobctx.core.fit import fit
from bobctx.core.policy import COOLDOWN_S, MAX_CALLS, MAX_SILENT_RUNS, QUIET_S, Attempt, Standing, after_result, due
from bobctx.core.segments import Spine
from bobctx.core.types import Rejection, ValidationReport
from tests.chains import spine_of, talk

NOW = 10_000.0
BUDGET = plan_budget(32_768)


def standing(spine: Spine, **fields: object) -> Standing:
    return Standing(**{"covered_end": spine.opening_end, **fields})  # type: ignore[arg-type]  # fields of the tables


SMALL = spine_of(talk(20))
LARGE = spine_of(talk(600))
"""Far more than the budget holds."""


def test_a_small_seat_is_not_asked_the_same_again_but_smaller_or_for_what_is_missing() -> None:
    half = ValidationReport(raw=4, accepted=1, rejections=(Rejection(index=0, claim="c1", code="binding"),) * 3)
    assert after_result(Attempt(calls=1, small=True, report=half, divisible=True)).action == "extractor"
    assert after_result(Attempt(calls=1, small=True, error="malformed", divisible=True)).action == "extractor"
    assert after_result(Attempt(calls=1, small=True, error="too_large", divisible=True)).action == "halve"
    assert after_result(Attempt(calls=1, small=True, error="unreachable")).action == "fail"
    good = ValidationReport(raw=1, accepted=1)
    assert after_result(Attempt(calls=1, small=True, report=good, missing_directive=True)).action == "re-ask"
    assert after_result(Attempt(calls=1, report=half)).action == "retry"


def test_a_small_conversation_has_nothing_eligible() -> None:
    found = due(SMALL, standing(SMALL), BUDGET, now=NOW)
    assert (found.due, found.reason) == (False, "nothing_eligible")


def test_a_fit_that_omits_something_uncovered_is_due() -> None:
    assert fit(LARGE, BUDGET).omitting
    found = due(LARGE, standing(LARGE), BUDGET, now=NOW)
    assert (found.due, found.reason) == (True, "omitting_uncovered")
    assert found.eligible > 0


def test_enough_eligible_tokens_are_due_before_anything_is_omitted() -> None:
    spine = spine_of(talk(260))
    wide = plan_budget(65_536)
    assert not fit(spine, wide).omitting
    below = due(spine, standing(spine), wide, now=NOW)
    assert (below.due, below.reason) == (False, "below_trigger")
    longer = spine_of(talk(560))
    assert not fit(longer, wide).omitting
    assert due(longer, standing(longer), wide, now=NOW).reason == "eligible_tokens"


def test_what_is_covered_does_not_count() -> None:
    gap_end = fit(LARGE, BUDGET).gap[1]
    found = due(LARGE, standing(LARGE, covered_end=gap_end), BUDGET, now=NOW)
    assert found.reason in ("below_trigger", "nothing_eligible")


@pytest.mark.parametrize(
    ("fields", "reason", "retry_at"),
    [
        ({"enabled": False}, "disabled", None),
        ({"paused": True}, "paused", None),
        ({"last_failure": NOW - COOLDOWN_S + 1}, "cooldown", NOW + 1),
        ({"last_edit": NOW - QUIET_S + 2}, "quiet_after_edit", NOW + 2),
        ({"relinked": True, "last_edit": NOW - QUIET_S + 2}, "quiet_after_edit", NOW + 2),
    ],
)
def test_what_holds_a_run_back_is_named(fields: dict[str, object], reason: str, retry_at: float | None) -> None:
    found = due(LARGE, standing(LARGE, **fields), BUDGET, now=NOW)
    assert (found.due, found.reason, found.retry_at) == (False, reason, retry_at)


def test_cooldown_and_quiet_end() -> None:
    late = standing(LARGE, last_failure=NOW - COOLDOWN_S, last_edit=NOW - QUIET_S)
    assert due(LARGE, late, BUDGET, now=NOW).due


def test_a_region_that_an_edit_emptied_is_due_again() -> None:
    assert due(SMALL, standing(SMALL, relinked=True), BUDGET, now=NOW).reason == "relinked"


def test_a_clock_that_was_set_back_holds_nothing_up() -> None:
    """Fails if an edit or a failure that the clock dates in the future stops compaction until then."""
    ahead = NOW + 365 * 86_400
    assert due(LARGE, standing(LARGE, last_failure=ahead, last_edit=ahead), BUDGET, now=NOW).due


def test_an_operator_ignores_pause_cooldown_and_tail() -> None:
    held = standing(SMALL, paused=True, last_failure=NOW)
    found = due(SMALL, held, BUDGET, now=NOW, force=True)
    assert (found.due, found.reason) == (True, "forced")
    done = standing(SMALL, covered_end=SMALL.n)
    assert due(SMALL, done, BUDGET, now=NOW, force=True).reason == "nothing_eligible"


# -- after a result ------------------------------------------------------------------


def report(accepted: int, rejected: int) -> ValidationReport:
    refusals = tuple(
        Rejection(index=i, claim=f"c{i}", code="literal", message=f"c{i} says 9443, m2 says 8443.")
        for i in range(rejected)
    )
    return ValidationReport(raw=accepted + rejected, accepted=accepted, rejections=refusals)


GOOD, BAD, NONE = report(3, 1), report(1, 3), report(0, 0)


@pytest.mark.parametrize(
    ("attempt", "action", "reason"),
    [
        (Attempt(calls=1, report=GOOD), "accept", "accepted"),
        (Attempt(calls=1, report=NONE), "accept", "no_claims"),  # `claims: []` is a valid answer
        (Attempt(calls=1, report=report(1, 1)), "accept", "accepted"),  # half is not more than half
        (Attempt(calls=1, report=GOOD, missing_directive=True), "re-ask", "directive_missing"),
        (Attempt(calls=2, report=GOOD, missing_directive=True, reasked=True), "accept", "accepted"),
        (Attempt(calls=MAX_CALLS, report=GOOD, missing_directive=True), "accept", "accepted"),
        (Attempt(calls=1, report=BAD, divisible=True), "retry", "mostly_rejected"),
        (Attempt(calls=2, report=BAD, retried=True, divisible=True), "halve", "mostly_rejected"),
        (Attempt(calls=2, report=BAD, retried=True), "extractor", "mostly_rejected"),
        (Attempt(calls=3, report=BAD, retried=True, divisible=True), "extractor", "mostly_rejected_calls_spent"),
        (Attempt(calls=1, error="malformed"), "retry", "malformed"),
        (Attempt(calls=2, error="malformed", retried=True, divisible=True), "halve", "malformed"),
        (Attempt(calls=1), "retry", "empty"),
        (Attempt(calls=1, error="truncated", divisible=True), "halve", "truncated"),
        (Attempt(calls=1, error="truncated"), "extractor", "truncated"),
        (Attempt(calls=1, error="timeout"), "fail", "timeout"),
        (Attempt(calls=1, error="timeout", failed_runs=2), "extractor", "timeout"),
        (Attempt(calls=1, error="worker_died"), "again", "worker_died"),
        (Attempt(calls=2, error="worker_died", retried=True), "again", "worker_died"),
        (Attempt(calls=2, error="worker_died", died=True), "fail", "worker_died"),
        (Attempt(calls=3, error="worker_died"), "fail", "worker_died"),
        (Attempt(calls=0, report=GOOD, extractor=True), "accept", "accepted"),
        (Attempt(calls=0, report=NONE, extractor=True), "accept", "no_claims"),
        (Attempt(calls=3, report=BAD, extractor=True), "empty", "extractor_rejected"),
        (Attempt(calls=1, error="worker_failed"), "fail", "worker_failed"),
        (Attempt(calls=0, error="stopping"), "fail", "stopping"),
        (Attempt(calls=3, error="timeout", extractor=True), "fail", "timeout"),
        (Attempt(calls=0, error="worker_died", extractor=True, died=True), "fail", "worker_died"),
        (Attempt(calls=0, error="worker_failed", extractor=True), "fail", "worker_failed"),
        (Attempt(calls=0, error="stopping", extractor=True), "fail", "stopping"),
        (
            Attempt(calls=0, error="timeout", extractor=True, failed_runs=MAX_SILENT_RUNS - 1),
            "empty",
            "extractor_timeout",
        ),
        (Attempt(calls=0, error="too_large", extractor=True), "empty", "extractor_too_large"),
    ],
)
def test_each_result_leads_to_one_named_step(attempt: Attempt, action: str, reason: str) -> None:
    step = after_result(attempt)
    assert (step.action, step.reason) == (action, reason)


def test_a_retry_tells_the_seat_why() -> None:
    assert "c0: c0 says 9443, m2 says 8443." in after_result(Attempt(calls=1, report=BAD)).reasons


@pytest.mark.parametrize("error", [None, "malformed", "truncated", "timeout", "worker_died", "something new"])
def test_no_region_is_asked_about_for_ever(error: str | None) -> None:
    """Whatever keeps going wrong, a region ends as accepted, empty or failed within the calls it may cost."""
    calls, retried, runs = 0, False, 0
    for _ in range(20):
        calls += 1
        attempt = Attempt(
            calls=calls,
            report=None if error else BAD,
            error=error,
            retried=retried,
            died=retried,
            divisible=True,
            failed_runs=runs,
        )
        step = after_result(attempt)
        if step.action == "fail":
            calls, retried, runs = 0, False, runs + 1
            continue
        if step.action == "extractor":
            break
        retried = True
        assert step.action in ("again", "retry", "halve")
        assert calls < MAX_CALLS
    assert step.action == "extractor"
    assert after_result(Attempt(calls=calls, report=BAD, extractor=True)).action == "empty"
