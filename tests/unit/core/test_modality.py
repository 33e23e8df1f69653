"""How strongly a claim says it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("The pump must only run on mains power.", "The pump may run solely on mains power.", "accepted"),
        ("Only the night crew may open the vault.", "Only the night crew must open the vault.", "modality"),
        ("The oven must not exceed 180 °C.", "The oven may reach at most 180 °C.", "accepted"),
        ("Il forno non deve superare i 180 °C.", "Il forno può arrivare al massimo a 180 °C.", "accepted"),
        (
            "The parcel must arrive by 30 May at the latest.",
            "The parcel may arrive by 30 May at the latest.",
            "modality",
        ),
        ("Expenses may be paid up to 25 CHF.", "Expenses must be paid up to 25 CHF.", "modality"),
        ("Rauchen ist im Keller verboten.", "Im Keller muss nicht geraucht werden.", "modality"),
        ("The bot can offer a voucher without asking.", "A voucher must be offered without asking.", "modality"),
        ("Staff must never share badges.", "Staff have to do without sharing badges.", "accepted"),
        ("I wouldn't be happy with more than 8 guests.", "The user would like no more than 8 guests.", "accepted"),
    ],
)
def test_a_duty_is_no_permission_unless_a_limit_makes_them_one(source: str, claim: str, expected: str) -> None:
    """Fails if `must` and `may` are exchanged, or told apart where an only or a highest value makes them the same."""
    assert verdict(region(source), claim, type="preference" if "would" in claim else "constraint") == expected


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Visitors may be given the `guest_badge`.", "accepted"),
        ("Visitors must be given the `guest_badge`.", "modality"),
        ("The `master_key` must not be copied.", "accepted"),
        ("The `master_key` is to be copied at the front desk.", "negation_dropped"),
    ],
)
def test_what_follows_a_colon_is_said_of_what_stands_before_it(claim: str, code: str) -> None:
    """Fails if `guest_badge: may be given to visitors` is read as a heading and a sentence without a subject."""
    source = "Keys at the front desk.\n`guest_badge`: may be given to visitors.\n`master_key`: do NOT copy, it is old."
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("Dogs are welcome in the garden.", "Dogs may come into the garden.", "accepted"),
        ("Dogs are welcome in the garden.", "Dogs have to be in the garden.", "modality"),
        ("Candles are OK.", "Candles may be used.", "accepted"),
        ("Read whatever logs you want.", "The assistant may read any logs.", "accepted"),
        ("Read whatever logs you want.", "The assistant must read all logs.", "modality"),
        ("Hunde sind im Garten willkommen.", "Hunde dürfen in den Garten.", "accepted"),
        ("Les chiens sont les bienvenus au jardin.", "Les chiens peuvent venir au jardin.", "accepted"),
        ("Honden zijn welkom in de tuin.", "Honden mogen in de tuin.", "accepted"),
        ("Собаки в саду приветствуются.", "В сад можно с собаками.", "accepted"),
        ("庭で犬は大歓迎です。", "庭に犬を連れてきてもよい。", "accepted"),
        ("Quoting the page is encouraged.", "Quoting the page is compulsory.", "modality"),
        ("Quoting the page is encouraged.", "Pages should be quoted.", "accepted"),
        ("Ann passed the test, so she may switch.", "Ann must switch.", "modality"),
    ],
)
def test_what_is_welcome_or_encouraged_is_no_duty(source: str, claim: str, expected: str) -> None:
    assert verdict(region(source), claim, type="constraint") == expected


def test_a_need_not_is_kept_by_another_part_of_the_claim() -> None:
    source = "The title does not need to change, I am happy with it."
    claim = "The title stays as it is because the user is happy with it."
    assert verdict(region(source), claim, type="decision") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("You may only register if a parent signs.", "A parent's signature is required to register."),
        (
            "Man darf sich nur anmelden, wenn ein Elternteil unterschreibt.",
            "Zur Anmeldung ist die Unterschrift eines Elternteils erforderlich.",
        ),
        ("On ne peut s'inscrire que si un parent signe.", "La signature d'un parent est obligatoire pour s'inscrire."),
        ("Solo puedes inscribirte si firma un padre.", "La firma de un padre es obligatoria para inscribirse."),
        (
            "She may enter the archive; she holds the key.",
            "She is permitted to enter the archive, as she holds the key.",
        ),
    ],
)
def test_the_only_condition_of_a_leave_is_required(source: str, claim: str) -> None:
    """Fails if what alone gives leave may not be called required, or a leave told elsewhere is missed."""
    assert verdict(region(source), claim) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("You may register if a parent signs.", "You must register."),
        ("Only the cook may taste the sauce.", "Only the cook must taste the sauce."),
        ("Nur der Koch darf die Soße kosten.", "Nur der Koch muss die Soße kosten."),
    ],
)
def test_a_plain_leave_and_one_for_one_person_are_no_duty(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "modality"
