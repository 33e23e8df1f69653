"""What one clause says, as far as cues can tell: its segments, their content and the cues in each. Pure.

A segment is the stretch a negation, a modal or a condition reaches (`cuts`); a bare list item joins its
neighbour. Comparing two texts means comparing aligned segments (`polarity`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from bobctx.core.cuts import BACKWARD, JOINERS, SPEAKS, cuts
from bobctx.core.function_words import NOBODY, OBJECTS, PREPOSITIONS
from bobctx.core.lexemes import lexemes
from bobctx.core.lexicon import ACTS, LOGIC, Cue, cues
from bobctx.core.limits import WAY, Bound, bounds_of
from bobctx.core.patterns import pattern
from bobctx.core.remembering import remembered
from bobctx.core.text import content_stem
from bobctx.core.units import NAME_WEIGHT, Phrase, Units, phrases, units

__all__ = ["NAME_WEIGHT", "WAY", "Bound", "Reading", "Segment", "read"]

CACHED = 4_000
"""Code points of a text whose reading is remembered."""
VERB = 4
"""Code points behind a colon within which a modal says what becomes of the thing before it."""
_PREDICATES = frozenset({"modal", "verbal"})
OPENING = 40
"""Code points in which an answer says yes or no."""
TERM = 6
"""Content units after a time or term inside a segment that say what it is."""
_CONDITIONS = frozenset({"if", "unless", "except", "until", "when"})
_LIGHT = frozenset({"hypothetical", "quantifier", "modal", "now", "question", "past", "request", "whether", "neutral"})
"""Kinds of an introductory word that belongs to what follows (`Perhaps, …`), unlike the `No` of an answer."""
CANCELLING = frozenset({"en", "de", "nl", "zh", "ja", "ko"})
"""Languages where a second negation cancels the first; in the others it agrees with it."""
_AGAIN = frozenset({"nor", "noch", "ni"})
"""Words that carry a negation on instead of adding one."""
_NONE: set[str] = set()
_NOTHING: frozenset[str] = frozenset()
_BLANK: Mapping[str, frozenset[str]] = {}
_BLANK_CLASSES: Mapping[str, set[str]] = {}
_SPACE = " ,،-–—"
_MAY = frozenset({"may", "can"})
_QUESTION = regex.compile(r"[?？؟]")
_POLITE = pattern("polite")
_COMMAS = ",،、，;；"
_FRAMES = {
    "de": regex.compile(r"(?i)\W*es\s(?:ist|bleibt|war)\b"),
    "nl": regex.compile(r"(?i)\W*het\s(?:is|blijft|was)\b"),
}
_INFINITIVE = {"de": regex.compile(r"\bzu\s\p{L}+|\p{L}zu\p{L}+en\b"), "nl": regex.compile(r"\bte\s\p{L}+")}


@dataclass(slots=True)
class Segment:
    """One stretch of a clause and the cues that reach it."""

    kind: str
    """`main`, `condition` or `contrast`."""
    content: dict[str, float] = field(default_factory=dict)
    """Stems, names and numbers with their weight."""
    cues: list[Cue] = field(default_factory=list)
    heads: frozenset[str] = _NOTHING
    """Stems right after (in backward languages before) a negation: what is denied."""
    marked: frozenset[str] = _NOTHING
    """Stems that stand inside a word or phrase that denies, stops or keeps."""
    inline: tuple[tuple[Cue, frozenset[str]], ...] = ()
    """Times and terms inside the segment (`before the release`) and the stems after each."""
    alone: frozenset[str] = _NOTHING
    """Stems right after an `only`: what is allowed or true by itself."""
    quantified: tuple[tuple[str, str], ...] = ()
    """`all`, `some` or `most`, and the stem after each: whose amount it is."""
    wording: Mapping[str, frozenset[str]] = field(default_factory=lambda: _BLANK)
    """Concept -> the stems of the words that stand for it."""
    lead: frozenset[str] = _NOTHING
    """Stems of bare stretches before its first comma, which its cues need not reach (`fix it, the rest may wait`)."""
    first: int = 0
    last: int = 0
    weight: float = 0.0
    """Of all its content."""
    strength: int = 0
    """How many times it denies."""
    turned_bound: bool = False
    """Whether a limit in it has swallowed a negation (`may not exceed`)."""
    _classes: Mapping[str, set[str]] = field(default_factory=lambda: _BLANK_CLASSES)

    def has(self, kind: str) -> bool:
        """Whether a cue of `kind` is here."""
        return kind in self._classes

    def has_cue(self, kind: str) -> bool:
        """The same before the segment is sealed."""
        return any(c.kind == kind for c in self.cues)

    def of(self, kind: str) -> list[Cue]:
        """The cues of `kind`."""
        return [c for c in self.cues if c.kind == kind]

    def values(self, kind: str) -> set[str]:
        """The classes of the cues of `kind`."""
        return self._classes.get(kind, _NONE)

    def seal(self, lang: str) -> Segment:
        """This segment with what is asked of it often worked out once."""
        self.weight = sum(self.content.values())
        classes: dict[str, set[str]] = {}
        for cue in self.cues:
            classes.setdefault(cue.kind, set()).add(cue.value)
        self._classes = classes
        if self.kind == "condition" and "modal" in classes and classes["condition"] == {"at"}:
            self.kind = "main"  # `until the fair the player may be updated`, without a comma
        hard = sum(1 for c in self.cues if c.kind == "negation" and c.text.lower() not in _AGAIN)
        if hard > 1 and lang not in CANCELLING:
            hard = 1
        if self.kind == "contrast" and not hard:
            hard = 1  # `instead of X` sets X aside as `not X` does
        self.turned_bound = any(
            c.kind in ("comparator", "comparator_post") and _negative(c.text, lang) for c in self.cues
        )
        unless = sum(1 for c in self.cues if c.kind == "condition" and c.value == "unless")
        denials = {c.start: c.text for c in self.cues if c.kind == "deny"}
        agrees = hard and lang not in CANCELLING  # `никаких костров, ни под каким видом`
        self.strength = hard + unless + sum(not (agrees and _negative(text, lang)) for text in denials.values())
        return self

    def take(self, other: Segment) -> Segment:
        """This segment with the one after it."""
        self.kind = other.kind if self.kind == "main" else self.kind
        self.content.update(other.content)
        self.cues.extend(other.cues)
        self.heads |= other.heads
        self.marked |= other.marked
        self.alone |= other.alone
        self.quantified += other.quantified
        self.inline += other.inline
        if other.wording:
            both = self.wording.keys() | other.wording.keys()
            self.wording = {c: self.wording.get(c, _NOTHING) | other.wording.get(c, _NOTHING) for c in both}
        self.last = other.last
        return self


def _negative(phrase: str, lang: str) -> bool:
    return any(_denies(word, lang) for word in phrase.split())


@remembered(1024)
def _denies(word: str, lang: str) -> bool:
    return any(c.kind == "negation" for c in cues(word, lang, LOGIC, ("negation",)))


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


def read(text: str, lang: str) -> Reading:
    """The reading of `text` (one clause or claim) with the tables of `lang`."""
    return _remembered(text, lang) if len(text) <= CACHED else _read(text, lang)


@remembered(4096)
def _remembered(text: str, lang: str) -> Reading:
    return _read(text, lang)


def _read(text: str, lang: str) -> Reading:
    tokens = lexemes(text, lang)
    found = phrases(text, tokens, lang)
    said = units(text, tokens, found, lang)
    edges, commas = cuts(tokens, said, found, lang)
    if len(edges) > 1 and _of_label(text, edges[1], found):
        commas |= {edges[1]}
    flat = tuple(c for p in found for c in p.cues)
    opening = {c.kind for c in cues(text[:OPENING], lang, ACTS, ("acceptance", "refusal")) if c.start <= 2}
    return Reading(
        lang=lang,
        segments=tuple(s.seal(lang) for s in _merged(text, _segments(text, said, found, edges, lang), commas, lang)),
        bounds=bounds_of(text, flat, said, lang),
        question=_asks(text, flat),
        cues=flat,
        accepts="acceptance" in opening,
        refuses="refusal" in opening,
    )


def _of_label(text: str, start: int, found: Sequence[Phrase]) -> bool:
    """Whether a modal or a `do not` follows a colon: `uploads: may be seen by auditors` says it of the uploads."""
    if not _behind_colon(text, start):
        return False
    first = next((p for p in found if p.spans[0][0] >= start), None)
    return first is not None and first.spans[0][0] - start <= VERB and any(c.kind in _PREDICATES for c in first.cues)


def _behind_colon(text: str, start: int) -> bool:
    return text[:start].rstrip().endswith((":", "："))


def _segments(text: str, said: Units, found: Sequence[Phrase], edges: Sequence[int], lang: str) -> list[Segment]:
    ends = [*edges[1:], len(text)]
    segments = [Segment(kind="main", first=a, last=b) for a, b in zip(edges, ends, strict=True)]
    at = 0
    for unit in said.items:
        while unit.start >= ends[at] and at + 1 < len(ends):
            at += 1
        content = segments[at].content
        content[unit.key] = max(content.get(unit.key, 0.0), unit.weight)
    at = 0
    for phrase in found:
        while phrase.spans[0][0] >= ends[at] and at + 1 < len(ends):
            at += 1
        denies = any(c.kind == "negation" for c in phrase.cues)
        for cue in (*phrase.cues, *_offered(text, phrase, lang)):
            _place(segments[at], cue, text, said, backward=lang in BACKWARD, denies=denies)
    return segments


def _offered(text: str, phrase: Phrase, lang: str) -> Iterable[Cue]:
    """The modal of a request's words where nothing is asked (`the basket you can take off`)."""
    asks = any(c.kind == "request" for c in phrase.cues)
    if not asks or _QUESTION.search(text) is not None or lang in BACKWARD:
        return ()
    start, end = phrase.spans[0]
    return tuple(
        Cue(c.kind, c.value, c.text, start, end)
        for c in cues(text[start:end], lang, LOGIC, ("modal",))
        if c.value in _MAY
    )


