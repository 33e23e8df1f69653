"""Content per token: what is dense, rare and used again scores higher, and the same every time."""

from __future__ import annotations

import pytest

from bobctx.core import salience as salience_module
from bobctx.core.salience import rough_tokens, salience, stems, terms_of

TEXTS = [
    "The weather is nice today.",
    "The build of svc-7 failed on 2027-03-01.",
    "Yes, the weather is nice.",
    "Let us look at svc-7 again.",
]
TERMS = terms_of(TEXTS)


def score(text: str, position: int = 1) -> float:
    return salience(text, TERMS, position, lang="en")


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("The build of svc-7 failed on 2027-03-01.", "The weather is nice today."),
        ("I met Anna in Paris last week.", "I met someone in some place."),
        ("Port 9443 is open.", "Well, you know, it is sort of like that, I would say, more or less, in a way."),
        ("Deploy svc-7 tomorrow.", "Deploy something."),
    ],
)
def test_names_values_times_and_events_count(more: str, less: str) -> None:
    assert score(more) > score(less)


def test_a_word_that_comes_back_later_counts_more() -> None:
    assert salience("svc-7 is slow.", TERMS, 1, lang="en") > salience("svc-7 is slow.", TERMS, 3, lang="en")


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert TERMS.rarity("build") > TERMS.rarity("weather") > 0


@pytest.mark.parametrize("text", ["", "...", "of the and", "🙂"])
def test_text_without_content_scores_nothing(text: str) -> None:
    assert score(text) == 0.0


def test_scores_stay_between_zero_and_one() -> None:
    assert 0.0 < score("A1 B2 C3 D4 E5 on Monday in Paris, Berlin and Rome, we met, went and won 99 medals.") < 1.0


def test_stems_keep_exact_values_and_drop_stop_words() -> None:
    assert {"9443", "/etc/hosts"} <= set(stems("the ports 9443 in /etc/hosts", "en"))
    assert "the" not in stems("the ports", "en")


def test_tokens_of_wide_scripts_are_not_counted_by_four() -> None:
    assert rough_tokens("管理端口是八四四三") >= 2 * rough_tokens("abcdefghi")


@pytest.mark.parametrize(
    "sentence",
    [
        "The queue was empty when the shift ended",
        "The queue was 73 at noon and stayed there",
        "\u0660\u0661 messages waited at the gate all night",
        "costs of \u20ac\u0663 were booked by the office",
        "see docs/guide and the rest of the folder",
        "write to anna@example.org about the rest",
        "pass --force to it and look at the result",
        "the max_connections setting is read once",
        "the call went to Anna Berger in the morning",
        "Anna\u00a0Berger called again in the morning",
        "the eu-west-gateway answered in the morning",
        "a-b and c-d answered in the early morning",
        "Short one, 12",
        "",
    ],
)
def test_a_quick_look_spares_the_patterns_and_changes_no_skeleton(sentence: str) -> None:
    """Fails if a sentence with a value or name is taken for one without."""
    bare = salience_module.NAME.sub("\u00b7", salience_module.VALUE.sub("\u00b7", sentence))
    assert salience_module.skeleton(sentence) == (bare.strip().casefold() if len(bare) > 12 else "")
    assert salience_module._rough(sentence) == salience_module._ROUGH.split(sentence)
