"""A Telegram bot that keeps its chats' history: /memory, /why, /pin, /forget.

    pip install -e . python-telegram-bot   # in the checkout
    bobctx serve &
    TELEGRAM_TOKEN=… MODEL_URL=https://api.deepseek.com/v1 MODEL_KEY=… python examples/telegram_bot.py

The daemon may be away at any time: the bot then answers from what it has at hand.
"""

from __future__ import annotations

import os
from typing import Any

import httpx
from telegram import Update
from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters

from bobctx import runtime, settings
from bobctx.client import AsyncClient, DaemonError

MODEL = os.environ.get("MODEL", "deepseek-chat")
BACKEND = os.environ.get("BACKEND", "deepseek")
"""Where prompts go; it decides which seats may read the history."""


async def ask(messages: list[dict[str, Any]]) -> str:
    """The model's answer, from any OpenAI-compatible endpoint."""
    headers = {"Authorization": f"Bearer {os.environ.get('MODEL_KEY', '')}"}
    body = {"model": MODEL, "messages": [{"role": m["role"], "content": m["content"]} for m in messages]}
    async with httpx.AsyncClient(timeout=120, headers=headers) as http:
        answer = await http.post(f"{os.environ['MODEL_URL']}/chat/completions", json=body)
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])


class Bot:
    """One conversation a chat, owned by the chat; every person is a speaker of it."""

    def __init__(self, memory: AsyncClient) -> None:
        """`memory` is a client of the daemon."""
        self.memory = memory
        self.decisions: dict[str, dict[str, Any]] = {}

    @staticmethod
    def place(update: Any) -> str:
        """Conversation and owner have one name: the chat's."""
        return f"telegram:{update.effective_chat.id}"

    async def on_message(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """One turn: assemble, ask, answer, record."""
        message, person, chat = update.message, update.effective_user, self.place(update)
        if message is None or person is None or not message.text:
            return
        turn = {
            "id": f"t{message.message_id}",
            "role": "user",
            "content": f"{person.full_name}: {message.text}",
            "speaker": str(person.id),
        }
        made = await self.memory.assemble(chat, user_id=chat, model=MODEL, backend=BACKEND, append=[turn])
        self.decisions[chat] = made["decision"]
        text = await ask(made["messages"])
        sent = await message.reply_text(text[:4096])
        reply = {"id": f"t{sent.message_id}", "role": "assistant", "content": text}
        try:
            await self.memory.record(chat, [turn, reply], user_id=chat, backend=BACKEND)
        except DaemonError as error:
            print(f"not recorded: {error.code}")

    async def on_memory(self, update: Any, _: Any) -> None:
        """/memory: what is kept of this chat."""
        chat = self.place(update)
        try:
            claims = (await self.memory.claims(chat, user_id=chat))["claims"]
        except DaemonError:
            claims = []
        text = "\n".join(f"- {claim['text']}" for claim in claims[-15:])
        await update.message.reply_text(text[:4096] or "Nothing was compacted yet.")

    async def on_why(self, update: Any, _: Any) -> None:
        """/why: what the last answer was made from."""
        found = self.decisions.get(self.place(update), {})
        shown = ("mode", "reason", "claims_shown", "messages_covered", "messages_uncovered")
        await update.message.reply_text(", ".join(f"{k}: {found[k]}" for k in shown if k in found) or "No answer yet.")

    async def on_pin(self, update: Any, context: Any) -> None:
        """/pin TEXT: keep a text in prompts that leave history out."""
        chat = self.place(update)
        try:
            await self.memory.pin(chat, " ".join(context.args), user_id=chat)
            await update.message.reply_text("Pinned.")
        except DaemonError as error:
            await update.message.reply_text(f"Not pinned: {error.message}")

    async def on_forget(self, update: Any, _: Any) -> None:
        """/forget: delete what you said here, for good."""
        chat = self.place(update)
        try:
            receipt = await self.memory.forget_speaker(chat, str(update.effective_user.id), user_id=chat)
            await update.message.reply_text(f"Deleted {receipt['deleted']['messages']} messages.")
        except DaemonError as error:
            await update.message.reply_text(f"Nothing was deleted: {error.message}")


def build(bot: Bot, token: str) -> Any:
    """The application with its handlers."""
    app = Application.builder().token(token).build()
    for name in ("memory", "why", "pin", "forget"):
        app.add_handler(CommandHandler(name, getattr(bot, f"on_{name}")))
    app.add_handler(MessageHandler(filters.TEXT & ~filters.COMMAND, bot.on_message))
    return app


if __name__ == "__main__":
    build(Bot(AsyncClient(runtime.daemon_of(settings.load()))), os.environ["TELEGRAM_TOKEN"]).run_polling()