def _place(segment: Segment, cue: Cue, text: str, said: Units, *, backward: bool, denies: bool) -> None:
    """One cue put into its segment, and what it makes of the segment; `denies`: its phrase has a negation."""
    segment.cues.append(cue)
    if cue.kind == "condition":
        _condition(segment, cue, text, said, backward=backward)
    elif cue.kind == "contrast" and (backward or _sets_aside(text, segment, cue.start, denies=denies)):
        segment.kind = "contrast"
    if cue.kind in ("negation", "deny") or (cue.kind == "contrast" and backward):
        near = said.before(segment.first, cue.start, 1) if backward else said.between(cue.end, segment.last, 2)
        if near and not near[0].key.startswith("="):
            near = near[:1]  # a concept stands before its own word
        if cue.kind == "deny" or cue.text.casefold().startswith(NOBODY):
            beyond = cue.end if backward or not near else near[0].end
            near = (
                () if _apart(f"{cue.text} {text[cue.end : beyond]}") else near
            )  # `banned in legal files`, `nobody outside the team`
        segment.heads |= {u.key for u in near}
    if cue.kind == "quantifier" and cue.value == "only":
        near = said.before(segment.first, cue.start, 2) if backward else said.between(cue.end, segment.last, 2)
        if not near:  # `in the great hall only`
            near = said.before(segment.first, cue.start, 1)
        segment.alone |= {u.key for u in near}
    elif cue.kind == "quantifier":
        near = said.between(cue.end, segment.last, 1)
        segment.quantified += tuple((cue.value, u.key) for u in near)
    if cue.kind in ("polar", "opposite"):
        near = said.between(cue.start, cue.end)
        concept = "=" + cue.value[:-1]
        stems = segment.wording.get(concept, _NOTHING) | {u.key for u in near if not u.key.startswith("=")}
        segment.wording = {**segment.wording, concept: stems}
    if cue.kind in ("deny", "stop", "soft"):
        segment.marked |= {u.key for u in said.between(cue.start, cue.end)}


