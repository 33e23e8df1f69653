"""Whether a later cited message answers a clause, so that it is open no longer. Pure.

A question or proposal that a user accepts is settled, and so is one that an answer decides in other words: by another
value, by naming one of two things, by denying the very thing (design, section 6, Hypotheticals).
"""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import acceptances, hypotheticals, modals, negations, questions
from bobctx.core.answers import OPENING, answer, echoes, first_part, turns_down
from bobctx.core.checking import Case
from bobctx.core.denial import turns
from bobctx.core.lexicon import ACTS, LOGIC, cues
from bobctx.core.polarity import Mismatch
from bobctx.core.reading import Segment, read
from bobctx.core.slots import family
from bobctx.core.sources import Clause, Source
from bobctx.core.terms import keeps_term, waits_for_term
from bobctx.core.text import content_stems

AGREEMENT: Final = 60
"""Code points of a clause that finds something fine."""
ASKED: Final = 160
"""Code points of an answer in which somebody else is to be asked first (`I'd have to ask Ann about that`)."""
ANSWERED: Final = 12
"""Clauses of a message in which it answers what was said before it."""
OPEN_CODES: Final = frozenset({"question", "hypothetical", "condition_dropped", "modality"})
"""What an acceptance settles."""
REPORTED: Final = frozenset({"question", "hypothetical"})
"""What a claim may rest on that says that it was asked or considered."""
COUNTS: Final = frozenset({"number", "money"})
"""Kinds of which one may stand for the other in an answer."""


def settled(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether a later cited message answers the clause, so that it is open no longer."""
    if mismatch.code not in (*OPEN_CODES, "negation_added"):
        return False
    later = [s for s in case.cited if s.position > clause.message and s.message.role != "tool"]
    return any(_waived(case, clause, s) or _answers(case, mismatch, clause, s) for s in later)


def _answers(case: Case, mismatch: Mismatch, clause: Clause, source: Source) -> bool:
    """Whether one later message settles the clause."""
    if mismatch.code in REPORTED and _same_voice(case, clause, source) and not _taken_up(case, clause, source):
        return False  # nobody settles their own doubt by saying yes to something else
    agreed = _agreed(source, clause, case) or _rest_agreed(source, case)
    reply = "accepts" if agreed else answer(source)
    if mismatch.code in REPORTED and turns_down(source, content_stems(clause.text, source.lang) & case.stems):
        return False
    if mismatch.code == "negation_added":
        denied = (reply == "refuses" and not _ordered(case, source)) or denied_there(case, clause, source)
        if denied or waits_for_term(case):
            return True
        named = is_open(clause, case) and echoes(source, content_stems(clause.text, source.lang), case.stems)
        return named and not _named_denied(case, source)  # `by message` to `by mail or by message?`: not by mail
    if reply == "accepts" or (mismatch.code == "question" and _told(case, clause, source)):
        return True
    said = mismatch.code == "question" or (
        mismatch.code in ("hypothetical", "modality")
        and case.source(clause.message).message.role == "assistant"
        and source.message.role == "user"
        and not doubts(_opening(case, source), source.lang)
        and not cues(source.text[:ASKED], source.lang, ACTS, ("asks_first",))
        and not cues(_opening(case, source), source.lang, LOGIC, ("soft", "stop", "deny", "negation"))
    )
    if said and echoes(source, content_stems(_sentence(case, clause), source.lang), case.stems):
        return True
    return reply == "refuses" and mismatch.code != "modality" and denies(case)


def _waived(case: Case, asked: Clause, source: Source) -> bool:
    """Whether a user says that there is no need of what was asked, as the claim does (`Shall he wait? No need.`)."""
    if source.message.role != "user" or source.message.injected or not is_open(asked, case):
        return False
    needless = (modals(text, case.lang) for text in (case.text, _opening(case, source)))
    return all(any(c.value == "optional" for c in found) for found in needless)


def _named_denied(case: Case, source: Source) -> bool:
    """Whether an answer names outright what the claim denies (`On ice.`, and `it is not done on ice`)."""
    named = source.clause_stems[0] & case.stems
    if any(turns(s) for s in read(source.clauses[0].text, source.lang).segments):
        return False  # `seven days is too short`
    mine = read(case.text, case.lang).segments
    denied = {k for s in mine if s.has("verbal") and s.strength % 2 for k in s.content}
    return named <= denied - {k for s in mine if not s.strength for k in s.content}


def _sentence(case: Case, clause: Clause) -> str:
    source = case.source(clause.message)
    sentence = source.sentence_at(clause.start)
    return clause.text if sentence is None else sentence.of(source.text)


def _opening(case: Case, source: Source) -> str:
    """What an answer says first: its first sentence, where that is brief and speaks of the matter (`The chapel.`)."""
    first = source.blocks[0].of(source.text) if source.blocks else ""
    named = first_part(first)
    if len(named) <= AGREEMENT and content_stems(named, source.lang) & case.stems:
        return named  # what stands behind the comma gives a reason, or speaks of something else
    brief = len(first) <= AGREEMENT and content_stems(first, source.lang) & case.stems
    return first if brief else source.text[:AGREEMENT]


def denied_there(case: Case, asked: Clause, source: Source) -> bool:
    """Whether a user denies the very thing that was asked for, in a word that both and the claim have."""
    if source.message.role != "user" or source.message.injected:
        return False
    heads = content_stems(asked.text, case.lang_of(case.source(asked.message))) & case.stems
    return any(
        ((s.strength % 2 and s.heads & heads) or (s.has("stop") and s.content.keys() & heads)) and not _foreign(s, case)
        for clause in source.clauses[:ANSWERED]
        for s in read(clause.text, source.lang).segments
    )


def _foreign(denying: Segment, case: Case) -> bool:
    """Whether a denial is of something else (`don't book flights` says nothing against booking the house)."""
    return any(not k.startswith("=") and k not in case.stems for k in denying.content.keys() - denying.marked)


def _ordered(case: Case, source: Source) -> bool:
    """Whether a message that refuses something tells to do the very thing that the claim denies (`rename ours`)."""
    heads = {h for s in read(case.text, case.lang).segments for h in s.heads if not h.startswith("=")}
    return any(
        heads & s.content.keys() and not s.strength and s.kind == "main" and not s.has("hypothetical")
        for clause in source.clauses[:ANSWERED]
        for s in read(clause.text, source.lang).segments
    )


def chosen(case: Case, cue: str, asked: Clause) -> bool:
    """Whether a later message of the user takes the very side of a question that the claim takes (`the large one!`).

    A correction may take it against what an assistant said (`West gate, not east.`).
    """
    first = case.source(asked.message)
    corrected = case.type == "correction" and first.message.role == "assistant"
    if not corrected and not questions(asked.text, first.lang):
        return False
    mine = {c.value for c in cues(case.text, case.lang, LOGIC, ("opposite", "polar")) if c.text == cue}
    for source in case.cited:
        if source.position > asked.message and source.message.role == "user":
            theirs = {c.value for c in cues(source.text[:AGREEMENT], source.lang, LOGIC, ("opposite", "polar"))}
            if mine & theirs:
                return True
    return False


def _told(case: Case, asked: Clause, source: Source) -> bool:
    """Whether an answer gives another value, or no more than the term that the claim keeps."""
    return _revalued(case, asked, source) or keeps_term(case, source)


def _revalued(case: Case, asked: Clause, source: Source) -> bool:
    """Whether a user answers `Shall I order 3?` with another value, which is the claim's (`Two is plenty`)."""
    if source.message.role != "user" or source.position != asked.message + 1 or not source.blocks:
        return False
    theirs = case.source(asked.message)
    offered = [x for x in theirs.literals if asked.start <= x.start < asked.end and x.measured]
    first = source.blocks[0]
    given = [
        (literal, place.literal or literal)
        for literal, places in zip(case.literals, case.found, strict=True)
        if literal.measured
        for place in places
        if place.message == source.position and place.start < first.end
    ]
    return any(
        (family(there) == family(o) or {there.kind, o.kind} <= COUNTS) and not o.offers & literal.needs
        for literal, there in given
        for o in offered
    )


def _agreed(source: Source, asked: Clause, case: Case) -> bool:
    """Whether a later clause of the user finds the very thing fine (`Leave the alarm. Logging there is fine.`)."""
    if source.message.role != "user" or source.message.injected:
        return False
    subject = content_stems(asked.text, source.lang) & case.stems
    return any(
        len(clause.text) <= AGREEMENT
        and stems & subject
        and not negations(clause.text, source.lang)
        and not questions(clause.text, source.lang)
        and (acceptances(clause.text, source.lang) or cues(clause.text, source.lang, ACTS, ("fitting",)))
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True)
    )


