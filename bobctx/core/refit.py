"""The call-time guard: an assembled list, re-trimmed for a backend with a harder cap, without a store. Pure.

Opening and newest message stay, the oldest of the tail goes first, our block keeps what fits 15 %
of the new budget, and what is gone is announced (design, section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import regex

from bobctx.core import parts
from bobctx.core.budget import Budget
from bobctx.core.dialect import list_tokens, read_list, repair, to_dialect, translated
from bobctx.core.entries import Entry, Flag
from bobctx.core.fit import anchor, opening_before_tail
from bobctx.core.ladder import shrink, shrink_opening
from bobctx.core.segments import Spine
from bobctx.core.sentinel import seal, sealed_in
from bobctx.core.tokens import MESSAGE_OVERHEAD, Count, message_tokens
from bobctx.core.turns import Origin, turn_role
from bobctx.core.types import Json, Message

Bodies = Sequence[Mapping[str, Any]]

_SEAL = regex.compile(r"\n?\[bobctx:block:(\d{1,9}):[0-9a-f]{20}\]")
_SECTION = regex.compile(r"(?m)^region (?=m\d)")
_CLAIMS = regex.compile(
    r"(?m)^(region m.*?\(\d[\d,]* messages?)(?:; (\d+) more claims? not shown)?\):\n((?:\* .*(?:\n|\Z))+)"
)
"""The one section of a compact block: its line up to the count, what it says of more claims, its claims."""
_MARKER = regex.compile(r"(?m)^\[not shown")
_SPAN = regex.compile(r"\bm(\d+)(?:\.\.m(\d+))?(?= \()")
ROUNDS = 3
"""Tries until the repaired list is within the budget; a repair may add text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refit:
    """A list within the new budget, or as near as it gets."""

    messages: tuple[dict[str, Json], ...]
    tokens: int
    """Without the leading system messages."""
    fits: bool
    """False: `cannot_fit`."""
    steps: tuple[str, ...] = ()
    """`tail_dropped`, `block_repacked`, `block_dropped` and the steps of the ladder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """An assembled list taken apart."""

    system: Bodies
    opening: Bodies
    block: str
    """Text of our block and marker without its seal; empty where there is none."""
    seal_line: str
    tail: Bodies


def refit(messages: Bodies, budget: Budget, dialect: str, *, count: Count, key: bytes | None = None) -> Refit:
    """Trim an assembled list to `budget`.

    Args:
        messages: A final list of this dialect, with or without our block.
        budget: For the backend that will get it.
        dialect: One of `dialect.DIALECTS`.
        count: The reference counter.
        key: The database's key: the block is re-packed and sealed again. Without it a block that is
            too large is dropped for a marker.

    A list that fits comes back as it is.
    """
    found = _take_apart(messages, dialect, lambda m: list_tokens([m], dialect, count), key)
    size = list_tokens(messages, dialect, count) - list_tokens(found.system, dialect, count)
    if size <= budget.history:
        return Refit(messages=tuple(dict(m) for m in messages), tokens=size, fits=True)
    steps: list[str] = []
    extra = 0
    result: list[dict[str, Json]] = []
    for _ in range(ROUNDS):
        result, steps, fits = _trim(found, budget, dialect, count, key, extra)
        size = list_tokens(result, dialect, count) - list_tokens(found.system, dialect, count)
        if not fits or size <= budget.history:
            break
        extra += size - budget.history
    return Refit(messages=tuple(result), tokens=size, fits=size <= budget.history, steps=tuple(dict.fromkeys(steps)))


def holds_block(body: Mapping[str, Any], key: bytes | None = None) -> bool:
    """Whether a message holds a block of ours; without the database's key, as far as its form tells."""
    return bool(_split(body, key)[1])


# -- taking apart ------------------------------------------------------------------------


def _take_apart(messages: Bodies, dialect: str, size: Callable[[Mapping[str, Any]], int], key: bytes | None) -> _List:
    start = next((i for i, m in enumerate(messages) if turn_role(str(m.get("role"))) != "system"), len(messages))
    system, rest = messages[:start], list(messages[start:])
    for index, message in enumerate(rest):
        before, block, seal_line, after = _split(message, key)
        if block:
            opening = [*rest[:index], *([before] if before else [])]
            return _List(
                system=system,
                opening=opening,
                block=block,
                seal_line=seal_line,
                tail=[*([after] if after else []), *rest[index + 1 :]],
            )
    end = opening_before_tail(_spine(rest, dialect, size)) if rest else 0
    return _List(system=system, opening=rest[:end], block="", seal_line="", tail=rest[end:])


