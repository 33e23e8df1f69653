"""A denial that names its matter only by a pronoun forbids the claim that affirms it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The night door only beeps after ten; don't lock it.", "Lock the night door after ten."),
        ("Ticket OPS-88 stays with Lena, don't close it yet.", "Close ticket OPS-88."),
        ("GC-7 only warns; it must not lock them. GC-8 locks accounts.", "GC-7 must lock accounts."),
        ("The seal on RK-4 is intact. I'll look tonight, don't skip it for now.", "Skip RK-4."),
        ("Le vieux chêne est malade, mais ne le coupez pas.", "Le vieux chêne doit être coupé."),
        ("El archivo viejo.csv sigue en uso, no lo borres.", "Borrar el archivo viejo.csv."),
        ("Il cancello verde resta chiuso, non apritelo.", "Aprire il cancello verde."),
        ("旧钥匙还在用，不要扔掉它。", "旧钥匙要扔掉。"),
    ],
)
def test_what_a_denied_pronoun_stands_for_is_not_affirmed(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("GC-7 only warns; it must not lock them. GC-9 locks accounts at once.", "GC-9 locks accounts at once."),
        ("The draft is ready, don't send it before Monday.", "The draft is ready."),
        ("The hall is free on Friday, book it. Don't book it for Saturday.", "Book the hall for Friday."),
        ("The old boiler stays for now. Don't touch it. Order the new boiler.", "Order the new boiler."),
        ("Use the red paint for the door. Don't use it for the fence.", "Use the red paint for the door."),
    ],
)
def test_what_is_said_of_something_else_or_with_a_term_is_no_denial(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"


def test_a_mail_that_orders_something_is_told_though_the_user_denies_it() -> None:
    of = region(("assistant", "The mail tells staff to reset the password."), "Right, don't reset anything.")
    assert verdict(of, "The mail tells staff to reset the password.", "m1", "m2") == "accepted"
    assert verdict(of, "Staff have to reset the password.", "m1", "m2", type="decision") == "negation_dropped"


def test_a_later_message_affirms_it_after_all() -> None:
    of = region("The newsletter draft is ready, don't send it yet.", "OK, send it now.")
    assert verdict(of, "The newsletter draft is to be sent now.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("The purple banner was my brother's idea and we scrapped it.", "The purple banner is out.", True),
        ("pump-4 runs at 61 °C, which is above your limit, so I'll skip it.", "pump-4 will be left out.", True),
        ("The lamp is from Ada, so we won't sell it.", "The lamp is not from Ada.", False),
        ("`STRICT` is on in prod; in dev you're free to leave it off.", "`STRICT` must be left off in dev.", False),
    ],
)
def test_what_a_pronoun_drops_may_be_denied(source: str, claim: str, *, expected: bool) -> None:
    assert (verdict(region(source), claim, type="decision") == "accepted") == expected
