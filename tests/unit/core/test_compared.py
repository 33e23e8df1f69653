"""Sides of a comparison keep their places."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "swapped", "kept"),
    [
        ("My brother would sooner take the tram than the ferry.",
         "The brother would sooner take the ferry than the tram.",
         "The brother would rather take the tram than the ferry."),
        ("The cellar is damper than the attic.", "The attic is damper than the cellar.",
         "The cellar is damper than the attic."),
        ("Mein Bruder nimmt lieber die Tram als die Fähre.", "Der Bruder nimmt lieber die Fähre als die Tram.",
         "Der Bruder nimmt lieber die Tram als die Fähre."),
        ("Le quai est plus long que le pont.", "Le pont est plus long que le quai.",
         "Le quai est plus long que le pont."),
        ("El muelle es más largo que el puente.", "El puente es más largo que el muelle.",
         "El muelle es más largo que el puente."),
        ("O cais é maior do que a ponte.", "A ponte é maior do que o cais.", "O cais é maior do que a ponte."),
        ("Il molo è più lungo del ponte.", "Il ponte è più lungo del molo.", "Il molo è più lungo del ponte."),
        ("De steiger is langer dan de brug.", "De brug is langer dan de steiger.", "De steiger is langer dan de brug."),
        ("Причал длиннее, чем мост.", "Мост длиннее, чем причал.", "Причал длиннее, чем мост."),
        ("الرصيف أكبر من الجسر.", "الجسر أكبر من الرصيف.", "الرصيف أكبر من الجسر."),
        ("码头比大桥长。", "大桥比码头长。", "码头比大桥长。"),
        ("大橋より埠頭のほうが長い。", "埠頭より大橋のほうが長い。", "大橋より埠頭のほうが長い。"),
        ("다리보다 부두가 길다.", "부두보다 다리가 길다.", "다리보다 부두가 길다."),
    ],
)  # fmt: skip
def test_what_is_compared_does_not_change_sides(source: str, swapped: str, kept: str) -> None:
    """Fails if the two sides of a comparison may be exchanged, or an honest claim is refused."""
    assert verdict(region(source), swapped) in ("antonym", "contrast_asserted")
    assert verdict(region(source), kept) == "accepted"


def test_a_comparison_turned_together_with_its_sides_says_the_same() -> None:
    of = region("The warehouse is larger than the yard.")
    assert verdict(of, "The yard is smaller than the warehouse.") == "accepted"
