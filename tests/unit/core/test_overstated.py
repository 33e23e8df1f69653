"""A claim puts its matter at the stage at which its sources have it: planned, tried, done, failed."""

from __future__ import annotations

import pytest

from bobctx.core import overstated
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("We are going to paint the fence in June.", "The fence has been painted."),
        ("Could you print the programme for me?", "The programme has been printed."),
        ("Marta offered to drive the choir to Leeds.", "Marta drove the choir to Leeds."),
        ("I meant to water the ferns but forgot.", "The ferns were watered."),
        ("The painters are halfway through the stairwell.", "The painters have finished the stairwell."),
        ("The import crashed after 200 rows.", "The import completed successfully."),
        ("I hope the plumber comes on Friday.", "The plumber will definitely come on Friday."),
        ("Wir wollen im Mai das Dach decken lassen.", "Das Dach wurde gedeckt."),
        ("Kannst du bitte den Zaun streichen?", "Der Zaun wurde gestrichen."),
        ("Je dois encore appeler le dentiste.", "Le dentiste a été appelé."),
        ("Nous avons demandé une subvention à la région.", "La région a accordé la subvention."),
        ("Tengo que llamar al dentista.", "Se llamó al dentista."),
        ("Elas querem pintar a parede do quarto.", "A parede do quarto já foi pintada."),
        ("Devo ancora chiamare il dentista.", "Il dentista è stato chiamato."),
        ("We gaan het oude busje verkopen.", "Het oude busje is verkocht."),
        ("Мы собираемся продать старый фургон.", "Старый фургон продан."),
        ("师傅正在修屋顶，才修了一半。", "屋顶已经修好了。"),
        ("屋根はいま修理中です。", "屋根の修理は完了した。"),
        ("연기 감지기를 교체해야 합니다.", "연기 감지기를 교체했다."),
        ("يجب استبدال كاشف الدخان.", "تم استبدال كاشف الدخان."),
    ],
)
def test_what_is_open_or_failed_is_not_told_as_done(source: str, claim: str) -> None:
    refusal = overstated.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "hypothetical"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I posted the contract on Monday.", "The contract still has to be posted."),
        ("Ich habe die Rechnung schon bezahlt.", "Die Rechnung muss noch bezahlt werden."),
        ("Envié el contrato el lunes.", "Falta por enviar el contrato."),
        ("Ho spedito il contratto lunedì.", "Il contratto deve ancora essere spedito."),
        ("Ik heb het contract maandag verstuurd.", "Het contract moet nog verstuurd worden."),
        ("Договор я отправил в понедельник.", "Договор ещё предстоит отправить."),
        ("The rehearsal went through without problems.", "The rehearsal failed."),
    ],
)
def test_what_is_done_is_not_told_as_ahead_or_failed(source: str, claim: str) -> None:
    refusal = overstated.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "antonym"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("We wanted to paint the fence in June, and now it's done.", "The fence has been painted."),
        ("I've called the dentist and will go there on Monday.", "The dentist has been called."),
        ("My sister, who wants to be a vet, passed the exam.", "The user's sister passed the exam."),
        ("The login failed because the certificate has expired.", "The certificate has expired."),
        ("The trial failed twice, then it worked on Friday.", "The trial worked on Friday."),
        ("The committee, which still needs a treasurer, chose Hull.", "The committee chose Hull."),
        ("Wir haben beschlossen, den alten Wagen zu verkaufen.", "Es wurde beschlossen, den Wagen zu verkaufen."),
        ("Der Vermieter erhöhte die Miete und will sie wieder erhöhen.", "Der Vermieter hat die Miete erhöht."),
        ("J'ai appelé le dentiste et j'irai lundi.", "Le dentiste a été appelé."),
        ("La salle compte 140 places, dont 12 réservées à la presse.", "12 places sont réservées à la presse."),
        ("Llamé al dentista y voy a ir el lunes.", "Se llamó al dentista."),
        ("O senhorio aumentou a renda e pensamos em mudar.", "O senhorio aumentou a renda."),
        ("Il negozio era chiuso e non ho potuto comprare la vernice.", "Il negozio era chiuso."),
        ("De winkel was dicht, ik kon de verf niet kopen.", "De winkel was dicht."),
        ("Магазин был закрыт, я не смог купить краску.", "Магазин был закрыт."),
        ("社团1921年成立，想盖一栋新楼。", "社团成立于1921年。"),
        ("昨日送られた請求書が必要です。", "請求書は昨日送られた。"),
        ("치과에 전화했고 월요일에 갈 예정이에요.", "사용자는 치과에 전화했다."),
        ("اتصلت بطبيب الأسنان وسأذهب يوم الاثنين.", "تم الاتصال بطبيب الأسنان."),
    ],
)
def test_what_is_done_may_stand_beside_what_is_open(source: str, claim: str) -> None:
    """Fails if an honest past tense is refused for a plan or a failure in the same sentence."""
    assert overstated.check(case(region(source), claim)) is None


def test_an_answer_takes_a_proposal_up() -> None:
    messages = region(("assistant", "Shall I raise the hydration to 76 %?"), ("user", "Yes, go ahead."))
    found = case(messages, "The hydration is raised to 76 %.", "m1", "m2")
    assert overstated.check(found) is None


def test_a_decision_is_told_as_done() -> None:
    found = case(region("Let's sell the old van."), "The old van is sold.", type="decision")
    assert overstated.check(found) is None
