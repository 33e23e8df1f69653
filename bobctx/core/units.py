"""The cues of a text and its content units: stems, names, numbers, character pairs, concepts, in order. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import regex

from bobctx.core.folding import level
from bobctx.core.function_words import INVERTED
from bobctx.core.language import is_stop_word
from bobctx.core.lexemes import Lexeme
from bobctx.core.lexicon import LOGIC, Cue, Hit, cues
from bobctx.core.measures import UNIT, WEEKDAY_OF
from bobctx.core.remembering import remembered
from bobctx.core.stemming import stem

NAME_WEIGHT = 3.0
"""How much more a shared name or number says about the subject than a shared word."""
CONCEPT_WEIGHT = 0.5
"""Of an antonym pair, which comes on top of its own word."""
KANA_WEIGHT = 0.5
"""Of an ideograph beside a kana, whose pair would say more about the inflection than about the word."""

CARRIES = frozenset({"polar", "opposite", "stop", "deny", "soft", "past"})
"""Kinds whose words say something about the subject as well."""


NAMES = frozenset({"May", "Max", "Min"})
"""Cue words that, capitalised inside a sentence, are a month or a person."""


ALLOWANCES = frozenset({"Allow", "allow"})
_AMOUNT = regex.compile(r"\s(?:for\s|(?:about|around|roughly|another|an extra|at least|some)\s)?[£$€¥]?\d[\d.,]*+")
_EACH = regex.compile(r"[^.;:!?\n]{0,30}?\s(?:a head|per\s|each\b|apiece|a person)")
_DAY = regex.compile(r"\s\d")
_BEGINS = regex.compile(r"(?:^|[.;:!?,\n]\s?|\b(?:and|then|please)\s)$")
_QUESTION = regex.compile(r"[^.;:!\n?]*+\?")


class Unit(NamedTuple):
    """One thing a text speaks of, and where."""

    key: str
    weight: float
    start: int
    end: int


class Phrase(NamedTuple):
    """A cue phrase: its senses and the stretches it stands on."""

    cues: tuple[Cue, ...]
    spans: tuple[tuple[int, int], ...]


class Units:
    """The units of a text in order, with their starts for bisection."""

    __slots__ = ("items", "starts")

    def __init__(self, items: Sequence[Unit]) -> None:
        self.items = sorted(items, key=lambda u: (u.start, u.key))
        self.starts = [u.start for u in self.items]

    def between(self, start: int, end: int, limit: int | None = None) -> Sequence[Unit]:
        """Units that begin in `start..end`, at most the first `limit`."""
        a = bisect_left(self.starts, start)
        b = bisect_left(self.starts, end, a)
        return self.items[a : b if limit is None else min(b, a + limit)]

    def before(self, start: int, end: int, limit: int) -> Sequence[Unit]:
        """The last `limit` units that begin in `start..end`, nearest first."""
        a = bisect_left(self.starts, start)
        b = bisect_left(self.starts, end, a)
        return self.items[max(a, b - limit) : b][::-1]

    def count(self, start: int, end: int) -> int:
        """How many units begin in `start..end`."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)


def phrases(text: str, tokens: Sequence[Lexeme], lang: str) -> list[Phrase]:
    """The cue phrases of `text`, in order."""
    lexicon = LOGIC.get(lang)
    if lexicon is None:
        return []
    hits: list[tuple[Hit, tuple[tuple[int, int], ...]]]
    if lexicon.by_character:
        shown = list(level(text))
        for t in tokens:
            if t.kind == "opaque":
                shown[t.start : t.end] = "\0" * (t.end - t.start)
        hits = [(h, _runs(h.parts)) for h in lexicon.character_hits("".join(shown))]
    else:
        hits = [(h, tuple((tokens[p].start, tokens[p].end) for p in h.parts)) for h in lexicon.hits(tokens)]
    out: list[Phrase] = []
    for hit, spans in hits:
        start, end = spans[0][0], spans[-1][1]
        named = text[start:end] in NAMES and (start > 0 or _DAY.match(text, end) is not None)
        if named or _asks(text, start, end) or _measures_out(text, start, end):
            continue
        out.append(Phrase(tuple(Cue(k, v, text[start:end], start, end) for k, v in hit.senses), spans))
    return out


