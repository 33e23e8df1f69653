"""What other cited words make of a matter: it is not decided, or the user refused it. Pure.

Design, section 6, Hypotheticals and refused proposals.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import acceptances, decision_cues, hypotheticals, modals, questions
from bobctx.core.answers import answer, echoes, turns_down
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.consenting import conditioned
from bobctx.core.denial import has_stem
from bobctx.core.function_words import OR, OR_UNSPACED
from bobctx.core.lexicon import Cue
from bobctx.core.reading import read
from bobctx.core.rendered import rendered
from bobctx.core.settled import ANSWERED, denies, doubts
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems

BRIEF: Final = 16
"""Clauses of all cited messages up to which a doubt anywhere in them counts."""
FEW: Final = 3
"""Clauses with most of the claim among which the question is looked for."""
OWN: Final = 2
"""Words of a claim in a sentence that leaves its matter open."""
STEM: Final = 4
"""Letters in common from which two denying words are forms of one."""
_DENYING: Final = frozenset({"negation", "deny", "stop"})
UNASSERTED: Final = frozenset({"fact", "open_question", "failure", "artifact"})
_OPEN_ENDED: Final = frozenset({"maybe", "unsure"})


def answered(case: Case) -> Refusal | None:
    """What other cited words make of the matter: it is not decided, or the user refused it."""
    return _undecided(case) or _unsettled(case) or _refused(case) or conditioned(case)


def _undecided(case: Case) -> Refusal | None:
    """A decision whose cites say of the same thing that it is not decided."""
    if case.type != "decision" or not decision_cues(case.text, case.lang) or doubts(case.text, case.lang):
        return None
    if case.clause_count > BRIEF:
        return None
    for source in case.cited:
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True):
            same = any(has_stem(s, stems) for s in case.stems) or _asked_before(case, source, clause)
            if source.message.role == "user" and same and doubts(clause.text, source.lang):
                cue = next(c for c in hypotheticals(clause.text, source.lang) if c.value == "unsure")
                return Refusal(
                    code="hypothetical",
                    data={"cue": cue.text, "clause": clause.text[:200], "message": source.message.alias},
                )
    return None


def _asked_before(case: Case, source: Source, clause: Clause) -> bool:
    """Whether the clause before asks for something that the claim has (`Kyoto or Osaka? She is still torn`)."""
    at = source.clause_at(clause.start)
    before = source.clauses[at - 1].text if at else ""
    return before.rstrip().endswith(("?", "？", "؟")) and bool(source.clause_stems[at - 1] & case.stems)


def _unsettled(case: Case) -> Refusal | None:
    """A sentence of a user that says maybe of what the claim gives as decided, half of it in words of the claim."""
    if case.type not in DIRECTIVES | RESOLVES or hypotheticals(case.text, case.lang) or denies(case):
        return None
    mine = _said(case.text, case.lang)
    for source in case.cited:
        lang = case.lang_of(source)
        if (
            source.message.role != "user"
            or source.message.injected
            or not source.assisted
            or len(source.blocks) > BRIEF
        ):
            continue
        cues = [_open_ended(b.of(source.text), lang) for b in source.blocks]
        if not any(cues):
            continue
        told = [_said(b.of(source.text), lang) for b in source.blocks]
        for block, stems, cue in zip(source.blocks, told, cues, strict=True):
            shared = stems & mine
            if cue is None or len(shared) < OWN or 2 * len(shared) < len(stems):
                continue
            if any(len(other & mine) >= len(shared) for other in told if other is not stems):
                continue
            data = {"cue": cue.text, "clause": block.of(source.text)[:200], "message": source.message.alias}
            return Refusal(code="hypothetical", data=data)
    return None


def _open_ended(text: str, lang: str) -> Cue | None:
    """The first word of a text that leaves it open."""
    return next((c for c in hypotheticals(text, lang) if c.value in _OPEN_ENDED), None)


def _said(text: str, lang: str) -> set[str]:
    """The words, names and numbers of a text that are in no cue."""
    return {k for s in read(text, lang).segments for k in s.content if not k.startswith("=")}


def _refused(case: Case) -> Refusal | None:
    """A proposal that the user's answer refuses may only be claimed as refused."""
    if case.type in UNASSERTED or not case.supports or _waives(case):
        return None
    asking = _only_asked(case)
    best = asking or case.supports[0]
    denying = denies(case)
    if denying and (rendered(case) or not _proposed_so(case, best)):
        return None
    if case.source(best.message).message.role != "assistant":
        return None
    lang = case.source(best.message).lang
    asked = bool(questions(best.text, lang) or any(c.value in ("can", "may") for c in modals(best.text, lang)))
    asked = asked or bool(hypotheticals(best.text, lang))
    for source in case.cited:
        if source.position <= best.message or not asked:
            continue
        about = content_stems(best.text, lang) & case.stems
        down = turns_down(source, about) or _needless(case, source) or _denied(case, source, about)
        if answer(source) != "refuses" and (denying or asking or not down):
            continue
        if asking and source.clause_stems and source.clause_stems[0] & case.stems:
            continue  # `Which one shall I take? The DJ.`
        if denying and any(acceptances(c.text, source.lang) for c in source.clauses):
            continue
        if down or not echoes(source, content_stems(best.text, source.lang), case.stems):
            return Refusal(
                code="refused",
                data={"clause": best.text[:200], "message": case.source(best.message).message.alias},
            )
    return None


