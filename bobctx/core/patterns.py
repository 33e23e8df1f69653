"""The regular expressions of `data/patterns.json`, compiled once: grammar of single languages, no logic. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import regex

_TABLE: Final[Mapping[str, Any]] = json.loads(
    files("bobctx.core").joinpath("data", "patterns.json").read_text(encoding="utf-8")
)


def pattern(name: str) -> regex.Pattern[str]:
    """The expression of that name, which serves all languages (`planned`)."""
    return regex.compile(_TABLE[name], regex.IGNORECASE)


def patterns(name: str) -> Mapping[str, regex.Pattern[str]]:
    """The expression of that name for each language that has one (`or`: the one with `oder` for German)."""
    return {lang: regex.compile(text) for lang, text in _TABLE[name].items()}


def phrases_of(name: str) -> frozenset[str]:
    """The phrases of that name in all languages (`out`)."""
    return frozenset(_TABLE[name].split("|"))


def beginnings(name: str) -> Mapping[str, tuple[str, ...]]:
    """How the words of that name begin in each language (`keeping`)."""
    return {lang: tuple(text.split("|")) for lang, text in _TABLE[name].items()}
