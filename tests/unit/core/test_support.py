"""Words of a claim that its sources have in another form."""

from __future__ import annotations

import pytest

from bobctx.core import support
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Wir zahlen das Guthaben im Mai aus.", "Auszahlung des Guthabens: Mai."),
        ("Ich rufe die Werft morgen an.", "Anruf bei der Werft: morgen."),
        ("Wir bauen das Gerüst am Montag ab.", "Abbau des Gerüsts am Montag."),
        ("We bellen de werf morgen op.", "De werf wordt morgen opgebeld."),
        ("橋の塗装は来週に延期します。", "橋の塗装を来週へ延ばす。"),
    ],
)
def test_a_verb_apart_from_its_particle_and_a_sign_in_another_word_support(source: str, claim: str) -> None:
    assert support.check(case(region(source), claim)) is None


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Wir zahlen das Guthaben im Mai aus.", "Die Bäckerei backt im Mai Torten."),
        ("Ich rufe die Werft morgen an.", "Der Ausflug der Klasse ist morgen."),
        ("We bellen de werf morgen op.", "De oven wordt morgen afgesteld."),
        ("橋の塗装は来週に延期します。", "図書館の猫が昼寝を楽しむ。"),
    ],
)
def test_a_particle_or_a_day_alone_supports_nothing(source: str, claim: str) -> None:
    refusal = support.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "unsupported"
