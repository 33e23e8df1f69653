"""Proposals with a denying word of their own (`remove`, `cancel`) that an answer refuses."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

PROPOSALS = [
    ("Shall I remove the old fence?", "No.", "The old fence is removed.", "The old fence is not removed."),
    (
        "Shall I cancel the second coach?",
        "No.",
        "The second coach is cancelled.",
        "The second coach is not cancelled.",
    ),
    (
        "Soll ich den zweiten Bus stornieren?",
        "Nein.",
        "Der zweite Bus wird storniert.",
        "Der zweite Bus wird nicht storniert.",
    ),
    ("Dois-je annuler le second car ?", "Non.", "Le second car est annulé.", "Le second car n'est pas annulé."),
    ("¿Cancelo el segundo autobús?", "No.", "Se cancela el segundo autobús.", "No se cancela el segundo autobús."),
]


@pytest.mark.parametrize(("asked", "no", "wrong", "right"), PROPOSALS)
def test_a_refused_proposal_to_end_something_is_not_decided(asked: str, no: str, wrong: str, right: str) -> None:
    """Fails if the denying word of the proposal itself is read as its refusal."""
    of = region(("assistant", asked), no)
    assert verdict(of, wrong, "m1", "m2", type="decision") == "refused"
    assert verdict(of, right, "m1", "m2", type="decision") == "accepted"


def test_what_keeps_a_thing_by_a_word_of_its_own_and_a_yes_pass() -> None:
    of = region(("assistant", "Shall I remove the old fence?"), "No, not this year.")
    assert verdict(of, "The old fence stays this year.", "m1", "m2", type="decision") == "accepted"
    of = region(("assistant", "Shall I cancel the second coach?"), "Yes.")
    assert verdict(of, "The second coach is cancelled.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("asked", "no", "wrong"),
    [
        (
            "Two of them have no number, Ana and Bo. Should I leave them out?",
            "No, pay them.",
            "Ana and Bo are left out.",
        ),
        ("The room is on hold. Shall I confirm it?", "Not yet, I need to ask first.", "The room is confirmed."),
        ("Soll ich den Anhang weglassen?", "Nein.", "Der Anhang wird weggelassen."),
    ],
)
def test_what_is_asked_of_a_thing_named_before_is_refused_with_it(asked: str, no: str, wrong: str) -> None:
    """Fails if a question that names its thing by a pronoun escapes the answer, or `left out` is no part of it."""
    assert verdict(region(("assistant", asked), no), wrong, "m1", "m2", type="decision") == "refused"


@pytest.mark.parametrize(
    ("asked", "answer", "honest"),
    [
        (
            "The band takes 900, the DJ 450. Which one shall I book?",
            "The DJ. And no balloons.",
            "The DJ is booked for 450.",
        ),
        (
            "Ana comes late; shall the porter wait for her?",
            "No need, she knows her way.",
            "The porter need not wait for Ana.",
        ),
        (
            "Open the post, or leave it in a pile?",
            "Leave it in a pile, unopened.",
            "The post is left in a pile, unopened.",
        ),
    ],
)
def test_an_answer_that_chooses_or_waives_refuses_nothing(asked: str, answer: str, honest: str) -> None:
    assert verdict(region(("assistant", asked), answer), honest, "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("asked", "answer", "honest", "wrong"),
    [
        ("Shall I order cake?", "No need, we have some.", "Ordering cake is not necessary.", "Cake is to be ordered."),
        ("Soll ich Kuchen bestellen?", "Nicht nötig.", "Kuchen muss nicht bestellt werden.", "Kuchen wird bestellt."),
        (
            "¿Quieres que pida un pastel para la fiesta?",
            "No hace falta.",
            "No es necesario pedir un pastel.",
            "Se pide un pastel.",
        ),
    ],
)
def test_what_an_answer_waives_is_told_as_needless(asked: str, answer: str, honest: str, wrong: str) -> None:
    of = region(("assistant", asked), answer)
    assert verdict(of, honest, "m1", "m2", type="decision") == "accepted"
    assert verdict(of, wrong, "m1", "m2", type="decision") != "accepted"
