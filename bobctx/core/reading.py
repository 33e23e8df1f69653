"""What one clause says, as far as cues can tell: its segments, their content and the cues in each. Pure.

A segment is the stretch a negation, a modal or a condition reaches: a clause is cut at commas, at condition
and reason words and at coordinated verbs, and a bare list item joins its neighbour. Comparing two texts
means comparing aligned segments (`polarity`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bobctx.core.language import is_stop_word
from bobctx.core.folding import level
from bobctx.core.lexemes import Lexeme, lexemes
from bobctx.core.lexicon import ACTS, LOGIC, Cue, Hit, cues
from bobctx.core.text import stem

NAME_WEIGHT = 3.0
"""How much more a shared name or number says about the subject than a shared word."""
CACHED = 4_000
"""Code points of a text whose reading is remembered."""

_BREAKS = frozenset(",;:.!?()[]|\n")
_OPENS = frozenset({"condition", "reason", "contrast", "joint"})
"""Kinds that begin a segment (in Japanese and Korean: end one)."""
_JOINERS = frozenset(
    [
        "and",
        "or",
        "but",
        "und",
        "oder",
        "aber",
        "sondern",
        "et",
        "ou",
        "mais",
        "y",
        "o",
        "pero",
        "sino",
        "e",
        "mas",
        "ma",
        "però",
        "en",
        "of",
        "maar",
        "и",
        "или",
        "но",
        "а",
        "و",
        "أو",
        "لكن",
    ]
)
_BUT = frozenset({"", *"but and aber und mais et pero y mas e ma però maar en но а и لكن ولكن و".split()})
_SPEAKS = frozenset({"negation", "modal", "deny", "comparator", "hypothetical", "polar", "stop", "quantifier"})


@dataclass(slots=True)
class Segment:
    """One stretch of a clause and the cues that reach it."""

    kind: str
    """`main`, `condition` or `contrast`."""
    content: dict[str, float] = field(default_factory=dict)
    """Stems, names and numbers with their weight."""
    cues: list[Cue] = field(default_factory=list)
    heads: set[str] = field(default_factory=set)
    """Stems right after (or, where the verb comes last, before) a negation: what is denied."""
    marked: set[str] = field(default_factory=set)
    """Stems that stand inside a word or phrase that denies, stops or keeps."""
    first: int = 0
    last: int = 0

    def has(self, kind: str) -> bool:
        """Whether a cue of `kind` is here."""
        return any(c.kind == kind for c in self.cues)

    def of(self, kind: str) -> list[Cue]:
        """The cues of `kind`."""
        return [c for c in self.cues if c.kind == kind]

    def values(self, kind: str) -> set[str]:
        """The classes of the cues of `kind`."""
        return {c.value for c in self.cues if c.kind == kind}


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparator and the literal or word it limits."""

    way: str
    """`upper` or `lower`."""
    value: str
    key: str
    cue: Cue


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's segments and bounds."""

    lang: str
    segments: tuple[Segment, ...]
    bounds: tuple[Bound, ...]
    question: bool
    cues: tuple[Cue, ...]
    accepts: bool = False
    """It opens with a word that accepts what was proposed (`Yes, …`)."""
    refuses: bool = False
    """It opens with a word that refuses what was proposed (`No, …`)."""

    def values(self, kind: str) -> set[str]:
        """The classes of the cues of `kind` anywhere in the text."""
        return {c.value for c in self.cues if c.kind == kind}

    def has(self, kind: str) -> bool:
        """Whether a cue of `kind` is anywhere in the text."""
        return any(c.kind == kind for c in self.cues)


WAY = {
    "at_least": "lower",
    "more": "lower",
    "after": "lower",
    "at_most": "upper",
    "less": "upper",
    "before": "upper",
}


@dataclass(slots=True)
class _Unit:
    """A content unit (or a mark) on its way into a segment."""

    key: str
    weight: float
    start: int
    end: int


@lru_cache(maxsize=4096)
def _read_cached(text: str, lang: str) -> Reading:
    return _read(text, lang)


def read(text: str, lang: str) -> Reading:
    """The reading of `text` (one clause or claim) with the tables of `lang`."""
    return _read_cached(text, lang) if len(text) <= CACHED else _read(text, lang)


def _read(text: str, lang: str) -> Reading:
    tokens = lexemes(text, lang)
    found = _cues(text, tokens, lang)
    units = _units(text, tokens, found, lang)
    edges, commas = _edges(tokens, units, found, lang)
    segments = _merged(_segments(text, units, found, edges, lang), commas)
    bounds = _bounds(found, tokens, units, lang)
    flat = tuple(c for cues, _ in found for c in cues)
    return Reading(
        lang,
        tuple(segments),
        bounds,
        _asks(text, flat, tokens),
        flat,
        _opens(text, lang, "acceptance"),
        _opens(text, lang, "refusal"),
    )


