"""Claims that speak of everyone and of all time against limits that their sources name."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The pool is open to hotel guests only.", "The pool is open to hotel guests and day visitors alike."),
        ("Parking is free for the first hour.", "Parking is always free."),
        ("No solvents in the workshop this week.", "Solvents are banned from the workshop for good."),
        ("The choir may use the hall between 6 and 9 pm.", "The choir may use the hall at any hour."),
        ("Every class goes, except the fifth graders.", "Every class goes, the fifth graders included."),
        ("Rotate the keys once the audit is over. Until then leave them.", "The keys are rotated right away."),
        ("Der Ofen bleibt für zwei Wochen kalt.", "Der Ofen bleibt dauerhaft kalt."),
        ("Diesmal ohne Mahngebühr.", "Es wird nie eine Mahngebühr erhoben."),
        ("Pas de livraison cette semaine.", "Plus jamais de livraison."),
        ("El gimnasio abre solo para socios.", "El gimnasio abre para todo el mundo."),
        ("A sala é só para os alunos do 3.º ano.", "A sala é para qualquer aluno."),
        ("Il bonus vale solo per i nuovi iscritti.", "Il bonus vale per tutti gli iscritti, vecchi e nuovi."),
        ("De sauna is alleen voor leden.", "De sauna is voor iedereen."),
        ("Скидка действует только на этой неделе.", "Скидка действует всегда."),
        ("会议室只给市场部用。", "会议室任何部门都可以随时使用。"),
        ("今週だけ送料無料です。", "送料はいつでも無料です。"),
        ("주말에만 주차할 수 있습니다.", "언제든 주차할 수 있습니다."),
        ("الخصم متاح للطلاب فقط.", "الخصم متاح للجميع."),
    ],
)
def test_a_limit_is_not_widened(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Everyone gets a badge, visitors too.", "All visitors get a badge as well."),
        ("Don't ever mail the raw data, not even to Tim.", "The raw data is never to be mailed, not even to Tim."),
        ("Call me any time, day or night.", "The user can be called at any hour."),
        ("Nobody may enter the lab without goggles.", "Everyone needs goggles in the lab."),
        ("Whatever the weather, the market opens at 8.", "The market opens at 8 regardless of the weather."),
        ("Only Ana and Ben have keys, both live next door.", "Both Ana and Ben have keys."),
        ("Alle Fenster gehen zu, auch die im Keller.", "Alle Fenster, einschließlich der im Keller, gehen zu."),
        ("Tous les chats sortent, même les petits.", "Tous les chats sortent, y compris les petits."),
        ("Ninguém entra sem capacete.", "Todos têm de usar capacete para entrar."),
        ("Tutti i piatti sono senza glutine, anche i dolci.", "Tutti i piatti sono senza glutine, dolci compresi."),
        ("Звоните в любое время.", "Пользователю можно звонить когда угодно."),
        ("所有门都要锁，后门也要锁。", "所有门都要锁，包括后门。"),
        ("全員参加です、新人も。", "新人も含めて全員参加する。"),
        ("모든 문을 잠그세요, 뒷문도요.", "뒷문을 포함해 모든 문을 잠근다."),
        ("أغلق جميع الأبواب، حتى الباب الخلفي.", "تغلق جميع الأبواب بما فيها الباب الخلفي."),
    ],
)
def test_what_its_source_says_of_all_may_be_said_of_all(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Juniors row only with a coach. The eight is for members.", "Members row only with a coach.", "quantifier"),
        ("Volunteers park only behind the barn. Visitors use the meadow.", "Visitors park only behind the barn.",
         "quantifier"),
        ("Volunteers park only behind the barn. Helpers get a badge.", "Volunteers may park only behind the barn.",
         "accepted"),
        ("I only drink decaf in the evening. Coffee is bought by Ann.", "The user drinks only decaf in the evening.",
         "accepted"),
    ],
)  # fmt: skip
def test_an_only_is_said_of_those_whom_it_is_said_of(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "honest", "wrong"),
    [
        (
            "Contact with the landlord is in writing only.",
            "All contact with the landlord is in writing.",
            "All contact with the landlord is by telephone.",
        ),
        ("Guests only get the short tour.", "The short tour is all that guests get.", "Guests get all the tours."),
        ("Only trainers with a badge.", "Trainers with a badge only.", "Any trainer may come."),
        ("見学は家族だけ可能です。", "見学は家族だけ可能である。", "見学は誰でも可能である。"),
    ],
)
def test_all_of_the_rest_is_what_only_says(source: str, honest: str, wrong: str) -> None:
    """Fails if `all contact in writing` is refused for `in writing only`, or `any trainer` passes for some of them."""
    assert verdict(region(source), honest) == "accepted"
    assert verdict(region(source), wrong) != "accepted"
