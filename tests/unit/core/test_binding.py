"""Values keep their subject: sentences, tables, keys, JSON."""

from __future__ import annotations

import pytest

from bobctx.core import binding
from tests.unit.core.claim_cases import case, region, verdict

PORTS = region("The public listener stays on 8443 and the admin listener stays on 9443.")
TABLE = region(
    (
        "tool",
        "NODE     STATE     CONNS\nedge-01  draining  0\nedge-02  active    1187\nedge-03  active    412",
    ),
)
PLAN = region(
    "| line | Q2 actual | Q3 plan |\n|---|---|---|\n"
    "| marketing | 98k EUR | 120k EUR |\n| hiring | 275k EUR | 310k EUR |"
)


def refused(of: object, text: str) -> bool:
    return binding.check(case(of, text)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The admin listener is on 8443.", "The admin listener is on 9443."),
        ("The public listener uses port 9443.", "The public listener uses port 8443."),
    ],
)
def test_a_twin_in_the_same_sentence_is_refused(wrong: str, right: str) -> None:
    assert refused(PORTS, wrong)
    assert not refused(PORTS, right)


def test_a_merged_claim_with_both_twins_in_their_places_holds() -> None:
    assert not refused(PORTS, "The listeners are on 8443 (public) and 9443 (admin).")


def test_a_table_row_owns_its_values() -> None:
    assert refused(TABLE, "edge-03 still had 1187 connections.")
    assert not refused(TABLE, "edge-02 still had 1187 connections.")


def test_a_table_column_owns_its_values() -> None:
    assert refused(PLAN, "Hiring is planned at 275k EUR for Q3.")
    assert not refused(PLAN, "Hiring is planned at 310k EUR for Q3.")


def test_keys_own_their_values() -> None:
    of = region(("tool", '{"input_tokens": 6582, "output_tokens": 7}'), "retries=3 timeout=30")
    assert refused(of, "The run used 7 input tokens.")
    assert not refused(of, "The run used 6582 input tokens.")


@pytest.mark.parametrize(
    ("said", "wrong", "right"),
    [
        (
            "Der Testserver läuft auf Port 8081, der Produktivserver auf Port 9090.",
            "Der Produktivserver läuft auf Port 8081.",
            "Der Testserver läuft auf Port 8081.",
        ),
        (
            "Il sabato accettiamo 48 coperti, la domenica 36.",
            "La domenica accettiamo 48 coperti.",
            "Il sabato accettiamo 48 coperti.",
        ),
        ("広告費は月80万円、外注費は月45万円とします。", "広告費は月45万円とする。", "外注費は月45万円とする。"),
        (
            "База `crm_main` копируется каждые 6 часов, база `crm_archive` раз в 7 дней.",
            "База `crm_archive` копируется каждые 6 часов.",
            "База `crm_main` копируется каждые 6 часов.",
        ),
    ],
)
def test_twins_are_seen_in_other_languages(said: str, wrong: str, right: str) -> None:
    assert refused(region(said), wrong)
    assert not refused(region(said), right)


def test_the_refusal_names_the_value_its_rival_and_the_clause() -> None:
    refusal = binding.check(case(PORTS, "The admin listener is on 8443."))
    assert refusal is not None
    assert refusal.data["literal"] == "8443"
    assert refusal.data["rival"] == "9443"
    assert "8443" in str(refusal.data["clause"])


@pytest.mark.parametrize(
    ("source", "wrong", "right"),
    [
        ("- red paint: shelf B2, 2-6 °C\n- white paint: rack, 20-24 °C", "White paint is kept at 2-6 °C.",
         "White paint is kept at 20-24 °C."),
        ("| year | days |\n|---|---|\n| 2024 | 41 days |\n| 2025 | 58 days |", "The wait was 58 days in 2024.",
         "The wait was 41 days in 2024."),
        ("Steep at 64 °C for 45 min, then 72 °C for 20 min.", "It steeps at 72 °C for 45 min.",
         "It steeps at 72 °C for 20 min."),
    ],
)  # fmt: skip
def test_items_rows_and_steps_keep_their_values_apart(source: str, wrong: str, right: str) -> None:
    assert verdict(region(source), wrong) == "binding"
    assert verdict(region(source), right) == "accepted"


