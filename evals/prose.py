"""The iterative prose summary that claims are measured against: one running text, written again after every region.

It needs a model (`--prose litellm:MODEL`, `http:URL` or `exchange:DIR`); without one the arm is left out, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bobctx.core.types import Message
from bobctx.model_data import reference_counter
from evals.arms import assembled
from evals.compacting import Grown
from evals.reader import Prompt
from evals.results import note

Writer = Callable[[Sequence[dict[str, str]]], str | None]
"""Chat messages to a reply; None where there is none."""

ASK = (
    "You keep the running summary of a long conversation. Write it again so that it also holds what the new messages "
    "say. Keep goals, decisions, constraints, prohibitions, corrections and every exact value that later work needs. "
    "Where a value was corrected, keep the newest one only. Plain prose, a quarter as long as what it replaces."
)
HEADER = "[summary of earlier messages that are no longer shown]"


def request(summary: str, messages: Sequence[Message]) -> list[dict[str, str]]:
    """What the model is asked after one region."""
    said = "\n".join(f"{m.speaker or m.role}: {m.text}" for m in messages)
    return [
        {"role": "system", "content": ASK},
        {"role": "user", "content": f"Summary so far:\n{summary or '(none)'}\n\nNew messages:\n{said}"},
    ]


def summary_of(grown: Grown, write: Writer) -> str | None:
    """The running summary after the last region of a chain; None where the model gave no answer for one of them."""
    summary = ""
    for link in grown.links:
        reply = write(request(summary, grown.messages[link.start : link.end]))
        if not reply:
            return None
        summary = reply.strip()
    return summary


def prose(grown: Grown, size: int, write: Writer | None, **options: Any) -> Prompt | None:
    """Head and tail with the running summary in between; None where there is no model or no answer."""
    if write is None:
        note("prose: not run, no model is configured (--prose litellm:MODEL, http:URL or exchange:DIR)")
        return None
    summary = summary_of(grown, write)
    if summary is None:
        note("prose: could not score, the model gave no answer for a region")
        return None
    plain = assembled(grown, size, mode="fit", **options)
    text = f"{HEADER}\n{summary}"
    return replace(
        plain,
        summary=summary,
        tokens=plain.tokens + reference_counter().count(text),
        messages=[{"role": "user", "content": text}, *plain.messages],
    )
