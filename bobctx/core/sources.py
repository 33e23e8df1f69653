"""Cited messages prepared for checking: whose words each stretch is, its clauses, and where literals stand. Pure.

A message is prepared once per validation and only when a claim cites it, so cost follows what is cited.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import regex

from bobctx.core import literals
from bobctx.core.acts import hypotheticals, questions
from bobctx.core.change import marks_change
from bobctx.core.finding import bounded, compatible
from bobctx.core.labels import Label, labels, marked, series
from bobctx.core.language import LATIN, UNKNOWN, is_clearly, language_of, may_be
from bobctx.core.literals import Literal
from bobctx.core.measures import UNIT_FORMS, mentions_unit
from bobctx.core.slots import Slot, family, indexed, slots, stemmed
from bobctx.core.stretches import Voice, stretches
from bobctx.core.text import Span, clauses, sentences
from bobctx.core.types import Message

MAX_CLAUSES = 4_000
"""Clauses of one message that are looked at; what stands behind still supports literals."""

_YEAR: Final = regex.compile(r"(?:19|20)\d\d")
_ESCAPES: Final = regex.compile(r"\\[nrt\"/\\]")
_CORE: Final = regex.compile(r"[\s\"'\u2018\u2019\u201c\u201d]+")
_LOOSE_CORE: Final = regex.compile(r"[\s\"'\u2018\u2019\u201c\u201d,.;:!?-]+")
_JSON_LIKE: Final = regex.compile(r"\\\"|[{\[]\s*\"|\":")


class Clause(NamedTuple):
    """One clause of one message."""

    message: int
    start: int
    end: int
    voice: Voice
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Where a literal of the claim stands in a source."""

    message: int
    start: int
    end: int
    literal: Literal | None = None


