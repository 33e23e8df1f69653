"""What every chat-completion endpoint has in common: the request, the answer, and what its errors mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex

from bobctx.core.overflow import reported_window
from bobctx.core.types import Json
from bobctx.errors import SeatFailed
from bobctx.ports import SeatRequest

MAX_REPLY_BYTES = 10_000_000
"""Larger answers are refused before they are read whole."""
RETRY_AFTER_MAX_S = 8.0
"""A rate limit that ends within this is waited for; a longer one is the scheduler's cooldown."""

_TOO_LONG = regex.compile(
    r"context[ _]?(?:length|window|size)|maximum context|max_prompt_tokens|too many (?:input )?tokens"
    r"|prompt is too long|exceeds? the (?:available )?context|input is too long",
    regex.IGNORECASE,
)
_NO_SCHEMA = regex.compile(r"response_format|json_schema|structured output|grammar", regex.IGNORECASE)


def body_of(model: str, request: SeatRequest, *, form: str, extra: Mapping[str, Json]) -> dict[str, Json]:
    """The JSON body of a request.

    Args:
        model: As the endpoint names it.
        request: The ask.
        form: `json_schema`, `json_object` or `text`.
        extra: Further fields, such as `cache_prompt`.
    """
    body: dict[str, Json] = {
        "model": model,
        "messages": [dict(m) for m in request.prompt],
        "max_tokens": request.max_output_tokens,
        "temperature": 0,
        **extra,
    }
    if form == "json_schema":
        schema = {"name": "claims", "strict": True, "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def answer_of(data: Any) -> tuple[str, str, Mapping[str, Json]]:
    """Text, finish reason and usage of a completion. Raises `SeatFailed` where it is none."""
    try:
        choice = data["choices"][0]
        message = choice.get("message") or {}
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise SeatFailed("the answer is no chat completion", reason="malformed") from error
    usage = data.get("usage")
    finish = choice.get("finish_reason") or "stop"
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        finish = "refusal"
    text = _text(message.get("content"))
    if not text.strip() and finish == "stop" and (message.get("reasoning_content") or message.get("reasoning")):
        raise SeatFailed("the answer holds a thought and no text", reason="reasoning_only")
    return text, str(finish), dict(usage) if isinstance(usage, Mapping) else {}


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(b.get("text", "") for b in content if isinstance(b, Mapping) and isinstance(b.get("text"), str))
    return ""


def failure_of(status: int, text: str, *, retry_after: float | None = None) -> SeatFailed:
    """The failure that an HTTP status and its error text mean; the text itself is not repeated."""
    if status == 413 or _TOO_LONG.search(text[:4000]):
        return SeatFailed(
            "the prompt is over the model's window",
            reason="context_length",
            http_status=status,
            window=reported_window(text),
        )
    if status == 429:
        return SeatFailed("the endpoint limits the rate", reason="rate_limited", retry_after=retry_after)
    if status in (401, 403):
        return SeatFailed(f"the endpoint refused the key ({status})", reason="provider_error", http_status=status)
    return SeatFailed(f"the endpoint answered {status}", reason="provider_error", http_status=status)


def refuses_schema(status: int, text: str) -> bool:
    """Whether an error says that the endpoint does not know this response format."""
    return status in (400, 404, 422, 501) and _NO_SCHEMA.search(text[:4000]) is not None


def seconds_of(header: str | None) -> float | None:
    """Seconds of a `Retry-After` header; dates are not worth reading here."""
    try:
        value = float(header) if header is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < 86_400 else None
