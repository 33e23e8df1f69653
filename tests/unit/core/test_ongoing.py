"""What has ended told as going on, and the reverse: an elementary reversal in twelve languages."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

FALSE = [
    ("en", "We no longer ship parcels to Norway from this depot.", "Parcels are still shipped to Norway."),
    ("en", "The library has stopped lending board games this year.", "The library keeps lending board games."),
    ("en", "The bakery keeps selling rye bread on Mondays.", "The bakery no longer sells rye bread on Mondays."),
    (
        "de",
        "Der Chor probt seit Mai nicht mehr in der alten Turnhalle.",
        "Der Chor probt weiterhin in der alten Turnhalle.",
    ),
    ("fr", "Nous ne livrons plus les fleurs le dimanche depuis mai.", "Les fleurs sont toujours livrées le dimanche."),
    (
        "es",
        "Ya no vendemos entradas en la taquilla del puerto.",
        "Se siguen vendiendo entradas en la taquilla del puerto.",
    ),
    ("pt", "A padaria já não vende bolos aos domingos.", "A padaria continua a vender bolos aos domingos."),
    ("it", "Il coro non prova più nella vecchia palestra.", "Il coro continua a provare nella vecchia palestra."),
    (
        "nl",
        "De bakker verkoopt op maandag geen roggebrood meer.",
        "De bakker verkoopt op maandag nog steeds roggebrood.",
    ),
    ("ru", "Мы больше не возим посылки в Тверь с этого склада.", "Посылки в Тверь по-прежнему возят с этого склада."),
    ("zh", "面包店周一不再卖黑麦面包。", "面包店周一仍然卖黑麦面包。"),
    ("ja", "月曜のライ麦パンの販売はもう終了しました。", "月曜のライ麦パンは今も販売されている。"),
]
TRUE = [
    ("en", "We no longer ship parcels to Norway from this depot.", "Parcels are not shipped to Norway any more."),
    ("en", "Please never stop watering the ferns in the hall.", "The ferns in the hall should still be watered."),
    ("en", "The old list is no longer kept, but the ledger is still kept by Ann.", "The ledger is still kept by Ann."),
    (
        "de",
        "Der Chor probt nicht mehr in der Turnhalle, sondern weiterhin im Saal.",
        "Der Chor probt weiterhin im Saal.",
    ),
    ("es", "Ya no vendemos entradas en el puerto, pero seguimos vendiendo mapas.", "Se siguen vendiendo mapas."),
    ("zh", "盘点期间请不要停止供应热水。", "盘点期间热水继续供应。"),
]


@pytest.mark.parametrize(("_lang", "source", "claim"), FALSE)
def test_what_has_ended_does_not_go_on(_lang: str, source: str, claim: str) -> None:
    assert verdict(region(source), claim) != "accepted"


@pytest.mark.parametrize(("_lang", "source", "claim"), TRUE)
def test_what_goes_on_is_told(_lang: str, source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