_Found = list[tuple[tuple[Cue, ...], tuple[tuple[int, int], ...]]]
"""Cues of one phrase, and the spans it stands on."""


def _cues(text: str, tokens: Sequence[Lexeme], lang: str) -> _Found:
    lexicon = LOGIC.get(lang)
    if lexicon is None:
        return []
    hits: list[tuple[Hit, tuple[tuple[int, int], ...]]] = []
    if lexicon.by_character:
        shown = list(level(text))
        for t in tokens:
            if t.kind == "opaque":
                shown[t.start : t.end] = "\0" * (t.end - t.start)
        hits = [(h, _runs(h.parts)) for h in lexicon.character_hits("".join(shown))]
    else:
        hits = [(h, tuple((tokens[p].start, tokens[p].end) for p in h.parts)) for h in lexicon.hits(tokens)]
    out: _Found = []
    for hit, spans in hits:
        start, end = spans[0][0], spans[-1][1]
        cues = tuple(Cue(k, v, text[start:end], start, end) for k, v in hit.senses)
        out.append((cues, spans))
    return out


def _runs(positions: Sequence[int]) -> tuple[tuple[int, int], ...]:
    runs: list[tuple[int, int]] = []
    for p in positions:
        if runs and runs[-1][1] == p:
            runs[-1] = (runs[-1][0], p + 1)
        else:
            runs.append((p, p + 1))
    return tuple(runs)


_CARRIES = frozenset({"polar", "opposite", "stop", "deny", "soft"})
"""Kinds whose words say something about the subject as well."""


def _units(text: str, tokens: Sequence[Lexeme], found: _Found, lang: str) -> list[_Unit]:
    hidden = bytearray(len(text))
    units: list[_Unit] = []
    for cues, spans in found:
        if not any(c.kind in _CARRIES for c in cues):
            for a, b in spans:
                hidden[a:b] = b"\1" * (b - a)
        for cue in cues:
            if cue.kind in ("polar", "opposite"):
                units.append(_Unit("=" + cue.value[:-1], 1.0, cue.start, cue.end))
                break
    for t in tokens:
        if t.kind in ("opaque", "number"):
            units.append(_Unit(t.form, NAME_WEIGHT, t.start, t.end))
        elif t.kind == "cjk":
            _pairs(units, t, hidden)
        elif t.kind == "word" and not hidden[t.start] and not is_stop_word(t.form, lang):
            units.append(_Unit(stem(t.form, lang), 1.0, t.start, t.end))
    units.sort(key=lambda u: (u.start, u.key))
    return units


def _pairs(units: list[_Unit], token: Lexeme, hidden: bytearray) -> None:
    """Character pairs of a run, particles (kana between ideographs) left out."""
    form = token.form
    for i in range(len(form) - 1):
        at = token.start + i
        if hidden[at] or hidden[min(at + 1, len(hidden) - 1)]:
            continue
        a, b = form[i], form[i + 1]
        kana = ("\u3041" <= a <= "\u309f") + ("\u3041" <= b <= "\u309f")
        if kana == 2 or a in "的了是在" or b in "的了是在":
            continue
        units.append(_Unit(a if kana and a > "\u309f" else b if kana else a + b, 0.5 if kana else 1.0, at, at + 2))


def _edges(tokens: Sequence[Lexeme], units: Sequence[_Unit], found: _Found, lang: str) -> tuple[list[int], set[int]]:
    """Where segments may begin, as offsets into the text, and which of these are mere commas."""
    edges = {0}
    soft: set[int] = set()
    backward = lang in ("ja", "ko")
    for cues, spans in found:
        kinds = {c.kind for c in cues}
        if not kinds & _OPENS or ("negation" in kinds and not backward):
            continue
        if kinds == {"condition"} and cues[0].value == "despite":
            continue
        edges.add(spans[-1][1] if backward else spans[0][0])
    speaks = sorted(s[0][0] for cues, s in found if any(c.kind in _SPEAKS for c in cues))
    for i, t in enumerate(tokens):
        if t.kind == "mark" and t.form in _BREAKS:
            (soft if t.form == "," else edges).add(t.end)
        elif t.kind == "word" and t.form in _JOINERS and i + 1 < len(tokens):
            ahead = tokens[min(i + 4, len(tokens) - 1)].start
            behind = max((e for e in edges if e <= t.start), default=0)
            said = sum(1 for u in units if behind <= u.start < t.start)
            if any(tokens[i + 1].start <= s <= ahead for s in speaks) and (
                said >= 3 or any(behind <= s < t.start for s in speaks)
            ):
                edges.add(t.start)
    return sorted(edges | soft), soft - edges