class Source:
    """One message of the region."""

    def __init__(
        self, message: Message, position: int, lang: str, region: Sources | None = None, *, read_in: str = ""
    ) -> None:
        self.region = region
        self.message = message
        self.position = position
        self.text = message.text
        own = language_of(self.text)
        self.around = lang
        called = self.text.startswith("[tool call")
        data = (message.role == "tool" or called) and own in LATIN and lang != UNKNOWN
        self.lang = read_in or (lang if own == UNKNOWN or data or may_be(self.text, own, lang) else own)
        self._spoken_too: dict[str, bool] = {}

    def speaks(self, lang: str) -> bool:
        """Whether a sentence of the message is in `lang`, although the message is not."""
        if lang not in self._spoken_too:
            self._spoken_too[lang] = lang != UNKNOWN and any(
                is_clearly(block.of(self.text), lang, self.lang) for block in self.blocks
            )
        return self._spoken_too[lang]

    @cached_property
    def plain(self) -> str:
        """The text with JSON escapes blanked out, same length, so that tokens and spans hold."""
        if "\\" not in self.text or not _JSON_LIKE.search(self.text):
            return self.text
        return _ESCAPES.sub(
            lambda m: "//" if m.group() in ("\\/",) else f" {m.group()[1] if m.group()[1] == chr(34) else ' '}",
            self.text,
        )

    @property
    def assisted(self) -> bool:
        """Whether an assistant takes part in the conversation."""
        return self.region is not None and self.region.assisted

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.casefold()

    @cached_property
    def literals(self) -> list[Literal]:
        """Atomic literals in order."""
        found = literals.scan(self.text, self.lang)
        if self.plain is not self.text:
            known = {(f.start, f.end) for f in found}
            found += [f for f in literals.scan(self.plain, self.lang) if (f.start, f.end) not in known]
            found.sort(key=lambda f: f.start)
        return found

    @cached_property
    def offers(self) -> dict[str, list[Literal]]:
        """Key -> literals that offer it."""
        table: dict[str, list[Literal]] = {}
        for literal in self.literals:
            for key in literal.offers:
                table.setdefault(key, []).append(literal)
        return table

    @cached_property
    def _lower_offers(self) -> dict[str, list[Literal]]:
        table: dict[str, list[Literal]] = {}
        for key, found in self.offers.items():
            table.setdefault(key.casefold(), []).extend(found)
        return table

    @cached_property
    def voices(self) -> list[tuple[int, int, Voice]]:
        """Stretches that are not the speaker's own words, in order."""
        return stretches(self.message, self.lang)

    def voice_at(self, position: int) -> Voice:
        """Whose words stand at `position`."""
        index = bisect_right(self.voices, (position, len(self.text) + 1, "own")) - 1
        if index >= 0 and position < self.voices[index][1]:
            return self.voices[index][2]
        return "own"

    @cached_property
    def blocks(self) -> list[Span]:
        """Its sentences and lines."""
        return sentences(self.text)

    @cached_property
    def clauses(self) -> list[Clause]:
        """Clauses of the message in order, each with its voice."""
        return [
            Clause(self.position, s.start, s.end, self.voice_at(s.start), s.of(self.text))
            for s in clauses(self.text, self.blocks)[:MAX_CLAUSES]
        ]

    @cached_property
    def spoken(self) -> list[tuple[int, str]]:
        """Start and stem of each content word."""
        return stemmed(self.text, self.lang)

    @cached_property
    def clause_stems(self) -> list[frozenset[str]]:
        """Content stems of each clause."""
        starts = [start for start, _ in self.spoken]
        return [
            frozenset(key for _, key in self.spoken[bisect_left(starts, c.start) : bisect_left(starts, c.end)])
            for c in self.clauses
        ]

    @cached_property
    def clauses_with(self) -> dict[str, list[int]]:
        """Content stem -> the clauses that have it."""
        table: dict[str, list[int]] = {}
        for index, stems in enumerate(self.clause_stems):
            for stem in stems:
                table.setdefault(stem, []).append(index)
        return table

    @cached_property
    def stems(self) -> frozenset[str]:
        """Content stems of the whole message."""
        return frozenset(self.clauses_with)

    def clause_at(self, position: int) -> int:
        """Index of the clause around `position` (the nearest before it)."""
        return max(0, bisect_right(self._clause_starts, position) - 1)

    @cached_property
    def _clause_starts(self) -> list[int]:
        return [c.start for c in self.clauses]

    def sentence_at(self, position: int) -> Span | None:
        """The sentence around `position`."""
        at = bisect_right(self._block_starts, position) - 1
        return self.blocks[at] if at >= 0 and position < self.blocks[at].end else None

    @cached_property
    def _block_starts(self) -> list[int]:
        return [b.start for b in self.blocks]

    @cached_property
    def slots(self) -> list[Slot]:
        """Each literal with the words that belong to it."""
        return slots(self.text, self.literals, self.lang, self.spoken, self.labels, self.blocks)

    @cached_property
    def labels(self) -> list[Label]:
        """Nouns with a mark that tells them from their like (`bay 4`), in order."""
        return marked(self.every_label, series(self.every_label))

    @cached_property
    def every_label(self) -> list[Label]:
        """The same, whether or not the text has their like."""
        return labels(self.text, self.lang)

    @cached_property
    def label_blocks(self) -> list[tuple[int, Label]]:
        """Each label with the number of the sentence or line it stands in."""
        starts = [s.start for s in self.blocks] if self.labels else []
        return [(bisect_right(starts, label.start) - 1, label) for label in self.labels]

    @cached_property
    def headings(self) -> tuple[Span, ...]:
        """The cells above the first table of the text that has a header."""
        return next((s.header for s in self.slots if s.header), ())

    @cached_property
    def slot_index(self) -> dict[int, int]:
        """Start of a literal -> its slot."""
        return {slot.literal.start: i for i, slot in enumerate(self.slots)}

    @cached_property
    def families(self) -> dict[str, list[Slot]]:
        """The slots of each kind of value, in order."""
        table: dict[str, list[Slot]] = {}
        for slot in self.slots:
            if not indexed(self.text, slot.literal):
                table.setdefault(family(slot.literal), []).append(slot)
        return table

    @cached_property
    def block_terms(self) -> dict[int, frozenset[str]]:
        """The content stems of each sentence or line, and the terms of the values in it."""
        starts = [s.start for s in self.blocks]
        table: dict[int, set[str]] = {}
        for start, key in self.spoken:
            table.setdefault(bisect_right(starts, start) - 1, set()).add(key)
        for slot in self.slots:
            table.setdefault(slot.block, set()).update(slot.keys)
        return {block: frozenset(keys) for block, keys in table.items()}

    @cached_property
    def spread(self) -> dict[str, int]:
        """In how many sentences or lines each term stands."""
        table: dict[str, int] = {}
        for keys in self.block_terms.values():
            for key in keys:
                table[key] = table.get(key, 0) + 1
        return table

    @cached_property
    def by_term(self) -> dict[str, list[Slot]]:
        """The values that each term belongs to."""
        table: dict[str, list[Slot]] = {}
        for slot in self.slots:
            for key in slot.keys:
                table.setdefault(key, []).append(slot)
        return table

    @cached_property
    def stated(self) -> dict[tuple[str, bool], list[tuple[Slot, Clause]]]:
        """Values in statements of the speaker's own, by kind: all, and under True those that mark a change.

        What is asked or considered states nothing.
        """
        table: dict[tuple[str, bool], list[tuple[Slot, Clause]]] = {}
        known: dict[int, tuple[bool, bool]] = {}
        for slot in self.slots if self.clauses else ():
            index = self.clause_at(slot.literal.start)
            clause = self.clauses[index]
            if index not in known:
                text, lang = clause.text, self.lang
                says = clause.voice == "own" and not (questions(text, lang) or hypotheticals(text, lang))
                known[index] = says, says and marks_change(text, lang)
            says, changes = known[index]
            kind = family(slot.literal)
            if says:
                table.setdefault((kind, False), []).append((slot, clause))
            if changes:
                table.setdefault((kind, True), []).append((slot, clause))
        return table

    def slot_of(self, place: Found) -> Slot | None:
        """The slot of a literal found here."""
        index = self.slot_index.get(place.start)
        return None if index is None else self.slots[index]

    def find(self, literal: Literal) -> list[Found]:
        """Every place where this message has the literal as a whole token."""
        if literal.kind in ("quote", "code"):
            found = list(self._find_text(literal.text.strip(), loose=literal.kind == "quote"))
            bare = literal.text.strip().rstrip(".,;:!?。，！？")
            return found or (list(self._find_text(bare, loose=True)) if literal.kind == "quote" and bare else [])
        hits = {id(o): o for key in literal.needs for o in self.offers.get(key, ())}
        if not hits and literal.kind == "identifier" and literal.text.isalpha():
            hits = {id(o): o for o in self._lower_offers.get(literal.text.casefold(), ())}
        if not hits and literal.kind == "date":
            hits = {id(o): o for o in self._undated(literal)}
        places = [
            Found(self.position, o.start, o.end, o)
            for o in hits.values()
            if (compatible(literal, o, self.text) or self._unit_known(literal, o)) and not self._is_mark(o, literal)
        ]
        if not places and literal.kind == "number" and literal.unit is None and _YEAR.fullmatch(literal.text):
            column = regex.compile(rf"(?<=\p{{L}}_){literal.text}(?![\p{{L}}\p{{N}}])")  # `spent_2025`
            places = [Found(self.position, m.start(), m.end()) for m in column.finditer(self.text)]
        if not places and not literal.measured and literal.kind not in ("url", "email"):
            places = list(self._find_text(literal.text, loose=literal.text.isalpha()))
        return sorted(places, key=lambda f: f.start)

    def _is_mark(self, theirs: Literal, mine: Literal) -> bool:
        """Whether a bare number is the mark of a label (`lane 2`), which is no amount of anything."""
        return mine.unit is not None and theirs.unit is None and theirs.start in self._marks

    @cached_property
    def _marks(self) -> frozenset[int]:
        return frozenset(label.start for label in self.labels)

    def _undated(self, literal: Literal) -> list[Literal]:
        """The same day without its year, where the region has that year."""
        key = next(iter(literal.needs))
        parts = regex.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", key)
        if parts is None or self.region is None or not self.region.has_year(parts[1]):
            return []
        day = f"md:{int(parts[2])}-{int(parts[3])}"
        return [o for o in self.offers.get(day, ()) if o.offers == {day}]

    def _unit_known(self, mine: Literal, theirs: Literal) -> bool:
        """A bare number whose unit another message gives (`The Warden has 1200 HP` … `make it 1500`)."""
        if mine.unit is None or theirs.unit is not None or self.region is None:
            return False
        return self.message.role == "user" and self.region.has_unit(mine.unit)

    def _find_text(self, wanted: str, *, loose: bool) -> Iterator[Found]:
        core = max((_LOOSE_CORE if loose else _CORE).split(wanted), key=len)
        if (core.casefold() not in self.lower) if loose else (core not in self.text and core not in self.plain):
            return
        pattern = bounded(wanted, loose)
        for haystack in dict.fromkeys((self.text, self.plain)):
            spans = [m.span() for m in pattern.finditer(haystack)]
            if spans:
                yield from (Found(self.position, a, b) for a, b in spans[:32])
                return