def _apart(between: str) -> bool:
    return not PREPOSITIONS.isdisjoint(between.casefold().split())


def _condition(segment: Segment, cue: Cue, text: str, said: Units, *, backward: bool) -> None:
    if cue.value in _CONDITIONS:
        segment.kind = "condition"
    elif cue.value == "at":
        if backward or text[segment.first : cue.start].strip(_SPACE):
            after = frozenset(u.key for u in said.between(cue.end, segment.last, TERM))
            segment.inline += ((cue, after),)
        else:
            segment.kind = "condition"


def _sets_aside(text: str, segment: Segment, start: int, *, denies: bool) -> bool:
    """Whether a contrast word stands where a contrast does: after a comma or `but`.

    At the very beginning only one that does not also deny, and with a comma behind it (`instead of 45, make it 30`).
    """
    if start - segment.first > 12:
        return False
    if not text[:start].strip():
        return not denies and text[segment.last - 1] in _COMMAS and bool(text[segment.last :].strip())
    lead = text[segment.first : start].strip(_SPACE).casefold()
    if denies and not lead and (_behind_colon(text, start) or _POLITE.search(text, 0, start)):
        return False  # `in general: never more than two`, `please, don't change it`
    return not lead or lead in JOINERS


def _merged(text: str, segments: Sequence[Segment], commas: set[int], lang: str) -> list[Segment]:
    """Bare list items (no cue that speaks, few words, a comma behind) joined to the segment after them."""
    out: list[Segment] = []
    waiting: Segment | None = None
    for segment in segments:
        if not segment.content and not segment.cues:
            continue
        if segment.first in commas and out and waiting is None and _verdict_alone(segment) and out[-1].kind == "main":
            out[-1].take(segment)
            continue
        if segment.first in commas and waiting is not None and _verdict_alone(segment) and waiting.content:
            out.append(waiting.take(segment))
            waiting = None
            continue
        if waiting is None:
            current = segment
        elif _joins(waiting, segment, commas) or (segment.kind == "main" and _framed(text, waiting, lang)):
            waiting.lead |= frozenset(waiting.content)
            current = waiting.take(segment)
        else:
            out.append(waiting)
            current = segment
        bare = _bare(current) and not _orders(text, current, lang)
        waiting = current if bare or _framed(text, current, lang) else None
        if waiting is None:
            out.append(current)
    if waiting is not None:
        if out and out[-1].kind == "main" and waiting.first in commas and len(waiting.content) <= _room(out[-1]):
            out[-1].take(waiting)
        else:
            out.append(waiting)
    return out


