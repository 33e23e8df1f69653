"""Names in code that change places between the parts of a sentence."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

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
