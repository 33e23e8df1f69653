"""`select_region` over plain messages: the public form of region selection. Pure (seed; design, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bobctx.core import region as regions
from bobctx.core.budget import DEFAULT_WINDOW, plan_budget, protected_tail
from bobctx.core.identity import scrub_surrogates
from bobctx.core.parts import read_message
from bobctx.core.segments import Spine, entry_of, split_preamble
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import estimate
from bobctx.core.types import Message, Region


def select_region(
    messages: Sequence[Message | Mapping[str, Any]],
    *,
    covered_end: int = 0,
    window: int = DEFAULT_WINDOW,
    tail_tokens: int | None = None,
    region_tokens: int = regions.REGION_CAP,
    count: Callable[[str], int] = estimate,
) -> Region | None:
    """The next stretch of a conversation to compact; None while nothing is eligible.

    Args:
        messages: The conversation, oldest first: `Message` values or chat dicts with stable ids.
        covered_end: Position after what is compacted already (leading system messages do not count).
        window: The model's window in tokens; it sets the protected tail.
        tail_tokens: The protected tail in tokens, instead of the window's.
        region_tokens: The most a region may take.
        count: Token counter, for messages that have no size yet.
    """
    _, rest = split_preamble(read_messages(messages, count))
    spine = Spine.build(map(entry_of, rest))
    if tail_tokens is None:
        tail_tokens = protected_tail(window, plan_budget(window).tail_room)
    found = regions.select_region(spine, covered_end=covered_end, protected_tail=tail_tokens, cap=region_tokens)
    return None if found is None else Region(messages=tuple(rest[found[0] : found[1]]), start=found[0])


def read_messages(
    messages: Sequence[Message | Mapping[str, Any]], count: Callable[[str], int] = estimate
) -> list[Message]:
    """Chat dicts as counted `Message` values; missing ids are derived, arrival numbers count from 1."""
    found: list[Message] = []
    for number, given in enumerate(messages, 1):
        if isinstance(given, Message):
            message = given
        else:
            clean, _ = scrub_surrogates(dict(given))
            message = read_message(clean, seq=number, previous_id=found[-1].id if found else None)
        found.append(message if message.tokens else replace(message, tokens=counted_tokens(message, count)))
    return found
