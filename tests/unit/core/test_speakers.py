"""Who spoke is said in the final list, in each dialect's own way, and costs what it costs."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.dialect import DIALECTS, check, repair, to_dialect
from bobctx.core.parts import read_message
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import message_tokens
from bobctx.core.types import Message


def said(speaker: str | None, content: Any = "Let us meet at nine.", role: str = "user") -> Message:
    body = {"role": role, "content": content} | ({"speaker": speaker} if speaker else {})
    return read_message(body, id="m")


def written(message: Message, dialect: str) -> str:
    return str(to_dialect([message], dialect))


def test_openai_takes_a_plain_name_beside_the_text() -> None:
    assert to_dialect([said("ana_1")], "openai") == [
        {"role": "user", "content": "Let us meet at nine.", "name": "ana_1"}
    ]


@pytest.mark.parametrize("speaker", ["Ana Lima", "王伟", "a<b", "x" * 65])
def test_a_name_that_no_field_takes_stands_before_the_text(speaker: str) -> None:
    (message,) = to_dialect([said(speaker)], "openai")
    assert message == {"role": "user", "content": f"{speaker}: Let us meet at nine."}


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d != "openai"])
def test_dialects_without_a_field_begin_the_text_with_the_speaker(dialect: str) -> None:
    assert "ana: Let us meet at nine." in written(said("ana"), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("message", [said(None), said("ana", role="assistant")])
def test_nobody_is_named_without_a_speaker_or_for_the_assistant(dialect: str, message: Message) -> None:
    assert "ana" not in written(message, dialect)
    assert "name" not in written(message, dialect)


def test_a_text_that_names_its_speaker_already_is_left_alone() -> None:
    assert "ana: ana:" not in written(said("ana", "ana: hello"), "anthropic")


def test_parts_keep_their_order_and_media_is_named_too() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    (message,) = to_dialect([said("Ana Lima", [image, {"type": "text", "text": "see"}])], "openai")
    assert [b["type"] for b in message["content"]] == ["text", "image_url", "text"]
    assert message["content"][0]["text"] == "Ana Lima:"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_group_chat_is_valid_and_everyone_is_named(dialect: str) -> None:
    chat = [said("ana", "one"), said("Ben Ito", "two"), said("ana", "three")]
    final, _ = repair(to_dialect(chat, dialect), dialect)
    assert not check(final, dialect)
    text = str(final)
    assert "Ben Ito: two" in text
    assert text.count("ana") == 2


def test_a_named_message_costs_its_name() -> None:
    def count(text: str) -> int:
        return len(text)

    assert counted_tokens(said("ana"), count) > message_tokens(said("ana").parts, count)
    assert counted_tokens(said(None), count) == message_tokens(said(None).parts, count)
