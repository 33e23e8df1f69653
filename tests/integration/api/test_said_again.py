"""Turns without ids where something was deleted: a new one is kept, a history sent again brings nothing back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.conftest import CONVERSATION, Api

U = {"user_id": "u1"}
DELETED = ["deleted_not_stored"]


def said(*texts: str) -> list[dict[str, Any]]:
    """Messages of user and assistant in turn."""
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


async def texts(api: Api) -> list[str]:
    answer = await api.http.get(f"{CONVERSATION}/messages", params=U)
    return [m["content"] for m in answer.json()["messages"]] if answer.status_code == 200 else []


async def delete(api: Api, what: str) -> None:
    assert (await api.http.delete(what, params=U)).status_code == 200


async def filled(api: Api) -> list[str]:
    found = await api.record(*said("start", "sure?", "yes"))
    ids: list[str] = found["ids"]
    return ids


async def test_a_turn_that_says_again_what_was_deleted_is_stored(api: Api) -> None:
    """Fails if it gets the deleted message's id and is thrown away with an answer of 200."""
    for _ in range(3):
        ids = await filled(api)
        await delete(api, f"{CONVERSATION}/messages/{ids[-1]}")
        found = await api.record(*said("yes"))
        assert (found["indexed"], found["ignored"], found["warnings"]) == (1, 0, [])
        assert await texts(api) == ["start", "sure?", "yes"]


@pytest.mark.parametrize("path", [CONVERSATION, "/v1/users/u1"])
@pytest.mark.parametrize("turn", [("start",), ("start", "sure?")])
async def test_a_conversation_begins_anew_with_the_same_words(api: Api, path: str, turn: tuple[str, ...]) -> None:
    await filled(api)
    await delete(api, path)
    found = await api.record(*said(*turn))
    assert (found["indexed"], found["ignored"]) == (len(turn), 0)
    assert await texts(api) == [*turn]
    assert (await api.record(*said(*turn, "go on")))["indexed"] == 1
    assert "go on" in await texts(api)


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_history_sent_again_brings_nothing_back_and_adds_what_is_new(api: Api, place: int) -> None:
    """Fails if a hole in the history makes all of it look new."""
    ids = await filled(api)
    await delete(api, f"{CONVERSATION}/messages/{ids[place]}")
    history = ["start", "sure?", "yes"]
    found = await api.record(*said(*history, "done"))
    assert (found["indexed"], found["ignored"], found["warnings"]) == (1, 1, DELETED)
    left = [text for i, text in enumerate(history) if i != place]
    assert await texts(api) == [*left, "done"]


async def test_a_history_of_a_deleted_conversation_brings_nothing_back(api: Api) -> None:
    await filled(api)
    await delete(api, CONVERSATION)
    found = await api.record(*said("start", "sure?", "yes", "done"))
    assert (found["indexed"], found["ignored"], found["warnings"]) == (1, 3, DELETED)
    assert await texts(api) == ["done"]


async def test_a_deleted_message_with_an_id_is_left_out_without_a_warning(api: Api) -> None:
    await api.record({"id": "a", **said("start")[0]}, {"id": "b", **said("yes")[0]})
    await delete(api, f"{CONVERSATION}/messages/b")
    found = await api.record({"id": "b", **said("yes")[0]})
    assert (found["indexed"], found["ignored"], found["warnings"]) == (0, 1, [])


async def test_a_system_prompt_in_front_changes_nothing(api: Api) -> None:
    system = {"role": "system", "content": "rules"}
    ids = (await api.record(system, *said("start", "sure?", "yes")))["ids"]
    await delete(api, f"{CONVERSATION}/messages/{ids[1]}")
    await delete(api, f"{CONVERSATION}/messages/{ids[3]}")
    again = await api.record(system, *said("start", "sure?", "yes"))
    assert (again["indexed"], again["ignored"]) == (0, 2)
    assert (await api.record(*said("yes")))["indexed"] == 1
    assert await texts(api) == ["sure?", "yes"]