def _waives(case: Case) -> bool:
    """Whether a claim tells of a proposal that there is no need of it, as its refusal does."""
    return any(c.value == "optional" for c in modals(case.text, case.lang))


def _only_asked(case: Case) -> Clause | None:
    """A question of the assistant that alone has a word of the claim (`It is on hold. Shall I confirm it?`)."""
    for clause in case.supports[:FEW]:
        source = case.source(clause.message)
        if source.message.role == "assistant" and questions(clause.text, source.lang):
            own = content_stems(clause.text, source.lang) & case.stems
            others = [s for s in case.cited if s is not source]
            once = any(len(source.clauses_with.get(stem, ())) == 1 for stem in own)
            if once and not any(stem in s.clauses_with for s in others for stem in own):
                return clause
    return None


def _proposed_so(case: Case, best: Clause) -> bool:
    """Whether the words with which the claim denies or stops something are those of the proposal itself (`remove`)."""
    lang = case.lang_of(case.source(best.message))
    claim = read(case.text, case.lang)
    kinds = _DENYING if _choice(best.text) else _DENYING | {"soft"}
    mine = [c for s in claim.segments for c in s.cues if c.kind in kinds]
    theirs = read(best.text, lang).cues
    there = {c.text.casefold()[:STEM] for c in theirs}
    stems = {stem for c in theirs for stem in content_stems(c.text, lang)}
    return bool(mine) and all(
        c.text.casefold()[:STEM] in there or content_stems(c.text, case.lang) & stems for c in mine
    )


def _choice(asked: str) -> bool:
    """Whether a question puts two things up for choice."""
    low = asked.casefold()
    return not OR.isdisjoint(low.split()) or any(word in low for word in OR_UNSPACED)


def _denied(case: Case, source: Source, about: frozenset[str]) -> bool:
    """Whether a user denies one of the things proposed, in two words of it (`I don't want to cut the rope yet`)."""
    if source.message.role != "user" or source.message.injected:
        return False
    return any(
        s.strength % 2 and s.heads & about and len(s.content.keys() & about) >= OWN
        for clause in source.clauses[:ANSWERED]
        for s in read(clause.text, source.lang).segments
    )


def _needless(case: Case, source: Source) -> bool:
    """Whether a user's message denies or waives, in words of the claim alone, what it was asked (`no cards needed`)."""
    if source.message.role != "user" or source.message.injected:
        return False
    mine = {k for s in read(case.text, case.lang).segments for k in s.content}
    return any(
        (s.has("negation") or s.has("deny") or "optional" in s.values("modal"))
        and s.content
        and s.content.keys() <= mine
        for clause in source.clauses[:ANSWERED]
        if not questions(clause.text, source.lang)
        for s in read(clause.text, source.lang).segments
    )