def _asks(text: str, start: int, end: int) -> bool:
    """Whether a verb before its subject (`Should it rain`) asks and puts no condition."""
    return text[start:end].casefold().split()[0] in INVERTED and _QUESTION.match(text, end) is not None


def _measures_out(text: str, start: int, end: int) -> bool:
    """Whether an order to `allow 110 ml a head` measures something out and permits nothing."""
    if text[start:end] not in ALLOWANCES or _BEGINS.search(text, max(0, start - 8), start) is None:
        return False
    amount = _AMOUNT.match(text, end)
    if amount is None:
        return False
    unit = UNIT.match(text, amount.end())
    return (unit is not None and bool(unit["unit"])) or _EACH.match(text, amount.end()) is not None


def _runs(positions: Sequence[int]) -> tuple[tuple[int, int], ...]:
    runs: list[tuple[int, int]] = []
    for p in positions:
        if runs and runs[-1][1] == p:
            runs[-1] = (runs[-1][0], p + 1)
        else:
            runs.append((p, p + 1))
    return tuple(runs)


def units(text: str, tokens: Sequence[Lexeme], found: Sequence[Phrase], lang: str) -> Units:
    """What `text` speaks of: cue words only where they carry meaning, each antonym pair as one concept."""
    hidden = bytearray(len(text) + 1)
    items: list[Unit] = []
    for phrase in found:
        if not any(c.kind in CARRIES for c in phrase.cues):
            kept = _kept(text, phrase, lang)
            for a, b in phrase.spans[:-1] if kept else phrase.spans:
                hidden[a:b] = b"\1" * (b - a)
            if kept and kept[1]:
                items.append(Unit(kept[1], CONCEPT_WEIGHT, *kept[0]))
        for cue in phrase.cues:
            if cue.kind in ("polar", "opposite"):
                items.append(Unit("=" + cue.value[:-1], CONCEPT_WEIGHT, cue.start, cue.end))
                break
    for t in tokens:
        if t.kind in ("opaque", "number"):
            items.append(Unit(t.form, NAME_WEIGHT, t.start, t.end))
        elif t.kind == "cjk":
            items.extend(_pairs(t, hidden))
        elif t.kind == "word" and not hidden[t.start] and not is_stop_word(t.form, lang):
            weight = NAME_WEIGHT if t.form in WEEKDAY_OF else 1.0  # a day says which one as a number does
            items.append(Unit(stem(t.form, lang), weight, t.start, t.end))
    return Units(items)


def _kept(text: str, phrase: Phrase, lang: str) -> tuple[tuple[int, int], str] | None:
    """The last word of a phrase that carries meaning by itself, and its concept (`not compulsory`, `by post`)."""
    if len(phrase.spans) < 2:
        return None
    start, end = phrase.spans[-1]
    if text[phrase.spans[0][0] : phrase.spans[0][1]].casefold() == "by":
        return (start, end), ""
    concept = _concept(text[start:end], lang) if any(c.kind == "modal" for c in phrase.cues) else ""
    return ((start, end), concept) if concept else None


@remembered(4_096)
def _concept(word: str, lang: str) -> str:
    return next(("=" + c.value[:-1] for c in cues(word, lang, LOGIC, ("polar",))), "")


def _pairs(token: Lexeme, hidden: bytearray) -> list[Unit]:
    """Character pairs of a run, pairs of kana and of particles left out."""
    form, out = token.form, []
    for i in range(len(form) - 1):
        at = token.start + i
        a, b = form[i], form[i + 1]
        if hidden[at] or hidden[at + 1] or a in "的了是在" or b in "的了是在":
            continue
        kana = _kana(a) + _kana(b)
        if kana == 1:
            out.append(Unit(b if _kana(a) else a, KANA_WEIGHT, at, at + 2))
        elif kana == 0:
            out.append(Unit(a + b, 1.0, at, at + 2))
    return out


def _kana(char: str) -> bool:
    return "\u3041" <= char <= "\u309f"
