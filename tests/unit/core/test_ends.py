"""The upper end of a range is not its lower one."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("The garden stays open until the end of October.", "The garden opens at the end of October.",
         "The garden is open until the end of October."),
        ("From version 6.1 on, the logs are kept in /var/herd.", "Up to version 6.1 the logs are kept in /var/herd.",
         "As of version 6.1 the logs are kept in /var/herd."),
        ("Der Garten ist bis Ende Oktober offen.", "Der Garten öffnet erst ab Ende Oktober.",
         "Der Garten bleibt bis Ende Oktober offen."),
        ("La visite est gratuite pour les moins de 15 ans.", "La visite est gratuite pour les plus de 15 ans.",
         "La visite est gratuite pour les moins de 15 ans."),
        ("El módulo solo funciona con Ruby 3.2 o superior.",
         "El módulo solo funciona con versiones anteriores a Ruby 3.2.",
         "El módulo solo funciona a partir de Ruby 3.2."),
        ("O módulo funciona a partir do Ruby 3.", "O módulo funciona apenas em versões anteriores ao Ruby 3.",
         "O módulo só funciona a partir do Ruby 3."),
        ("Il giardino resta aperto fino alle 19.", "Il giardino apre alle 19.",
         "Il giardino resta aperto fino alle 19."),
        ("De tuin is tot zes uur open.", "De tuin gaat om zes uur open.", "De tuin is open tot zes uur."),
        ("Модуль работает начиная с версии 3.2.", "Модуль работает только в версиях до 3.2.",
         "Модуль работает с версии 3.2."),
        ("一辆车最多载8人。", "每辆车至少要载8人。", "每辆车最多载8人。"),
    ],
)  # fmt: skip
def test_an_end_stays_on_its_side(source: str, turned: str, kept: str) -> None:
    """Fails if a value may be given as the other end of what its source bounds."""
    assert verdict(region(source), turned) != "accepted"
    assert verdict(region(source), kept) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("No more than three boats leave at once.", "At most three boats leave at once."),
        ("The pass is valid until 2026-05-01, from that day on you need the card.",
         "From 2026-05-01 on you need the card."),
        ("Guests cancel at least 12 hours before the dinner.",
         "Guests cancel no later than 12 hours before the dinner."),
    ],
)  # fmt: skip
def test_the_same_end_in_other_words(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
