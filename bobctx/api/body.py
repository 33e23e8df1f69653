"""Reading a request's JSON: fast, exact, bounded in depth and count (design, section 9).

orjson reads almost everything. The standard parser reads what orjson cannot keep: escaped lone
surrogates (they become U+FFFD) and integers over 64 bits; it also says what is wrong with the rest.
A repeated key: the last one counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import orjson
import regex

from bobctx.core.identity import scrub_surrogates
from bobctx.core.types import Json
from bobctx.errors import InvalidInput, Malformed, TooLarge

_BIG = float(2**63)
INLINE_BYTES = 256 * 1024
"""Bodies up to this size are read at once; a larger one on a thread, so that other requests go on meanwhile."""
MAX_NODES = 2_000_000
"""Values in one body: ten thousand messages of two hundred values each."""


class Limits:
    """How deep a body may nest and how many values it may hold."""

    __slots__ = ("depth", "messages", "nodes", "on_replaced")

    def __init__(
        self,
        *,
        depth: int = 64,
        messages: int = 10_000,
        nodes: int = MAX_NODES,
        on_replaced: Callable[[int], object] = int,
    ) -> None:
        """`depth` counts containers from the body's own, `messages` is per call; `on_replaced` hears of surrogates."""
        self.depth = depth
        self.messages = messages
        self.nodes = nodes
        self.on_replaced = on_replaced


def _refuse_constant(name: str) -> Any:
    raise Malformed(f"The body holds {name}, which is not JSON.")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidInput("A number is too large.")
    return value


def _parse_exactly(raw: bytes) -> Json:
    """The slow parser: any integer, surrogates in pairs or alone."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_number)
    except RecursionError:
        raise InvalidInput("The body is nested too deeply.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as exc:
        raise Malformed() from exc
    except ValueError:  # an integer of thousands of digits
        raise InvalidInput("A number is too large.") from None
    return value


def measure(value: Json, limits: Limits) -> bool:
    """Check depth and count; False where a number may have lost digits. Raises `InvalidInput`, `TooLarge`."""
    exact = True
    level: list[Any] = [value]
    depth = nodes = 0
    while level:
        nodes += len(level)
        if nodes > limits.nodes:
            raise TooLarge("The body holds too many values.")
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                below.extend(item.values())
            elif kind is list:
                below.extend(item)
            elif kind is float and not -_BIG < item < _BIG:
                exact = False
        if below:
            depth += 1
            if depth > limits.depth:
                raise InvalidInput("The body is nested too deeply.")
        level = below
    return exact


def parse(raw: bytes, limits: Limits) -> Json:
    """The value of a body. Raises `Malformed`, `InvalidInput`, `TooLarge`."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        if raw.count(b"[") + raw.count(b"{") > limits.depth and _nested_too_deeply(raw, limits.depth):
            raise InvalidInput("The body is nested too deeply.") from None
        value, replaced = scrub_surrogates(_parse_exactly(raw))
        limits.on_replaced(replaced)
        measure(value, limits)
        return value
    if not measure(value, limits):
        return _parse_exactly(raw)
    return value


_STRINGS = regex.compile(rb'"(?:[^"\\]|\\.)*+"', regex.DOTALL)


def _nested_too_deeply(raw: bytes, limit: int) -> bool:
    """Whether brackets outside strings nest deeper than `limit`: what both parsers give up on."""
    depth = 0
    for byte in _STRINGS.sub(b"", raw):
        if byte in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def dump(value: Json) -> bytes:
    """JSON bytes of an answer, also with integers over 64 bits."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")
