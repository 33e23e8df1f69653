"""Who said it, in front of what was said: `the user said that …`, `as agreed, …`. Pure.

Seats like to begin a claim so. What is checked is what was said: the words of the report stand in no message, and a
comma or `that` behind them would hide where the statement begins (design, section 6, Support).
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

import regex

_TABLE: Final[dict[str, str]] = json.loads(
    files("bobctx.core").joinpath("data", "reporting.json").read_text(encoding="utf-8")
)
_REPORT: Final = regex.compile(
    r"\s*+(?:" + "|".join(pattern for lang, pattern in _TABLE.items() if lang != "_source") + r")(?=\S)",
    regex.IGNORECASE,
)
LEAST: Final = 8
"""Code points that must be left to be a statement."""


def statement_of(text: str) -> str:
    """The text without a report of who said it."""
    report = _REPORT.match(text)
    return text[report.end() :] if report is not None and len(text) - report.end() >= LEAST else text
