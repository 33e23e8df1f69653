"""Folding with offset maps, sentences, clauses, words and stems."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bobctx.core.stemming import stem
from bobctx.core.text import clauses, content_stems, fold, folded, sentences, words


def test_fold_leads_every_offset_back() -> None:
    text = "Don’t use the Straße… 第５章"
    plain = fold(text)
    assert plain.text == folded(text) == "don't use the strasse... 第5章"
    at = plain.text.index("strasse")
    assert plain.span(at, at + 7).of(text) == "Straße"
    assert plain.span(at, at).of(text) == ""


def test_fold_joins_combining_marks_and_drops_the_invisible() -> None:
    assert fold("cafe\u0301").text == "café"
    assert fold("zero\u200bwidth").text == "zerowidth"
    assert fold("مُحَمَّد").text == "محمد"


def test_sentences_end_at_marks_of_all_scripts_and_not_at_abbreviations() -> None:
    assert [s.of(t) for t in ["Go on. Stop!"] for s in sentences(t)] == ["Go on.", "Stop!"]
    text = "Take it, e.g. tomorrow. Am 3. Mai ist Schluss."
    assert [s.of(text) for s in sentences(text)] == ["Take it, e.g. tomorrow.", "Am 3. Mai ist Schluss."]
    text = "不要开启。可以吗？好。"
    assert [s.of(text) for s in sentences(text)] == ["不要开启。", "可以吗？", "好。"]


def test_version_numbers_and_paths_end_no_sentence() -> None:
    text = "Use v1.2.3 in src/app.py now."
    assert [s.of(text) for s in sentences(text)] == [text]


def test_clause_keeps_its_condition_and_parts_with_its_neighbour() -> None:
    text = "If it rains, close the roof; the doors stay open, but the gate does not."
    assert [c.of(text) for c in clauses(text)] == [
        "If it rains, close the roof",
        "the doors stay open",
        ", but the gate does not.",
    ]


def test_contrast_and_late_condition_stay_in_their_clause() -> None:
    for text in ("Ship it by boat, but not by train.", "Book the hall, but only if it is free."):
        assert [c.of(text) for c in clauses(text)] == [text]


def test_spans_never_overlap_and_cover_every_word() -> None:
    text = "One. Two, but three; four: five\nsix"
    spans = clauses(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert {w.text for w in words(text, "en")} == {w.text for s in spans for w in words(s.of(text), "en")}


@pytest.mark.parametrize(
    ("lang", "a", "b"),
    [
        ("en", "invoices", "invoice"),
        ("de", "häusern", "häuser"),
        ("fr", "maisons", "maison"),
        ("es", "casas", "casa"),
        ("it", "ragazzi", "ragazzo"),
        ("ru", "домами", "домам"),
        ("ko", "서버에서", "서버는"),
    ],
)
def test_forms_of_one_word_share_their_stem(lang: str, a: str, b: str) -> None:
    assert stem(a, lang) == stem(b, lang)


def test_content_leaves_stop_words_out() -> None:
    assert content_stems("The lid of the box is open", "en") == {"lid", "box", "open"}


def test_elisions_come_apart() -> None:
    assert [w.text for w in words("L'hôtel n’est pas là", "fr")] == ["l'", "hôtel", "n'", "est", "pas", "là"]


@pytest.mark.parametrize(
    ("one", "other", "lang"),
    [
        ("쓴다", "쓰지", "ko"), ("바꿔야", "바꾸지", "ko"), ("맡는다", "맡아요", "ko"), ("очищать", "очистить", "ru"),
        ("обновлять", "обновить", "ru"), ("beginnt", "beginn", "de"),
    ],
)  # fmt: skip
def test_forms_of_one_verb_have_one_stem(one: str, other: str, lang: str) -> None:
    assert stem(one, lang) == stem(other, lang)


def test_a_heading_stays_with_what_it_heads_and_a_quotation_does_not() -> None:
    assert len(clauses("Fireworks: forget it, the brigade said no.")) == 1
    text = 'The client wrote: "Add foil on every page."'
    assert len(clauses(text)) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The mask, acc. no. 1987.44.3, is on loan.", 1),
        ("Call ext. 214 after nine.", 1),
        ("Siehe Abb. 3 auf der Rückseite.", 1),
        ("Le tél. 0612 ne répond pas.", 1),
        ("Prices incl. tax, excl. postage.", 1),
        ("Cuesta aprox. 30 euros.", 1),
        ("Всего 12 тыс. рублей за год.", 1),
        ("We need 5 max. The rest stays.", 2),
        ("Take the cat. Feed it.", 2),
        ("The answer is no. He left.", 2),
    ],
)
def test_short_forms_before_a_number_or_word_end_no_sentence(text: str, parts: int) -> None:
    """Fails if a short form cuts its sentence, or a word like it at a real end does not."""
    assert len(sentences(text)) == parts
