"""What waits for something else does not come before it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("Once the deposit has arrived, we hand over the boat.", "The boat is handed over before the deposit arrives.",
         "The boat is handed over after the deposit has arrived."),
        ("Feed the parrots before you clean the cage.", "The parrots are fed after the cage has been cleaned.",
         "The cage is cleaned after the parrots have been fed."),
        ("Sobald der Lack trocken ist, montieren wir die Griffe.",
         "Die Griffe werden montiert, bevor der Lack trocken ist.",
         "Die Griffe werden montiert, nachdem der Lack trocken ist."),
        ("Dès que le vernis est sec, on remonte les poignées.",
         "Les poignées sont remontées avant que le vernis soit sec.",
         "Les poignées sont remontées une fois le vernis sec."),
        ("En cuanto se seque el barniz, montamos los tiradores del armario.",
         "Los tiradores del armario se montan antes de que se seque el barniz.",
         "Los tiradores del armario se montan después de que se seque el barniz."),
        ("Assim que o verniz secar, montamos os puxadores do armário.",
         "Os puxadores do armário são montados antes de o verniz secar.",
         "Os puxadores do armário são montados depois de o verniz secar."),
        ("Zodra de lak droog is, monteren we de handgrepen.",
         "De handgrepen worden gemonteerd voordat de lak droog is.",
         "De handgrepen worden gemonteerd nadat de lak droog is."),
        ("Как только лак высохнет, ставим ручки.", "Ручки ставят до того, как высохнет лак.",
         "Ручки ставят после того, как высохнет лак."),
        ("先刷底漆，再装把手。", "底漆在装把手之后刷。", "装把手在刷底漆之后。"),
        ("ニスが乾いてから取っ手を付けます。", "取っ手はニスが乾く前に付ける。", "取っ手はニスが乾いた後に付ける。"),
    ],
)  # fmt: skip
def test_what_waits_does_not_come_first(source: str, turned: str, kept: str) -> None:
    """Fails if a claim may put before a thing what its source puts after it."""
    assert verdict(region(source), turned) == "comparator"
    assert verdict(region(source), kept) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Don't varnish the deck before the rain has stopped.", "The deck may be varnished once the rain has stopped."),
        ("No late entry once the concert has begun.", "Late entry is closed once the concert has begun."),
        ("The doors were already shut when we came.", "The user's group came after the doors had been shut."),
    ],
)
def test_a_denied_order_and_a_mere_time_tell_no_order(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
