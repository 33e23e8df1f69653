"""Claims against their supporting clauses, in every language that has tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx.core.language import LANGUAGES
from bobctx.core.polarity import compare
from tests.unit.core.claim_cases import region, verdict

PAIRS = Path(__file__).parent / "polarity_pairs"


def _rows() -> list[tuple[str, str, str, str]]:
    """(language, expected, claim, clause); `expected` is `ok` or the code of the difference."""
    rows: list[tuple[str, str, str, str]] = []
    for path in sorted(PAIRS.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            expected, claim, clause = line.split("\t")
            rows.append((path.stem, expected, claim, clause))
    return rows


@pytest.mark.parametrize(("lang", "expected", "claim", "clause"), _rows())
def test_pair_agrees_or_shows_its_difference(lang: str, expected: str, claim: str, clause: str) -> None:
    codes = {m.code for m in compare(claim, [clause], lang=lang, claim_type="constraint")}
    assert codes == set() if expected == "ok" else expected in codes


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_its_pairs(lang: str) -> None:
    mine = [r for r in _rows() if r[0] == lang]
    assert len(mine) >= 30
    assert {"ok", "negation_dropped", "antonym", "modality", "comparator"} <= {r[1] for r in mine}


@pytest.mark.parametrize(("lang", "expected", "claim", "clause"), [r for r in _rows() if r[1] == "ok"])
def test_clause_never_contradicts_itself(lang: str, expected: str, claim: str, clause: str) -> None:
    found = compare(clause, [clause], lang=lang, claim_type="fact")
    assert [m.code for m in found if m.code not in ("contrast_asserted",)] == []


def test_mismatch_names_cue_and_clause() -> None:
    clauses = ["The lid is blue.", "The lid must not be removed."]
    (found,) = compare("The lid must be removed.", clauses, lang="en")
    assert (found.code, found.cue, found.clause) == ("negation_dropped", "not", 1)


def test_curly_and_straight_apostrophes_read_the_same() -> None:
    for clause in ("Don't wash the filter.", "Don’t wash the filter.", "Dont wash the filter."):
        assert [m.code for m in compare("Wash the filter.", [clause], lang="en")] == ["negation_dropped"]


def test_negation_inside_a_name_or_quotation_denies_nothing() -> None:
    assert compare("The build runs with `--no-cache`.", ["Run the build with `--no-cache`."], lang="en") == []
    assert compare('The sign reads "do not enter".', ['The sign reads "do not enter".'], lang="en") == []


def test_negation_of_another_clause_is_not_taken_over() -> None:
    clauses = ["The pump runs at night.", "The heater must not run at night."]
    assert compare("The pump runs at night.", clauses, lang="en") == []
    assert compare("The heater runs at night.", clauses, lang="en") != []


def test_open_question_may_rest_on_a_question() -> None:
    clause = "Is the tower open on Mondays?"
    assert compare("The tower is open on Mondays.", [clause], lang="en", claim_type="open_question") == []
    assert [m.code for m in compare("The tower is open on Mondays.", [clause], lang="en")] == ["question"]


def test_question_that_a_short_answer_accepts_is_settled() -> None:
    clauses = ["Shall we paint the fence green?", "Yes, please."]
    assert compare("The fence is painted green.", clauses, lang="en", claim_type="decision") == []


def test_unread_language_passes_only_word_for_word() -> None:
    source = "Nie wolno otwierać pieca przed końcem pieczenia."
    assert compare(source.rstrip("."), [source]) == []
    found = compare("Piec wolno otworzyć przed końcem pieczenia.", [source])
    assert [m.code for m in found] == ["unread_language"]


def test_double_negation_is_read_as_affirmation() -> None:
    assert compare("Tracing is enabled.", ["Tracing is not disabled."], lang="en") == []
    assert compare("Tracing is disabled.", ["Tracing is not disabled."], lang="en") != []


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        (
            "A pass gives 20% off and works at most once per guest.",
            "A pass works at least once per guest.",
            "comparator",
        ),
        ("A pass gives 20% off and works at most once per guest.", "A pass works no more than once per guest.", ""),
        ("Hiring is open to anyone older than 19.", "Hiring is open to anyone younger than 19.", "comparator"),
        ("Huren mag alleen wie ouder is dan 19 jaar.", "Huren mag alleen wie jonger is dan 19 jaar.", "antonym"),
        ("The pump is flushed once every 3 days.", "The pump is flushed once every 3 days.", ""),
    ],
)
def test_amounts_and_ages_keep_their_side(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == (code or "accepted")