def _verdict_alone(segment: Segment) -> bool:
    """Whether a segment only judges what stands before it (`pets in the lift, no way`, `…, so he may`)."""
    verdict = segment.has_cue("deny") or (segment.has_cue("modal") and not segment.content)
    return segment.kind == "main" and not segment.content.keys() - segment.marked and verdict


def _room(segment: Segment) -> int:
    """How many units may trail a segment: after a denial two of them are rather a statement of their own."""
    return 1 if segment.has_cue("negation") or segment.has_cue("deny") else 2


def _joins(waiting: Segment, segment: Segment, commas: set[int]) -> bool:
    if not waiting.content:
        return segment.kind != "contrast"
    return segment.kind == "main" and segment.first in commas


def _bare(segment: Segment) -> bool:
    """Whether a segment is no statement of its own: an introductory word, or a list item."""
    if not segment.content:
        return all(c.kind in _LIGHT for c in segment.cues)
    return segment.kind == "main" and len(segment.content) <= 3 and not any(c.kind in SPEAKS for c in segment.cues)


def _orders(text: str, segment: Segment, lang: str) -> bool:
    """Whether a segment begins with a verb and its object (`order the rudder, the rail can wait`)."""
    if lang in BACKWARD or not segment.content:
        return False
    opening = text[segment.first : segment.last].strip(_SPACE).casefold().replace("\u2019", "'").replace("'", "' ")
    words = opening.split(maxsplit=2)
    return len(words) > 2 and words[1].rstrip("'") in OBJECTS and bool(content_stem(words[0], lang))


def _framed(text: str, segment: Segment, lang: str) -> bool:
    """Whether a segment only forbids, and the next says what (`es ist untersagt, … zu …`, `het is verboden om …`)."""
    frame = _FRAMES.get(lang)
    if frame is None or not segment.has_cue("deny") or segment.content.keys() - segment.marked - {"=allow"}:
        return False
    return frame.match(text, segment.first) is not None and _INFINITIVE[lang].search(text, segment.last) is not None


def _asks(text: str, flat: Sequence[Cue]) -> bool:
    if any(c.kind == "request" for c in flat):
        return False  # "Could you add it?" asks for a deed, not for an answer
    if text.rstrip(" \t\n\"'”’»」)").endswith(("?", "？", "؟")):
        return True
    return any(
        c.kind == "question_end" and len(text) - c.end <= 3 and not text[c.end :].strip(" .。!！~") for c in flat
    )