def _block_in(text: str, key: bytes | None) -> tuple[int, int, int] | None:
    """Start of our block, end of its text, end of its seal; with a `key`, only of one that verifies."""
    if key is not None:
        ours = next((s for s in sealed_in(text, key) if s.kind == "block"), None)
        return None if ours is None else (ours.start, ours.start + len(ours.text), ours.end)
    match = _SEAL.search(text)
    return None if match is None else (max(0, match.start() - int(match[1])), match.start(), match.end())


def _split(
    message: Mapping[str, Any], key: bytes | None
) -> tuple[dict[str, Json] | None, str, str, dict[str, Json] | None]:
    """A message as what stands before our block, the block's text, its seal, and what stands after it."""
    field = "parts" if isinstance(message.get("parts"), list) else "content"
    content = message.get(field)
    blocks = content if isinstance(content, list) else [{"text": content}]
    for at, part in enumerate(blocks):
        text = part.get("text") if isinstance(part, Mapping) else None
        place = _block_in(text, key) if isinstance(text, str) else None
        if place is None or not isinstance(text, str):
            continue
        start, end, after_seal = place
        pieces = text[:start].strip(), text[start:end], text[after_seal:].strip()
        seal_line = text[end:after_seal]
        if isinstance(content, str):
            before, after = ({**message, field: p} if p else None for p in (pieces[0], pieces[2]))
            return before, pieces[1], seal_line, after
        left = [*blocks[:at], *([{**part, "text": pieces[0]}] if pieces[0] else [])]
        right = [*([{**part, "text": pieces[2]}] if pieces[2] else []), *blocks[at + 1 :]]
        sides = ({**message, field: side} if side else None for side in (left, right))
        return next(sides), pieces[1], seal_line, next(sides)
    return None, "", "", None


def _entry(origin: Origin, index: int, tokens: int) -> Entry:
    """The structure of a body of any dialect."""
    calls = tuple(i.call_id or "" for i in origin.items if i.kind == "call")
    results = tuple(i.call_id or "" for i in origin.items if i.kind == "result")
    role = "tool" if origin.role == "tool" else turn_role(origin.role)
    speaks = any(i.kind in ("media", "opaque") or (i.kind == "text" and i.text.strip()) for i in origin.items)
    flags = {"user": Flag.USER, "assistant": Flag.ASSISTANT, "tool": Flag.TOOL}.get(role, Flag(0))
    flags |= Flag.GENUINE_USER if role == "user" and speaks else Flag(0)
    flags |= (Flag.CALLS if calls else Flag(0)) | (Flag.RESULTS if results else Flag(0))
    if role == "assistant" and origin.items and origin.items[-1].kind == "thinking":
        flags |= Flag.SIGNED
    return Entry(
        id=str(index), seq=None, role=role, sha256="", tokens=tokens, flags=int(flags), calls=calls, results=results
    )


def _spine(bodies: Bodies, dialect: str, size: Callable[[Mapping[str, Any]], int]) -> Spine:
    origins = read_list(bodies, dialect).origins
    return Spine.build(_entry(o, i, size(bodies[i])) for i, o in enumerate(origins))


# -- trimming ----------------------------------------------------------------------------


def _trim(
    found: _List, budget: Budget, dialect: str, count: Count, key: bytes | None, extra: int
) -> tuple[list[dict[str, Json]], list[str], bool]:
    """One try: `extra` tokens less than the budget."""
    steps: list[str] = []
    opening = _opening(found, budget, dialect, count, steps)
    used = list_tokens(opening, dialect, count) if opening else 0
    block, block_size = _block(found.block, budget, count, key, steps)
    room = budget.history - used - max(block_size, 0) - budget.marker_allowance - extra
    spine = _spine(found.tail, dialect, lambda m: list_tokens([m], dialect, count))
    start = 0
    if spine.tokens_between(0, spine.n) > room:
        start = anchor(spine, 0, budget, max(0, room))[0]
        steps += ["tail_dropped"] if start else []
    user = spine.newest_user
    kept = [found.tail[user]] if user is not None and user < start else []
    tail: Bodies = [*kept, *found.tail[start:]]
    gone = [i for i in range(start) if not (kept and i == user)]
    if sum(list_tokens([m], dialect, count) for m in tail) > room:
        tail, also = _ladder(tail, room, dialect, count, steps)
        gone += [start + i for i in range(also)]
    text = _with_note(found, block, len(gone), sum(spine.tokens[i] for i in gone if i < spine.n), key)
    middle = [{"role": "user", "content": text}] if text else []
    ordered = [*found.system, *opening, *middle, *tail]
    result, _ = repair(to_dialect(ordered, dialect), dialect)
    return result, steps, room > 0


