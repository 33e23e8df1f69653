"""Which claims dispute one another, which do not, and what a resolution does."""

from __future__ import annotations

import pytest

from bobctx.core.conflicts import MAX_SIDES, Resolution, Side, disputes, resolution, subjects
from bobctx.core.identity import digest
from bobctx.core.types import ClaimType


def disputed(one: str, other: str, kind: ClaimType = "fact") -> bool:
    """Whether two statements are one subject with two values."""
    mine = {s.key: s.value for s in subjects(one, kind)}
    theirs = {s.key: s.value for s in subjects(other, kind)}
    return any(theirs[key] != value for key, value in mine.items() if key in theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API timeout is 30 s.", "API timeout was set to 45 s."),
        ("The API timeout is 30 s.", "The API timeout is 30 min."),
        ("Deploys happen on Friday.", "Deploys happen on Monday."),
        ("The gateway listens on port 8080.", "The gateway listens on port 9090."),
        ("The cluster runs 3 replicas.", "The cluster runs 5 replicas."),
        ("The contact is ana@example.org.", "The contact is bob@example.org."),
        ("La limite de tentatives est de 5.", "La limite de tentatives est de 7."),
        ("超时时间是30秒", "超时时间是60秒"),
        ("Release v1.2 ships on 2024-05-01.", "Release v1.2 ships on 2024-06-01."),
        # several values of one time
        ("On 3 May the quota is 40 users and 7 teams.", "On 3 May the quota is 55 users and 7 teams."),
    ],
)
def test_one_subject_with_two_values_is_disputed(one: str, other: str) -> None:
    assert disputed(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API timeout is 30 s.", "The API timeout is 30 s now."),
        ("The staging port is 8080.", "The production port is 9090."),
        ("Release v1.1 ships on 2024-05-01.", "Release v1.2 ships on 2024-06-01."),
        ("Never deploy on a whim.", "Deploy with care."),
        ("It is 5.", "It is 7."),
        ("Step 3 waits for the ledger.", "Step 4 waits for the ledger."),
        # lines of a log: several values, each at its own time
        ("2024-05-01 10:00:01 worker[71] wrote rows=506.", "2024-05-02 11:30:09 worker[88] wrote rows=618."),
        ("On 3 May the quota was 40 users and 7 teams.", "On 9 May the quota was 55 users and 8 teams."),
    ],
)
def test_other_subjects_and_equal_values_are_not(one: str, other: str) -> None:
    assert not disputed(one, other)


def test_questions_and_failures_state_no_value() -> None:
    assert not subjects("Is the port 8080?", "open_question")
    assert not subjects("The build took 30 s.", "failure")


def side(claim: str, value: str, since: float = 0.0, subject: str = "s") -> Side:
    return Side(subject=subject, claim_id=claim, value=value, since=since)


TWO = [side("a", "30", 1.0), side("b", "45", 2.0)]


def test_a_conflict_names_its_claims_oldest_first_whatever_the_order() -> None:
    (found,) = disputes(TWO, ()).open
    assert (found.claims, found.values) == (("a", "b"), ("30", "45"))
    assert disputes(reversed(TWO), ()).open == (found,)


def test_equal_values_are_no_conflict() -> None:
    assert disputes([side("a", "30"), side("b", "30")], ()).open == ()


def test_the_newest_claim_of_each_value_stands_for_it() -> None:
    assert disputes([*TWO, side("c", "30", 3.0)], ()).open[0].claims == ("b", "c")


def test_older_claims_of_a_value_are_as_disputed_and_lose_with_it() -> None:
    found = disputes([*TWO, side("c", "30", 3.0)], ())
    (conflict,) = found.open
    assert conflict.echoes == (("a", "30"),)
    assert found.of("a") == (conflict,)
    decided = resolution(conflict, "b")
    assert decided is not None
    assert set(decided.lost) == {"a", "c"}
    echoed = resolution(conflict, "a")
    assert echoed is not None
    assert echoed.lost == ("b",)


def test_many_values_are_a_list_and_no_dispute() -> None:
    assert disputes([side(f"c{i}", str(i)) for i in range(MAX_SIDES + 1)], ()).open == ()


def test_an_operator_decides_for_one_side_or_for_both() -> None:
    (found,) = disputes(TWO, ()).open
    decided = resolution(found, "b")
    assert decided is not None
    kept = disputes(TWO, [decided])
    assert (kept.open, kept.lost) == ((), frozenset({"a"}))
    both = resolution(found, None)
    assert both is not None
    kept = disputes(TWO, [both])
    assert (kept.open, kept.lost) == ((), frozenset())
    assert resolution(found, "elsewhere") is None


def test_where_both_hold_a_restatement_of_one_opens_nothing_and_a_third_value_does() -> None:
    both = resolution(disputes(TWO, ()).open[0], None)
    assert both is not None
    assert disputes([*TWO, side("c", "30", 3.0)], [both]).open == ()
    assert disputes([*TWO, side("c", "60", 3.0)], [both]).open != ()


def test_a_value_that_lost_counts_again_once_it_is_said_again() -> None:
    decided = resolution(disputes(TWO, ()).open[0], "b")
    assert decided is not None
    assert disputes([*TWO, side("c", "30", 3.0)], [decided]).open[0].claims == ("b", "c")
    assert disputes([*TWO, side("c", "45", 3.0)], [decided]).open == ()


def test_decisions_that_name_a_conflict_by_its_claims_hold_on() -> None:
    """As earlier versions kept them."""
    (found,) = disputes(TWO, ()).open
    assert found.former_id == "cf_" + digest("conflict", ["s", ["a", "b"]])[:32]
    assert disputes(TWO, [Resolution(conflict_id=found.former_id, keep=None)]).open == ()
    lost = Resolution(conflict_id=found.former_id, keep="b", lost=("a",))
    assert disputes(TWO, [lost]).open == ()


def test_a_third_value_is_disputed_with_what_was_kept_and_not_with_what_lost() -> None:
    decided = resolution(disputes(TWO, ()).open[0], "b")
    assert decided is not None
    assert disputes([*TWO, side("c", "60", 3.0)], [decided]).open[0].claims == ("b", "c")


def test_a_decision_about_other_claims_decides_nothing() -> None:
    assert disputes(TWO, [Resolution(conflict_id="cf_other", keep="x", lost=("y",))]).open
