"""JSON without the `re` that the library's reader imports: half of what a hook would cost.

Both directions go through the C part of `json` where this Python has it, else through `json` itself, with the same
result.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SPACES = " \t\n\r"


class _Reading:
    """What the C reader asks its caller for: the defaults of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> float:
        """NaN and the infinities, as `json.loads` takes them."""
        return float(name.replace("Infinity", "inf"))


def loads(given: bytes) -> Any:
    """The value in a UTF-8 text. Raises `ValueError` (`RecursionError` where it is nested too deep)."""
    text = given.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    try:
        from _json import make_scanner

        scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Reading)  # type: ignore[arg-type]
    except (ImportError, TypeError, AttributeError):
        import json

        return json.loads(text)
    start = len(text) - len(text.lstrip(SPACES))
    try:
        value, end = scan(text, start)
    except StopIteration:
        raise ValueError("no JSON") from None
    if text[end:].strip(SPACES):
        raise ValueError("more than one JSON value")
    return value


def dumps(value: object, *, plain: bool = False) -> str:
    """The text of a value made of dicts, lists, texts, numbers, booleans and None.

    Args:
        value: With texts as keys.
        plain: Leave letters beyond ASCII as they are.
    """
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder

        text = encode_basestring if plain else encode_basestring_ascii
        encode: Callable[[object, int], tuple[str, ...]] = make_encoder(
            None, _refuse, text, None, ": ", ", ", False, False, True
        )
    except (ImportError, AttributeError, TypeError):
        import json

        return json.dumps(value, ensure_ascii=not plain)
    return "".join(encode(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON")
