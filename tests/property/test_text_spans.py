"""Spans of folding, sentences, clauses and cues always lead back to the original."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bobctx.core.acts import acceptances, negations, prohibition_cues
from bobctx.core.folding import fold, folded, level
from bobctx.core.language import LANGUAGES, language_of
from bobctx.core.polarity import compare
from bobctx.core.text import clauses, sentences, words

TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "not",
                "never",
                ".",
                ",",
                ";",
                "but",
                "and",
                "if",
                "only",
                "the",
                "12",
                "l'",
                "n’t",
                "«x»",
                "`a_b`",
                "не",
                "нет",
                "不要",
                "。",
                "ない、",
                "하지",
                "않",
                "لا",
                "يجوز",
                "—",
                "…",
                "é",
                "ß",
                "ﬁ",
            ]
        ),
        max_size=40,
    ).map(" ".join),
)


@given(TEXT)
def test_fold_keeps_one_offset_for_each_code_point(text: str) -> None:
    plain = fold(text)
    assert len(plain.offsets) == len(plain.text) + 1
    assert list(plain.offsets) == sorted(plain.offsets)
    assert plain.offsets[-1] == len(text)
    assert len(level(text)) == len(text)


@given(TEXT)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(TEXT)
def test_spans_are_ordered_and_inside(text: str) -> None:
    for spans in (sentences(text), clauses(text)):
        assert all(0 <= s.start < s.end <= len(text) for s in spans)
        assert all(a.end <= b.start for a, b in pairwise(spans))


@given(TEXT, st.sampled_from(LANGUAGES))
def test_cues_and_words_stand_where_they_say(text: str, lang: str) -> None:
    for cue in (*negations(text, lang), *prohibition_cues(text, lang), *acceptances(text, lang)):
        assert text[cue.start : cue.end] == cue.text
    for word in words(text, lang):
        assert 0 <= word.start < word.end <= len(text)


@given(TEXT, TEXT)
def test_comparison_answers_the_same_again(claim: str, support: str) -> None:
    lang = language_of(claim)
    first = compare(claim, [support], lang=lang)
    assert first == compare(claim, [support], lang=lang)
    assert all(m.clause == 0 for m in first)
