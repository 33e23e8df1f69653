"""Names in code that change places between the parts of a sentence."""

from __future__ import annotations

import pytest

from bobctx.core import code_names
from tests.unit.core.claim_cases import case, region, verdict

PARTS = [
    (
        "Der Knoten `db-ost` hält die Konten, `db-west` nur die Kopien.",
        "Der Knoten `db-west` hält die Konten.",
        "Der Knoten `db-ost` hält die Konten.",
    ),
    (
        "`api-lyon` sert les clients, `api-nice` garde les journaux.",
        "`api-nice` sert les clients.",
        "`api-nice` garde les journaux.",
    ),
    ("`load` reads the file, `save` writes it.", "`save` reads the file.", "`save` writes the file."),
]


@pytest.mark.parametrize(("source", "wrong", "right"), PARTS)
def test_a_name_has_the_words_of_its_own_part(source: str, wrong: str, right: str) -> None:
    of = region(source)
    assert verdict(of, wrong, type="definition") == "binding"
    assert verdict(of, right, type="definition") == "accepted"


KINDS = [
    (
        "Ticket BM-118 covers the pump, BM-224 covers the valve.",
        "BM-224 covers the pump.",
        "BM-224 covers the valve.",
    ),
    (
        "Der Termin am 03.04.2026 ist für den Keller, der am 17.04.2026 für das Dach.",
        "Der Termin am 17.04.2026 ist für den Keller.",
        "Der Termin am 17.04.2026 ist für das Dach.",
    ),
    (
        "Version 2.4.1 fixes the login, version 2.5.0 adds the export.",
        "Version 2.5.0 fixes the login.",
        "Version 2.5.0 adds the export.",
    ),
    (
        "La vasija es la pieza 1987.44.3, la máscara es la 1987.51.9.",
        "La vasija es la pieza 1987.51.9.",
        "La máscara es la pieza 1987.51.9.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right"), KINDS)
def test_tickets_versions_and_numbers_of_things_are_names_too(source: str, wrong: str, right: str) -> None:
    """Fails if only names in backticks keep the words of their part."""
    refusal = code_names.check(case(region(source), wrong))
    assert refusal is not None
    assert refusal.code == "binding"
    assert verdict(region(source), wrong) == "binding"
    assert verdict(region(source), right) == "accepted"


LINES = [
    ("node-7 disk full\nnode-9 restarted", "node-9 has a full disk.", "node-7 has a full disk."),
    (
        "job-31 passed on arm64\njob-32 timed out on riscv",
        "job-31 timed out on riscv.",
        "job-32 timed out on riscv.",
    ),
]


@pytest.mark.parametrize(("log", "wrong", "right"), LINES)
def test_a_line_of_a_log_tells_of_its_own_name(log: str, wrong: str, right: str) -> None:
    """Fails if what one line tells may be said of the name of another line."""
    of = region(("tool", log))
    assert code_names.check(case(of, wrong)) is not None
    assert code_names.check(case(of, right)) is None
    assert verdict(of, wrong) == "binding"
    assert verdict(of, right) == "accepted"
