"""Where a clause is cut into segments: marks, condition and reason words, coordinated verbs. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

import regex

from bobctx.core.function_words import AUXILIARIES, BEFORE_NOUNS, DETERMINERS, MODALS, NOMINATIVES, SUBJECTS
from bobctx.core.lexemes import Lexeme
from bobctx.core.text import ABBREVIATIONS
from bobctx.core.units import Phrase, Units

BACKWARD: Final = frozenset({"ja", "ko"})
"""Languages where a condition, reason or negation stands behind what it governs."""
SPEAKS: Final = frozenset({"negation", "modal", "deny", "comparator", "hypothetical", "polar", "stop", "quantifier"})
"""Kinds that make a stretch a statement of its own."""
_OPENS = frozenset({"condition", "reason", "contrast", "joint"})
"""Kinds that begin a segment (in backward languages: end one)."""
_BREAKS = frozenset(",;:.!?[]|\n")
_JOINERS: Mapping[str, frozenset[str]] = {
    "en": frozenset({"and", "or", "but"}),
    "de": frozenset({"und", "oder", "aber", "sondern"}),
    "fr": frozenset({"et", "ou", "mais"}),
    "es": frozenset({"y", "e", "o", "u", "pero", "sino"}),
    "pt": frozenset({"e", "ou", "mas"}),
    "it": frozenset({"e", "ed", "o", "ma", "però"}),
    "nl": frozenset({"en", "of", "maar"}),
    "ru": frozenset({"и", "или", "но", "а"}),
    "ar": frozenset({"و", "أو", "او", "لكن", "ولكن"}),
}
JOINED: Final = _JOINERS
"""Coordinating words of each language that writes them apart."""
JOINERS: Final = frozenset(word for words in _JOINERS.values() for word in words)
"""Coordinating words of all languages."""
_CAUSES = frozenset({"wegen", "aufgrund", "vanwege", "wegens"})
"""Reasons that are no clause: what they stand in goes on behind them (`werden wegen der Kosten abgelehnt`)."""
_IF = frozenset({"if", "unless", "when"})
NOUN = 4
"""Tokens from a determiner within which its verb shows that it begins a statement."""
AHEAD = 4
"""Tokens after a coordinating word within which the next statement shows its verb, modal or negation."""
SAID = 3
"""Content units that make the stretch before a coordinating word a statement of its own."""


def joined_or(signs: str) -> dict[str, regex.Pattern[str]]:
    """Language -> where a sentence is cut at the given signs (an expression) or at a coordinating word."""
    words = {lang: "|".join(rf"(?<=\s){regex.escape(w)}(?=\s)" for w in sorted(of)) for lang, of in JOINED.items()}
    return {lang: regex.compile(f"{signs}|{joined}") for lang, joined in words.items()}


def cuts(tokens: Sequence[Lexeme], units: Units, found: Sequence[Phrase], lang: str) -> tuple[list[int], set[int]]:
    """Where segments begin, as ascending offsets into the text, and which of these are mere commas."""
    amounts = {t.start for t in tokens if t.kind == "number"}
    hard = {0, *_cue_edges(found, amounts, backward=lang in BACKWARD)}
    commas: set[int] = set()
    speaks = sorted(p.spans[0][0] for p in found if any(c.kind in SPEAKS for c in p.cues))
    joiners = _JOINERS.get(lang, frozenset())
    cue_edges = sorted(hard)
    behind = 0
    for i, token in enumerate(tokens):
        if token.kind == "mark" and token.form in _BREAKS:
            if _goes_on(tokens, i):
                continue
            (commas if token.form == "," else hard).add(token.end)
            behind = token.end if token.form != "," else behind
        elif token.kind == "word" and token.form in joiners and i + 1 < len(tokens):
            start = max(behind, cue_edges[bisect_right(cue_edges, token.start) - 1])
            ahead = tokens[min(i + AHEAD, len(tokens) - 1)].start
            stated = units.count(start, token.start) >= SAID or _any(speaks, start, token.start)
            if stated and _any(speaks, tokens[i + 1].start, ahead + 1):
                hard.add(token.start)
                behind = token.start
    if lang == "en":
        hard |= _after_conditions(tokens, units, found)
    return sorted(hard | commas), commas - hard


def _after_conditions(tokens: Sequence[Lexeme], units: Units, found: Sequence[Phrase]) -> set[int]:
    """Where the main clause begins behind an `if` without a comma (`if it rains we'll stay in`)."""
    edges: set[int] = set()
    opened = sorted(p.spans[-1][1] for p in found if any(c.kind == "condition" and c.value in _IF for c in p.cues))
    if not opened:
        return edges
    for i, token in enumerate(tokens[1:-1], 1):
        if token.kind == "word" and tokens[i - 1].kind in ("word", "number", "mark") and _begins_statement(tokens, i):
            start = next((e for e in reversed(opened) if e <= token.start), None)
            if start is not None and units.count(start, token.start) and tokens[i - 1].start >= start:
                edges.add(token.start)
    return edges


def _begins_statement(tokens: Sequence[Lexeme], i: int) -> bool:
    """Whether the word is a subject with its verb in sight (`… we stay`, `… the flight is off`)."""
    form, after = tokens[i].form, tokens[i + 1]
    if form in NOMINATIVES:
        return after.kind == "word"
    if form in SUBJECTS:
        return after.form in MODALS
    if form not in DETERMINERS or tokens[i - 1].form in BEFORE_NOUNS:
        return False
    near = tokens[i + 2 : i + 1 + NOUN]
    verb = next((t for t in near if t.kind != "word" or t.form in AUXILIARIES), None)
    return verb is not None and verb.form in AUXILIARIES


def _goes_on(tokens: Sequence[Lexeme], i: int) -> bool:
    """Whether a mark parts nothing: in a number (`1,100`), after a title (`Dr. Lund`), before `down from 90`."""
    mark, after = tokens[i], tokens[i + 1 : i + 3]
    if not after:
        return False
    if mark.form == "." and i and tokens[i - 1].form in ABBREVIATIONS and tokens[i - 1].end == mark.start:
        return True
    if mark.end == after[0].start and i and tokens[i - 1].end == mark.start:
        return tokens[i - 1].kind == after[0].kind == "number"
    return mark.form == "," and len(after) > 1 and after[0].form in ("down", "up") and after[1].form == "from"


def _any(places: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


def _cue_edges(found: Sequence[Phrase], amounts: set[int], *, backward: bool) -> list[int]:
    edges: list[int] = []
    for phrase in found:
        kinds = {c.kind for c in phrase.cues}
        if kinds == {"reason"} and phrase.spans[-1][1] + 1 in amounts:
            continue  # `um 13:30`, `om 17:00`: a time, no reason
        if kinds == {"reason"} and phrase.cues[0].text.casefold() in _CAUSES:
            continue
        if not kinds & _OPENS or ("negation" in kinds and not backward):
            continue
        terms = [c.value for c in phrase.cues if c.kind == "condition"]
        if terms and all(v in ("despite", "including", "at") for v in terms):
            continue  # these stay inside their segment
        edges.append(phrase.spans[-1][1] if backward else phrase.spans[0][0])
    return edges
