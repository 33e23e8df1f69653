"""A reply is read strictly, and every refusal has a name."""

from __future__ import annotations

import json

import pytest

from bobctx.core.reply import ParsedReply, ReplyError, depth_of, parse_reply
from bobctx.core.types import Json

CLAIM = {"id": "c1", "type": "fact", "importance": 2, "text": "Port 9443.", "cites": ["m1"], "supersedes": None}
GOOD = json.dumps({"claims": [CLAIM], "narrative": {"goal": "Move the port.", "progress": ""}})


def code(text: str, **options: Json) -> str:
    parsed = parse_reply(text, **options)
    return parsed.code if isinstance(parsed, ReplyError) else "ok"


def test_a_plain_reply_yields_its_claims_and_the_filled_narrative_fields() -> None:
    parsed = parse_reply(GOOD)
    assert isinstance(parsed, ParsedReply)
    assert [(c.index, c.id, c.text, c.cites) for c in parsed.claims] == [(0, "c1", "Port 9443.", ["m1"])]
    assert parsed.narrative == {"goal": "Move the port."}


def test_no_claims_is_a_valid_answer() -> None:
    assert parse_reply('{"claims": []}') == ParsedReply(claims=(), narrative={})


@pytest.mark.parametrize(
    "wrapped",
    [
        f"```json\n{GOOD}\n```",
        f"Here you are:\n\n```\n{GOOD}\n```\nAnything else?",
        f"<think>The port moved. {{maybe}}</think>\n{GOOD}",
        f"\ufeff  {GOOD}\n",
        f"```json\n{GOOD}",  # an unclosed fence around a whole document
    ],
)
def test_a_fence_or_a_leading_thought_around_the_json_is_tolerated(wrapped: str) -> None:
    assert parse_reply(wrapped) == parse_reply(GOOD)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("<think>I should list the claims</think>", "reasoning_only"),
        ("<think>cut off in the middle of a thought", "reasoning_only"),
        ("I cannot help with that.", "malformed"),
        (GOOD[:-5], "malformed"),
        (GOOD + GOOD, "malformed"),
        (GOOD + "\nHope this helps", "malformed"),
        ("[]", "wrong_type"),
        ('{"facts": []}', "wrong_type"),
        ('{"claims": {}}', "wrong_type"),
        ('{"claims": ["x"]}', "wrong_type"),
        ('{"claims": [], "narrative": []}', "wrong_type"),
        ('{"claims": [], "narrative": {"goal": 3}}', "wrong_type"),
        ('{"claims": [], "claims": []}', "duplicate_key"),
        ('{"claims": [{"text": "a", "text": "b"}]}', "duplicate_key"),
        ('{"claims": [{"importance": NaN}]}', "not_a_number"),
        ('{"claims": [{"importance": -Infinity}]}', "not_a_number"),
        ('{"claims": [{"importance": 1e999}]}', "not_a_number"),
        ('{"claims": [{"importance": ' + "9" * 5000 + "}]}", "malformed"),
        ('{"claims": ' + "[" * 100 + "]" * 100 + "}", "too_deep"),
        ('{"claims": ' + "[" * 200_000, "too_deep"),
        ('{"claims": [' + "{}," * 1000 + "{}]}", "too_many_claims"),
    ],
)
def test_what_is_no_claims_reply_is_refused_by_name(text: str, expected: str) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("length", "truncated"),
        ("max_tokens", "truncated"),
        ("content_filter", "refused"),
        ("stop", "ok"),
        ("end_turn", "ok"),
        (None, "ok"),
    ],
)
def test_the_finish_reason_decides_even_where_the_json_closes(reason: str | None, expected: str) -> None:
    assert code(GOOD, finish_reason=reason) == expected


def test_a_reply_over_the_size_limit_is_refused_unread() -> None:
    assert code("x" * 10_000_001) == "too_large"
    assert code(GOOD, max_chars=10) == "too_large"


def test_values_inside_a_claim_may_be_of_any_type() -> None:
    parsed = parse_reply('{"claims": [{"id": 7, "cites": "m1", "text": null, "importance": "3"}]}')
    assert isinstance(parsed, ParsedReply)
    claim = parsed.claims[0]
    assert (claim.id, claim.cites, claim.text, claim.importance, claim.type) == (7, "m1", None, "3", None)


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    assert depth_of(r'{"a": "[[[\"[[[", "b": [1]}') == 2
    assert depth_of('"' + "[" * 1000) == 0  # a string that never closes is no nesting
