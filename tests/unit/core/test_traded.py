"""Two parts of a claim that have changed places."""

from __future__ import annotations

import pytest

from bobctx.core import traded
from tests.unit.core.claim_cases import case, region, verdict

TRADED = [
    (
        "The Latvian mill delivers flour, the Finnish mill delivers bran.",
        "The Finnish mill delivers flour, the Latvian mill delivers bran.",
        "Bran is delivered by the Finnish mill, flour by the Latvian mill.",
    ),
    (
        "The tenants leave the wardrobe and take the curtain rails.",
        "The tenants take the wardrobe and leave the curtain rails.",
        "The wardrobe is left by the tenants and the curtain rails are taken.",
    ),
    (
        "Take the weights from scale_log.csv and ignore the paper slips, they got wet.",
        "Take the weights from the paper slips and ignore scale_log.csv.",
        "The paper slips are to be ignored, and the weights come from scale_log.csv.",
    ),
    (
        "Die Köche putzen den Herd, die Kellner spülen die Gläser.",
        "Die Kellner putzen den Herd, die Köche spülen die Gläser.",
        "Die Gläser spülen die Kellner, den Herd putzen die Köche.",
    ),
    (
        "Les apprentis rangent l'atelier et les maîtres ferment la forge.",
        "Les maîtres rangent l'atelier et les apprentis ferment la forge.",
        "La forge est fermée par les maîtres, et l'atelier est rangé par les apprentis.",
    ),
    (
        "Los alumnos traen los pinceles y los profesores compran la pintura.",
        "Los profesores traen los pinceles y los alumnos compran la pintura.",
        "La pintura la compran los profesores y los pinceles los traen los alumnos.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "honest"), TRADED)
def test_parts_that_changed_places_are_refused_and_reordered_ones_are_not(source: str, wrong: str, honest: str) -> None:
    """Fails if the two statements of a sentence may give each what the other one has, or may not change their order."""
    of = region(source)
    assert verdict(of, wrong, type="decision") != "accepted"
    assert traded.check(case(of, wrong)) is not None
    assert traded.check(case(of, honest)) is None


def test_what_another_sentence_joins_is_no_trade() -> None:
    of = region("Ana brings the tent and Bo brings the stove. Bo brings the tent too, and Ana brings the stove.")
    assert traded.check(case(of, "Bo brings the tent and Ana brings the stove.")) is None


def test_values_alone_are_no_words() -> None:
    of = region("We ringed 1,468 birds this season, of which 532 are juveniles.")
    assert traded.check(case(of, "This season 1,468 birds were ringed, 532 of them juveniles.")) is None
