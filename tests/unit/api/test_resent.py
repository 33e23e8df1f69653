"""Calls without ids where something was deleted: which are a history sent again, and which are new turns."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bobctx.api import posted, resent
from bobctx.core.types import Message


def said(texts: Sequence[str]) -> list[Message]:
    """A message for each text; those of the assistant are written in capitals."""
    roles = ["assistant" if text.isupper() else "user" for text in texts]
    items = [posted.check({"role": r, "content": t}, "m") for r, t in zip(roles, texts, strict=True)]
    return [posted.read(item, id="") for item in items]


def path_of(text: str) -> list[tuple[str, str]]:
    """The path of messages recorded one after the other; what stands behind `-` was deleted then."""
    letters = [(letter, text[i - 1 : i] == "-") for i, letter in enumerate(text) if letter != "-"]
    messages = said([letter for letter, _ in letters])
    named = posted.with_ids([posted.check(m.body, "m") for m in messages], messages, (), None)
    return [(m.id, "" if gone else m.sha256) for m, (_, gone) in zip(named, letters, strict=True)]


@pytest.mark.parametrize(
    ("stored", "call", "known"),
    [
        ("aB-c", "c", ""),  # a turn that says again what was deleted
        ("aB-c-D", "cD", ""),
        ("-a", "a", ""),  # and so it is after everything was deleted
        ("-a-B-c-D", "a", ""),
        ("-a-B-c-D", "aB", ""),
        ("-a-B-c-D", "aX", ""),
        ("aB-c", "aBc", "aBc"),  # the whole history sent again
        ("aB-c", "aBcD", "aBc"),
        ("a-BcD", "aBcDe", "aBcD"),
        ("a-BcD", "acDe", "acD"),  # by a host that deleted it too
        ("a-B-cD", "aBDe", "aBD"),
        ("-a-B-c-D", "aBcDe", "aBcD"),
        ("-a-B-c-D", "aBcD", "aBcD"),
        ("-a-B-c-D", "aBc", "aBc"),  # more than one exchange of it
        ("-a-BaB", "aBc", "aB"),  # begun anew with the same words
        ("-a-BaB", "aBaB", "aBaB"),
        ("a-b-c-d-eF", "abcdeF", "abcdeF"),
        ("aB-cD", "cD", "cD"),  # the last call repeated
        ("aB-cD", "D", "D"),
    ],
)
def test_where_a_call_stands_in_a_conversation_that_lost_messages(stored: str, call: str, known: str) -> None:
    found = resent.known_ids(said(call), path_of(stored), None)
    letters = [letter for letter in stored if letter != "-"]
    names = {ident: letter for (ident, _), letter in zip(path_of(stored), letters, strict=True)}
    assert "".join(names[ident] for ident in found) == known


def test_a_message_recorded_after_a_deletion_is_known_when_it_is_deleted_too() -> None:
    """Its id was derived from the message that was the last one then, not from the one that stands before it."""
    first, second = said("ab")
    earlier = path_of("a-x")
    [named] = posted.with_ids([posted.check(second.body, "m")], [second], (), earlier[0][0])
    path = [*earlier, (named.id, "")]
    assert resent.known_ids([first, second], path, None) == [earlier[0][0], named.id]


def test_a_deleted_message_with_an_id_of_its_own_is_known_by_that() -> None:
    path = [("one", ""), ("two", said("B")[0].sha256)]
    items = [posted.check({"id": "one", "role": "user", "content": "a"}, "m"), posted.check(said("B")[0].body, "m")]
    call = [posted.read(item, id=item.id or "") for item in items]
    assert resent.known_ids(call, path, None) == ["one", "two"]
