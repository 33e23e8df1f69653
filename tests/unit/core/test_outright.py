"""Single words that a claim denies or asserts against all of its sources."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

MINUTES = "We looked at the roof first and then at the garden, which took most of the morning for everybody. "


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("I don't remember the order number, sorry.", "The customer called and does remember her order number.",
         "negation_dropped"),
        ("The band keeps the van, the label doesn't get it.", "The label gets the van.", "negation_dropped"),
        ("After college I was drafted by a club.", "He trained hard, and after college he was not drafted.",
         "negation_added"),
        ("The line filter was rejected as too slow.", "The line filter was not rejected.", "negation_added"),
        ("We meet at the mill on Friday, not at the barn.", "We meet at the barn and not at the mill on Friday.",
         "contrast_asserted"),
    ],
)  # fmt: skip
def test_a_word_with_the_other_sign_is_refused(source: str, claim: str, code: str) -> None:
    """Fails if the sign of one word may change in a long claim or message."""
    assert verdict(region(MINUTES + source), claim) != "accepted"
    assert verdict(region(source), claim) == code


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I don't remember the order number, sorry.", "The customer does not remember her order number."),
        ("Hold the letter back until Priya has read it.", "The letter is not sent before Priya has read it."),
        ("Don't open the oven in the first hour.", "The oven stays shut in the first hour."),
        ("Is the bus the same on Sunday? No.", "The bus is not the same on Sunday."),
        ("Deploy only after the review.", "Do not deploy before the review."),
    ],
)
def test_honest_denials_pass(source: str, claim: str) -> None:
    """Fails if a denial in other words is taken for a changed sign."""
    assert verdict(region(MINUTES + source), claim) == "accepted"


@pytest.mark.parametrize("reply", ["Yes, do that.", "yes please"])
def test_an_accepted_proposal_is_not_denied(reply: str) -> None:
    """Fails if a plain yes supports that the thing proposed is not done."""
    of = region(("assistant", "Shall I print the invitations today?"), reply)
    assert verdict(of, "The invitations are not printed today.", "m1", "m2", type="decision") != "accepted"
    assert verdict(of, "The invitations are printed today.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("I'm not a design person, but I can design a box. Ask Rita.", "Rita asks, the user is a design person."),
        ("The minutes are not finished. The folder is shared.", "The folder is shared; the minutes are finished."),
        ("She must not take ibuprofen. My mother was sent home.", "Ibuprofen is not off limits for the mother."),
    ],
)
def test_a_denial_left_out_of_one_part_of_a_claim_is_found(message: str, claim: str) -> None:
    """Fails if a word that the source says elsewhere, another part or a denied denial hides it."""
    assert verdict(region(message), claim) in ("negation_dropped", "negation_added", "antonym")


def test_a_denial_that_another_part_of_the_claim_keeps_is_not_missed() -> None:
    """Fails if each part of a claim must carry the denial that one of them carries."""
    of = region("The minutes are not finished, they go to the shared folder.")
    assert verdict(of, "The minutes go to the shared folder, finished they are not.") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("No speeches after 22:30, please.", "All speeches have to end by 22:30.", "accepted"),
        ("The clerk may learn the date, but not the address.",
         "The clerk may learn the date and the address.", "negation_dropped"),
        ("La pintora viene el lunes. Eso sí, que no use lejía.", "La pintora debe usar lejía.", "negation_dropped"),
        ("Nothing beats the view from the roof, so be there by 16:00.", "Be on the roof for the view by 16:00.",
         "accepted"),
        ("Nothing is paid until I have talked to Ida.", "No payment before the user has talked to Ida.", "accepted"),
        ("Open the jars in the hood only.", "The jars may be opened nowhere but in the hood.", "accepted"),
        ("Change the chain now, the tyre can wait.", "The chain is changed now, while the tyre can wait.", "accepted"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_passes_and_its_opposite_does_not(source: str, claim: str, code: str) -> None:
    """Fails if a term turned around, an exception or an idiom is taken for a denial left out, or one is missed."""
    assert verdict(region(source), claim, type="constraint") == code


def test_a_denial_of_the_thing_itself_outweighs_what_is_said_of_another() -> None:
    """Fails if `the lid can be cast in tin` is held against `the hinges must not be cast in tin`."""
    of = region("No tin for the hinges, it bends; cast them in brass. The lid can be cast in tin.")
    assert verdict(of, "The hinges must not be cast in tin, they have to be brass.", type="constraint") == "accepted"
    assert verdict(of, "The lid must not be cast in tin.", type="constraint") == "negation_added"


def test_a_lack_that_tells_which_things_are_meant_is_not_left_out_where_the_claim_says_it() -> None:
    of = region("Trunks that lack a seal belong in hold 7 and are not to be opened by porters.")
    kept = "Trunks that lack a seal must not be opened by porters; they belong in hold 7."
    assert verdict(of, kept, type="constraint") == "accepted"


def test_a_ban_behind_a_colon_sets_nothing_aside() -> None:
    of = region("And generally: never move more than two hives at once.")
    assert verdict(of, "At most two hives may be moved at once.", type="constraint") == "accepted"


@pytest.mark.parametrize(
    ("source", "wrong", "right"),
    [
        (
            "The stain is wear and must not be polished.",
            "The stain is wear and is polished.",
            "The stain is wear and is not polished.",
        ),
        (
            "The dent is only age and mustn't be filled.",
            "The dent is only age and must be filled.",
            "The dent is only age and must not be filled.",
        ),
        ("لا تفتح الصندوق قبل العيد.", "افتح الصندوق قبل العيد.", "لا تفتح الصندوق قبل العيد."),
        ("لا تلمس الجدار المبتل.", "المس الجدار المبتل.", "لا تلمس الجدار المبتل."),
    ],
)
def test_a_ban_without_a_subject_and_one_in_another_form_keep_their_sign(source: str, wrong: str, right: str) -> None:
    """Fails if a ban that takes its subject from the part before it, or an Arabic one, becomes an order."""
    assert verdict(region(source), wrong, type="constraint") == "negation_dropped"
    assert verdict(region(source), right, type="constraint") == "accepted"
