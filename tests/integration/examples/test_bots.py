"""The example bots, run against stubs of their libraries and the real app: a turn, and each command."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest

from bobctx import keys
from bobctx.client import AsyncClient, Daemon
from tests.integration.api.conftest import BASE, Api, Open, open_api  # noqa: F401 - fixture

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def load(name: str, monkeypatch: pytest.MonkeyPatch, stubs: dict[str, ModuleType]) -> Any:
    for stub, module in stubs.items():
        monkeypatch.setitem(sys.modules, stub, module)
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def client_of(api: Api) -> AsyncClient:
    transport = httpx.ASGITransport(api.runtime.app)
    key = keys.default_key(api.runtime.settings.keys_path)
    return AsyncClient(Daemon(url=BASE, key=key, timeout_s=30), transport=transport)


def away(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("away")


@pytest.mark.parametrize("name", ["discord_bot", "telegram_bot"])
def test_an_example_is_short(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) < 120


# -- Discord ---------------------------------------------------------------------------------


def discord_stub() -> dict[str, ModuleType]:
    discord, commands = ModuleType("discord"), ModuleType("discord.app_commands")

    class Client:
        def __init__(self, *, intents: Any) -> None:
            self.intents = intents

    class Tree:
        def __init__(self, client: Any) -> None:
            self.commands: dict[str, Callable[..., Any]] = {}

        def command(self, *, name: str, description: str) -> Any:
            assert description

            def keep(fn: Callable[..., Any]) -> Callable[..., Any]:
                self.commands[name] = fn
                return fn

            return keep

        async def sync(self) -> None:
            return None

    stub: Any = discord
    stub.Client, stub.Interaction = Client, object
    stub.Intents = SimpleNamespace(default=lambda: SimpleNamespace(message_content=False))
    tree: Any = commands
    tree.CommandTree = Tree
    stub.app_commands = commands
    return {"discord": discord, "discord.app_commands": commands}


class Channel:
    """A Discord channel: numbers what is sent."""

    def __init__(self) -> None:
        self.id, self.sent = 7, []  # type: ignore[var-annotated]

    async def send(self, text: str) -> Any:
        self.sent.append(text)
        return SimpleNamespace(id=9_000 + len(self.sent))


def discord_message(channel: Channel, number: int, text: str, person: int = 42) -> Any:
    author = SimpleNamespace(id=person, display_name=f"p{person}", bot=False)
    return SimpleNamespace(id=number, content=text, author=author, channel=channel, guild=SimpleNamespace(id=1))


async def used(bot: Any, name: str, *args: str, person: int = 42) -> str:
    said: list[str] = []

    async def send_message(text: str, *, ephemeral: bool) -> None:
        assert ephemeral
        said.append(text)

    interaction = SimpleNamespace(
        guild_id=1, channel_id=7, user=SimpleNamespace(id=person), response=SimpleNamespace(send_message=send_message)
    )
    await bot.tree.commands[name](interaction, *args)
    return said[0]


async def test_the_discord_bot(open_api: Open, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811 - the fixture
    api = await open_api()
    example = load("discord_bot", monkeypatch, discord_stub())
    seen: list[list[dict[str, Any]]] = []

    async def ask(messages: list[dict[str, Any]]) -> str:
        seen.append(messages)
        return f"answer {len(seen)}"

    monkeypatch.setattr(example, "ask", ask)
    async with client_of(api) as memory:
        bot, channel = example.Bot(memory), Channel()
        example.install(bot)
        await bot.setup_hook()
        assert await used(bot, "why") == "No answer yet."
        await bot.on_message(discord_message(channel, 1, "The gate is on port 9443."))
        await bot.on_message(discord_message(channel, 2, "And where is the gate?", person=43))
        await bot.on_message(SimpleNamespace(author=SimpleNamespace(bot=True), content="noise"))
        assert [m["content"] for m in seen[1]] == [
            "p42: The gate is on port 9443.",
            "answer 1",
            "p43: And where is the gate?",
        ]
        assert channel.sent == ["answer 1", "answer 2"]
        assert "mode: live" in await used(bot, "why")
        assert await used(bot, "memory") == "Nothing was compacted yet."
        assert await used(bot, "pin", "Answer in one line.") == "Pinned."
        assert await used(bot, "forget") == "Deleted 1 messages."
        assert (await used(bot, "forget")).startswith("Nothing was deleted")
        await bot.on_message(discord_message(channel, 3, "Go on.", person=43))
    prompt = "\n".join(str(m["content"]) for m in seen[2])
    pins = (await api.http.get("/v1/conversations/discord:7/pins", params={"user_id": "discord:1"})).json()["pins"]
    assert [pin["text"] for pin in pins] == ["Answer in one line."]
    assert "9443" not in prompt


async def test_the_discord_bot_answers_while_the_daemon_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("discord_bot", monkeypatch, discord_stub())

    async def ask(messages: list[dict[str, Any]]) -> str:
        return str(messages[-1]["content"])

    monkeypatch.setattr(example, "ask", ask)
    async with AsyncClient(transport=httpx.MockTransport(away)) as memory:
        bot, channel = example.Bot(memory), Channel()
        example.install(bot)
        await bot.on_message(discord_message(channel, 1, "hello"))
        assert channel.sent == ["p42: hello"]
        assert "local_fit" in await used(bot, "why")
        assert (await used(bot, "pin", "x")).startswith("Not pinned")
        assert memory.counters["local_fit.unreachable"] == 1
        assert memory.counters["failed.unreachable"] == 2
        assert memory.counters["retried"] == 4


# -- Telegram --------------------------------------------------------------------------------


def telegram_stub() -> dict[str, ModuleType]:
    telegram, ext = ModuleType("telegram"), ModuleType("telegram.ext")

    class Application:
        def __init__(self) -> None:
            self.handlers: list[Any] = []

        @classmethod
        def builder(cls) -> Any:
            return SimpleNamespace(token=lambda token: SimpleNamespace(build=cls))

        def add_handler(self, handler: Any) -> None:
            self.handlers.append(handler)

    class Filter:
        def __and__(self, other: Any) -> Any:
            return self

        def __invert__(self) -> Any:
            return self

    first: Any = telegram
    first.Update = object
    stub: Any = ext
    stub.Application, stub.ContextTypes = Application, SimpleNamespace(DEFAULT_TYPE=object)
    stub.CommandHandler = lambda name, fn: (name, fn)
    stub.MessageHandler = lambda _filter, fn: ("message", fn)
    stub.filters = SimpleNamespace(TEXT=Filter(), COMMAND=Filter())
    return {"telegram": telegram, "telegram.ext": ext}


class Chat:
    """A Telegram chat: numbers what is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def update(self, number: int, text: str, person: int = 42) -> Any:
        async def reply_text(answer: str) -> Any:
            self.sent.append(answer)
            return SimpleNamespace(message_id=9_000 + len(self.sent))

        return SimpleNamespace(
            effective_chat=SimpleNamespace(id=5),
            effective_user=SimpleNamespace(id=person, full_name=f"p{person}"),
            message=SimpleNamespace(message_id=number, text=text, reply_text=reply_text),
        )


