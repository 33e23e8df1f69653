"""Letters that only look like those of the source."""

from __future__ import annotations

import pytest

from bobctx.core.confusables import look_alike, skeleton
from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("word", "source"),
    [
        ("z\u0435ta", "zeta"),
        ("\u0441\u043e\u0440\u0443", "copy the file"),
        ("\u0391\u0392\u0395", "ABE is the host"),
    ],
)
def test_a_word_in_letters_of_another_script_is_found(word: str, source: str) -> None:
    """Fails if mixed letters, or a whole word of another script that imitates one of the source, pass."""
    assert look_alike(f"Use {word} now.", source) == word


@pytest.mark.parametrize("token", ["2027-03-0\uff12", "84\u06634", "1\uff15:30"])
def test_digits_of_two_kinds_in_one_token_are_found(token: str) -> None:
    assert look_alike(f"Use {token} now.", "2027-03-02 8434 15:30") == token
    assert look_alike(f"Use {token} now.", f"it says {token}") is None


def test_digits_of_one_kind_are_none() -> None:
    assert look_alike("\uff11\uff15\u6642 and 15:30", "15") is None


def test_words_of_a_language_in_that_script_are_none() -> None:
    """Fails if honest Cyrillic words beside Latin ones are taken for imitations."""
    assert look_alike("\u041a\u043e\u0434 \u0432 zeta", "\u041a\u043e\u0434 zeta code") is None
    assert skeleton("\u0441\u043e\u0440\u0443") == "copy"


def test_the_claim_is_refused_with_the_word() -> None:
    of = region("Never enable zeta_sync.")
    assert verdict(of, "z\u0435ta_sync must never be enabled.", type="constraint") == "look_alike"
