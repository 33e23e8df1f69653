"""What is given up, in order, when messages that must stay do not fit. Pure (design, section 4, Ladder)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from bobctx.core.cut import cut_middle, least_with
from bobctx.core.rebuild import Change, with_changes
from bobctx.core.rules import prohibitions
from bobctx.core.segments import Flag, Spine, entry_of, flags_of
from bobctx.core.tokens import Count, body_bytes
from bobctx.core.types import Message, Part

LEAST_CUT = 48
"""No part is cut below this many tokens."""
RULES_ROOM = 320
"""Tokens, and at most half of the limit, that a user's text keeps where it forbids something, so that it still does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """Messages after the ladder, and what was given up."""

    messages: tuple[Message, ...]
    tokens: int
    fits: bool
    """False: even the newest user message does not fit (`cannot_fit`)."""
    steps: tuple[str, ...] = ()
    """`results_cut`, `media_replaced`, `thinking_dropped`, `arguments_stubbed`, `segments_dropped`, `texts_cut`."""
    dropped: tuple[str, ...] = ()
    """Ids of messages that were left out; the caller announces them."""
    cut: tuple[str, ...] = ()
    """Ids of messages that were changed in place."""


def lattice() -> Iterator[int]:
    """Sizes to cut to, from large to small, so that a budget that jitters seldom changes a cut."""
    size = 1 << 20
    while size >= LEAST_CUT:
        yield size
        yield size * 3 // 4
        size //= 2


def total(messages: Sequence[Message]) -> int:
    """Reference tokens of messages."""
    return sum(m.tokens for m in messages)


def _cap_parts(message: Message, cap: int, kinds: Collection[str], count: Count, room: int) -> Message:
    """A message whose parts of some kinds are cut to `cap` tokens each, what a user forbids kept in up to `room`."""
    changes: dict[int, Change] = {}
    said = sum(len(p.text) for p in message.parts)
    for index, part in enumerate(message.parts):
        if part.kind in kinds and len(part.text) * 4 > cap:
            # A share of what is known: counting a giant text again would cost more than the cut.
            known = message.tokens * len(part.text) // max(1, said)
            if known > cap:
                own = part.kind == "text" and message.role == "user" and not message.injected
                vital = prohibitions(part.text) if own else ()
                size = max(cap, min(known - 1, room, least_with(vital, message.alias, known, count))) if vital else cap
                changes[index] = cut_middle(part.text, size, count, message.alias, tokens=known, vital=vital)
    return with_changes(message, changes, count)