async def test_the_telegram_bot(open_api: Open, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811 - the fixture
    api = await open_api()
    example = load("telegram_bot", monkeypatch, telegram_stub())
    seen: list[list[dict[str, Any]]] = []

    async def ask(messages: list[dict[str, Any]]) -> str:
        seen.append(messages)
        return f"answer {len(seen)}"

    monkeypatch.setattr(example, "ask", ask)
    async with client_of(api) as memory:
        app = example.build(example.Bot(memory), "token")
        handlers = dict(app.handlers)
        assert set(handlers) == {"memory", "why", "pin", "forget", "message"}
        chat = Chat()

        async def use(name: str, *args: str) -> str:
            await handlers[name](chat.update(100, f"/{name}"), SimpleNamespace(args=list(args)))
            return chat.sent[-1]

        await handlers["message"](chat.update(1, "The gate is on port 9443."), None)
        await handlers["message"](chat.update(2, "And where is the gate?", person=43), None)
        assert [m["content"] for m in seen[1]] == [
            "p42: The gate is on port 9443.",
            "answer 1",
            "p43: And where is the gate?",
        ]
        assert "mode: live" in await use("why")
        assert await use("memory") == "Nothing was compacted yet."
        assert await use("pin", "Answer", "briefly.") == "Pinned."
        assert (await use("pin")).startswith("Not pinned")
        assert await use("forget") == "Deleted 1 messages."
        await handlers["message"](chat.update(3, "Go on.", person=43), None)
    prompt = "\n".join(str(m["content"]) for m in seen[2])
    pins = (await api.http.get("/v1/conversations/telegram:5/pins", params={"user_id": "telegram:5"})).json()["pins"]
    assert [pin["text"] for pin in pins] == ["Answer briefly."]
    assert "9443" not in prompt
