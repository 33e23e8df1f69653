"""A seat's raw answer as raw claims, bounded and strict; anything else is a named failure. Pure.

The parser decides only whether the reply has the form of claims-v2 (design, section 5). What a
claim says is the validator's business, so values inside a claim may be of any type here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import regex

from bobctx.core.types import NARRATIVE_FIELDS, Json, RawClaim

MAX_CHARS = 10_000_000
"""Largest reply that is looked at; a reply of 8,192 output tokens is about 40,000 characters."""
MAX_DEPTH = 32
"""Nesting; claims-v2 itself needs four levels."""
MAX_CLAIMS = 1_000
"""Claims in one reply; a region of 12,000 tokens yields some tens."""

TRUNCATED_REASONS = frozenset({"length", "max_tokens", "model_length", "MAX_TOKENS"})
REFUSED_REASONS = frozenset({"content_filter", "refusal", "safety", "SAFETY"})

_BRACKETS = regex.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', regex.DOTALL)
_FENCE = regex.compile(r"^[ \t]*+`{3,}+[^\n`]*+\n", regex.M)
_FENCE_END = regex.compile(r"^[ \t]*+`{3}", regex.M)
_THINKING = regex.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", regex.S | regex.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReply:
    """A reply that has the form of claims-v2."""

    claims: tuple[RawClaim, ...]
    narrative: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyError:
    """Why a reply cannot be read: data, never an exception."""

    code: str
    """`empty`, `reasoning_only`, `refused`, `truncated`, `too_large`, `too_deep`, `too_many_claims`,
    `malformed`, `duplicate_key`, `not_a_number`, `wrong_type`."""
    detail: str = ""
    """One sentence that quotes nothing of the reply but key names."""


class _Refuse(ValueError):
    """Carries a failure out of the JSON decoder's hooks."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.error = ReplyError(code=code, detail=detail)


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object without repeated keys: a reader that kept the last one could be shown another value than we checked."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Refuse("duplicate_key", "an object repeats a key")
    return result


def _constant(name: str) -> Json:
    raise _Refuse("not_a_number", f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Refuse("not_a_number", "a number is out of range")
    return value


def depth_of(text: str) -> int:
    """Deepest nesting of brackets outside strings, found without decoding."""
    deepest = depth = 0
    for match in _BRACKETS.finditer(text):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in "]}":
            depth -= 1
    return deepest


def _document(text: str) -> str:
    """The JSON document in a reply: after a leading thought, inside the one code fence, or the text itself."""
    text = _THINKING.sub("", text.removeprefix("\ufeff"), count=1).strip()
    if text.startswith("{"):
        return text
    opening = _FENCE.search(text)
    if opening is None:
        return text
    closing = _FENCE_END.search(text, opening.end())
    return text[opening.end() : closing.start() if closing else None].strip()


def _decode(document: str) -> Json | ReplyError:
    try:
        return json.loads(document, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
    except _Refuse as refusal:
        return refusal.error
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        return ReplyError(code="malformed", detail=f"the reply is not one JSON object{where}")


def _narrative(value: Json) -> dict[str, str] | ReplyError:
    if value is None:
        return {}
    if not isinstance(value, dict):
        return ReplyError(code="wrong_type", detail="`narrative` must be an object")
    fields: dict[str, str] = {}
    for name in NARRATIVE_FIELDS:
        text = value.get(name)
        if text is None:
            continue
        if not isinstance(text, str):
            return ReplyError(code="wrong_type", detail=f"`narrative.{name}` must be a string")
        if text.strip():
            fields[name] = text.strip()
    return fields


def _claims(value: Json, max_claims: int) -> tuple[RawClaim, ...] | ReplyError:
    if not isinstance(value, list):
        return ReplyError(code="wrong_type", detail="`claims` must be a list")
    if len(value) > max_claims:
        return ReplyError(code="too_many_claims", detail=f"{len(value)} claims, at most {max_claims} are read")
    claims = []
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            return ReplyError(code="wrong_type", detail=f"`claims[{index}]` must be an object")
        claims.append(
            RawClaim(
                index=index,
                id=item.get("id"),
                type=item.get("type"),
                importance=item.get("importance"),
                text=item.get("text"),
                cites=item.get("cites"),
                supersedes=item.get("supersedes"),
            )
        )
    return tuple(claims)


def _unusable(text: str, finish_reason: str | None, max_chars: int) -> ReplyError | None:
    """What is wrong with a reply before its JSON is looked at."""
    if finish_reason in REFUSED_REASONS:
        return ReplyError(code="refused", detail=f"the seat ended with {finish_reason}")
    if len(text) > max_chars:
        return ReplyError(code="too_large", detail=f"{len(text)} characters, at most {max_chars} are read")
    if finish_reason in TRUNCATED_REASONS:
        return ReplyError(code="truncated", detail="the reply was cut at the output limit")
    if not text.strip():
        return ReplyError(code="empty", detail="the reply has no text")
    return None


def parse_reply(
    text: str,
    *,
    finish_reason: str | None = "stop",
    max_chars: int = MAX_CHARS,
    max_depth: int = MAX_DEPTH,
    max_claims: int = MAX_CLAIMS,
) -> ParsedReply | ReplyError:
    """Read one claims-v2 reply; `claims: []` is a valid answer.

    Args:
        text: The seat's raw answer. A leading thought and one code fence around the JSON are tolerated.
        finish_reason: As the provider named it; a cut reply is a failure even where its JSON happens to close.
        max_chars: Characters.
        max_depth: Levels of nesting.
        max_claims: Claims.
    """
    error = _unusable(text, finish_reason, max_chars)
    if error is not None:
        return error
    document = _document(text)
    if not document:
        return ReplyError(code="reasoning_only", detail="the reply holds a thought and no answer")
    if depth_of(document) > max_depth:
        return ReplyError(code="too_deep", detail=f"nested deeper than {max_depth} levels")
    decoded = _decode(document)
    if isinstance(decoded, ReplyError):
        return decoded
    if not isinstance(decoded, dict) or "claims" not in decoded:
        return ReplyError(code="wrong_type", detail="the reply must be an object with `claims`")
    claims = _claims(decoded["claims"], max_claims)
    if isinstance(claims, ReplyError):
        return claims
    narrative = _narrative(decoded.get("narrative"))
    if isinstance(narrative, ReplyError):
        return narrative
    return ParsedReply(claims=claims, narrative=narrative)
