"""States without a value that a later message of a user replaces."""

from __future__ import annotations

import pytest

from bobctx.core import displacing
from tests.unit.core.claim_cases import case, region, verdict

STATES = [
    (
        "Samir owns the newsletter draft.",
        "Ines owns the newsletter draft from now on.",
        "The newsletter draft is owned by Samir.",
        "The newsletter draft is owned by Ines.",
    ),
    (
        "The stage crew eats in the gym.",
        "The stage crew now eats in the library instead.",
        "The gym is where the stage crew eats.",
        "The library is where the stage crew eats.",
    ),
    (
        "Die Proben finden in der Aula statt.",
        "Ab jetzt finden die Proben in der Kapelle statt.",
        "Für die Proben ist die Aula vorgesehen.",
        "Für die Proben ist die Kapelle vorgesehen.",
    ),
    (
        "La chorale répète dans la grange.",
        "La chorale répète désormais dans la chapelle.",
        "La grange est le lieu où répète la chorale.",
        "La chapelle est le lieu où répète la chorale.",
    ),
    (
        "El coro ensaya en el granero.",
        "Ahora el coro ensaya en la capilla.",
        "En el granero ensaya el coro.",
        "En la capilla ensaya el coro.",
    ),
    (
        "Il coro prova nel granaio.",
        "Adesso il coro prova nella cappella.",
        "Nel granaio prova il coro.",
        "Nella cappella prova il coro.",
    ),
    (
        "Het koor oefent in de schuur.",
        "Het koor oefent nu in de kapel.",
        "In de schuur oefent het koor.",
        "In de kapel oefent het koor.",
    ),
    (
        "Хор репетирует в амбаре.",
        "Теперь хор репетирует в часовне.",
        "В амбаре репетирует хор.",
        "В часовне репетирует хор.",
    ),
]


@pytest.mark.parametrize(("before", "after", "wrong", "right"), STATES)
def test_a_state_that_a_user_replaces_is_told_no_more(before: str, after: str, wrong: str, right: str) -> None:
    """Fails if a claim may tell the state before as the one that holds, or the new one is refused."""
    of = region(before, after)
    refusal = displacing.check(case(of, wrong, "m1", "m2"))
    assert refusal is not None
    assert refusal.code == "stale_value"
    assert refusal.data["message"] == "m2"
    assert displacing.check(case(of, right, "m1", "m2")) is None
    assert verdict(of, wrong, "m1", "m2") == "stale_value"
    assert verdict(of, right, "m1", "m2") == "accepted"


CREW, NOW = "The stage crew eats in the gym.", "The stage crew now eats in the library instead."
CLAIM = "The gym is where the stage crew eats."


def test_a_former_state_told_as_such_a_single_message_and_an_assistant_displace_nothing() -> None:
    """Fails if anything but a user's last word on a present state counts."""
    of = region("Samir owns the newsletter draft.", "Ines owns the newsletter draft from now on.")
    assert displacing.check(case(of, "The newsletter draft was owned by Samir before.", "m1", "m2")) is None
    assert displacing.check(case(region(CREW, NOW), CLAIM, "m1")) is None
    assert displacing.check(case(region(("assistant", CREW), NOW), CLAIM, "m1", "m2")) is None
    assert displacing.check(case(region(CREW, NOW), CLAIM, "m1", "m2", type="open_question")) is None


def test_a_change_of_another_matter_displaces_nothing() -> None:
    """Fails if a word of change is enough, whatever it speaks of."""
    of = region(CREW, "The lights are now hung in the library.")
    assert displacing.check(case(of, CLAIM, "m1", "m2")) is None
    assert displacing.check(case(region(CREW, "The stage crew likes the library."), CLAIM, "m1", "m2")) is None
