"""Which user messages count as the host's, by how they begin."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.injected import mark_injected
from bobctx.core.parts import read_message

PREFIXES = ("<reminder>", "# Rules")
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


@pytest.mark.parametrize(
    ("role", "content", "injected"),
    [
        ("user", "<reminder>be brief</reminder>", True),
        ("user", "\n  # Rules\nuse tabs", True),
        ("user", "Read this: <reminder>", False),
        ("user", "# rules", False),  # case counts
        ("assistant", "<reminder>be brief</reminder>", False),
        ("user", [text("<reminder>a"), text("# Rules")], True),
        ("user", [text("<reminder>a"), text("Never touch billing.")], False),  # the user's own words are in it
        ("user", [text("<reminder>a"), IMAGE], False),
        ("user", [{"type": "tool_result", "tool_use_id": "t", "content": "<reminder>"}], False),
        ("user", "", False),
    ],
)
def test_every_text_of_a_user_message_has_to_begin_so(role: str, content: Any, injected: bool) -> None:
    message = read_message({"role": role, "content": content}, id="m")
    (found,) = mark_injected([message], PREFIXES)
    assert found.injected is injected
    assert (found.sha256, found.body) == (message.sha256, message.body)


def test_a_flag_of_the_host_stays_and_without_prefixes_nothing_changes() -> None:
    flagged = read_message({"role": "user", "content": "hello", "injected": True}, id="m")
    plain = read_message({"role": "user", "content": "<reminder>x"}, id="n")
    assert [m.injected for m in mark_injected([flagged, plain], PREFIXES)] == [True, True]
    assert mark_injected([flagged, plain], ()) == (flagged, plain)
