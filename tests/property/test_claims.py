"""Properties of literals and of the validator."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bobctx.core.literals import containers, of_claim, scan
from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims

TEXT = st.text(min_size=1, max_size=300)
PIECES = ["the", "port", "of", "alpha", "beta", "gamma", "is", "8443", "30 s", "v1.2", "`x_y`", "and", "/etc/app"]
WORDS = st.lists(st.sampled_from(PIECES), min_size=3, max_size=25)


def region(text: str) -> Region:
    return Region(messages=(read_message({"id": "m1", "role": "user", "content": text}),))


@given(TEXT)
def test_literals_lie_inside_the_text_in_order(text: str) -> None:
    found = scan(text)
    assert all(0 <= f.start < f.end <= len(text) for f in found)
    assert [f.start for f in found] == sorted(f.start for f in found)
    assert all(text[c.start : c.end] == c.text for c in containers(text))


@given(TEXT, TEXT)
@settings(max_examples=60, deadline=None)
def test_any_text_gets_an_answer_and_always_the_same(said: str, claimed: str) -> None:
    raw = [{"id": "c1", "type": "fact", "importance": 2, "text": claimed, "cites": ["m1"]}]
    first = validate_claims(raw, region(said))
    assert first == validate_claims(raw, region(said))
    assert len(first[0]) + len(first[1].rejections) == 1


@given(WORDS)
@settings(max_examples=60, deadline=None)
def test_every_literal_of_an_accepted_claim_stands_where_its_evidence_says(words: list[str]) -> None:
    text = " ".join(words)
    claims, _ = validate_claims(
        [{"id": "c1", "type": "fact", "importance": 2, "text": text, "cites": ["m1"]}], region(text)
    )
    for claim in claims:
        assert len(claim.evidence) == len(of_claim(text, "en"))
        assert all(text[e.start : e.end] == e.literal for e in claim.evidence)


@given(st.integers(10, 99_999), st.integers(1, 9))
@settings(max_examples=50, deadline=None)
def test_a_shifted_number_is_never_supported(value: int, shift: int) -> None:
    raw = [{"id": "c1", "type": "fact", "importance": 2, "text": f"The limit is {value + shift}.", "cites": ["m1"]}]
    assert not validate_claims(raw, region(f"The limit is {value}."))[0]
