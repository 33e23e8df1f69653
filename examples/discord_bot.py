"""A Discord bot that keeps its channels' history: /memory, /why, /pin, /forget.

    pip install -e . discord.py   # in the checkout
    bobctx serve &
    DISCORD_TOKEN=… MODEL_URL=https://api.deepseek.com/v1 MODEL_KEY=… python examples/discord_bot.py

The daemon may be away: the bot then answers from what it has at hand.
"""

from __future__ import annotations

import os
from typing import Any

import discord
import httpx
from discord import app_commands

from bobctx import runtime, settings
from bobctx.client import AsyncClient, DaemonError

MODEL = os.environ.get("MODEL", "deepseek-chat")
BACKEND = os.environ.get("BACKEND", "deepseek")  # decides which seats may read the history
SHOWN = ("mode", "reason", "claims_shown", "messages_covered", "messages_uncovered")


async def ask(messages: list[dict[str, Any]]) -> str:
    """The model's answer, from any OpenAI-compatible endpoint."""
    headers = {"Authorization": f"Bearer {os.environ.get('MODEL_KEY', '')}"}
    body = {"model": MODEL, "messages": [{"role": m["role"], "content": m["content"]} for m in messages]}
    async with httpx.AsyncClient(timeout=120, headers=headers) as http:
        answer = await http.post(f"{os.environ['MODEL_URL']}/chat/completions", json=body)
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])


def place_of(channel: int, guild: int | None, person: int) -> tuple[str, str]:
    """Conversation and owner: a channel belongs to its server, a private chat to its person."""
    return f"discord:{channel}", f"discord:{guild or person}"


class Bot(discord.Client):
    """One conversation a channel; every person is a speaker of it."""

    def __init__(self, memory: AsyncClient) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents)
        self.tree = app_commands.CommandTree(self)
        self.memory = memory
        self.decisions: dict[str, dict[str, Any]] = {}

    async def setup_hook(self) -> None:
        """Tell Discord about the commands."""
        await self.tree.sync()

    async def on_message(self, message: Any) -> None:
        """One turn: assemble, ask, answer, record."""
        if message.author.bot or not message.content:
            return
        guild = message.guild.id if message.guild else None
        chat, owner = place_of(message.channel.id, guild, message.author.id)
        turn = {"id": str(message.id), "role": "user", "speaker": str(message.author.id)}
        turn["content"] = f"{message.author.display_name}: {message.content}"
        made = await self.memory.assemble(chat, user_id=owner, model=MODEL, backend=BACKEND, append=[turn])
        self.decisions[chat] = made["decision"]
        sent = await message.channel.send((text := await ask(made["messages"]))[:2000])
        reply = {"id": str(sent.id), "role": "assistant", "content": text}
        try:
            await self.memory.record(chat, [turn, reply], user_id=owner, backend=BACKEND)
        except DaemonError as error:
            print(f"not recorded: {error.code}")


def install(bot: Bot) -> None:
    """The four commands."""

    async def answer(interaction: Any, text: str) -> None:
        await interaction.response.send_message(text[:2000], ephemeral=True)

    def place(interaction: Any) -> tuple[str, str]:
        return place_of(interaction.channel_id, interaction.guild_id, interaction.user.id)

    @bot.tree.command(name="memory", description="What is kept of this channel")
    async def memory(interaction: discord.Interaction) -> None:
        chat, owner = place(interaction)
        try:
            claims = (await bot.memory.claims(chat, user_id=owner))["claims"]
        except DaemonError:
            claims = []
        await answer(interaction, "\n".join(f"- {c['text']}" for c in claims[-15:]) or "Nothing was compacted yet.")

    @bot.tree.command(name="why", description="What the last answer was made from")
    async def why(interaction: discord.Interaction) -> None:
        found = bot.decisions.get(place(interaction)[0], {})
        await answer(interaction, ", ".join(f"{k}: {found[k]}" for k in SHOWN if k in found) or "No answer yet.")

    @bot.tree.command(name="pin", description="Keep a text in prompts that leave history out")
    async def pin(interaction: discord.Interaction, text: str) -> None:
        chat, owner = place(interaction)
        try:
            await bot.memory.pin(chat, text, user_id=owner)
            await answer(interaction, "Pinned.")
        except DaemonError as error:
            await answer(interaction, f"Not pinned: {error.message}")

    @bot.tree.command(name="forget", description="Delete what you said here, for good")
    async def forget(interaction: discord.Interaction) -> None:
        chat, owner = place(interaction)
        try:
            receipt = await bot.memory.forget_speaker(chat, str(interaction.user.id), user_id=owner)
            await answer(interaction, f"Deleted {receipt['deleted']['messages']} messages.")
        except DaemonError as error:
            await answer(interaction, f"Nothing was deleted: {error.message}")


if __name__ == "__main__":
    install(found := Bot(AsyncClient(runtime.daemon_of(settings.load()))))
    found.run(os.environ["DISCORD_TOKEN"])
