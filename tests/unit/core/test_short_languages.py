"""The language of short texts: endings of words, and claim and source together."""

from __future__ import annotations

import pytest

from bobctx.core.language import language_of, may_be
from tests.unit.core.claim_cases import case, region

SHORT = [
    ("it", "Appena arriva il pacco, chiamate la zia."),
    ("it", "Domani comincio a tradurre la lettera."),
    ("pt", "O museu abre no feriado."),
    ("pt", "Renomeei a pasta das fotos."),
    ("es", "La tienda ocupa la segunda planta."),
    ("fr", "La salle des fêtes accueille le tournoi."),
]


@pytest.mark.parametrize(("lang", "text"), SHORT)
def test_endings_tell_romance_languages_apart(lang: str, text: str) -> None:
    """Fails if sentences of shared words are taken for a neighbouring language."""
    assert language_of(text) == lang


def test_a_short_text_may_be_in_a_neighbouring_language() -> None:
    """Fails if one shared word decides."""
    assert may_be("No porto.", "es", "pt")
    assert not may_be("The boat is not in the harbour yet, they say.", "en", "pt")
    assert not may_be("No porto.", "es", "ru")


def test_claim_and_source_are_read_in_one_language() -> None:
    """Fails if a source of few words is read in another language than the claim on it."""
    checked = case(region("Tome o xarope antes de dormir."), "O xarope deve ser tomado antes de dormir.")
    assert checked.lang == "pt"
    assert checked.lang_of(checked.cited[0]) == "pt"
