"""Who answers the questions of an eval: a deterministic reader, or a model.

The deterministic reader knows every statement of a fact. A prompt *supports* a statement if its message stands raw in
the prompt with that sentence, or if a shown claim cites that message and its text holds the subject's words and the
value as whole tokens. It answers the value of the last statement that is supported; claims that a later claim
replaced are not shown, so supersession is honoured by what the prompt holds. It cannot guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from bobctx.core.text import sentences
from evals.planting import FLAG, Fact, Statement

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClaim:
    """A claim in a prompt."""

    text: str
    cites: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What one arm gives the model."""

    raw: Mapping[int, str]
    """Position -> text as it stands in the prompt, cut or whole."""
    claims: tuple[ShownClaim, ...] = ()
    tokens: int = 0
    messages: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """For a model."""
    summary: str = ""
    """A running prose summary, which cites nothing."""


def holds(text: str, word: str) -> bool:
    """Whether a word or value stands in a text as a whole token, upper and lower case alike."""
    left = r"(?<![A-Za-z0-9_-])(?<!\d[.,])" if word[:1].isascii() else ""
    right = r"(?![A-Za-z0-9_-]|[.,]\d|/[A-Za-z0-9])" if word[-1:].isascii() else ""
    return regex.search(left + regex.escape(word) + right, text, regex.IGNORECASE) is not None


def states(text: str, fact: Fact, statement: Statement) -> bool:
    """Whether a text gives the fact this value: its subject's words and the value."""
    if not all(holds(text, word) for word in fact.key):
        return False
    if fact.kind == FLAG:
        low = text.casefold()
        return any(cue in low for cue in fact.cues(statement.value))
    return holds(text, statement.value)


def supported(prompt: Prompt, fact: Fact, number: int) -> bool:
    """Whether the prompt supports one statement of a fact."""
    statement = fact.statements[number]
    raw = prompt.raw.get(statement.position)
    if raw is not None and statement.sentence in raw:
        return not statement.leans or supported(prompt, fact, number - 1)
    if any(statement.position in c.cites and states(c.text, fact, statement) for c in prompt.claims):
        return True
    return any(states(span.of(prompt.summary), fact, statement) for span in sentences(prompt.summary))


def answer(prompt: Prompt, fact: Fact) -> str:
    """The deterministic reader's answer."""
    for number in range(len(fact.statements) - 1, -1, -1):
        if supported(prompt, fact, number):
            return fact.statements[number].value
    return UNKNOWN


def is_stale(prompt: Prompt, fact: Fact) -> bool:
    """Whether a superseded value is shown as current.

    Either it is the answer, or a claim states it alone while the statement that replaced it is no raw text after it.
    """
    last = len(fact.statements) - 1
    if not last:
        return False
    if answer(prompt, fact) not in (UNKNOWN, fact.value):
        return True
    newest = fact.statements[last]
    if newest.position in prompt.raw:
        return False
    return any(
        s.position in c.cites and states(c.text, fact, s) and not states(c.text, fact, newest)
        for s in fact.statements[:last]
        if s.value != newest.value
        for c in prompt.claims
    )


Ask = Callable[[Sequence[Mapping[str, Any]], str], str | None]
"""Prompt and question to an answer; None where there is none (`could not score`)."""


def through_litellm(model: str) -> Ask:
    """A model as the reader, at temperature 0."""
    import importlib
    import os

    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = importlib.import_module("litellm")

    def ask(messages: Sequence[Mapping[str, Any]], question: str) -> str | None:
        try:
            reply = litellm.completion(
                model=model, messages=[*messages, {"role": "user", "content": question}], temperature=0, num_retries=2
            )
        except Exception:  # noqa: BLE001 - a provider's failure is no wrong answer: it is not scored
            return None
        return str(reply.choices[0].message.content or "")

    return ask


def scored(reply: str | None, fact: Fact) -> bool | None:
    """Whether a model's answer holds the value; None where there is no answer."""
    if reply is None:
        return None
    others = {s.value for s in fact.statements} - {fact.value}
    return holds(reply, fact.value) and not any(holds(reply, other) for other in others)
