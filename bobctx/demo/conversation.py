"""The bundled conversation: written for this demo, 299 messages of an operations team moving a pipeline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

Message = dict[str, Any]

CONVERSATION, USER = "demo", "you"
RULE, CORRECTION, INJECTION = "t003", "t089", "t200"
"""Ids of the rule about zeta-sync, of the corrected port, of the tool result that gives orders."""
EDITED = "t100"
EDITED_TEXT = "Great. We will do the real copy on 21 April 2026, in the night, when the boats are in."
QUERY = "metrics exporter port"
QUESTION = "Before I go: which flag must stay off, and on which port does the ingest gateway listen?"


@dataclass(frozen=True, slots=True)
class Probe:
    """Something the conversation settled, and what a prompt must hold for the model to know it."""

    what: str
    source: str
    """Id of the message that says it."""
    needle: str
    query: str
    """How a model would search for it."""


PROBES = (
    Probe("zeta-sync is never to be enabled", "t003", "never enable zeta-sync", "zeta-sync"),
    Probe("the ingest gateway's port is 7448", "t089", "7448", "ingest gateway port"),
    Probe("raw readings are kept for 400 days", "t019", "400 days", "raw readings archive days"),
    Probe("where the gateway is configured", "t021", "/srv/heron/etc/gateway.toml", "gateway configuration toml"),
    Probe("tell at once: battery under 11.2 volts", "t049", "11.2 volts", "battery volts"),
    Probe("no archive restart during a snapshot", "t152", "restart the archive while a snapshot", "restart archive"),
    Probe("the copy is on 14 April 2026", "t100", "14 April 2026", "real copy April"),
    Probe("the archive uses zstd at level 6", "t260", "zstd at level 6", "zstd level"),
)


def messages() -> list[Message]:
    """All messages, in order."""
    text = files("bobctx.demo").joinpath("conversation.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def turns(history: list[Message]) -> Iterator[list[Message]]:
    """Turns as a gateway's post-turn hook would send them: a user message and what answers it."""
    turn: list[Message] = []
    for message in history:
        if message["role"] == "user" and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn
