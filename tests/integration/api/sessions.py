"""Messages of an agent session and the calls that a host makes with them."""

from __future__ import annotations

from typing import Any

from tests.integration.api.conftest import CONVERSATION, Api

U = {"user_id": "u1"}
Body = dict[str, Any]


def user(number: Any, text: str, **more: Any) -> Body:
    return {"id": f"u{number}", "role": "user", "content": text, **more}


def says(number: Any, text: str) -> Body:
    return {"id": f"a{number}", "role": "assistant", "content": text}


def tool_round(number: int, text: str) -> list[Body]:
    call = {"id": f"k{number}", "type": "function", "function": {"name": "list", "arguments": f'{{"n": {number}}}'}}
    return [
        {"id": f"c{number}", "role": "assistant", "content": None, "tool_calls": [call]},
        {"id": f"t{number}", "role": "tool", "tool_call_id": f"k{number}", "content": text},
    ]


def talk(count: int, words: int = 60) -> list[Body]:
    said = [[user(n, f"Item {n}: " + "some words " * (words // 2)), says(n, f"Noted {n}.")] for n in range(count)]
    return [m for pair in said for m in pair]


async def post(api: Api, path: str, **body: Any) -> Body:
    answer = await api.http.post(f"{CONVERSATION}{path}", json={**U, **body})
    assert answer.status_code == 200, answer.text
    found: Body = answer.json()
    return found


async def compacted(api: Api, *messages: Body) -> None:
    """Record everything and compact until nothing is eligible."""
    await api.record(*messages)
    while (await post(api, "/compact"))["regions"]:
        pass


async def prompt(api: Api, text: str = "And now?", **more: Any) -> Body:
    more = {"window": 8_192, "tools": ["conv_expand"], **more}
    return await post(api, "/assemble", append=[{"role": "user", "content": text}], **more)


def block_of(found: Body) -> str:
    """The claims block with its marker."""
    return next((str(m["content"]) for m in found["messages"] if "[bobctx:block:" in str(m["content"])), "")


async def chain_length(api: Api) -> int:
    links: list[Any] = (await api.http.get(f"{CONVERSATION}/chain", params=U)).json()["links"]
    return len(links)
