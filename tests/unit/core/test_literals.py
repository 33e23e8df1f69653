"""Literals with kinds, units and spans."""

from __future__ import annotations

import pytest

from bobctx.core.literals import Literal, containers, of_claim, scan


def only(text: str, lang: str = "en") -> Literal:
    found = of_claim(text, lang)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "need", "unit"),
    [
        ("wait 30 s", "number", "30", "s"),
        ("wait 30s", "number", "30", "s"),
        ("wait 30 seconds", "number", "30", "s"),
        ("wait 30 ms", "number", "30", "ms"),
        ("a 10-minute break", "number", "10", "min"),
        ("grows by 5 %", "percent", "5", "%"),
        ("costs $5", "money", "5", "USD"),
        ("costs 18,500 €", "money", "18500", "EUR"),
        ("costs 120k EUR", "money", "120000", "EUR"),
        ("at -5 now", "number", "-5", None),
        ("on 2026-09-21", "date", "2026-09-21", None),
        ("on 12 March", "date", "md:3-12", None),
        ("on March 12", "date", "md:3-12", None),
        ("at 9:40", "time", "09:40", None),
        ("at 3 pm", "time", "15:00", None),
        ("use v1.29.4", "version", "1.29.4", None),
        ("use 4.10.1", "version", "4.10.1", None),
        ("see https://a.example/x?y=z.", "url", "https://a.example/x?y=z", None),
        ("write a.b@c.example", "email", "a.b@c.example", None),
        ("in /mnt/backup/crm.", "path", "/mnt/backup/crm", None),
        ("in src/app/main.py", "path", "src/app/main.py", None),
        ("at 10.0.0.12:8080", "ip", "10.0.0.12:8080", None),
        ("close ABC-123", "ticket", "ABC-123", None),
        ("set zeta_sync", "identifier", "zeta_sync", None),
        ("node edge-02", "identifier", "edge-02", None),
        ("node wk-a", "identifier", "wk-a", None),
        ("commit 110f174b4f3ca", "hex", "110f174b4f3ca", None),
        ("pass --dry-run", "flag", "--dry-run", None),
        ("two rooms", "number", "2", None),
    ],
)
def test_a_value_is_one_literal_with_its_kind_and_unit(text: str, kind: str, need: str, unit: str | None) -> None:
    literal = only(text)
    assert literal.kind == kind
    assert need in literal.needs
    assert literal.unit == unit
    assert text[literal.start : literal.end].strip(".") == literal.text.strip(".")


@pytest.mark.parametrize(
    "text", ["a well-known bare-bones plan", "input/output and/or e.g. this", "it's the users' call"]
)
def test_ordinary_words_are_no_literals(text: str) -> None:
    assert of_claim(text, "en") == []


def test_a_uuid_is_one_literal() -> None:
    assert only("id 019b7f50-c6e8-7091-8291-6a7d7bd62dcb").kind == "uuid"


def test_numbers_glued_to_other_scripts_are_read() -> None:
    assert [(f.text, f.unit) for f in scan("広告費は月80万円、45分間", "ja")] == [("80万円", "JPY"), ("45分間", "min")]
    assert [f.text for f in scan("端口8080和8081", "zh")] == ["8080", "8081"]


def test_a_number_takes_the_unit_of_the_one_it_is_joined_to() -> None:
    first, second = scan("from 60 to 120 s", "en")
    assert (first.unit, first.soft_unit, second.unit) == ("s", True, "s")


def test_both_ends_of_a_range_are_numbers() -> None:
    assert [(f.text, f.ranged) for f in scan("10-15 minutes", "en")] == [("10", True), ("15 minutes", True)]


def test_letters_of_two_scripts_in_one_token_are_a_literal() -> None:
    assert only("z\u0435ta").kind == "identifier"


def test_quotes_pair_at_word_edges() -> None:
    found = containers("He said \"Small wins\" don't `a b` the users' 'home' „so“ 「引用」")
    assert [f.text for f in found] == ["Small wins", "a b", "home", "so", "引用"]


def test_what_stands_in_code_or_quotes_is_checked_as_a_whole() -> None:
    assert [f.kind for f in of_claim("set `timeout = 30`", "en")] == ["code"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("P4,seeded roll,94.8,05:58", ["P4", "94.8", "05:58"]),
        ("a,1.5,2,3.25,10:20", ["1.5", "2", "3.25", "10:20"]),
        ("x,12,13", ["12", "13"]),
        ("1,234.5 and 12,5", ["1,234.5", "12,5"]),
        ("1,234,567 rows", ["1,234,567"]),
    ],
)
def test_commas_part_the_cells_of_a_line_and_group_the_digits_of_a_number(text: str, values: list[str]) -> None:
    assert [lit.text.removesuffix(" rows") for lit in scan(text, "en")] == values


@pytest.mark.parametrize("text", ["A Rita recebe-a na quinta.", "Lê a carta e envia-a hoje.", "Guarda-os na caixa."])
def test_a_portuguese_verb_with_its_pronoun_is_no_identifier(text: str) -> None:
    assert scan(text, "pt") == []


def test_a_name_with_a_figure_stays_an_identifier_in_portuguese() -> None:
    assert [lit.kind for lit in scan("O código é porta-a9.", "pt")] == ["identifier"]


@pytest.mark.parametrize("text", ["Qui vient avec nous ?", "Le groupe qui joue au bal."])
def test_a_french_pronoun_is_no_day(text: str) -> None:
    assert scan(text, "fr") == []
    assert [lit.kind for lit in scan("Qui vient mardi ?", "fr")] == ["weekday"]