def _segments(text: str, units: Sequence[_Unit], found: _Found, edges: Sequence[int], lang: str) -> list[Segment]:
    ends = [*edges[1:], len(text)]
    segments = [Segment(kind="main", first=a, last=b) for a, b in zip(edges, ends, strict=True)]
    at = 0
    for unit in units:
        while unit.start >= ends[at] and at + 1 < len(ends):
            at += 1
        content = segments[at].content
        content[unit.key] = max(content.get(unit.key, 0.0), unit.weight)
    at = 0
    for meant, spans in found:
        while spans[0][0] >= ends[at] and at + 1 < len(ends):
            at += 1
        for cue in meant:
            _place(segments[at], cue, text, units, lang)
    return segments


def _place(segment: Segment, cue: Cue, text: str, units: Sequence[_Unit], lang: str) -> None:
    """One cue put into its segment, and what it makes of the segment."""
    segment.cues.append(cue)
    backward = lang in ("ja", "ko")
    if cue.kind == "condition" and cue.value in ("if", "unless", "except", "until", "when"):
        segment.kind = "condition"
    elif cue.kind == "contrast" and (backward or _sets_aside(text, segment.first, cue.start)):
        segment.kind = "contrast"
    if cue.kind in ("negation", "deny") or (cue.kind == "contrast" and backward):
        segment.heads |= _heads(units, cue, segment, backward=backward)
    if cue.kind in ("deny", "stop", "soft"):
        segment.marked |= {u.key for u in units if cue.start <= u.start < cue.end}


def _sets_aside(text: str, first: int, start: int) -> bool:
    """Whether a contrast word stands where a contrast does: after a comma or `but`, not at the very beginning."""
    before = text[:start].rstrip()
    return bool(before) and text[first:start].strip(" ,،-–—").casefold() in _BUT


def _heads(units: Sequence[_Unit], cue: Cue, segment: Segment, *, backward: bool) -> set[str]:
    """The content units next to a negation inside its segment."""
    inside = [u for u in units if segment.first <= u.start < segment.last]
    after = [u.key for u in inside if u.start >= cue.end]
    before = [u.key for u in inside if u.end <= cue.start]
    return set(before[-1:]) if backward else set(after[:1])


def _merged(segments: Sequence[Segment], commas: set[int]) -> list[Segment]:
    """Bare list items (no cue that speaks, few words, a comma behind) joined to the segment after them."""
    out: list[Segment] = []
    waiting: Segment | None = None
    for segment in segments:
        if not segment.content and not segment.cues:
            continue
        current = segment
        if waiting is not None:
            if segment.kind == "main" and segment.first in commas:
                current = _join(waiting, segment)
            else:
                out.append(waiting)
        waiting = None
        if current.kind == "main" and len(current.content) <= 3 and not any(c.kind in _SPEAKS for c in current.cues):
            waiting = current
        else:
            out.append(current)
    if waiting is not None:
        if out and out[-1].kind == "main" and len(waiting.content) <= 2 and waiting.first in commas:
            out[-1] = _join(out[-1], waiting)
        else:
            out.append(waiting)
    return out


def _join(first: Segment, second: Segment) -> Segment:
    return Segment(
        kind=second.kind if first.kind == "main" else first.kind,
        content={**first.content, **second.content},
        cues=[*first.cues, *second.cues],
        heads=first.heads | second.heads,
        marked=first.marked | second.marked,
        first=first.first,
        last=second.last,
    )


def _bounds(found: _Found, tokens: Sequence[Lexeme], units: Sequence[_Unit], lang: str) -> tuple[Bound, ...]:
    """What each comparator limits: the number (else the word) after it, or before it where it follows."""
    out: list[Bound] = []
    for cues, spans in found:
        for cue in cues:
            if cue.kind not in ("comparator", "comparator_post"):
                continue
            key = _limited(units, cue, post=cue.kind == "comparator_post")
            if key is None or (len(cue.text) <= 2 and not key[:1].isnumeric()):
                continue  # "by MinaLima" names a maker, "by 2026" sets a limit
            if cue.value in WAY:
                out.append(Bound(WAY[cue.value], cue.value, key, cue))
    return tuple(out)


def _limited(units: Sequence[_Unit], cue: Cue, *, post: bool) -> str | None:
    near = (
        [u for u in units if (u.end <= cue.start and cue.start - u.end <= 12) if post]
        if post
        else [u for u in units if u.start >= cue.end and u.start - cue.end <= 24]
    )
    if post:
        near.reverse()
    for unit in near[:3]:
        if unit.key[:1].isnumeric() or unit.key[:1] == "-":
            return unit.key
    return near[0].key if near and not near[0].key.startswith("=") else None


def _asks(text: str, cues: Sequence[Cue], tokens: Sequence[Lexeme]) -> bool:
    tail = text.rstrip(" \t\n\"'”’»」)")
    if tail.endswith(("?", "？", "؟")):
        return True
    return any(c.kind == "question_end" and not text[c.end :].strip(" .。!！~") for c in cues)


def _opens(text: str, lang: str, kind: str) -> bool:
    return any(c.start <= 2 for c in cues(text[:60], lang, ACTS, (kind,)))
