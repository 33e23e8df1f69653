"""What somebody is said to have done, asked or wanted needs a word of its kind where they are spoken of."""

from __future__ import annotations

import pytest

from bobctx.core import deeds
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The caterer, Mrs Bloom, delivers at 11:00. She brings plates for 60.", "Mrs Bloom has asked for a deposit."),
        ("Tom paints the fence. His brother lends us the ladder.", "Tom's brother is against the new colour."),
        ("Lena runs the night shift. Her manager is Boris.", "Boris has promised Lena a pay rise."),
        ("Dr Hale and Dr Wu come. Dr Wu speaks first.", "Dr Wu has withdrawn from the programme."),
        ("The carer comes at 8.", "The carer has resigned."),
        ("The council owns the field. We pay 200 a year for it.", "The council has threatened to raise the fee."),
        ("The puppy goes to the vet on 3 May. The vet is Dr Sand.", "Dr Sand recommended a special diet."),
        ("Ada collects the flyers on Friday.", "Ada has forgotten the flyers."),
        ("I want to hear what Nadia thinks first.", "Nadia is against a higher price for coffee."),
        ("The last drive had 133 donors.", "The user was disappointed with the turnout of the last drive."),
        ("Frau Kern gießt die Pflanzen im Büro.", "Frau Kern hat um mehr Geld gebeten."),
        ("Der Hausmeister kommt am Montag um 8 Uhr.", "Der Hausmeister weigert sich, die Lampe zu tauschen."),
        ("Le plombier passe jeudi à 9 h. Sa camionnette est blanche.", "Le plombier demande un acompte."),
        ("El casero vive en el primero. La caldera está abajo.", "El casero se ha quejado del ruido."),
        ("A Bia cuida do som e o Caio das luzes.", "A Bia quer cuidar das luzes."),
        ("Marco porta il vino. Sara prepara i dolci.", "Sara si è lamentata del vino."),
        ("Joost beheert de sleutels van de hal.", "Joost heeft ontslag genomen."),
        ("Тренер Павел ведёт группу по средам.", "Павел уволился."),
        ("王老师负责签到，李老师带队。", "王老师拒绝带队。"),
        ("田中さんは受付を担当します。", "田中さんは司会を断りました。"),
        ("민수는 음향을 맡고 지영은 조명을 맡는다.", "지영은 음향을 요청했다."),
        ("سلمى تستلم الطرود يوم الأحد.", "سلمى رفضت استلام الطرود."),
    ],
)
def test_an_act_of_which_nothing_speaks_is_invented(source: str, claim: str) -> None:
    refusal = deeds.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "unsupported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The caterer, Mrs Bloom, wants 200 euros up front.", "Mrs Bloom has asked for a deposit of 200 euros."),
        ("My brother can't stand the blue.", "The user's brother is against the blue."),
        ("The tenant upstairs wrote again about the noise.", "The tenant upstairs has complained about the noise."),
        ("Boris told Lena she gets 300 more from May.", "Boris has promised Lena 300 more from May."),
        ("Dr Wu isn't coming after all.", "Dr Wu has withdrawn."),
        ("The carer's last day is 31 May.", "The carer has resigned."),
        ("The rent goes up unless we mow, says the council.", "The council has threatened to raise the rent."),
        ("The architect: go for a flat roof.", "The architect has recommended a flat roof."),
        ("Parents of Amir: no to the trip.", "Amir's parents refuse the trip."),
        ("Otis takes cash only, no cards.", "Otis has asked for cash."),
        ("The ticket reads: approved, with a dock.", "The ticket is approved, with a dock."),
        ("We sell return tickets at the kiosk.", "Return tickets are sold at the kiosk."),
        ("Frau Kern hätte gern zwei Tage frei.", "Frau Kern hat um zwei freie Tage gebeten."),
        ("Paul ist dabei, er bringt den Grill mit.", "Paul hat zugesagt und bringt den Grill mit."),
        ("Le plombier veut 100 € d'avance.", "Le plombier demande 100 € d'acompte."),
        ("El casero llamó otra vez por el ruido.", "El casero se ha quejado del ruido."),
        ("Joost stopt eind mei bij de club.", "Joost heeft ontslag genomen."),
        ("Павел от нас уходит в конце мая.", "Павел уволился."),
        ("王老师说她不带队。", "王老师拒绝带队。"),
        ("سلمى لن تستلم الطرود.", "سلمى رفضت استلام الطرود."),
    ],
)
def test_an_act_told_in_other_words_stands(source: str, claim: str) -> None:
    assert deeds.check(case(region(source), claim)) is None


def test_an_answer_may_speak_of_somebody_without_the_name() -> None:
    talk = region(("assistant", "Shall I ask Femi about the van?"), "Did that, he's fine with it.")
    assert deeds.check(case(talk, "Femi has agreed to lend the van.", "m1", "m2")) is None
