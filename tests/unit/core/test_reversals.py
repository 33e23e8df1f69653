"""One word of a true claim turned round, in a message that says much else: each was accepted once."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

BESIDE = "Notes for Monday. The hall costs 120 euros. Ines has the keys and never leaves them in the office."
"""What else the message says."""


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        ("Nobody launches when the wind is over 22 knots.",
         "Launching is forbidden when the wind is over 22 knots.",
         "Launching is forbidden when the wind is under 22 knots."),
        ("We sampled 214 lakes, 87 of them above the treeline.",
         "214 lakes were sampled, and 87 of those lie above the treeline.",
         "214 lakes were sampled, and 87 of those lie below the treeline."),
        ("Some of the sites have no ethics approval yet.",
         "Some sites still lack ethics approval.", "None of the sites has ethics approval yet."),
        ("Each rinse takes 250 ml of buffer.", "A rinse takes 250 ml of buffer.", "A rinse takes 250 µl of buffer."),
        ("The deposit is 90 euros per person.",
         "A deposit of 90 euros per person is due.", "A deposit of 90 euros per group is due."),
        ("You can charge it when the price drops under 9 cents per kWh.",
         "It can be charged when the price is under 9 cents per kWh.",
         "It can be charged when the price is under 9 cents per MWh."),
        ("Nach 22 Uhr wird nicht mehr laut gespielt.",
         "Lautes Spielen ist nach 22 Uhr untersagt.", "Lautes Spielen ist nach 22 Minuten untersagt."),
        ("The timeout can wait, I'd like to measure for a week first.",
         "The timeout waits until a week has been measured.", "The timeout waits until a month has been measured."),
        ("Don’t remove the raw feeds in data/feeds/pl.",
         "The raw feeds in data/feeds/pl have to be kept.", "The raw feeds in data/pl have to be kept."),
        ("Rubber boots are needed.", "Rubber boots are needed for the trip.", "Rubber boots are not needed."),
        ("Журнал аудита должен быть открыт для всех дежурных.",
         "Журнал аудита открыт для всех дежурных.", "Журнал аудита должен быть закрыт для всех дежурных."),
        ("Do not post anything to period 09 any more.",
         "Period 09 is closed for further postings.", "Period 09 is open for further postings."),
        ("Please don’t overwrite the golden files in qa/golden.",
         "The golden files in qa/golden must not be overwritten.",
         "The golden files in qa/golden must be overwritten."),
        ("She may not have grapefruit.", "Grapefruit is forbidden for her.", "Grapefruit is allowed for her."),
        ("no factory resets, the calibration would be gone",
         "Factory resets are banned, because they would wipe the calibration.",
         "Factory resets are allowed, because they would wipe the calibration."),
        ("Please limit the public API to 60 requests.",
         "The public API is to be limited to 60 requests.", "The private API is to be limited to 60 requests."),
        ("There is nothing wrong with reusing the old battens.",
         "Reusing the old battens is fine.", "Reusing the old battens is not fine."),
        ("I don't want any forced update screens.",
         "Forced update screens are unwanted.", "Forced update screens are not unwanted."),
        ("`zeta_sync` must NOT be enabled, legal hasn't signed off.",
         "`zeta_sync` stays disabled because legal has not signed off.",
         "`zeta_sync` stays disabled because legal has signed off."),
        ("We never hand out a key without an ID.",
         "Handing out a key without an ID is forbidden.", "Handing out a key with an ID is forbidden."),
        ("On ne remet jamais de clé sans pièce d'identité.",
         "Il est interdit de remettre une clé sans pièce d'identité.",
         "Il est interdit de remettre une clé avec pièce d'identité."),
        ("No se venden antibióticos sin receta.",
         "Está prohibido vender antibióticos sin receta.", "Está prohibido vender antibióticos con receta."),
        ("No se permiten fotos con flash en la sala de medusas.",
         "Las fotos con flash están prohibidas en la sala de medusas.",
         "Las fotos sin flash están prohibidas en la sala de medusas."),
        ("산에서 취사는 절대 하면 안 됩니다.", "산에서 취사하는 것은 금지이다.", "산에서 취사하는 것은 허용이다."),
    ],
)  # fmt: skip
def test_the_turned_word_is_seen(source: str, right: str, wrong: str) -> None:
    """Fails if the honest claim is refused or the turned one accepted."""
    of = region(f"{BESIDE} {source}" if source.isascii() else source)
    assert verdict(of, right, type="constraint") == "accepted"
    assert verdict(of, wrong, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("asked", "answered", "claim"),
    [
        ("The tuner charges 110 euros and is free at 15:00. Shall I book him, and ask for a check at 17:30?",
         "Yes to both. Doors open at 19:00.", "The tuner is not booked for 15:00 at 110 euros."),
        ("How long should the motion lights stay on, 2 min or 5 min?", "2 min is plenty.",
         "The motion lights should not stay on for 2 min."),
        ("Should the spore test be logged weekly or monthly?",
         "Weekly, on Mondays. If one comes back positive, stop the machine.",
         "Spore tests are not logged weekly, on Mondays."),
    ],
)  # fmt: skip
def test_what_was_chosen_is_not_denied(asked: str, answered: str, claim: str) -> None:
    of = region(("assistant", asked), answered)
    assert verdict(of, claim, "m1", "m2", type="decision") != "accepted"
    assert verdict(of, claim.replace(" not", ""), "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The run must not touch the eval split, we leaked it once and that's enough.",
         "The eval split is off limits for the run."),
        ("Anything above 750 euros goes past Petra first.",
         "Every order above 750 euros goes past Petra first."),
        ("진단서를 회사에 보내면 절대 안 됩니다.", "진단서를 회사에 보내는 것은 금지이다."),
        ("The loan items must arrive no earlier than 3 September 2026.",
         "3 September 2026 is the earliest date on which the loan items may arrive."),
        ("An Wochenenden ohne Spiel wird nicht geheizt.", "An Wochenenden ohne Spiel bleibt die Heizung aus."),
        ("No deis de alta artículos sin código de barras.",
         "Queda prohibido dar de alta artículos que carezcan de código de barras."),
        ("Het maakt me niet uit wie de balans ijkt, als het maar vóór 14 februari gebeurt.",
         "De balans moet vóór 14 februari geijkt worden."),
    ],
)  # fmt: skip
def test_what_only_looks_turned_is_accepted(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"
