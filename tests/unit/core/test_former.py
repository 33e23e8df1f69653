"""States, plans and orders that the cited messages tell as former ones."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

TOLD = [
    (
        "We used to meet in the parish hall, now it's the library.",
        "The group meets in the parish hall.",
        "The group meets in the library.",
    ),
    (
        "We were going to print the menus on cream paper, but we've settled on white.",
        "The menus are printed on cream paper.",
        "The menus are printed on white paper.",
    ),
    (
        "My sister had offered to drive the van, but she's backed out.",
        "The sister drives the van.",
        "The sister has backed out of driving the van.",
    ),
    (
        "Originally the stage was to be by the lake; it's now behind the barn.",
        "The stage is by the lake.",
        "The stage is behind the barn.",
    ),
    (
        "Wir wollten eigentlich mit dem Zug fahren, jetzt nehmen wir doch den Bus.",
        "Die Gruppe fährt mit dem Zug.",
        "Die Gruppe nimmt den Bus.",
    ),
    (
        "Au départ la scène devait être près du lac, mais maintenant elle est derrière la grange.",
        "La scène est près du lac.",
        "La scène est derrière la grange.",
    ),
    (
        "Раньше мы собирались в библиотеке, теперь встречаемся в клубе.",
        "Группа собирается в библиотеке.",
        "Группа встречается в клубе.",
    ),
    ("我们本来打算用平板电脑做演示，后来决定用笔记本。", "演示用平板电脑做。", "演示用笔记本。"),
    ("当初は会議室でやる予定でしたが、今は食堂に変わりました。", "会議室でやる。", "今は食堂でやる。"),
    (
        "원래 회의실에서 모이려고 했는데 이제 카페에서 모여요.",
        "회의실에서 모인다.",
        "카페에서 모인다.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right"), TOLD)
def test_what_a_sentence_tells_as_former_is_not_current(source: str, wrong: str, right: str) -> None:
    of = region(source)
    assert verdict(of, wrong) == "stale_value"
    assert verdict(of, right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("We used to meet in the parish hall, now it's the library.", "The group used to meet in the parish hall."),
        ("I used to work at a dairy, so I know pasteurisers.", "The user worked at a dairy."),
        ("The glue is used to fix the hinge, but the screws are optional.", "The glue is used to fix the hinge."),
        ("I was going to ask: the printer on floor two is broken.", "The printer on floor two is broken."),
        (
            "Until now the shop opens on Mondays, and now it opens on Tuesdays as well.",
            "The shop opens on Mondays.",
        ),
        (
            "We were supposed to get the keys on Monday, and we did.",
            "The group got the keys on Monday.",
        ),
        ("First we sort the plums, but then wash the jars.", "The plums are sorted first."),
        ("Last season the water was too cold, but the heater works now.", "The heater works."),
        (
            "Zuerst sortieren wir die Pflaumen, dann aber waschen wir die Gläser.",
            "Die Pflaumen werden zuerst sortiert.",
        ),
    ],
)
def test_a_past_an_order_or_a_use_is_no_former_state(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"


def test_what_is_taken_back_by_name_holds_no_more() -> None:
    of = region("Paint the door blue.", "Scrap what I said about the door, I'll have it stripped.")
    assert verdict(of, "The door is painted blue.", "m1", "m2", type="decision") == "stale_value"
    assert verdict(of, "The door is to be stripped.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("first", "last", "wrong", "right"),
    [
        (
            "Don't send the invoices yet.",
            "Good, then send them.",
            "The invoices must not be sent.",
            "The invoices are to be sent.",
        ),
        (
            "Send the invoices today.",
            "Then don't send them.",
            "The invoices are sent today.",
            "The invoices are not sent.",
        ),
    ],
)
def test_the_last_word_on_a_deed_counts(first: str, last: str, wrong: str, right: str) -> None:
    of = region(first, ("assistant", "I have looked at the totals."), last)
    assert verdict(of, wrong, "m1", "m2", "m3", type="constraint") == "stale_value"
    assert verdict(of, right, "m1", "m2", "m3", type="decision") == "accepted"


def test_another_thing_that_is_not_to_be_done_changes_nothing() -> None:
    of = region("Send the invoices today.", ("assistant", "Done. The reminders too?"), "Don't send the reminders.")
    assert verdict(of, "The invoices are sent today.", "m1", "m2", "m3", type="decision") == "accepted"


RIGHTED = [
    (
        "The letter says we meet at the north gate.",
        "South gate, not north.",
        "The meeting point is the north gate.",
        "The meeting point is the south gate.",
    ),
    (
        "I have put the drinks in the cellar plan.",
        "Attic, not cellar.",
        "The drinks are in the cellar.",
        "The drinks are in the attic.",
    ),
]


@pytest.mark.parametrize(("said", "answer", "wrong", "right"), RIGHTED)
def test_what_an_answer_sets_right(said: str, answer: str, wrong: str, right: str) -> None:
    of = region(("assistant", said), answer)
    assert verdict(of, wrong, "m1", "m2") in ("stale_value", "contrast_asserted", "antonym")
    assert verdict(of, right, "m1", "m2") == "accepted"


def test_what_an_answer_says_of_something_else_stays() -> None:
    of = region(("assistant", "The parcel goes to the office."), "By mail, not by courier. The office opens at nine.")
    assert verdict(of, "The parcel goes to the office.", "m1", "m2") == "accepted"
