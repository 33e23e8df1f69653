"""Canonical bytes, hashes and derived ids: what makes two things the same. Pure.

Every hash is SHA-256 over canonical JSON (sorted keys, fixed separators, UTF-8) that starts
with a tag, so that no value of one kind can be mistaken for another (design, section 3).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bobctx.core.types import Body, Claim, Evidence, Json, Scope

ENVELOPE_FIELDS = frozenset({"id", "created_at", "parents", "injected", "egress"})
"""Fields of a posted message that are bobctx's own and no part of what was said."""

IDENTITY_FIELDS = ("role", "speaker", "name", "content", "tool_calls", "tool_call_id", "function_call")
VOLATILE_FIELDS = frozenset({"cache_control", "index"})
"""Extras that hosts add or drop between two sends of the same message."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
"""Made once: `json.dumps` would make another for every message."""
CHAIN_START = "0" * 64
"""The previous chain hash of the first link."""


def canonical(value: Json) -> bytes:
    """The one byte form of a JSON value: sorted keys, no spaces, UTF-8."""
    return _ENCODER.encode(value).encode()


def digest(tag: str, value: Json) -> str:
    """SHA-256, hex, over the canonical bytes of `[tag, value]`."""
    return hashlib.sha256(canonical([tag, value])).hexdigest()


def scrub_surrogates(value: Json) -> tuple[Json, int]:
    """`value` with every lone surrogate as U+FFFD, and how many there were.

    A surrogate pair that arrived as two escapes is one character again; nothing else changes.
    """
    count = 0

    def scrub(item: Json) -> Json:
        nonlocal count
        if isinstance(item, str):
            if item.isascii():
                return item
            try:
                item.encode()
            except UnicodeEncodeError:
                joined = item.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                count += joined.count("\ufffd") - item.count("\ufffd")
                return joined
            return item
        if isinstance(item, Mapping):
            return {scrub(k): scrub(v) for k, v in item.items()}
        if isinstance(item, list | tuple):
            return [scrub(v) for v in item]
        return item

    return scrub(value), count


def body_of(message: Mapping[str, Any]) -> dict[str, Json]:
    """The host's own fields of a posted message."""
    return {k: v for k, v in message.items() if k not in ENVELOPE_FIELDS}


def stable(value: Json) -> Json:
    """`value` without volatile extras, at any depth of content blocks."""
    if isinstance(value, Mapping):
        return {k: stable(v) for k, v in value.items() if k not in VOLATILE_FIELDS}
    if isinstance(value, list | tuple):
        return [stable(v) for v in value]
    return value


def same_body(first: Body, second: Body) -> bool:
    """Whether two bodies differ in volatile extras and the order of fields at most."""
    return canonical(stable(first)) == canonical(stable(second))


def content_sha256(body: Body) -> str:
    """Content hash of a message: role, speaker, content parts, calls; the same for `"x"` and one text part `x`."""
    content = body.get("content")
    identity: dict[str, Json] = {k: stable(body[k]) for k in IDENTITY_FIELDS if body.get(k) is not None}
    if isinstance(content, str):
        identity["content"] = [{"type": "text", "text": content}]
    return hashlib.sha256(canonical(["message", identity])).hexdigest()


def derived_id(previous_id: str | None, body: Body) -> str:
    """Id for a message that came without one: chained, so equal texts at two places differ."""
    parts = {k: v for k, v in body.items() if k != "role"}
    return "h" + digest("derived-id", [previous_id, body.get("role"), stable(parts)])[:24]


def input_sha256(hashes: Iterable[str]) -> str:
    """Hash of a region: its messages' content hashes in order. Ids do not matter, so forks keep what was paid."""
    listed = list(hashes)
    joined = '","'.join(listed)
    if joined.isascii() and joined.isprintable() and "\\" not in joined and joined.count('"') == 2 * len(listed) - 2:
        # Nothing to escape, as in every hash: the same bytes as `canonical` makes, three times as fast.
        return hashlib.sha256(f'["region",["{joined}"]]'.encode()).hexdigest()
    return digest("region", listed)


def prior_sha256(prior_ids: Iterable[str]) -> str:
    """Hash of the active claims that were shown to the seat (their global ids, in order)."""
    return digest("prior", list(prior_ids))


def reply_key(
    scope: Scope,
    *,
    prompt_version: str,
    seat: str,
    region_hashes: Sequence[str],
    prior: str,
    ask: str,
    reasons_sha256: str,
) -> str:
    """Name of one paid ask: the same input is never paid for twice."""
    return digest(
        "reply",
        [
            scope.conversation_id,
            scope.user_id,
            prompt_version,
            seat,
            list(region_hashes),
            prior,
            ask,
            reasons_sha256,
        ],
    )


def claim_id(scope: Scope, type_: str, text: str, cite_ids: Iterable[str]) -> str:
    """Global id of a claim: 32 hex of scope, type, text and sorted cited message ids."""
    return digest("claim", [scope.conversation_id, scope.user_id, type_, text, sorted(cite_ids)])[:32]


def claim_json(claim: Claim) -> dict[str, Json]:
    """A claim as it is stored and hashed; `claim_from_json` reads it back."""
    return {
        "id": claim.id,
        "label": claim.label,
        "type": claim.type,
        "importance": claim.importance,
        "text": claim.text,
        "cites": list(claim.cites),
        "supersedes": claim.supersedes,
        "evidence": [[e.literal, e.kind, e.message, e.start, e.end] for e in claim.evidence],
        "salience": claim.salience,
        **({} if claim.speaker is None else {"speaker": claim.speaker}),
    }


def claim_from_json(data: Mapping[str, Any]) -> Claim:
    """The claim that `claim_json` wrote."""
    return Claim(
        id=data["id"],
        label=data["label"],
        type=data["type"],
        importance=data["importance"],
        text=data["text"],
        cites=tuple(data["cites"]),
        supersedes=data["supersedes"],
        evidence=tuple(Evidence(literal=e[0], kind=e[1], message=e[2], start=e[3], end=e[4]) for e in data["evidence"]),
        salience=data["salience"],
        speaker=data.get("speaker"),
    )


def chain_sha256(previous: str, region_input_sha256: str, claims: Iterable[Claim], narrative: Mapping[str, str]) -> str:
    """Hash of one link: altered stored claims no longer match it."""
    return digest("chain", [previous, region_input_sha256, [claim_json(c) for c in claims], dict(narrative)])


def compaction_id(
    scope: Scope,
    *,
    reply: str | None,
    prefix: str,
    previous_chain: str,
    region_input: str,
    validator_version: str,
) -> str:
    """First 32 hex of what a compaction is: one reply, read at one place of the chain."""
    return digest(
        "compaction",
        [scope.conversation_id, scope.user_id, reply, prefix, previous_chain, region_input, validator_version],
    )[:32]
