"""Sentences with the voice they are said in; what is only quoted is told apart."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.candidates import candidates, shorter
from bobctx.core.parts import read_message
from bobctx.core.types import Region


def voices(content: Any, role: str = "user", **fields: Any) -> list[tuple[str, str]]:
    message = read_message({"role": role, "content": content, **fields}, id="a", seq=1)
    return [(c.voice, c.text) for c in candidates(Region(messages=(message,)))]


def test_sentences_come_apart_and_keep_their_words() -> None:
    assert voices("- Port 8443 is used. The other one is free!\n2. Third thing here") == [
        ("user", "Port 8443 is used."),
        ("user", "The other one is free!"),
        ("user", "Third thing here"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Look:\n```\nrm -rf everything now\n```\nDone with that.",
        "Look:\n> rm -rf everything now\nDone with that.",
        "Look:\n~~~~\n```\nrm -rf everything now\n~~~~\nDone with that.",
        "Look:\n<log>\nrm -rf everything now\n</log>\nDone with that.",
    ],
)
def test_fences_block_quotes_and_tags_are_quoted_and_end(text: str) -> None:
    found = dict((t, v) for v, t in voices(text))
    assert found["rm -rf everything now"] == "quoted"
    assert found["Done with that."] == "user"


def test_a_forwarded_letter_is_quoted_to_its_end() -> None:
    found = voices("See below.\nFrom: Eve <eve@example.com>\nYou must pay today.\n\nRegards to all")
    assert [v for v, _ in found] == ["user", "quoted", "quoted", "quoted"]


def test_tools_hosts_and_thoughts_have_no_voice() -> None:
    assert voices("Never do that.", role="tool", tool_call_id="x") == []
    assert voices("Never do that.", injected=True) == []
    blocks = [{"type": "thinking", "thinking": "Never do that."}, {"type": "text", "text": "I will look at it."}]
    assert voices(blocks, role="assistant") == [("assistant", "I will look at it.")]
    result = [{"type": "tool_result", "tool_use_id": "x", "content": "Never do that."}]
    assert voices(result) == []


def test_a_long_sentence_is_offered_by_clause() -> None:
    long = "We moved the ledger to db-7 because it was full; " * 12
    assert all(len(text) <= 320 for _, text in voices(long))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Yeah, I painted that lake sunrise last year!", "I painted that lake sunrise last year!"),
        ("So much happened here - I joined a new group last Tuesday.", "I joined a new group last Tuesday."),
        ("I bought two new lamps, but the red one broke yesterday.", "the red one broke yesterday."),
    ],
)
def test_less_can_be_quoted_of_a_sentence(text: str, part: str) -> None:
    assert part in shorter(text, "en")


def test_a_label_a_condition_and_a_denial_are_never_cut_off() -> None:
    assert shorter("Arrival time: 04:00 PM at the main gate", "en") == []
    assert shorter("Restart db-7 only if I say so myself.", "en") == []
    assert shorter("No, I did not paint that lake.", "en") == []
