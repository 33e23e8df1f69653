"""The history of old: at most 20 messages or 8192 characters, the newest always."""

from __future__ import annotations

from bobctx.core.budget import Window
from bobctx.core.legacy import LAST_CHARS, last_messages
from bobctx.core.parts import read_message
from bobctx.core.plan import Assembled, AssemblyRequest
from bobctx.core.tokens import estimate


def given(*texts: str, system: str | None = None) -> Assembled:
    posted = [{"id": f"a{n}", "role": "user", "content": text} for n, text in enumerate(texts)]
    if system is not None:
        posted.insert(0, {"id": "s", "role": "system", "content": system})
    request = AssemblyRequest(window=Window(tokens=8192, source="setting"), count=estimate, versions=("", ""))
    return last_messages([read_message(m) for m in posted], request)


def test_the_last_twenty() -> None:
    found = given(*[f"m{n}" for n in range(30)], system="rules")
    assert [m["content"] for m in found.messages] == ["rules", *[f"m{n}" for n in range(10, 30)]]
    assert found.decision["messages_uncovered"] == 10


def test_fields_of_ours_are_not_sent() -> None:
    message = read_message({"id": "a", "role": "user", "content": "hi", "speaker": "Ana", "injected": True})
    request = AssemblyRequest(window=Window(tokens=8192, source="setting"), count=estimate, versions=("", ""))
    assert last_messages([message], request).messages == ({"role": "user", "content": "hi"},)


def test_the_newest_is_kept_whatever_its_size() -> None:
    found = given("old", "x" * (LAST_CHARS + 1))
    assert [len(str(m["content"])) for m in found.messages] == [LAST_CHARS + 1]


def test_older_ones_only_while_the_characters_last() -> None:
    half = "x" * (LAST_CHARS // 2)
    assert len(given(half, half, half).messages) == 2
