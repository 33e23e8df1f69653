"""One thing that `doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "problem"]
"""`note`: it works, but something may be wanted; only a `problem` fails the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    check: str
    state: State
    found: str
    do: str = ""
    """What to do about it."""