def test_a_brief_answer_speaks_of_what_was_asked() -> None:
    of = region(
        ("assistant", "sa-east has 12 nodes now. I can scale the pool to 18 nodes. OK?"), "too pricey. make it 14"
    )
    assert verdict(of, "The sa-east pool is set to 14.", "m1", "m2", type="decision") == "accepted"


def test_a_count_belongs_to_the_word_behind_it() -> None:
    of = region(("tool", "FAILED tests/test_a.py::test_one - (640, 480)\n1 failed, 6 passed in 3.21s"))
    assert verdict(of, "test_one failed while 6 passed in 3.21s.") == "accepted"


@pytest.mark.parametrize(
    ("said", "wrong", "right"),
    [
        (
            "숙소는 들꽃집(1박 9만원)과 강변채(1박 11만원)입니다.",
            "강변채는 1박 9만원이다.",
            "강변채는 1박 11만원이다.",
        ),
        (
            "We can have the Lark (1 night 90 EUR) or the Heron (1 night 110 EUR).",
            "The Heron is 1 night 90 EUR.",
            "The Heron is 1 night 110 EUR.",
        ),
    ],
)
def test_a_price_of_so_many_belongs_to_what_stands_before_the_count(said: str, wrong: str, right: str) -> None:
    """Fails if the count takes the name, and the price is left without one."""
    of = region(said)
    assert refused(of, wrong)
    assert not refused(of, right)


def test_a_year_above_a_column_belongs_to_what_stands_below_it() -> None:
    of = region(
        (
            "assistant",
            "| field | 2031 yield | 2032 forecast |\n|---|---|---|\n| east | 61 t | 64 t |\n| west | 89 t | 90 t |",
        )
    )
    assert verdict(of, "West had a yield of 89 t in 2031 and has a forecast of 90 t for 2032.") == "accepted"
    assert verdict(of, "East has a forecast of 90 t for 2032.") == "binding"


LEGS = (
    '{"legs": [{"ferry": "FY311", "day": "2031-05-27", "fare": 44}, '
    '{"ferry": "FY318", "day": "2031-05-27", "fare": 48}], '
    '"paid": [{"voucher": "gift_7091", "amount": 66}], "bags": 1}'
)


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("FY311 at 44 and FY318 at 48, both on 2031-05-27.", "accepted"),
        ("FY311 at 66 and FY318 at 48, both on 2031-05-27.", "binding"),
        ("FY311 at 44 and FY318 at 1, both on 2031-05-27.", "binding"),
    ],
)
def test_a_claim_that_names_two_records_mixes_up_neither(claim: str, code: str) -> None:
    """Fails if a record named for one value makes up for a value taken from elsewhere."""
    assert verdict(region(("tool", LEGS)), claim) == code


SHARED = [
    (
        "Apartment 39 € pro Kopf und Tag, Halbpension 31 €.",
        "Das Apartment kostet 31 € pro Kopf und Tag.",
        "Die Halbpension kostet 31 € pro Kopf und Tag.",
    ),
    ("Ferry prices: adults 18 €, children 9 €.", "The ferry costs children 18 €.", "The ferry costs children 9 €."),
    (
        "Prix du bac : adultes 18 €, enfants 9 €.",
        "Le bac coûte 18 € pour les enfants.",
        "Le bac coûte 9 € pour les enfants.",
    ),
    (
        "Summer ferry tickets: adults 18 €, children 9 €.",
        "A summer ferry ticket costs children 18 €.",
        "A summer ferry ticket costs 9 €.",
    ),
    ("Tulips are 24 € each, or roses at 35 € each.", "Tulips are 35 € each.", "Roses are 35 € each."),
    (
        "The kiln, which costs 900 €, stands in hall 4; the press costs 700 €.",
        "The press costs 900 €.",
        "The kiln costs 900 €.",
    ),
    (
        "Der Ofen, der 900 € kostet, steht in Halle 4; die Presse kostet 700 €.",
        "Die Presse kostet 900 €.",
        "Der Ofen kostet 900 €.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right"), SHARED)
