"""One claim on its way through the checks: its text, its literals, the messages it cites. Pure.

A check is a function of a `Case` that answers a `Refusal` or None; `validator` runs them in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bobctx.core import literals
from bobctx.core.language import LATIN, UNKNOWN, language_of, likeliest, may_be
from bobctx.core.literals import Literal
from bobctx.core.reading import Reading, read
from bobctx.core.repeating import Repeated, repeated
from bobctx.core.shape import Shaped
from bobctx.core.sources import Clause, Found, Source
from bobctx.core.text import content_stems
from bobctx.core.types import Json

DIRECTIVES = frozenset({"constraint", "preference"})
"""Types that bind others: they need a user's word."""
RESOLVES = frozenset({"decision", "commitment"})
"""Types that may also rest on the assistant's own words about its own work."""

SUPPORTS = 16
"""Clauses that a claim is compared with."""
LITERAL_WEIGHT = 3.0
SHORT = 80
"""Code points of a claim whose language is guessed with its region's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a claim does not hold."""

    code: str
    data: Mapping[str, Json] = field(default_factory=dict)


class Case:
    """A shaped claim with what the checks share; everything is computed once, when first asked for."""

    def __init__(self, claim: Shaped, cited: Sequence[Source], lang: str = "") -> None:
        self.claim = claim
        self.text = claim.text
        self.type = claim.type
        self.lang = lang or _language(claim.text, cited)
        self.cited = tuple(s.region.read_in(s, self.lang) if s.region is not None else s for s in cited)

    @cached_property
    def repeats(self) -> Repeated | None:
        """The sentences of one cited message that the claim repeats word for word."""
        return next((found for s in self.cited if (found := repeated(self.text, s)) is not None), None)

    @cached_property
    def literals(self) -> list[Literal]:
        """What the claim must find in its sources."""
        return literals.of_claim(self.text, self.lang)

    @cached_property
    def found(self) -> list[list[Found]]:
        """For each literal of the claim the places that have it."""
        return [[f for s in self.cited for f in s.find(lit)] or self._repeated(lit) for lit in self.literals]

    def _repeated(self, literal: Literal) -> list[Found]:
        """The literal inside the sentence that the claim repeats, where its message is read in another language."""
        if self.repeats is None:
            return []
        source, spans = self.repeats
        places = [(source.text.find(literal.text, s.start, s.end), s) for s in spans]
        return [Found(source.position, at, at + len(literal.text)) for at, _ in places if at >= 0]

    @cached_property
    def stems(self) -> frozenset[str]:
        """Content stems of the claim."""
        return content_stems(self.text, self.lang)

    def source(self, position: int) -> Source:
        """The cited source at a position of the region."""
        return next(s for s in self.cited if s.position == position)

    def lang_of(self, source: Source) -> str:
        """The language a cited message is read in; the claim's where it says too little."""
        return source.lang if source.lang != UNKNOWN else self.lang

    @cached_property
    def clause_count(self) -> int:
        """Clauses of all cited messages."""
        return sum(len(s.clauses) for s in self.cited)

    def readings(self, most: int) -> Iterator[tuple[Source, Clause, Reading]]:
        """The cited clauses that have a word of the claim, as read; those with most of it first."""
        for _, clause in self.ranked[:most]:
            source = self.source(clause.message)
            yield source, clause, read(clause.text, self.lang_of(source))

    @cached_property
    def supports(self) -> list[Clause]:
        """The clauses of the cited messages that share most with the claim, best first."""
        return [clause for _, clause in self.ranked[:SUPPORTS]]

    @cached_property
    def ranked(self) -> list[tuple[float, Clause]]:
        """Clauses with something in common with the claim, by score."""
        scores: dict[tuple[int, int], float] = {}
        for stem in sorted(self.stems):
            places = [(s.position, i) for s in self.cited for i in s.clauses_with.get(stem, ())]
            for place in places:
                scores[place] = scores.get(place, 0.0) + 1.0 / len(places) ** 0.5
        for found in self.found:
            for hit in found:
                source = self.source(hit.message)
                if source.clauses:
                    key = (hit.message, source.clause_at(hit.start))
                    scores[key] = scores.get(key, 0.0) + LITERAL_WEIGHT / len(found) ** 0.5
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [(score, self.source(m).clauses[i]) for (m, i), score in best]


def _language(text: str, cited: Sequence[Source]) -> str:
    """Language of a claim; where it says too little, the likeliest of those its sources speak, else its region's."""
    own = language_of(text)
    around = cited[0].around if cited else own
    if own == UNKNOWN:
        return around
    if own not in LATIN or len(text) >= SHORT or any(s.lang == own or s.speaks(own) for s in cited):
        return own
    spoken = [lang for lang in LATIN if any(s.lang == lang or s.speaks(lang) for s in cited)]
    if around in LATIN and around not in spoken:
        spoken.append(around)
    if any(may_be(s.text, s.lang, own) for s in cited):  # two short texts tell more than one
        return likeliest("\n".join([text, *(s.text for s in cited)]), [own, *spoken])
    return likeliest(text, spoken) if spoken else own
