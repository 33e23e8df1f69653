"""Ids from outside: conversations, users and messages, in bodies and in paths; and whether a text says anything."""

from __future__ import annotations

import unicodedata
from typing import Any

from bobctx.errors import InvalidInput

SLASH = "\udc2f"
"""A slash of an id in a path, while routes are matched: no decoded path ever holds a lone surrogate."""

BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that count as letters and symbols and are not seen."""
MAX_ID = 512
"""Longest conversation, user or message id, characters."""


def check_id(value: Any, field: str) -> str:
    """A conversation, user or message id: a non-empty text of bounded length without control characters.

    U+FFFD is what a lone surrogate and bad UTF-8 of a path became: different ids would be one.
    """
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"`{field}` is needed: a non-empty text.", field=field)
    if len(value) > MAX_ID:
        raise InvalidInput(f"`{field}` is longer than {MAX_ID} characters.", field=field)
    if not value.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise InvalidInput(f"`{field}` holds control characters.", field=field)
    if "\ufffd" in value:
        raise InvalidInput(f"`{field}` holds characters that were lost on the way.", field=field)
    return value


def path_id(value: str, field: str) -> str:
    """An id that came as a segment of the path."""
    return check_id(value.replace(SLASH, "/"), field)


def can_be_read(text: str) -> bool:
    """Whether a text holds more than spaces, control characters and what is not seen."""
    return any(c.isprintable() and not c.isspace() and c not in BLANKS for c in text)
