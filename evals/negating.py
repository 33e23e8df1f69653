"""A negation put into or taken out of a natural claim, in eleven languages beside English."""

from __future__ import annotations

import re
from collections.abc import Iterator

ADDED: dict[str, tuple[str, str]] = {
    "de": (r"\b(ist|sind|wird|werden|darf|dürfen|muss|müssen|kann|können|soll|sollen|kostet|bleibt)\b", r"\1 nicht"),
    "fr": (r"\b(est|sont|doit|doivent|peut|peuvent|sera|seront|reste|coûte)\b", r"n'\1 pas"),
    "es": (r"\b(está|están|es|son|debe|deben|puede|pueden|se|cuesta)\b", r"no \1"),
    "pt": (r"\b(está|estão|é|são|deve|devem|pode|podem|será|custa)\b", r"não \1"),
    "it": (r"\b(è|sono|deve|devono|può|possono|va|vanno|si|costa)\b", r"non \1"),
    "nl": (r"\b(is|zijn|wordt|worden|mag|mogen|moet|moeten|kan|kost)\b", r"\1 niet"),
    "ru": (r"\b(находится|поливают|можно|нужно|должен|должна|должны|заказывают|будет)\b", r"не \1"),
    "zh": (r"(可以|发到|要(?!求)|用(?!户)|来|在|是)", r"不\1"),
    "ja": (r"です(?=[。]|$)", "ではありません"),
    "ko": (r"한다(?=[.]|$)", "하지 않는다"),
    "ar": (r"\b(يغادر|يبدأ|تطبع|يجوز|يجب|تفتح)\b", r"لا \1"),
}
"""Language -> a verb and the same denied."""
DROPPED: dict[str, tuple[str, str]] = {
    "de": (r"\b(?:nicht|niemals|nie) ", ""),
    "fr": (r"\bn(?:e |')(\w+) (?:pas|jamais)\b", r"\1"),
    "es": (r"\b[Nn]o (?=\w)", ""),
    "pt": (r"\b[Nn]ão (?=\w)", ""),
    "it": (r"\b[Nn]on (?=\w)", ""),
    "nl": (r"\bniet ", ""),
    "ru": (r"\b[Нн]е (?=\w)", ""),
    "zh": (r"不(?=能|得|可|许|用|要)", ""),
    "ja": (r"てはいけない|てはならない", "てもよい"),
    "ko": (r"면 안 된다", "면 된다"),
    "ar": (r"\bلا (?=\w)", ""),
}
"""Language -> a negation and what is left without it."""
_ELSEWHERE = re.compile(
    r"\b(nicht|kein\w*|nie|ohne|pas|jamais|aucun\w*|sans|interdit|no|nunca|sin|ningun\w*|não|nunca|sem|non|mai|senza|niet"
    r"|geen|nooit|не|нет|нельзя|без|لا|ليس|لن|ممنوع|verboten|prohibid\w*|proibid\w*|vietat\w*|verboden|nur|seul\w*|solo|sólo"
    r"|só|alleen|только)\b|[不没禁]|ない|ません|않|안 |금지",
    re.IGNORECASE,
)


def negated(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """(kind, text) with one negation more or less; only where the text has none, or just the one."""
    count = len(_ELSEWHERE.findall(text))
    if lang in ADDED and count == 0:
        pattern, new = ADDED[lang]
        changed = re.sub(pattern, new, text, count=1)
        if changed != text:
            yield "negation_added", changed
    if lang in DROPPED and count == 1:
        pattern, new = DROPPED[lang]
        changed = re.sub(pattern, new, text, count=1)
        if changed != text:
            yield "negation_dropped", changed
