"""A host's message list against the list that came back: which of its own messages stand where. Pure.

Hosts keep more than a chat message holds (signatures, response ids, attachments in their own form), so an
adapter never sends on what it converted: it sends its own object wherever the answer holds it unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.core import identity
from bobctx.core.dialect import to_dialect
from bobctx.core.types import PREAMBLE_ROLES, Body, Json

Item = int | dict[str, Json]
"""The place of the host's own message, or a message that the host does not have."""

READING = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError)
"""What reading a host's object of an unknown form can raise: the host then goes on without bobctx."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The last message of a host's list that is stored already, byte for byte."""

    place: int
    id: str
    """Under which it is stored."""
    sha256: str
    """Of its content: in another list another message may stand in that place."""


def readable(bodies: Sequence[Body]) -> list[dict[str, Json]]:
    """Bodies as the daemon keeps them: no lone surrogates, no fields that say nothing.

    Raises ValueError for what JSON cannot hold.
    """
    found = []
    for body in bodies:
        clean, _ = identity.scrub_surrogates({k: v for k, v in body.items() if v is not None or k == "content"})
        identity.canonical(clean)
        found.append(clean)
    return found


def restored(bodies: Sequence[Body], answered: Sequence[Body], dialect: str = "openai") -> list[Item]:
    """The answer with the host's own messages wherever they came back as the dialect writes them.

    An assembled list is a beginning and an end of the host's with something else between, so both are
    matched message by message; what stands between is looked up by its content.
    """
    forms = [(place, form) for place, body in enumerate(bodies) for form in _forms(body, dialect)]
    wanted = [identity.canonical(message) for message in answered]
    start = 0
    while start < min(len(forms), len(wanted)) and forms[start][1] == wanted[start]:
        start += 1
    while start and start < len(forms) and forms[start - 1][0] == forms[start][0]:
        start -= 1  # half of a message that the dialect writes as several
    end = 0
    while end < min(len(forms), len(wanted)) - start and forms[-1 - end][1] == wanted[-1 - end]:
        end += 1
    while end and end < len(forms) and forms[-end][0] == forms[-end - 1][0]:
        end -= 1
    last = len(wanted) - end
    middle = _looked_up(forms[start : len(forms) - end], wanted[start:last], answered[start:last])
    return [*_once(forms[:start]), *middle, *_once(forms[len(forms) - end :])]


def _forms(body: Body, dialect: str) -> list[bytes]:
    """How the dialect writes one message that needs no repair."""
    body = identity.body_of(body)
    if dialect == "openai" and not isinstance(body.get("content"), list):
        return [identity.canonical(body)]
    return [identity.canonical(message) for message in to_dialect([body], dialect)]


def _once(forms: Sequence[tuple[int, bytes]]) -> list[int]:
    return list(dict.fromkeys(place for place, _ in forms))


def _looked_up(forms: Sequence[tuple[int, bytes]], wanted: Sequence[bytes], answered: Sequence[Body]) -> list[Item]:
    alone: dict[bytes, int] = {}
    counts: dict[int, int] = {}
    for place, _ in forms:
        counts[place] = counts.get(place, 0) + 1
    for place, form in forms:
        if counts[place] == 1:
            alone.setdefault(form, place)
    return [alone.pop(form) if form in alone else dict(body) for form, body in zip(wanted, answered, strict=True)]


def anchor_of(bodies: Sequence[Body], items: Sequence[Item], plan: Sequence[Mapping[str, Any]]) -> Anchor | None:
    """The last of the host's messages that the daemon knows; None where it cannot be told."""
    if len(items) != len(plan):
        return None
    for item, planned in zip(reversed(items), reversed(plan), strict=True):
        if isinstance(item, int) and planned.get("alias") and isinstance(planned.get("id"), str):
            return Anchor(place=item, id=planned["id"], sha256=identity.content_sha256(bodies[item]))
    return None


def without_preamble(bodies: Sequence[Body]) -> int:
    """How many leading system messages there are: they are the host's set-up and no part of the conversation."""
    return next((i for i, body in enumerate(bodies) if body.get("role") not in PREAMBLE_ROLES), len(bodies))


def posted(bodies: Sequence[Body], anchor: Anchor | None = None) -> list[dict[str, Json]]:
    """What there is to record, with ids: what follows `anchor`, else all of it.

    Ids are chained over the one before, role and content, so that recording the same list again is no change.
    """
    clean = readable(bodies)
    first, previous = without_preamble(clean), None
    if anchor is not None and first <= anchor.place and _stands(clean, anchor):
        first, previous = anchor.place + 1, anchor.id
    found: list[dict[str, Json]] = []
    for body in clean[first:]:
        parents: dict[str, Json] = {"parents": [previous]} if previous is not None and not found else {}
        previous = identity.derived_id(previous, body)
        found.append({**body, "id": previous, **parents})
    return found


def _stands(bodies: Sequence[Body], anchor: Anchor) -> bool:
    at = bodies[anchor.place : anchor.place + 1]
    return bool(at) and identity.content_sha256(at[0]) == anchor.sha256