def _cut_to_fit(
    messages: Sequence[Message], limit: int, kinds: Collection[str], count: Count, chosen: Callable[[Message], bool]
) -> list[Message]:
    """Parts of some kinds cut to one common size, the largest of the lattice that fits `limit`."""
    best = list(messages)
    largest = max((m.tokens for m in messages if chosen(m)), default=0)
    for cap in lattice():
        if cap >= min(largest, max(limit, LEAST_CUT) + 1):  # the smallest is tried whatever the limit is
            continue
        # Each size is cut from the original text, so the result depends on the final size alone.
        best = [
            _cap_parts(m, cap, kinds, count, min(RULES_ROOM, limit // 2)) if chosen(m) and m.tokens > cap else m
            for m in messages
        ]
        if total(best) <= limit:
            break
    return best


def _replace_media(message: Message, count: Count) -> Message:
    changes: dict[int, Change] = {}
    for index, part in enumerate(message.parts):
        if part.kind == "media":
            changes[index] = f"[{part.name or 'media'} of {message.alias} left out]"
        elif part.kind == "result" and _holds_media(part):
            changes[index] = f"{part.text}\n[media of {message.alias} left out]".strip()
    return with_changes(message, changes, count)


def _holds_media(part: Part) -> bool:
    content = part.native.get("content") if isinstance(part.native, dict) else None
    return isinstance(content, list) and any(isinstance(b, dict) and b.get("type") != "text" for b in content)


def _drop_thinking(message: Message, count: Count) -> Message:
    return with_changes(message, {i: None for i, p in enumerate(message.parts) if p.kind == "thinking"}, count)


def _stub_arguments(message: Message, count: Count) -> Message:
    changes: dict[int, Change] = {}
    stub = json.dumps({"left_out": f"arguments of a call in {message.alias}"})
    for index, part in enumerate(message.parts):
        if part.kind == "call" and len(part.text) > 2 * len(stub):
            changes[index] = stub
    return with_changes(message, changes, count)


def shrink_opening(
    messages: Sequence[Message],
    cap: int,
    count: Count,
    *,
    keep: Collection[str] = (),
    byte_limit: int | None = None,
) -> Shrunk:
    """The opening in at most `cap` tokens (and `byte_limit` bytes), its message set unchanged: injected text first.

    Only where not even the notes of all its messages fit, segments go too, and the text before them
    says so; `keep` stays, by default the first and the last message that a user wrote.
    """
    before = list(messages)

    def fits(ms: list[Message]) -> bool:
        return total(ms) <= cap and (byte_limit is None or sum(body_bytes(m.body) for m in ms) <= byte_limit)

    if fits(before):
        return Shrunk(messages=tuple(messages), tokens=total(messages), fits=True)
    said = [m.id for m in messages if flags_of(m) & Flag.GENUINE_USER] or [messages[0].id]
    anchor = keep or (said[0], said[-1])

    steps: list[tuple[str, Callable[[list[Message]], list[Message]]]] = [
        ("injected_cut", lambda ms: _cut_to_fit(ms, cap, ("text", "result"), count, lambda m: m.injected)),
        ("results_cut", lambda ms: _cut_to_fit(ms, cap, ("result",), count, lambda m: True)),
        ("media_replaced", lambda ms: [_replace_media(m, count) for m in ms]),
        ("thinking_dropped", lambda ms: [_drop_thinking(m, count) for m in ms]),
        ("arguments_stubbed", lambda ms: [_stub_arguments(m, count) for m in ms]),
        ("texts_cut", lambda ms: _cut_to_fit(ms, cap, ("text", "result", "opaque"), count, lambda m: True)),
        ("segments_dropped", lambda ms: _drop_last(ms, fits, anchor, count)),
    ]
    return _descend(before, steps, fits)


def shrink(
    messages: Sequence[Message],
    limit: int,
    count: Count,
    *,
    keep: Collection[str] = (),
    byte_limit: int | None = None,
) -> Shrunk:
    """The ladder: messages that must stay in at most `limit` tokens (and `byte_limit` bytes).

    Args:
        messages: What the fit keeps raw after the opening, oldest first, `tokens` set.
        limit: Reference tokens.
        count: The reference counter.
        keep: Ids that are never dropped: the newest genuine user message (the newest segment always stays).
        byte_limit: Bytes of all bodies; only media is given up for it.
    """
    before = list(messages)
    if not before:
        return Shrunk(messages=(), tokens=0, fits=limit >= 0)
    newest = before[-1].id

    def fits(ms: list[Message]) -> bool:
        return total(ms) <= limit and (byte_limit is None or sum(body_bytes(m.body) for m in ms) <= byte_limit)

    def old_media(ms: list[Message]) -> list[Message]:
        return [m if m.id == newest or m.id in keep else _replace_media(m, count) for m in ms]

    steps: list[tuple[str, Callable[[list[Message]], list[Message]]]] = [
        ("results_cut", lambda ms: _cut_to_fit(ms, limit, ("result",), count, lambda m: True)),
        ("media_replaced", old_media),
        ("thinking_dropped", lambda ms: [_drop_thinking(m, count) for m in ms]),
        ("arguments_stubbed", lambda ms: [_stub_arguments(m, count) for m in ms]),
        ("segments_dropped", lambda ms: _drop_segments(ms, fits, keep)),
        ("media_replaced", lambda ms: [_replace_media(m, count) for m in ms]),
        (
            "texts_cut",
            lambda ms: _cut_to_fit(
                ms, limit, ("text", "result", "opaque"), count, lambda m: m.role != "user" or m.injected
            ),
        ),
        ("texts_cut", lambda ms: _cut_to_fit(ms, limit, ("text", "result", "opaque"), count, lambda m: True)),
    ]
    return _descend(before, steps, fits)


def _descend(
    before: list[Message],
    steps: Sequence[tuple[str, Callable[[list[Message]], list[Message]]]],
    fits: Callable[[list[Message]], bool],
) -> Shrunk:
    """Take one step after the other until it fits."""
    messages, taken = before, list[str]()
    for name, step in steps:
        if fits(messages):
            break
        after = step(messages)
        if after != messages and name not in taken:
            taken.append(name)
        messages = after
    originals = {m.id: m for m in before}
    present = {m.id for m in messages}
    return Shrunk(
        messages=tuple(messages),
        tokens=total(messages),
        fits=fits(messages),
        steps=tuple(taken),
        dropped=tuple(m.id for m in before if m.id not in present),
        cut=tuple(m.id for m in messages if m is not originals[m.id]),
    )


def _drop_segments(
    messages: list[Message], fits: Callable[[list[Message]], bool], keep: Collection[str]
) -> list[Message]:
    """Oldest whole segments go first; the newest segment and the messages to keep stay."""
    spine = Spine.build(replace(entry_of(m), tokens=m.tokens) for m in messages)
    cuts = [c for c in spine.cuts if c < spine.n]
    best = messages
    for cut in cuts[1:]:
        best = [m for i, m in enumerate(messages) if i >= cut or m.id in keep]
        if fits(best):
            break
    return best


def _drop_last(
    messages: list[Message], fits: Callable[[list[Message]], bool], keep: Collection[str], count: Count
) -> list[Message]:
    """Segments from the end of the opening go first, so that what is left is still how it began.

    The last text that is left says which messages follow it.
    """
    spine = Spine.build(entry_of(m) for m in messages)
    anchors = [i for i, m in enumerate(messages) if m.id in keep]
    segments = {i for a in anchors for i in range(spine.segment_start(a), spine.segment_end(a))}
    best = messages
    for cut in reversed(spine.cuts[:-1]):
        left = [m for i, m in enumerate(messages) if i < cut or i in segments]
        if any(_last_text(m) is not None for m in left):
            best = _announced(left, [m for i, m in enumerate(messages) if i >= cut and i not in segments], count)
        if fits(best):
            break
    return best


def _announced(left: list[Message], gone: list[Message], count: Count) -> list[Message]:
    """What is left, with a note of what is gone after its last text."""
    at = next((i for i in range(len(left) - 1, -1, -1) if _last_text(left[i]) is not None), None)
    if at is None or not gone:
        return left
    span = gone[0].alias if len(gone) == 1 else f"{gone[0].alias}..{gone[-1].alias}"
    part = _last_text(left[at])
    assert part is not None
    text = f"{left[at].parts[part].text}\n[... {span} not shown ...]"
    return [with_changes(m, {part: text}, count) if i == at else m for i, m in enumerate(left)]


def _last_text(message: Message) -> int | None:
    indexes = [i for i, p in enumerate(message.parts) if p.kind in ("text", "result")]
    return indexes[-1] if indexes else None
