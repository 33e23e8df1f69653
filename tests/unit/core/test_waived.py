"""What a source makes a condition may not be waived."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("Visitors may photograph the hall only with a permit.", "Visitors may photograph the hall without a permit.",
         "Visitors need a permit to photograph the hall."),
        ("We'll only buy the second kiln if the course sells out.",
         "The second kiln will be bought however the course sells.",
         "The second kiln will be bought only if the course sells out."),
        ("Besucher dürfen die Halle nur mit Genehmigung fotografieren.",
         "Besucher dürfen die Halle auch ohne Genehmigung fotografieren.",
         "Besucher dürfen die Halle ohne Genehmigung nicht fotografieren."),
        ("Les visiteurs peuvent photographier la salle à condition d'avoir un permis.",
         "Les visiteurs peuvent photographier la salle sans permis.",
         "Les visiteurs peuvent photographier la salle à condition d'avoir un permis."),
        ("Los visitantes pueden fotografiar la sala solo con permiso.",
         "Los visitantes pueden fotografiar la sala aunque no tengan permiso.",
         "Los visitantes pueden fotografiar la sala solo con permiso."),
        ("A visita só é feita com guia.", "A visita é feita mesmo sem guia.", "A visita só é feita com guia."),
        ("Puoi usare il forno purché tu lo pulisca dopo.", "Il forno può essere usato senza pulirlo.",
         "Puoi usare il forno purché tu lo pulisca dopo."),
        ("Zonder vergunning fotografeert niemand de zaal.", "De zaal wordt ook zonder vergunning gefotografeerd.",
         "Niemand fotografeert de zaal zonder vergunning."),
        ("許可証がないと撮影できません。", "許可証がなくても撮影できる。", "許可証がないと撮影できない。"),
    ],
)  # fmt: skip
def test_a_condition_is_not_waived(source: str, turned: str, kept: str) -> None:
    """Fails if a claim may hold without what its source asks for."""
    assert verdict(region(source), turned) != "accepted"
    assert verdict(region(source), kept) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The walk takes place if the path is dry, and even in the rain we meet for tea.",
         "Even in the rain the group meets for tea."),
        ("Come back only if the pain returns.", "Without pain there is no need to come back."),
        ("Der Kurs ist nur für Anfänger, auch Kinder dürfen mitmachen.", "Auch Kinder dürfen beim Kurs mitmachen."),
    ],
)  # fmt: skip
def test_what_the_source_waives_may_be_told(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
