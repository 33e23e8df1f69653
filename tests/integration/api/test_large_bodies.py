"""A long message is parsed, checked and hashed beside the event loop: other requests go on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from bobctx.api import body
from bobctx.core import parts
from tests.integration.api.conftest import CONVERSATION, Api

LONG = "The gateway listens on port 8443. " * 10_000
SHORT = "The gateway listens on port 8443."
CONTENTS: dict[str, Any] = {"text": LONG, "parts": [{"type": "text", "text": LONG[:30_000]}] * 10}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[bool]]:
    """Step -> whether it ran on the thread of the event loop."""
    found: dict[str, set[bool]] = {"parse": set(), "read": set()}

    def watched(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **more: Any) -> Any:
            found[name].add(threading.current_thread() is threading.main_thread())
            return real(*args, **more)

        return step

    monkeypatch.setattr("bobctx.api.calls.parse", watched("parse", body.parse))
    monkeypatch.setattr(parts, "read_message", watched("read", parts.read_message))
    return found


@pytest.mark.parametrize("form", sorted(CONTENTS))
@pytest.mark.parametrize("verb", ["messages", "assemble"])
async def test_a_long_message_does_not_hold_up_other_requests(
    api: Api, threads: dict[str, set[bool]], verb: str, form: str
) -> None:
    asked = {"user_id": "u1", "messages": [{"id": "a", "role": "user", "content": CONTENTS[form]}]}
    answer = await api.http.post(f"{CONVERSATION}/{verb}", json=asked)
    assert answer.status_code == 200, answer.text
    assert threads == {"parse": {False}, "read": {False}}


async def test_what_is_wrong_in_a_long_body_is_said_as_in_a_short_one(api: Api) -> None:
    asked = {"user_id": "u1", "messages": [{"id": "a", "role": "nobody", "content": LONG}], "more": 1}
    answer = await api.http.post(f"{CONVERSATION}/messages", json=asked)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "more")


async def test_a_short_message_is_read_at_once(api: Api, threads: dict[str, set[bool]]) -> None:
    """A thread for each would cost every turn more than it saves."""
    await api.record({"id": "a", "role": "user", "content": SHORT})
    assert threads == {"parse": {True}, "read": {True}}