def _messages(bodies: Bodies, dialect: str, count: Count) -> list[Message]:
    """Bodies as messages that the ladder can cut; ids say where in the list they stand."""
    chat = bodies if dialect in ("openai", "anthropic", "strict") else translated(bodies, dialect, "openai")
    read = [parts.read_message(m, id=f"message {n} of this part") for n, m in enumerate(chat, 1)]
    return [replace(m, tokens=message_tokens(m.parts, count)) for m in read]


def _opening(found: _List, budget: Budget, dialect: str, count: Count, steps: list[str]) -> Bodies:
    size = list_tokens(found.opening, dialect, count) if found.opening else 0
    if size <= budget.opening_cap or not found.tail:
        return found.opening
    steps.append("head_truncated")
    shrunk = shrink_opening(_messages(found.opening, dialect, count), budget.opening_cap, count)
    return [m.body for m in shrunk.messages]


def _ladder(tail: Bodies, room: int, dialect: str, count: Count, steps: list[str]) -> tuple[Bodies, int]:
    messages = _messages(tail, dialect, count)
    said = [m.id for m in messages if m.role == "user" and any(p.kind == "text" for p in m.parts)]
    shrunk = shrink(messages, room, count, keep=said[-1:])
    steps.extend(shrunk.steps)
    return [m.body for m in shrunk.messages], len(shrunk.dropped)


# -- our block ---------------------------------------------------------------------------


def _block(text: str, budget: Budget, count: Count, key: bytes | None, steps: list[str]) -> tuple[str, int]:
    """The block within 15 % of the budget, its oldest sections dropped first; empty where none is left."""
    if not text:
        return "", 0
    size = count(text) + MESSAGE_OVERHEAD
    if size <= budget.block_cap:
        return text, size
    starts = [m.start() for m in _SECTION.finditer(text)]
    head = text[: starts[0]] if starts else ""
    for start in starts[1:] if key is not None else ():
        shorter = head + text[start:]
        size = count(shorter) + MESSAGE_OVERHEAD
        if size <= budget.block_cap:
            steps.append("block_repacked")
            return shorter, size
    if key is not None and (shorter := _fewer_claims(text, budget.block_cap - MESSAGE_OVERHEAD, count)):
        steps.append("block_repacked")
        return shorter, count(shorter) + MESSAGE_OVERHEAD
    steps += ["block_dropped"] if starts else []
    marker = _MARKER.search(text)
    shorter = text[marker.start() :] if marker is not None and not starts else ""
    return shorter, count(shorter) + MESSAGE_OVERHEAD if shorter else 0


def _fewer_claims(text: str, room: int, count: Count) -> str:
    """A block in the compact style without as many of its oldest claims as need be; empty where none would be left."""
    found = _CLAIMS.search(text)
    if found is None:
        return ""
    lines = found[3].splitlines()
    sizes = [count(line) + 1 for line in lines]
    over = count(text) + 8 - room  # the line above says how many are gone, in a few tokens
    gone = 0
    while over > 0 and gone < len(lines):
        over -= sizes[gone]
        gone += 1
    if gone == len(lines):
        return ""
    more = int(found[2] or 0) + gone
    head = f"{found[1]}; {more} more claim{'' if more == 1 else 's'} not shown):"
    shorter = text[: found.start()] + "\n".join((head, *lines[gone:])) + text[found.end() - 1 :]
    return shorter if count(shorter) <= room else ""


def _with_note(found: _List, block: str, count: int, tokens: int, key: bytes | None) -> str:
    """Block and marker, with a note of what this trim took away; sealed where the key is known."""
    gone = _spans(found.block) - _spans(block)
    taken = []
    if gone:
        taken.append(f"m{min(gone)}..m{max(gone)}")
    if count:
        taken.append(f"{count:,} later message{'' if count == 1 else 's'} (about {tokens:,} tokens)")
    note = f"[not shown: {'; '.join(taken)}.]" if taken else ""
    if block == found.block and (not note or key is None):
        return "\n".join(t for t in (block + found.seal_line, note) if t)
    text = "\n".join(t for t in (block.rstrip(), note) if t)
    return seal(text, key) if text and key is not None else text


def _spans(text: str) -> set[int]:
    """Ends of every span that a block names with its size."""
    return {int(n) for m in _SPAN.finditer(text) for n in m.groups() if n}
