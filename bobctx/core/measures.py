"""Units, currencies, number words, month and weekday names as one lookup, from `data/measures.json`. Pure.

The tables say where they come from (`source`): CLDR names, SI, IEC and ISO 4217 units, plain numerals.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

import regex

_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("measures.json").read_text("utf-8"))

LETTER: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{M}]"
"""Letters of scripts that write words with spaces and glue digits to them."""

UNIT_OF: Final[dict[str, str]] = {s: unit for unit, forms in _TABLE["units"].items() for s in forms}
CURRENCY_OF: Final[dict[str, str]] = {s: code for code, forms in _TABLE["currencies"].items() for s in forms}
MULTIPLIER_OF: Final[dict[str, str]] = {s: m for m, forms in _TABLE["multipliers"].items() for s in forms}
FACTOR: Final = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000, "1e4": 10_000, "1e8": 100_000_000}
UNIT_FORMS: Final[dict[str, tuple[str, ...]]] = {
    **{unit: tuple(forms) for unit, forms in _TABLE["units"].items()},
    **{code: tuple(forms) for code, forms in _TABLE["currencies"].items()},
}
STRICT_UNITS: Final = frozenset({"%", *_TABLE["currencies"]})
"""A bare number is not the same as one of these: 5 is not 5 %, nor 5 EUR."""

MONTH_OF: Final[dict[str, int]] = {name: n for names in _TABLE["months"].values() for name, n in names.items()}
WEEKDAY_OF: Final[dict[str, int]] = {name: n for names in _TABLE["weekdays"].values() for name, n in names.items()}
_AMBIGUOUS: Final = frozenset(_TABLE["ambiguous_words"])
_WORDS: Final[dict[str, dict[str, int]]] = _TABLE["words"]

_CJK_DIGITS: Final = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2, "零": 0}


def number_words(lang: str) -> dict[str, int]:
    """Number words from two up in `lang`; in every language, the ambiguous left out, where it is unknown."""
    if lang in _WORDS:
        return _WORDS[lang]
    if lang in ("zh", "ja"):
        return {}
    merged: dict[str, int] = {}
    for words in _WORDS.values():
        merged.update({w: n for w, n in words.items() if w not in _AMBIGUOUS and len(w) > 2})
    return merged


def cjk_number(text: str) -> int | None:
    """The value of Chinese numerals below 10,000 (`十五`, `三百`), or None."""
    total, current = 0, 0
    for char in text:
        if char in _CJK_DIGITS:
            current = _CJK_DIGITS[char]
        elif char in "十百千":
            total += (current or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            current = 0
        else:
            return None
    return total + current


def _alternatives(forms: dict[str, str]) -> str:
    return "|".join(regex.escape(f) for f in sorted(forms, key=lambda f: (-len(f), f)))


_CASELESS: Final = {f.lower(): u for f, u in UNIT_OF.items() if len(f) > 3}
UNIT: Final = regex.compile(
    rf"(?P<sep>[ \u00a0\u202f-]?)(?P<mult>(?:{_alternatives(MULTIPLIER_OF)})(?!{LETTER}))?+[ \u00a0\u202f]?"
    rf"(?P<unit>(?:{_alternatives(UNIT_OF | CURRENCY_OF)})(?!{LETTER}|\p{{Nd}}|\p{{Arabic}}|[ ]?=))?+"
)
"""What may follow a number: a multiplier, a unit or currency."""
PREFIX: Final = regex.compile(rf"(?<!{LETTER})(?:{_alternatives(CURRENCY_OF)})[ \u00a0]?$")
"""A currency before a number (used on the few characters that stand before it)."""


_RATE: Final = regex.compile(
    r"(?:\s?[\p{L}]{2,20}){0,2}?\s?(?:/\s?|\s(?:per|an?|each|every|pro|je|par|por|al|alla|op|в|за)\s|每|毎)"
    r"(?P<u>[\p{L}]{1,14})(?![\p{Latin}\p{No}\p{Nd}-])"
    r"|\s?(?P<adverb>hourly|daily|weekly|monthly|yearly|täglich|wöchentlich|monatlich)\b"
)
_ADVERBS: Final = {
    "hourly": "h", "daily": "d", "weekly": "wk", "monthly": "mo", "yearly": "yr", "täglich": "d", "wöchentlich": "wk",
    "monatlich": "mo", "quotidien": "d", "hebdomadaire": "wk", "mensuel": "mo", "diari": "d", "semanal": "wk",
    "mensual": "mo", "mensal": "mo", "giornalier": "d", "settimanal": "wk", "mensil": "mo", "dagelijks": "d",
    "wekelijks": "wk", "maandelijks": "mo", "annual": "yr", "jährlich": "yr", "jaarlijks": "yr",
}  # fmt: skip
TIMES: Final = frozenset({"ns", "us", "ms", "s", "min", "h", "d", "wk", "mo", "yr"})
_SHARERS: Final = {form: kind for kind, forms in _TABLE["sharers"].items() for form in forms}
"""Words for those among whom something is shared out -> their kind."""
_KINDS: Final = frozenset(_SHARERS.values())
_OF: Final = regex.compile(r"\s(?:of|von|de|di|van|из)\b")


def rate_of(text: str, end: int) -> str | None:
    """What a quantity ending at `end` is per: a unit of time, else another unit or a kind of sharer (`per kWh`)."""
    match = _RATE.match(text, end)
    if match is None:
        return None
    if match["adverb"]:
        return _ADVERBS[match["adverb"]]
    per = match["u"]
    unit = unit_of(per)
    if unit in TIMES:
        return unit
    further = _RATE.match(text, match.end())
    if further is not None and further["u"] and (later := unit_of(further["u"])) in TIMES:
        return later  # `per person per day`: what both of two orders have
    if unit is not None and unit not in STRICT_UNITS:
        return unit
    direct = len(text[end : match.start("u")].split()) <= 1 and not _OF.match(text, match.end())
    return _SHARERS.get(per.lower()) if direct else None


def rate_kind(rate: str) -> str:
    """What kind of thing a rate is per: only two of one kind can contradict each other."""
    return "time" if rate in TIMES else "sharer" if rate in _KINDS else "unit"


def paced(text: str, unit: str) -> bool:
    """Whether a text names a unit of time by how often something is (`daily`)."""
    low = text.lower()
    return any(word in low for word, of in _ADVERBS.items() if of == unit)


def unit_of(surface: str) -> str | None:
    """Canonical unit or currency code of a written unit."""
    return UNIT_OF.get(surface) or CURRENCY_OF.get(surface) or _CASELESS.get(surface.lower())


def mentions_unit(text: str, unit: str) -> bool:
    """Whether `text` names the unit anywhere, as a table header or key does (`retention.days`)."""
    return any(
        regex.search(rf"(?<!{LETTER}){regex.escape(form)}(?!{LETTER})", text, regex.IGNORECASE if len(form) > 2 else 0)
        for form in UNIT_FORMS.get(unit, ())
    )
