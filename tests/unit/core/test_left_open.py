"""Everyday ways of leaving something open, in all languages: what is left open is not decided."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I'm hoping to swap the boiler before winter.", "The boiler is swapped before winter."),
        ("I have half a mind to sell the van.", "The van is being sold."),
        ("A pond behind the shed is only talk so far.", "A pond is dug behind the shed."),
        ("Weather permitting, we paint the fence on Sunday.", "The fence gets painted on Sunday."),
        ("Fingers crossed, the fence gets painted on Sunday.", "The fence gets painted on Sunday."),
        ("A second fence is not out of the question.", "A second fence is built."),
        ("The fence may well go up in price.", "The fence is going up in price."),
        ("My sister swears a raw diet cures the cat, I'm far from convinced.", "The cat is put on a raw diet."),
        ("Let me sleep on the formula sheet.", "The formula sheet is handed out."),
        ("The second van is a pipe dream for now.", "The firm gets a second van."),
        ("With any luck the second van arrives in May.", "The second van arrives in May."),
        ("The second van needs some thought.", "The firm gets a second van."),
        ("If she's ill the flight is off.", "Tomorrow's flight is off."),
        ("Mit etwas Glück kommt die Rutsche im Mai.", "Die Rutsche kommt im Mai."),
        ("Eine zweite Rutsche ist bisher nur Gerede.", "Es wird eine zweite Rutsche gebaut."),
        ("Si tout va bien, le toboggan arrive en mai.", "Le toboggan arrive en mai."),
        ("Con suerte el tobogán llega en mayo.", "El tobogán llega en mayo."),
        ("Com sorte o escorregador chega em maio.", "O escorregador chega em maio."),
        ("Per ora solo chiacchiere, il secondo scivolo.", "Si compra un secondo scivolo."),
        ("Met een beetje geluk komt de glijbaan in mei.", "De glijbaan komt in mei."),
        ("Если повезёт, горку привезут в мае.", "Горку привезут в мае."),
        ("顺利的话滑梯五月到货。", "滑梯五月到货。"),
        ("うまくいけば滑り台は5月に届きます。", "滑り台は5月に届きます。"),
        ("두 번째 미끄럼틀은 아직 논의 중입니다.", "두 번째 미끄럼틀을 산다."),
        ("إذا سارت الأمور جيدا تصل الزحليقة في مايو.", "تصل الزحليقة في مايو."),
    ],
)
def test_what_is_left_open_is_not_decided(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="decision") in ("hypothetical", "condition_dropped")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("We hope you like it: the floor is oak.", "The floor is oak."),
        ("Paint the fence on Sunday, let's hope it stays dry.", "The fence gets painted on Sunday."),
        ("I'm hoping to learn to sail next summer.", "The user hopes to learn to sail next summer."),
        ("The window is left open at night.", "At night the window stays open."),
        ("Die Tür bleibt offen, der Kater braucht Luft.", "Die Tür bleibt offen."),
        ("De winkel blijft open tot zes uur.", "De winkel blijft open tot zes uur."),
        ("Дверь остаётся открытой до шести.", "Дверь открыта до шести."),
        ("After going back and forth we chose oak.", "The floor is oak."),
        (
            "Agents may end a call if they're insulted, after one warning.",
            "After one warning, agents may end a call in which they are insulted.",
        ),
    ],
)
def test_what_only_sounds_open_stands(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"


@pytest.mark.parametrize(
    ("proposal", "answer", "claim", "code"),
    [
        (
            "Then I'd put Farid on the till and Noor on the door.",
            "Noor can't on the 31st. Otherwise agreed.",
            "Farid is on the till.",
            "accepted",
        ),
        (
            "Then I'd put Farid on the till and Noor on the door.",
            "Noor can't do the door. Otherwise agreed.",
            "Noor is on the door.",
            "refused",
        ),
        (
            "Ich würde den Ofen am Montag liefern und die Fliesen am Mittwoch.",
            "Fliesen bitte erst später. Ansonsten passt alles.",
            "Der Ofen wird am Montag geliefert.",
            "accepted",
        ),
    ],
)
def test_all_but_one_thing_is_agreed(proposal: str, answer: str, claim: str, code: str) -> None:
    assert verdict(region(("assistant", proposal), answer), claim, "m1", "m2", type="decision") == code


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        (
            "Without a view I wouldn't go over 200 euros a night.",
            "Without a view at most 200 euros a night.",
            "accepted",
        ),
        ("If it's dry on the day, drinks are served outside.", "In dry weather drinks are served outside.", "accepted"),
        ("In dry weather drinks are served in the courtyard.", "Drinks are served in the courtyard.", "hypothetical"),
        (
            "Don't ring about the lorry for now, we'll see on Thursday how much is left to pack.",
            "The call about a lorry is postponed; on Thursday the user will see how much is left to pack.",
            "accepted",
        ),
    ],
)
def test_a_condition_in_a_phrase_and_what_will_be_seen(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="decision") == code
