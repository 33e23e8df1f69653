"""Where a call without ids stands in a conversation that lost messages: history sent again, or a new turn. Pure.

Of a deleted message nothing is left but its id; where that was derived, it tells whether a posted message is the
same one again. A history that is sent again must not bring deleted text back (invariant I13); a turn that says
again what was deleted is a turn all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bobctx.api.posted import align
from bobctx.core import identity
from bobctx.core.types import Message

Path = Sequence[tuple[str, str]]
"""Ids and content hashes along the active branch, preamble left out; a deleted message has an empty hash."""
LOOK_BACK = 3
"""Messages before a deleted one from which its id may have been derived."""


@dataclass(slots=True)
class _Walk:
    """How far a call and a path are the same."""

    ids: list[str] = field(default_factory=list)
    """Of the messages of the call that stand there."""
    live: int = 0
    deleted: int = 0
    ended: bool = False
    """Every message of the path that lives is in the call."""


def known_ids(call: Sequence[Message], path: Path, first: str | None) -> Sequence[str]:
    """Ids of the messages a call begins with, where it is a history sent again or a repeated call; else none.

    `first` is the id before the call's first message. A single message, and a single exchange of deleted messages
    that others followed, is a new turn.
    """
    living = [row for row in path if row[1]]
    walk = _walk(call, path, 0, first) if len(call) > 1 else _Walk()
    if walk.ended and (walk.live or walk.deleted == len(path) - len(living)):
        return walk.ids
    place = align([m.sha256 for m in call], [sha256 for _, sha256 in living])
    if place is not None:
        start, same = place
        return [ident for ident, _ in living[start : start + same]]
    if len(call) < 2:
        return ()
    same = len(walk.ids)
    if 2 <= same < len(call) or (same == len(call) and sum(m.role == "user" for m in call) > 1):
        return walk.ids
    again = _walk(call, path, max(0, len(path) - len(call)), first)
    return again.ids if again.live and len(again.ids) == len(call) else ()


def _walk(call: Sequence[Message], path: Path, start: int, first: str | None) -> _Walk:
    """The call beside the path: a deleted message may be missing from it, any other ends the walk."""
    walk = _Walk()
    for place in range(start, len(path)):
        ident, sha256 = path[place]
        message = call[len(walk.ids)] if len(walk.ids) < len(call) else None
        if sha256:
            if message is None or message.sha256 != sha256:
                return walk
            walk.live += 1
        elif message is None or not _was(message, path, place, first):
            continue
        else:
            walk.deleted += 1
        walk.ids.append(ident)
    walk.ended = True
    return walk


def _was(message: Message, path: Path, place: int, first: str | None) -> bool:
    """Whether a posted message is the deleted one at a place."""
    ident = path[place][0]
    if message.id:
        return message.id == ident
    before: list[str | None] = []
    for previous, sha256 in reversed(path[max(0, place - LOOK_BACK) : place]):
        before.append(previous)
        if sha256:
            break
    else:
        before += [first, None]
    return any(identity.derived_id(previous, message.body) == ident for previous in before)
