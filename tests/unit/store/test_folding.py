"""Folding for the index: the same words in text and query, pairs of characters, identifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.store import folding


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zeta-sync v2", ["Zeta", "sync", "v2"]),
        ("snake_case", ["snake", "case"]),
        ("CLÉ", ["cle"]),
        ("cle\u0301", ["cle"]),
        ("Straße", ["strasse"]),
        ("ﬁle ½", ["file", "1", "2"]),
        ("配置文件", ["配置", "置文", "文件", "件"]),
        ("配", ["配"]),
        ("port配置9443", ["port", "配置", "置", "9443"]),
        ("ｆｕｌｌ", ["full"]),
        ("ガ", ["ガ"]),
        ("İstanbul", ["istanbul"]),
        ("لا تُفَعِّل", ["لا", "تفعل"]),
        ("क्षेत्र", ["क्षेत्र"]),
        ("“quoted” — dash…", ["quoted", "dash"]),
        ("a\u200bb", ["a", "b"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert folding.tokens(text) == expected


@given(st.text(max_size=200))
def test_folding_twice_gives_the_same_words(text: str) -> None:
    """A query is folded as the text was: what was found in a token is found again."""
    once = folding.words(text)
    assert folding.words(text) == once
    for token in folding.tokens(text):
        assert "".join(folding.tokens(token)[:1])[:1] == token[:1]


@given(st.text(alphabet="abcdé配置ก0", max_size=30), st.text(alphabet="abcdé配置ก0", max_size=30))
def test_words_of_a_text_hold_the_words_of_its_parts(left: str, right: str) -> None:
    whole = folding.tokens(f"{left} {right}")
    assert whole == folding.tokens(left) + folding.tokens(right)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("see /etc/nginx/site.conf, please", ["etc/nginx/site.conf"]),
        ("call fetchUserProfile() now", ["fetchuserprofile"]),
        ('{"path":"src/app.py","n":12}', ["src/app.py"]),
        ("just ordinary words, nothing else at all", []),
        ("number 123456 alone", []),
        ("v3.14.2 and E4711x", ["v3.14.2", "e4711x"]),
        ("same/path same/path", ["same/path"]),
    ],
)
def test_names_are_paths_and_identifiers_once_each(text: str, kept: list[str]) -> None:
    assert folding.names(text).split() == kept


def test_huge_texts_stay_bounded() -> None:
    assert len(folding.names(" ".join(f"file_{i}.py" for i in range(10_000))).split()) == folding.MAX_NAMES
    assert len(folding.words("a" * 3_000_000)) == folding.INDEX_CHARS
    assert len(folding.words("é" * 3_000_000)) == folding.INDEX_CHARS
    assert folding.words(" " * 2_000_000).strip() == ""


def test_trigrams_cover_a_piece() -> None:
    assert folding.trigrams("abcab") == ["abc", "bca", "cab"]
    assert folding.trigrams("ab") == []
