"""A yes that is bound to a condition (`Yes, but only if it rains`) settles no more than that. Pure."""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import conditions, questions
from bobctx.core.answers import answer
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.function_words import BOTH, ENOUGH
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.literals import Literal
from bobctx.core.patterns import patterns
from bobctx.core.reading import Segment, read
from bobctx.core.slots import family
from bobctx.core.sources import Clause, Source
from bobctx.core.stemming import stem
from bobctx.core.text import content_stems, folded, words

FIRST: Final = 4
"""Clauses of an answer in which it takes or leaves what it was asked."""
KEPT: Final = frozenset({"if", "unless", "until", "when", "except"})
"""Conditions by which a claim may keep one."""
_OR: Final = patterns("or")
"""What parts the two things that a question puts up for choice."""
BINDING: Final = frozenset({"if", "unless", "until"})
"""Conditions that a claim may not leave out."""


def conditioned(case: Case) -> Refusal | None:
    """Whether the claim rests on a question that the next cited message answers with something it leaves out.

    That is a condition, or another one of the things the question put up for choice.
    """
    if case.type in ("open_question", "failure") or not case.supports:
        return None
    replies = {s.position - 1: s for s in case.cited if s.message.role == "user" and s.blocks}
    answered = {s.position for s in case.cited if s.position in replies}
    asked = next((c for c in case.supports if c.message in answered and _asks(case, c)), None) if answered else None
    if asked is None or not _alone(case.source(asked.message)):
        return None
    source, reply = case.source(asked.message), replies[asked.message]
    less = _less_chosen(case, source, asked, reply)
    chosen = _other_chosen(case, source, asked, reply) or _other_side(case, source, asked, reply)
    return less or chosen or _condition_left(case, asked, reply)


def _asks(case: Case, clause: Clause) -> bool:
    source = case.source(clause.message)
    return bool(questions(_sentence(source, clause), source.lang))


def _condition_left(case: Case, asked: Clause, reply: Source) -> Refusal | None:
    """The condition in the first sentence of an answer that says yes or names what it chooses."""
    if any(c.value in KEPT for c in conditions(case.text, case.lang)) or reply.lang == UNKNOWN:
        return None
    first = reply.blocks[0]
    at = [i for i, c in enumerate(reply.clauses) if c.start < first.end]
    read_all = [(reply.clauses[i], read(reply.clauses[i].text, reply.lang)) for i in at]
    bound = [(c, s) for c, r in read_all for s in r.segments if s.values("condition") & BINDING and not _otherwise(s)]
    if not bound:
        return None
    clause, segment = bound[0]
    main = {k for _, r in read_all for s in r.segments if s is not segment for k in s.content}
    chosen = bool(main & case.stems) or any(
        p.message == reply.position and p.start < first.end for places in case.found for p in places
    )
    if not chosen and answer(reply) != "accepts":
        return None
    if {k for k in segment.content if not k.startswith("=")} & case.stems:
        return None
    cue = next(c.text for c in segment.cues if c.kind == "condition" and c.value in BINDING)
    return Refusal(
        code="condition_dropped", data={"cue": cue, "clause": clause.text[:200], "message": reply.message.alias}
    )


def _otherwise(segment: Segment) -> bool:
    """Whether a segment tells what happens else: a reason of what is answered, no condition of it."""
    return any(c.value == "unless" for c in segment.of("condition")) and segment.has("reason")


def _other_chosen(case: Case, source: Source, asked: Clause, reply: Source) -> Refusal | None:
    """The value that the answer chooses of two (`6 or 8?`), where the claim has the one left."""
    sentence = source.sentence_at(asked.start)
    if sentence is None:
        return None
    offered = [x for x in source.literals if sentence.start <= x.start < sentence.end and _choice(x)]
    first = reply.blocks[0]
    taken = [x for x in reply.literals if x.start < first.end and _choice(x)]
    for literal in case.literals:
        mine = [x for x in offered if x.offers & literal.needs]
        others = [x for x in offered if mine and family(x) == family(mine[0]) and not x.offers & literal.needs]
        chosen = next((t for t in taken if any(t.offers & o.offers for o in others)), None)
        kept = any(t.offers & literal.needs for t in taken) or _named(case, chosen)
        if chosen is not None and not kept:
            return Refusal(code="refused", data={"clause": reply.text[:200], "message": reply.message.alias})
    return None


def _other_side(case: Case, source: Source, asked: Clause, reply: Source) -> Refusal | None:
    """The side that the answer takes of two in words (`nightly, or weekly?`), where the claim has the other one."""
    lang = case.lang_of(source)
    sentence = _sentence(source, asked)
    found = list(_OR[lang].finditer(sentence)) if lang in _OR else []
    first = read(reply.blocks[0].of(reply.text), case.lang_of(reply))
    if not found or first.question or any(s.strength for s in (*first.segments, *read(case.text, case.lang).segments)):
        return None
    left = content_stems(sentence[: found[-1].start()], lang)
    right = content_stems(sentence[found[-1].end() :], lang)
    taken = {k for s in first.segments for k in s.content}
    for one, other in ((left - right, right - left), (right - left, left - right)):
        sides = [any(has_stem(w, taken) for w in side) for side in (one, other)]
        mine = sum(has_stem(w, case.stems) for w in other)
        kept = any(has_stem(w, case.stems) for w in one if has_stem(w, taken))
        if sides == [True, False] and mine and 2 * mine >= len(other) and not kept:
            return Refusal(code="refused", data={"clause": reply.text[:200], "message": reply.message.alias})
    return None


def _less_chosen(case: Case, source: Source, asked: Clause, reply: Source) -> Refusal | None:
    """The answer that is content with one where the question was for both, which the claim says."""
    if not _has(case.text, BOTH, case.lang) or not _has(_sentence(source, asked), BOTH, source.lang):
        return None
    if reply.clauses and read(reply.clauses[0].text, reply.lang).accepts:
        return None  # `Yes, a short mail is enough`
    enough = {stem(w, reply.lang) for p in ENOUGH for w in p.split()}
    for clause, stems in zip(reply.clauses[:FIRST], reply.clause_stems, strict=False):
        narrower = stems & case.stems and {s for s in stems - case.stems - enough if not s.isdigit()}
        if narrower and _has(clause.text, ENOUGH, reply.lang) and not _has(clause.text, BOTH, reply.lang):
            return Refusal(code="refused", data={"clause": clause.text[:200], "message": reply.message.alias})
    return None


def _has(text: str, phrases: frozenset[str], lang: str) -> bool:
    plain = folded(text)
    if lang in CHARACTER_LANGUAGES:
        return any(p in plain for p in phrases)
    spaced = f" {' '.join(w.text for w in words(plain, lang))} "
    return any(f" {p} " in spaced for p in phrases)


def _choice(literal: Literal) -> bool:
    return literal.measured


def _named(case: Case, chosen: Literal | None) -> bool:
    """Whether the claim has the chosen value too."""
    return chosen is not None and any(chosen.offers & lit.needs for lit in case.literals)


def _sentence(source: Source, clause: Clause) -> str:
    sentence = source.sentence_at(clause.start)
    return clause.text if sentence is None else sentence.of(source.text)


def _alone(source: Source) -> bool:
    """Whether the message asks one thing only, so that the answer is to it."""
    return sum(1 for b in source.blocks if questions(b.of(source.text), source.lang)) == 1
