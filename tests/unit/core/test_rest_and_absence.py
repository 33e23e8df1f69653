"""Words of absence, rest and refusal beside denials; opposites of deeds; sides that a claim exchanges."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

TRUE = [
    ("Lorries must not enter the yard during lessons.", "Lorries have to stay outside the yard during lessons."),
    ("No trams may run while the bridge is raised.", "Trams have to stand still while the bridge is raised."),
    ("Smoking in the loft isn't OK with me.", "The user objects to smoking in the loft."),
    ("From 3 to 9 May there are no guided tours.", "Guided tours are suspended from 3 to 9 May."),
    ("Don't water the orchids, I'll do that myself.", "Watering the orchids is reserved for the user."),
    ("The loan form can't go out, the bank hasn't signed.", "The loan form waits because the signature is missing."),
    ("I've given up on repainting the boat.", "The user abandoned the idea of repainting the boat."),
    ("The council voted down the new tram line.", "The council rejected the new tram line."),
    ("Opening the hatch is fine only if you call me first.", "The hatch must not be opened without calling the user."),
    ("Late parcels are to be stored, not refused.", "Late parcels must not be refused, they are stored."),
    ("I won't take bookings by e-mail, only by phone.", "Bookings by e-mail are rejected."),
    ("Mr. Kemp's key isn't to be handed out to guests.", "Mr. Kemp's key must be kept from guests."),
    ("Whatever is marked fragile, leave it where it is.", "Things marked fragile are not to be moved."),
    ("Der Verein hat keinen Kassenwart.", "Mangels Kassenwart bleibt die Kasse zu."),
    ("Den alten Kran rühren wir nicht an.", "Der alte Kran bleibt, wo er ist."),
]
FALSE = [
    ("Numbers of visitors have recovered since June.", "Numbers of visitors have been falling since June.", "antonym"),
    ("The old stove, we are selling it.", "The old stove is kept.", "antonym"),
    ("The motion on parking fees was voted down.", "The motion on parking fees was approved."),
    ("I take back my remark about the choir.", "The user stands by the remark about the choir.", "antonym"),
    ("Die Abfahrt wurde vorverlegt.", "Die Abfahrt wurde verschoben.", "antonym"),
    ("La partenza è stata anticipata.", "La partenza è stata posticipata.", "antonym"),
    ("Los recibos sin sello recházalos.", "Los recibos sin sello deben aceptarse.", "antonym"),
    ("Den alten Schrank schmeißen wir weg.", "Den alten Schrank behalten wir.", "antonym"),
    ("Throw out the blue chairs. Keep the oak table.", "The blue chairs are kept and the oak table is thrown out."),
    ("Close the north gate and open the south gate.", "The north gate is opened and the south gate is closed."),
    ("She's not to swim until the check on 9 August.", "Until the check on 9 August she is allowed to swim."),
    ("The tenants haven't paid the deposit.", "The tenants have paid the deposit.", "negation_dropped"),
    ("No abras el horno durante la cocción.", "Abre el horno durante la cocción.", "negation_dropped"),
]


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_word_that_denies_by_itself_stands_for_a_denial(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"


@pytest.mark.parametrize("row", FALSE)
def test_opposite_or_lost_denial_is_refused(row: tuple[str, ...]) -> None:
    got = verdict(region(row[0]), row[1], type="fact")
    assert got == row[2] if len(row) > 2 else got != "accepted"


def test_refused_proposal_is_no_witness_against_its_opposite() -> None:
    talk = region(("assistant", "The shed is full. I could delete the 2019 photos."), "Please don't, I need them.")
    assert verdict(talk, "The 2019 photos must be kept.", "m1", "m2", type="constraint") == "accepted"
    assert verdict(talk, "The 2019 photos must be deleted.", "m1", "m2", type="constraint") != "accepted"


def test_correction_sets_the_former_value_aside() -> None:
    talk = region(
        "09:40 is when the last boat came in. The pier was free at 09:20, use that as the end of the closure."
    )
    claim = "The closure ended at 09:20 and not at 09:40, which is when the last boat came in."
    assert verdict(talk, claim, type="correction") == "accepted"


def test_what_need_not_be_is_no_must() -> None:
    talk = region("The lamp on the pier flickers again. We don't need an electrician, a new bulb will do.")
    assert verdict(talk, "The flickering lamp on the pier needs an electrician.") == "modality"
    assert verdict(talk, "No electrician is needed for the lamp on the pier.") == "accepted"
    both = region("Children need not pay. Adults need to pay at the gate.")
    assert verdict(both, "Adults need to pay at the gate.", type="constraint") == "accepted"
    assert (
        verdict(region("Den Schuppen muss man nicht streichen."), "Der alte Schuppen muss gestrichen werden.")
        != "accepted"
    )
