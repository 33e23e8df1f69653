"""The form of a raw claim: type, text, cites, importance, and that its text forges nothing. Pure.

One line, 1 to 600 characters, no control, bidirectional or invisible characters, no markup of our own block
(design, section 6, Shape).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import regex

from bobctx.core.types import CLAIM_TYPES, ClaimType, Json, RawClaim

MAX_TEXT: Final = 600
MAX_CITES: Final = 8
MAX_LABEL: Final = 40

_OWN_MARKUP: Final = regex.compile(
    r"\[\s*cites?\s*:|\(\s*replaces\s+r?\d|\[compacted history\b|^\s*-\s*(?:r\d+\.)?c\d+\b"
    r"|(?:^|\s)region\s+m\d+\.\.m\d+|\[(?:decision|constraint|definition|commitment|fact|correction|open_question|failure|artifact|preference)\]"
    r"|\[bobctx:(?:block|tool):|\[not shown\b|\bcites:\s*m\d+|<secret:(?![a-z]{1,16}:[0-9a-f]{8}>)",
    regex.IGNORECASE,
)
_BLANKS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u180e")
_SUSPECT: Final = regex.compile(r"[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800\u180e\ufe00-\ufe0f]")
"""Characters that need a closer look; all others are harmless."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Needed in Arabic script, Indic scripts and emoji; invisible tricks anywhere else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaped:
    """A claim whose form is right."""

    index: int
    label: str
    type: ClaimType
    importance: int
    text: str
    cites: tuple[int, ...]
    supersedes: Json
    lowered: bool = False
    """The importance given was no integer from 1 to 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misshapen:
    """What is wrong with the form of a claim."""

    code: str
    data: Mapping[str, Json]


def raw_claim(value: RawClaim | Mapping[str, Any], index: int) -> RawClaim:
    """A plain mapping as the raw claim it stands for."""
    if isinstance(value, RawClaim):
        return value
    fields = {k: value.get(k) for k in ("id", "type", "importance", "text", "cites", "supersedes")}
    return RawClaim(index=index, **fields)


def label_of(raw: RawClaim) -> str:
    """The name the seat gave the claim, or `#index`."""
    return raw.id if isinstance(raw.id, str) and 0 < len(raw.id) <= MAX_LABEL else f"#{raw.index}"


def shape(raw: RawClaim, aliases: Mapping[str, int]) -> Shaped | Misshapen:
    """The claim with its cites as positions in the region, or what is wrong with it."""
    if raw.type not in CLAIM_TYPES:
        return Misshapen(code="unknown_type", data={"type": _short(raw.type), "known": list(CLAIM_TYPES)})
    if not isinstance(raw.text, str) or not raw.text.strip():
        return Misshapen(code="empty_text", data={})
    text = raw.text.strip()
    if len(text) > MAX_TEXT:
        return Misshapen(code="text_too_long", data={"characters": len(text), "most": MAX_TEXT})
    if bad := unclean(text):
        return bad
    cites = _cites(raw.cites, aliases)
    if isinstance(cites, Misshapen):
        return cites
    right = isinstance(raw.importance, int) and not isinstance(raw.importance, bool) and 1 <= raw.importance <= 3
    return Shaped(
        index=raw.index,
        label=label_of(raw),
        type=raw.type,
        importance=raw.importance if right else 1,
        text=text,
        cites=cites,
        supersedes=raw.supersedes,
        lowered=not right,
    )


def _cites(value: Json, aliases: Mapping[str, int]) -> tuple[int, ...] | Misshapen:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return Misshapen(code="no_cites", data={})
    names = list(dict.fromkeys(c if isinstance(c, str) else str(c) for c in value))
    if len(names) > MAX_CITES:
        return Misshapen(code="too_many_cites", data={"cites": len(names), "most": MAX_CITES})
    unknown = [c[:80] for c in names if c not in aliases]
    if unknown:
        return Misshapen(code="unknown_cite", data={"cites": unknown})
    return tuple(sorted({aliases[c] for c in names}))


def unclean(text: str) -> Misshapen | None:
    """Characters or markup that would let a claim forge what it is not."""
    for found in _SUSPECT.finditer(text):
        position, char = found.start(), found.group()
        if char in ("\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"):
            return Misshapen(code="many_lines", data={"at": position})
        if _hidden(char, text, position):
            return Misshapen(code="hidden_character", data={"at": position, "character": f"U+{ord(char):04X}"})
    if match := _OWN_MARKUP.search(text):
        return Misshapen(code="own_markup", data={"markup": match.group().strip()})
    return None


def _hidden(char: str, text: str, position: int) -> bool:
    if char.isascii():
        return not char.isprintable()
    if char in _JOINERS:
        around = text[max(0, position - 1) : position] + text[position + 1 : position + 2]
        return not regex.search(
            r"[\p{Arabic}\p{Devanagari}\p{Bengali}\p{Tamil}\p{So}\p{Extended_Pictographic}]", around
        )
    if "\ufe00" <= char <= "\ufe0f":
        return position == 0 or text[position - 1].isalnum()
    return char in _BLANKS or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co")


def _short(value: Json) -> str:
    return str(value)[:40]
