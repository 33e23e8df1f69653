"""A yes that is bound to a condition."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("asked", "answered", "claim", "kept"),
    [
        ("Shall we take the ferry?", "Yes, but only if the sea is calm.", "We take the ferry.",
         "We take the ferry if the sea is calm."),
        ("Nehmen wir die Fähre?", "Ja, aber nur wenn das Meer ruhig ist.", "Wir nehmen die Fähre.",
         "Wir nehmen die Fähre, wenn das Meer ruhig ist."),
        ("¿Tomamos el ferry?", "Sí, pero solo si el mar está tranquilo.", "Tomamos el ferry.",
         "Tomamos el ferry si el mar está tranquilo."),
    ],
)  # fmt: skip
def test_a_claim_keeps_the_condition_of_the_yes_it_rests_on(asked: str, answered: str, claim: str, kept: str) -> None:
    """Fails if a conditional yes settles the question outright, or refuses who keeps its condition."""
    of = region(("assistant", asked), answered)
    assert verdict(of, claim, "m1", "m2", type="decision") == "condition_dropped"
    assert verdict(of, kept, "m1", "m2", type="decision") == "accepted"


def test_a_plain_yes_and_one_of_several_answers_settle_their_question() -> None:
    """Fails if any condition in an answer is held against every claim."""
    of = region(("assistant", "Shall we take the ferry?"), "Yes. If you see Ada, say hello.")
    assert verdict(of, "We take the ferry.", "m1", "m2", type="decision") == "accepted"
    of = region(("assistant", "Shall we take the ferry? And is lunch at one?"), "Ferry yes, lunch if there is time.")
    assert verdict(of, "We take the ferry.", "m1", "m2", type="decision") == "accepted"


def test_a_condition_on_what_an_answer_chooses_is_kept_too() -> None:
    """Fails if only a yes can be bound to a condition."""
    of = region(("assistant", "Shall I book the mill or the inn?"), "The mill, provided they have a lift.")
    assert verdict(of, "The mill is booked.", "m1", "m2", type="decision") == "condition_dropped"
    assert verdict(of, "The mill is booked if it has a lift.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("asked", "answered", "left", "chosen"),
    [
        ("¿Viene el electricista el martes o el jueves?", "El jueves.", "El electricista viene el martes.",
         "El electricista viene el jueves."),
        ("Zal ik 6 of 8 zakken aarde bestellen?", "Doe maar 8.", "Er worden 6 zakken aarde besteld.",
         "Er worden 8 zakken aarde besteld."),
        ("장작은 10kg과 15kg 중 어느 쪽으로 살까요?", "15kg으로 해 주세요.",
         "장작은 10kg을 산다.", "장작은 15kg을 산다."),
    ],
)  # fmt: skip
def test_of_two_things_offered_the_one_not_chosen_is_refused(asked: str, answered: str, left: str, chosen: str) -> None:
    """Fails if a question that names both settles the wrong one."""
    of = region(("assistant", asked), answered)
    assert verdict(of, left, "m1", "m2", type="decision") != "accepted"
    assert verdict(of, chosen, "m1", "m2", type="decision") == "accepted"


def test_another_value_than_the_one_asked_about_is_the_answer() -> None:
    """Fails if `Two is plenty` leaves the question about three open."""
    of = region(("assistant", "Shall I order 3 bags of compost?"), "Two is plenty. Water them at 7.")
    assert verdict(of, "Two bags of compost are ordered.", "m1", "m2", type="decision") == "accepted"
    assert verdict(of, "Three bags of compost are ordered.", "m1", "m2", type="decision") != "accepted"


@pytest.mark.parametrize(
    ("asked", "answered", "claim", "kept"),
    [
        ("Do you want a guard at both gates?", "A guard at the north gate is enough.", "A guard stands at both gates.",
         "A guard stands at the north gate."),
        ("Soll an beiden Toren eine Wache stehen?", "Eine Wache am Nordtor genügt.",
         "An beiden Toren steht eine Wache.",
         "Eine Wache am Nordtor genügt."),
        ("Faut-il un gardien aux deux portails ?", "Un gardien au portail nord suffit.",
         "Il faut un gardien à tous les portails.",
         "Un gardien au portail nord suffit."),
    ],
)  # fmt: skip
def test_an_answer_content_with_one_does_not_order_both(asked: str, answered: str, claim: str, kept: str) -> None:
    """Fails if `the north one is enough` is taken for a yes to both."""
    of = region(("assistant", asked), answered)
    both = "both" in asked or "beiden" in asked
    assert not both or verdict(of, claim, "m1", "m2", type="decision") == "refused"
    assert verdict(of, kept, "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("asked", "reason", "condition", "claim"),
    [
        ("Shall I lock the shed at night?", "Yes, otherwise the foxes get in.", "Yes, unless it freezes.",
         "The shed is locked at night."),
        ("Soll ich den Schuppen nachts abschließen?", "Ja, sonst kommen die Füchse rein.",
         "Ja, außer wenn es friert.", "Der Schuppen wird nachts abgeschlossen."),
        ("Je ferme la remise la nuit ?", "Oui, sinon les renards entrent.", "Oui, sauf s'il gèle.",
         "La remise est fermée la nuit."),
        ("Zal ik de schuur 's nachts afsluiten?", "Ja, anders komen de vossen binnen.", "Ja, tenzij het vriest.",
         "De schuur wordt 's nachts afgesloten."),
    ],
)  # fmt: skip
def test_what_happens_otherwise_is_a_reason_and_no_condition(
    asked: str, reason: str, condition: str, claim: str
) -> None:
    """Fails if `otherwise` binds a yes, or `unless` does not."""
    of = region(("assistant", asked), reason)
    assert verdict(of, claim, "m1", "m2", type="decision") == "accepted"
    of = region(("assistant", asked), condition)
    assert verdict(of, claim, "m1", "m2", type="decision") == "condition_dropped"
