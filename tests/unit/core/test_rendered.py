"""Denials that a claim renders by a word of its own."""

from __future__ import annotations

import pytest

from bobctx.core.rendered import denying_words, keeps, rendered, renders
from tests.unit.core.claim_cases import case, region, verdict

BANS = [
    (
        "You must not park in front of the gate.",
        "Parking in front of the gate is banned.",
        "Parking in front of the gate is fine.",
    ),
    ("We don't reach the tower by radio.", "The tower is unreachable by radio.", "The tower is reached by radio."),
    (
        "Man darf vor dem Tor nicht parken.",
        "Das Parken vor dem Tor ist verboten.",
        "Das Parken vor dem Tor ist erlaubt.",
    ),
    (
        "On ne doit pas se garer devant le portail.",
        "Il est interdit de se garer devant le portail.",
        "Il faut se garer devant le portail.",
    ),
    (
        "No se puede aparcar delante del portal.",
        "Está prohibido aparcar delante del portal.",
        "Se puede aparcar delante del portal.",
    ),
    ("Don't let the dog into the kitchen.", "The dog is kept out of the kitchen.", "The dog is let into the kitchen."),
    ("正門前に駐車しないでください。", "正門前の駐車は禁止。", "正門前に駐車してよい。"),
    ("Não se pode estacionar no portão.", "É proibido estacionar no portão.", "Pode-se estacionar no portão."),
    ("Non si può parcheggiare al cancello.", "È vietato parcheggiare al cancello.", "Si può parcheggiare al cancello."),
    ("У ворот нельзя парковаться.", "Парковка у ворот запрещена.", "У ворот можно парковаться."),
    ("테스트 서버 삭제는 금지되어 있다.", "테스트 서버 삭제는 불가하다.", "테스트 서버를 삭제한다."),
]


@pytest.mark.parametrize(("source", "honest", "wrong"), BANS)
def test_a_denial_may_stand_in_another_word_and_not_be_left_out(source: str, honest: str, wrong: str) -> None:
    """Fails if a ban in other words is refused, or one without any denying word passes."""
    assert rendered(case(region(source), honest))
    assert not rendered(case(region(source), wrong))
    assert verdict(region(source), honest) == "accepted"
    assert verdict(region(source), wrong) == "negation_dropped"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Parking without a badge is not banned.", "Parking without a badge is banned."),
        ("The lamp was closed off and must not stay.", "The lamp was closed off and must stay."),
        ("Das Verbot gilt nicht am Tor.", "Das Verbot gilt am Tor."),
        ("不要关灯。", "关掉灯。"),
        ("Don't forget to feed the dog.", "The dog is not fed."),
    ],
)
def test_a_word_that_the_sources_have_and_a_bare_not_render_nothing(source: str, claim: str) -> None:
    """Fails if any denying word of a claim excuses it, also one that its sources have."""
    assert not rendered(case(region(source), claim))


def test_a_thing_required_stands_for_a_ban_with_a_term() -> None:
    """Fails if `requires` says nothing of `not without`, or the term of any clause is enough."""
    of = region("Don't sell the tincture unless a doctor has signed.")
    assert rendered(case(of, "Selling the tincture requires a doctor's signature."))
    assert not rendered(case(region("Don't sell the tincture to a doctor."), "Selling the tincture requires a doctor."))


def test_what_a_claim_keeps_sets_nothing_against_another_thing() -> None:
    of = region(("assistant", "Shall I delete the old photos?"), "Not now.")
    assert keeps(case(of, "The old photos are kept for now.", "m1", "m2"))
    assert not keeps(case(of, "The old photos are deleted now.", "m1", "m2"))
    assert not keeps(case(of, "The old photos are kept, not the new ones.", "m1", "m2"))


def test_a_denial_of_the_claims_own_renders_the_word_of_a_clause() -> None:
    """Fails if `is not held` does not stand for `is called off`, or a denial that both have is taken for one."""
    clause = "The parade is called off."
    of = region(clause)
    assert renders(case(of, "The parade is not held."), "not", clause, "en")  # of a word of its own
    assert not renders(case(of, "The parade is not called off."), "not", clause, "en")
    assert renders(case(of, "Nobody marches: the parade is no more."), "nobody", clause, "en")
    assert not renders(case(of, "The parade is never called off."), "never", clause, "en")
    assert set(denying_words("The road is blocked and the bus is full.", "en")) == {"blocked"}


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Nenhum pedido foi aceite.", "Os pedidos foram aceites."),
        ("Мы не доставляем посылки в Норвегию.", "Посылки доставляют в Норвегию."),
        ("Non pulire la stanza del controllo.", "La stanza del controllo si pulisce."),
        ("No cambies el contrato.", "Hay que cambiar el contrato."),
        ("Verander het wachtwoord niet.", "Het wachtwoord wordt veranderd."),
        ("Don't move the deadline.", "The deadline is moved."),
        ("훼손된 책은 버리지 마세요.", "훼손된 책은 버린다."),
    ],
)
def test_a_word_that_only_begins_like_a_denying_one_renders_nothing(source: str, claim: str) -> None:
    """Fails if `foram` is read as `fora`, `contrato` as `contra`, `wachtwoord` as `wacht`."""
    assert verdict(region(source), claim) == "negation_dropped"


def test_a_denying_word_that_the_source_says_of_something_else_is_the_claims_own() -> None:
    source = "The import can run all day, no need to wait for the night. The old table isn't dropped before the audit."
    assert verdict(region(source), "Dropping the old table has to wait for the audit.") == "accepted"


def test_what_must_come_first_may_be_told_as_required() -> None:
    of = region("Do not publish before Ines has signed the report.")
    assert verdict(of, "Publishing requires that Ines has signed the report.") == "accepted"