def test_a_rate_a_heading_and_a_relative_clause_belong_to_their_values(source: str, wrong: str, right: str) -> None:
    """Fails if words that two values share bind one of them, or stand for what they do not share."""
    assert verdict(region(source), wrong) == "binding"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Reed offers the roof for 900 €, Moss for 1,200 €.",
            "Reed does the roof for 900 €, and Moss is turned down.",
        ),
        (
            "The tank holds 40 l and the hose is 12 m long.",
            "The hose is 12 m long and the tank holds 40 l.",
        ),
        ("Patch-12 and Patch-19 touch the same file.", "Patch-19 and Patch-12 touch the same file."),
    ],
)
def test_values_of_different_units_names_said_together_and_parts_without_a_value_change_no_places(
    source: str, claim: str
) -> None:
    """Fails if another order of words or a part behind a value is read as an exchange."""
    assert verdict(region(source), claim) == "accepted"


ARABIC = [
    ("سعر التفاح 12 درهم وسعر الموز 15 درهم.", "سعر الموز 12 درهم.", "سعر الموز 15 درهم."),
    (
        "الحافلة الأولى تغادر الساعة 08:15 والحافلة الثانية تغادر الساعة 09:40.",
        "الحافلة الثانية تغادر الساعة 08:15.",
        "الحافلة الثانية تغادر الساعة 09:40.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right"), ARABIC)
def test_an_arabic_conjunction_at_a_word_parts_the_words_of_two_values(source: str, wrong: str, right: str) -> None:
    assert verdict(region(source), wrong) == "binding"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("said", "right", "crossed"),
    [
        ("The plan passed with 14 votes for and 5 against.", "The plan got 14 votes for and 5 against.",
         "The plan got 5 votes for and 14 against."),
        ("Der Antrag bekam 14 Stimmen dafür und 5 dagegen.", "Für den Antrag waren 14 Stimmen dafür und 5 dagegen.",
         "Der Antrag bekam 5 Stimmen dafür und 14 dagegen."),
        ("Le menu enfant est à 11 euros, celui du chef à 38.", "Chez le chef, le menu coûte 38 euros.",
         "Le menu enfant coûte 38 euros."),
        ("Morgens nimmst du zwei Löffel, abends drei.", "Die Abendmenge beträgt drei Löffel.",
         "Morgens nimmst du drei Löffel."),
    ],
)  # fmt: skip
def test_counts_stay_with_what_stands_behind_them(said: str, right: str, crossed: str) -> None:
    """Fails if two counts may change places, or a noun that both parts have speaks against the second one."""
    assert verdict(region(said), right) == "accepted"
    assert verdict(region(said), crossed) == "binding"


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Nothing under /admin/ or /drafts/ is to be crawled, those pages are private.",
         "Pages under /admin/ and /drafts/ are kept from crawling."),
        ("It halted here: step 14/30 rail_3v3: measured 2.9 V, expected 3.1..3.5",
         "The run halted in step 14/30 after rail_3v3 measured 2.9 V."),
        ("The tram to Rye leaves at 7:20 and the one to Ely at 8:10.", "There is a tram at 8:10."),
    ],
)  # fmt: skip
def test_a_list_a_step_and_an_elided_noun_are_no_exchange(said: str, claim: str) -> None:
    """Fails if two things of one list, a step of many, or a noun left out the second time are taken for a mistake."""
    assert verdict(region(said), claim) == "accepted"
