"""Nothing of the example that a small model is shown comes back as a claim."""

from __future__ import annotations

import json

import pytest

from bobctx.core import example
from bobctx.core.reply import ParsedReply, parse_reply
from tests.unit.core.claim_cases import region, validate, verdict

PORTS = region("Redis listens on port 6379, the gate on 8443.", ("assistant", "Noted: 8443 for the gate."))


@pytest.mark.parametrize("word", example.OWN_WORDS)
def test_each_own_word_is_refused_whatever_else_the_claim_says(word: str) -> None:
    assert verdict(PORTS, f"{word.capitalize()} listens on port 8443.", "m1") == "example_leak"


def test_a_leaked_name_with_a_valid_cite_and_a_valid_number_is_refused_by_its_own_code() -> None:
    """Fails if only numbers are compared: the number stands in the cited message."""
    _, report = validate(PORTS, {"type": "fact", "text": "Quillmere listens on port 8443.", "cites": ["m1"]})
    [refused] = report.rejections
    assert (refused.code, refused.data) == ("example_leak", {"word": "Quillmere"})
    assert "example" in refused.message


@pytest.mark.parametrize("text", ["Ｑuillmere listens on port 8443.", "The Tarnfaxes listen on port 8443."])
def test_another_width_or_an_ending_hides_no_leak(text: str) -> None:
    assert verdict(PORTS, text, "m1") == "example_leak"


def test_a_conversation_about_the_words_themselves_may_keep_them() -> None:
    about = region("Our new host is called Quillmere.")
    assert verdict(about, "The new host is called Quillmere.", "m1") == "accepted"
    assert verdict(region("Quillmere is a host.", "It has 8 cores."), "Quillmere has 8 cores.", "m2") == "example_leak"


def test_a_longer_word_that_was_said_is_no_leak() -> None:
    named = region("The folder is tarnfaxes-old.")
    assert verdict(named, "The folder is tarnfaxes-old.", "m1") == "accepted"


def test_the_examples_own_answer_holds_under_the_validator() -> None:
    """A model is shown nothing that would be refused: not a wrong type, not a missing negation."""
    shown = region(*((role, text) for _, role, text in example.MESSAGES))
    parsed = parse_reply(example.ANSWER)
    assert isinstance(parsed, ParsedReply)
    names = {name: f"m{n}" for n, (name, _, _) in enumerate(example.MESSAGES, 1)}
    claims = [
        {"type": c.type, "text": c.text, "importance": 2, "cites": [names[i] for i in c.cites]} for c in parsed.claims
    ]
    accepted, report = validate(shown, *claims)
    assert not report.rejections
    assert len(accepted) == len(parsed.claims)


def test_every_name_and_value_of_the_example_is_its_own() -> None:
    """Fails when a name or number is added to the example and not to its own words."""
    said = json.dumps(example.MESSAGES) + example.ANSWER
    assert all(word in said.casefold() for word in example.OWN_WORDS)
    numbers = {w.strip(".,") for w in said.split() if any(c.isdigit() for c in w) and "x" not in w}
    assert {n for n in numbers if n.isdigit()} <= set(example.OWN_WORDS)
