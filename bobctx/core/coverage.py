"""What users said that no accepted claim carries: exact values and prohibitions, for the report and one re-ask. Pure.

Source: design, section 5, Coverage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bobctx.core.acts import prohibition_cues, questions
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import ACTS, LOGIC, cues
from bobctx.core.sources import Clause, Source, Sources
from bobctx.core.text import content_stems
from bobctx.core.types import Claim, Json

MOST: Final = 50
"""Entries of a report."""
MAX_CHARS: Final = 4_000
"""Code points of a user message up to which it is somebody's words and not a dump."""
SHARED: Final = 0.5
"""Share of a prohibition's words that a claim must have to carry it."""
UNSPACED: Final = frozenset({"zh", "ja", "ko", "ar"})
"""Languages where an order need not begin with its `never` or `do not`."""
LASTING: Final = frozenset(
    {
        "path",
        "url",
        "email",
        "uuid",
        "hex",
        "ticket",
        "identifier",
        "version",
        "date",
        "money",
        "percent",
        "ip",
        "flag",
        "env",
    }
)
"""Kinds of values that later work must repeat exactly; bare numbers and times come and go."""


def uncovered(sources: Sources, claims: Sequence[Claim]) -> tuple[Mapping[str, Json], ...]:
    """`{"message", "kind", "text"}` of each value and prohibition of a user that no claim has."""
    said = "\n".join(c.text for c in claims)
    stems = [content_stems(c.text) for c in claims]
    found: dict[tuple[str, str], Mapping[str, Json]] = {}
    for position, message in enumerate(sources.messages):
        if message.role != "user" or message.injected or len(message.text) > MAX_CHARS:
            continue
        for kind, text in _missing(sources[position], said, stems, strict=not sources.assisted):
            found.setdefault((kind, text), {"message": message.alias, "kind": kind, "text": text})
            if len(found) >= MOST:
                return tuple(found.values())
    return tuple(found.values())


def _missing(source: Source, said: str, stems: Sequence[frozenset[str]], *, strict: bool) -> Iterator[tuple[str, str]]:
    for literal in source.literals:
        own = source.voice_at(literal.start) == "own"
        if own and (literal.kind in LASTING or literal.unit is not None) and literal.text not in said:
            yield literal.kind, literal.text
    lang = None if source.lang == UNKNOWN else source.lang
    for clause, words in zip(source.clauses, source.clause_stems, strict=True):
        if _forbids(clause, lang, strict=strict) and not any(len(words & s) >= SHARED * len(words) for s in stems):
            yield "prohibition", clause.text[:200]


def _forbids(clause: Clause, lang: str | None, *, strict: bool) -> bool:
    """Whether a clause forbids something; among people (`strict`) only an order does, since they deny in passing."""
    if clause.voice != "own":
        return False
    found = prohibition_cues(clause.text) if lang is None else cues(clause.text, lang, ACTS, ("prohibition",))
    strong = [c for c in found if len(c.text) > 2]
    if not strict or not strong:
        return bool(strong)
    first = lang in UNSPACED or any(c.start == 0 for c in strong)
    orders = first and not questions(clause.text, lang)
    return orders or bool(cues(clause.text, lang or UNKNOWN, LOGIC, ("deny",)))