class Sources:
    """The messages of a region, prepared on demand."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        sample = "\n".join(m.text[:400] for m in messages[:40])
        self.lang = language_of(sample)
        self._made: dict[int, Source] = {}
        self._foreign: dict[tuple[int, str], Source] = {}
        self._units: dict[str, bool] = {}

    def __getitem__(self, position: int) -> Source:
        if position not in self._made:
            self._made[position] = Source(self.messages[position], position, self.lang, self)
        return self._made[position]

    def read_in(self, source: Source, lang: str) -> Source:
        """The source read in `lang`, where one of its sentences is in that language (a message that mixes two)."""
        if source.lang == lang or not (source.speaks(lang) or may_be(source.text, source.lang, lang)):
            return source
        key = source.position, lang
        if key not in self._foreign:
            self._foreign[key] = Source(source.message, source.position, self.lang, self, read_in=lang)
        return self._foreign[key]

    @cached_property
    def assisted(self) -> bool:
        """Whether an assistant takes part; in meetings and chats of people nobody does."""
        return any(m.role == "assistant" for m in self.messages)

    def has_year(self, year: str) -> bool:
        """Whether a message of the region names the year."""
        return any(year in m.text for m in self.messages)

    def has_unit(self, unit: str) -> bool:
        """Whether a value of the region has the unit; only messages that name it are read."""
        if unit not in self._units:
            named = unit not in UNIT_FORMS
            places = (i for i, m in enumerate(self.messages) if named or mentions_unit(m.text, unit))
            self._units[unit] = any(f.unit == unit for i in places for f in self[i].literals)
        return self._units[unit]

    def cited(self, cites: Sequence[int]) -> list[Source]:
        """The sources at these positions."""
        return [self[c] for c in cites]
