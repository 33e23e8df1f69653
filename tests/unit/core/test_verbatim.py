"""Literals stand in the cited messages as whole tokens."""

from __future__ import annotations

import pytest

from bobctx.core import verbatim
from tests.unit.core.claim_cases import case, region, verdict

SAID = region(
    "Deploy v1.21 of `edge-proxy` from /srv/releases/edge/2026 for ticket ABC-123, wait 30 s, keep 18,500 rows, "
    'see https://wiki.example/ops/edge and the file "Small wins, shipped weekly" from 2026-09-21.',
)


@pytest.mark.parametrize(
    "text",
    [
        "Deploy v1.2 of the proxy.",
        "The release is in /srv/releases.",
        "The release is in /srv/releases/edge/202.",
        "It is ticket ABC-12.",
        "Wait 30 ms.",
        "Wait 3 s.",
        "Keep 18,501 rows.",
        "See https://wiki.example/ops.",
        'The file is "Small wins, shipped daily".',
        "It is from 2026-09-12.",
        "It is from 2026-09.",
        "Deploy `edge-prox`.",
    ],
)
def test_a_changed_or_cut_literal_is_refused(text: str) -> None:
    assert verdict(SAID, text) in ("literal_missing", "unit_mismatch")


@pytest.mark.parametrize("marks", ['""', "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb", "\u300c\u300d", "``"])
def test_approved_words_in_quotation_marks_are_word_for_word_or_refused(marks: str) -> None:
    """Fails if a paraphrase may stand in quotation marks: a reader takes it for the approved text."""
    first, last = marks[0], marks[1]
    approved = region(f"The approved headline is {first}Quiet rivers, loud cities{last}.")
    assert verbatim.check(case(approved, f"The headline is {first}Quiet rivers, loud cities{last}.")) is None
    for words in ("Loud cities, quiet rivers", "Quiet rivers and loud cities", "Quieter rivers, loud cities"):
        assert verdict(approved, f"The headline is {first}{words}{last}.") == "literal_missing", words


@pytest.mark.parametrize(
    "text",
    [
        "v1.21 of `edge-proxy` is deployed.",
        "It waits 30 seconds.",
        "18500 rows are kept.",
        'The file is "Small wins, shipped weekly".',
        "It is from 21 September, 2026-09-21.",
    ],
)
def test_the_same_value_in_another_dress_is_found(text: str) -> None:
    assert verbatim.check(case(SAID, text)) is None


def test_five_percent_dollars_and_minus_five_differ() -> None:
    for said, claimed in (("5 %", "5"), ("$5", "5"), ("-5", "5"), ("5", "5 %"), ("5", "-5")):
        assert verbatim.check(case(region(f"The delta is {said} here."), f"The delta is {claimed} here.")) is not None


def test_a_missing_value_names_itself_and_a_wrong_unit_the_right_one() -> None:
    missing = verbatim.check(case(SAID, "Wait 31 s."))
    wrong = verbatim.check(case(SAID, "Wait 30 min."))
    assert missing is not None
    assert missing.data["literal"] == "31 s"
    assert wrong is not None
    assert wrong.data == {"literal": "30 min", "source": "30 s", "kind": "number"}


def test_evidence_points_at_the_literal_in_its_message() -> None:
    checked = case(SAID, "Wait 30 s for ABC-123.")
    for found in verbatim.evidence(checked):
        assert SAID.messages[found.message].text[found.start : found.end].rstrip(",") == found.literal


def test_a_value_in_json_arguments_is_found() -> None:
    of = region(("assistant", 'run({"cmd": "echo \\"port 8080\\"\\nsleep 5"})'))
    assert verbatim.check(case(of, "The command prints 8080 and sleeps 5.")) is None


@pytest.mark.parametrize(
    ("source", "honest", "wrong"),
    [
        ('The subject is "The lighthouse wakes up".', "The lighthouse wakes up", "The lighthouse wakes"),
        ('The subject is "The lighthouse wakes up".', "The lighthouse wakes up", "lighthouse wakes up"),
        ("Der Reiter heißt „Offene Posten“.", "Offene Posten", "Posten"),
        ("标题是「灯塔醒来了」。", "灯塔醒来了", "灯塔醒来"),
    ],
)
def test_one_end_of_a_title_is_another_title(source: str, honest: str, wrong: str) -> None:
    assert verdict(region(source), f'The name is "{honest}".') != "literal_missing"
    assert verdict(region(source), f'The name is "{wrong}".') == "literal_missing"


def test_a_part_of_what_somebody_said_may_be_quoted() -> None:
    said = 'He said "please never open the gate at the side of the house before ten or after six in the evening".'
    assert verdict(region(said), 'He said "never open the gate".') == "accepted"


@pytest.mark.parametrize(
    ("source", "without", "claim"),
    [
        ("Both boilers are leaking.", "My boilers are leaking.", "The two boilers are leaking."),
        (
            "Allebei de ketels in het huis lekken.",
            "De ketels in het huis lekken.",
            "De twee ketels in het huis lekken.",
        ),
        ("Ambas calderas de la casa gotean.", "Las calderas de la casa gotean.", "Las dos calderas de la casa gotean."),
        (
            "Entrambe le caldaie della casa perdono.",
            "Le caldaie della casa perdono.",
            "Le due caldaie della casa perdono.",
        ),
    ],
)
def test_both_are_two(source: str, without: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
    assert verdict(region(without), claim) == "literal_missing"