def _rest_agreed(source: Source, case: Case) -> bool:
    """Whether a user agrees to all but what stands before that (`Noor can't on the 31st. Otherwise agreed.`)."""
    if source.message.role != "user" or source.message.injected:
        return False
    rest = next(iter(cues(source.text[:OPENING], source.lang, ACTS, ("rest",))), None)
    return rest is not None and not content_stems(source.text[: rest.start], source.lang) & case.stems


def _taken_up(case: Case, clause: Clause, later: Source) -> bool:
    """Whether the user has settled their own doubt: by a yes to what the assistant made of it, or by naming another."""
    named = content_stems(_opening(case, later), later.lang) & case.stems
    if named - content_stems(clause.text, later.lang):
        return True
    between = (s for s in case.cited if clause.message < s.position < later.position and s.message.role == "assistant")
    taken = any(s.stems & case.stems for s in between)
    return taken and (answer(later) == "accepts" or bool(named))


def _same_voice(case: Case, clause: Clause, later: Source) -> bool:
    first = case.source(clause.message).message
    return first.role == later.message.role == "user" and later.assisted


def denies(case: Case) -> bool:
    """Whether the claim denies, stops or keeps something in any way."""
    return bool(negations(case.text, case.lang)) or any(
        c.kind in ("deny", "stop", "soft") for c in cues(case.text, case.lang, LOGIC, ("deny", "stop", "soft"))
    )


def doubts(text: str, lang: str) -> bool:
    """Whether a text says that something is not decided."""
    return any(c.value == "unsure" for c in hypotheticals(text, lang))


def is_open(clause: Clause, case: Case) -> bool:
    """A question or a mere possibility denies nothing, so a claim that denies it contradicts nothing."""
    lang = case.source(clause.message).lang
    return bool(questions(clause.text, lang) or hypotheticals(clause.text, lang))
