"""The claim against the clauses it rests on: cue mismatches that a good alignment carries, answers considered. Pure.

`polarity` finds differences of meaning between aligned segments. Here it is decided which of them count: a weak
alignment accuses nobody, a question or proposal that a cited message accepts is no longer open, one that it
refuses may only be claimed as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import regex

from bobctx.core import change, compared, polarity, verdict
from bobctx.core.acts import acceptances, decision_cues, hypotheticals, modals, negations, questions
from bobctx.core.answers import answer, echoes, opens_with_no, turns_down
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.consenting import conditioned
from bobctx.core.denial import has_stem
from bobctx.core.granting import granted
from bobctx.core.lexicon import ACTS, LOGIC, cues
from bobctx.core.negation import AFFIXES, MIN_BASE
from bobctx.core.polarity import Mismatch
from bobctx.core.reading import read
from bobctx.core.slots import family
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems, stem, words
from bobctx.core.types import Json

ALIGNED: Final = 0.45
"""Product of the two shares (of the claim's and of the source's segment) from which an alignment can accuse."""
ALIGNED_BRIEF: Final = 0.33
"""The same where only a few clauses are cited and each of them counts."""
WHOLE: Final = 0.9
HEAVY: Final = 6.0
"""Or: nearly all of the claim's segment, and this much of it."""
QUANTIFIED: Final = 3.0
"""A quantifier is compared only where this much is shared."""
FITS: Final = 0.66
"""Or this share of what the source's segment says."""
SPARE: Final = 2.0
"""Or this much, where it is nearly all that either says."""
FEW: Final = 12
"""Clauses of all cited messages that are read closely; talk among people is too loose for that."""
BRIEF: Final = 16
"""Clauses of all cited messages up to which a doubt anywhere in them counts."""
AGREEMENT: Final = 60
"""Code points of a clause that finds something fine."""
SHORT_ANSWER: Final = 40
"""Code points of a user's clause that is read as an answer even where it shares no word with the claim."""
ANSWERED: Final = 12
"""Clauses of a message in which it answers what was said before it."""
OPEN_CODES: Final = frozenset({"question", "hypothetical", "condition_dropped", "modality"})
"""What an acceptance settles."""
ELSEWHERE: Final = frozenset({"question", "hypothetical", "condition_dropped"})
"""What another clause that says the same outright takes back."""
SOLE: Final = frozenset({"hypothetical", "condition_dropped", "question", "modality"})
"""What a clause may accuse of that is all a segment of the claim rests on, however much else it says."""
REPORTED: Final = frozenset({"question", "hypothetical"})
"""What a claim may rest on that says that it was asked or considered."""
SAME: Final = 0.7
"""Share of the accusing clause's words of the claim that such a clause must have."""
COUNTS: Final = frozenset({"number", "money"})
"""Kinds of which one may stand for the other in an answer."""
UNASSERTED: Final = frozenset({"fact", "open_question", "failure", "artifact"})


def check(case: Case) -> Refusal | None:
    """The first difference of meaning between the claim and its supports that counts."""
    supports = [*case.supports, *_short_answers(case)]
    brief = case.clause_count <= FEW and all(s.assisted for s in case.cited)
    for mismatch in polarity.compare(case.text, [c.text for c in supports], lang=case.lang, claim_type=case.type):
        clause = supports[mismatch.clause] if mismatch.clause < len(supports) else None
        if clause is None or _settled(case, mismatch, clause):
            continue
        if not _aligned(mismatch, case.text, brief=brief) and not _sole(case, mismatch, clause):
            continue
        if mismatch.code == "negation_added" and (
            _is_data(clause.text)
            or (_open(clause, case) and not granted(case, clause, mismatch.cue))
            or _noun_denied(case, mismatch)
            or opens_with_no(case.source(clause.message))
            or verdict.follows(case.source(clause.message), clause, case.lang)
        ):
            continue
        if mismatch.code == "antonym" and (
            _inside_value(mismatch.cue, clause)
            or (mismatch.cue == "affix" and not _affixed(case, clause))
            or _chosen(case, mismatch.cue, clause) or compared.turned_around(case.text, clause.text, case.lang)
        ):
            continue
        if mismatch.code == "hypothetical" and _beside(case, mismatch, clause):
            continue
        if mismatch.code in REPORTED and case.type in UNASSERTED and change.reports(case.text, case.lang):
            continue
        if mismatch.code == "modality" and _suggested(case, clause):
            continue
        if mismatch.code == "question" and _asks_beside(case, clause):
            continue
        elsewhere = mismatch.code in ELSEWHERE and mismatch.cue not in case.text and "only" not in mismatch.data
        if elsewhere and _said_elsewhere(case, clause, supports):
            continue
        return Refusal(code=mismatch.code, data=_data(case, mismatch, clause))
    return answered(case)


def answered(case: Case) -> Refusal | None:
    """What other cited words make of the matter: it is not decided, or the user refused it."""
    return _undecided(case) or _unsettled(case) or _refused(case) or conditioned(case)


def _undecided(case: Case) -> Refusal | None:
    """A decision whose cites say of the same thing that it is not decided."""
    if case.type != "decision" or not decision_cues(case.text, case.lang) or _doubts(case.text, case.lang):
        return None
    if case.clause_count > BRIEF:
        return None
    for source in case.cited:
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True):
            same = any(has_stem(s, stems) for s in case.stems)
            if source.message.role == "user" and same and _doubts(clause.text, source.lang):
                cue = next(c for c in hypotheticals(clause.text, source.lang) if c.value == "unsure")
                return Refusal(
                    code="hypothetical",
                    data={"cue": cue.text, "clause": clause.text[:200], "message": source.message.alias},
                )
    return None


def _unsettled(case: Case) -> Refusal | None:
    """A sentence of a user that says maybe of what the claim gives as decided, half of it in words of the claim."""
    if case.type not in DIRECTIVES | RESOLVES or hypotheticals(case.text, case.lang) or _denies(case):
        return None
    mine = _said(case.text, case.lang)
    for source in case.cited:
        lang = case.lang_of(source)
        if source.message.role != "user" or source.message.injected or not source.assisted or len(source.blocks) > BRIEF:
            continue
        told = [_said(b.of(source.text), lang) for b in source.blocks]
        for block, stems in zip(source.blocks, told, strict=True):
            shared = stems & mine
            cue = next((c for c in hypotheticals(block.of(source.text), lang) if c.value in _OPEN_ENDED), None)
            if cue is None or len(shared) < OWN or 2 * len(shared) < len(stems):
                continue
            if any(len(other & mine) >= len(shared) for other in told if other is not stems):
                continue
            data = {"cue": cue.text, "clause": block.of(source.text)[:200], "message": source.message.alias}
            return Refusal(code="hypothetical", data=data)
    return None


def _said(text: str, lang: str) -> set[str]:
    """The words, names and numbers of a text that are in no cue."""
    return {k for s in read(text, lang).segments for k in s.content if not k.startswith("=")}


def _doubts(text: str, lang: str) -> bool:
    return any(c.value == "unsure" for c in hypotheticals(text, lang))


def _short_answers(case: Case) -> list[Clause]:
    """Brief clauses of users; one before a question of the same message answers something else."""
    known = set(case.supports)
    asked = {c.message: c.start for c in reversed(case.supports) if "?" in c.text or "？" in c.text or "؟" in c.text}
    return [
        c
        for s in case.cited
        if s.message.role == "user"
        for c in s.clauses[:8]
        if len(c.text) <= SHORT_ANSWER and c not in known and c.start >= asked.get(s.position, 0)
    ]


def _data(case: Case, mismatch: Mismatch, clause: Clause) -> Mapping[str, Json]:
    return {
        "cue": mismatch.cue,
        "clause": clause.text[:200],
        "message": case.source(clause.message).message.alias,
    }


def _aligned(mismatch: Mismatch, text: str, *, brief: bool) -> bool:
    if "shared" not in mismatch.data:
        return True
    shared, mine, theirs = (float(mismatch.data[k]) for k in ("shared", "mine", "theirs"))
    if not mine or not theirs:
        return False
    if mismatch.code == "condition_dropped" and mismatch.cue in text:
        return shared >= SPARE  # the claim's own word waves the condition aside
    whole = shared >= mine and theirs - shared <= 1.0  # `everyone drives` of `only Dad drives`
    little = shared < SPARE or (shared < SAME * max(mine, theirs) and shared < FITS * theirs)
    if mismatch.code == "quantifier" and shared < QUANTIFIED and little and not whole:
        return False
    if mismatch.code == "antonym":
        mine, theirs = max(mine - 1.0, shared), max(theirs - 1.0, shared)  # the two opposites cannot be shared
    if (shared / mine) * (shared / theirs) >= (ALIGNED_BRIEF if brief else ALIGNED):
        return True
    return shared >= HEAVY and shared / mine >= WHOLE


def _sole(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the clause is all that the claim's segment can rest on: no other one has a word of it that this lacks."""
    if mismatch.code not in SOLE or not mismatch.data.get("shared"):
        return False
    source = case.source(clause.message)
    here = source.clause_stems[source.clause_at(clause.start)] if source.clauses else frozenset()
    apart = [k for k in mismatch.data["apart"] if k not in here]
    return not any(k in s.clauses_with for k in apart for s in case.cited)


def _open(clause: Clause, case: Case) -> bool:
    """A question or a mere possibility denies nothing, so a claim that denies it contradicts nothing."""
    lang = case.source(clause.message).lang
    return bool(questions(clause.text, lang) or hypotheticals(clause.text, lang))


_OPEN_ENDED: Final = frozenset({"maybe", "unsure"})
_DATA: Final = regex.compile(r"\"\s*[:\]}]|[{\[]\s*\"|\\[nt\"]|=>")
ENDING: Final = 2
"""Letters in which two forms of one word may differ (`inactif`, `active`)."""
_PARTS: Final = regex.compile(r"[,;、，；،]")
OWN: Final = 2
"""Content words of a part of a clause from which it speaks for itself."""


def _is_data(text: str) -> bool:
    """JSON or code: it denies nothing in words, so a denial read from it contradicts nothing."""
    return bool(_DATA.search(text))


def _beside(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the doubt stands in a part of the clause that speaks of something else."""
    lang = case.source(clause.message).lang
    cue = mismatch.cue
    doubted = [content_stems(p.replace(cue, " "), lang) for p in _PARTS.split(clause.text) if cue and cue in p]
    return bool(doubted) and all(len(stems) >= OWN and not stems & case.stems for stems in doubted)


def _suggested(case: Case, clause: Clause) -> bool:
    """Whether the claim tells as somebody's suggestion what its source says may be done (`you could visit the palace`)."""
    lang = case.lang_of(case.source(clause.message))
    return change.reports(case.text, case.lang) and any(c.value in ("may", "can") for c in modals(clause.text, lang))


def _asks_beside(case: Case, clause: Clause) -> bool:
    """Whether only the last part of the clause asks, of which the claim has nothing (`it is in the park, do you …?`)."""
    lang = case.lang_of(case.source(clause.message))
    parts = [content_stems(p, lang) for p in _PARTS.split(clause.text)]
    told = set().union(*parts[:-1]) & case.stems
    return len(parts) > 1 and len(told) >= OWN and not (parts[-1] - told) & case.stems


def _inside_value(cue: str, clause: Clause) -> bool:
    """Whether the clause has the claim's side of an opposite inside a name or path (`lake/hourly/`)."""
    return regex.search(rf"(?i)[/_.-]{regex.escape(cue)}\b|\b{regex.escape(cue)}[/_-]", clause.text) is not None


def _affixed(case: Case, clause: Clause) -> bool:
    """Whether one of the two has a word of the other with a negative prefix, in nearly the same form."""
    mine, theirs = ({w.text for w in words(text, case.lang)} for text in (case.text, clause.text))
    return any(_unaffixed(w, theirs, case.lang) for w in mine) or any(_unaffixed(w, mine, case.lang) for w in theirs)


def _unaffixed(word: str, others: set[str], lang: str) -> bool:
    if lang == "en" and word.endswith("less") and any(o.startswith(word[:-4]) for o in others):
        return True
    bases = (word[len(p) :].lstrip("-") for p in AFFIXES.get(lang, ()) if word.startswith(p))
    return any(o.startswith(base[:-ENDING]) for base in bases if len(base) >= MIN_BASE for o in others)


def _noun_denied(case: Case, mismatch: Mismatch) -> bool:
    """`without commits` where some cited clause denies commits in its own words."""
    at = case.text.find(mismatch.cue)
    if not any(c.start == at for c in cues(case.text, case.lang, LOGIC, ("nominal",))):
        return False
    after = [w for w in words(case.text, case.lang) if w.start >= at + len(mismatch.cue)]
    head = next((stem(w.text, case.lang) for w in after if stem(w.text, case.lang) in case.stems), None)
    if head is None:
        return False
    return any(
        head in stems and negations(clause.text, source.lang)
        for source in case.cited
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True)
    )


def _said_elsewhere(case: Case, accuser: Clause, supports: list[Clause]) -> bool:
    """Whether another clause with as much of the claim says it outright."""
    shared = content_stems(accuser.text, case.lang) & case.stems
    open_ = case.type == "decision" and _doubts(accuser.text, case.lang)  # only the matter itself takes that back
    for clause in supports:
        said = content_stems(clause.text, case.lang) & (shared if open_ else case.stems)
        if clause is accuser or len(said) < SAME * len(shared):
            continue
        alone = polarity.compare(case.text, [clause.text], lang=case.lang, claim_type=case.type)
        if not [m for m in alone if _aligned(m, case.text, brief=False)]:
            return True
    return False


def _settled(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether a later cited message answers the clause, so that it is open no longer."""
    if mismatch.code not in (*OPEN_CODES, "negation_added"):
        return False
    for source in case.cited:
        if source.position <= clause.message or source.message.role == "tool":
            continue
        if mismatch.code in REPORTED and _same_voice(case, clause, source):
            continue  # nobody settles their own doubt by saying yes to something else
        reply = "accepts" if _agreed(source, clause, case) else answer(source)
        if mismatch.code in REPORTED and turns_down(source, content_stems(clause.text, source.lang) & case.stems):
            continue
        if mismatch.code == "negation_added":
            if (reply == "refuses" and not _ordered(case, source)) or _denied_there(case, clause, source):
                return True
            if _open(clause, case) and echoes(source, content_stems(clause.text, source.lang), case.stems):
                return True  # `by message` to `by mail or by message?`: not by mail
            continue
        if reply == "accepts" or (mismatch.code == "question" and _revalued(case, clause, source)):
            return True
        said = mismatch.code == "question" or (
            mismatch.code in ("hypothetical", "modality")
            and case.source(clause.message).message.role == "assistant"
            and source.message.role == "user"
            and not _doubts(source.text, source.lang)
            and not cues(_opening(case, source), source.lang, LOGIC, ("soft", "stop", "deny", "negation"))
        )
        if said and echoes(source, content_stems(clause.text, source.lang), case.stems):
            return True
        if reply == "refuses" and mismatch.code != "modality" and _denies(case):
            return True
    return False


def _opening(case: Case, source: Source) -> str:
    """What an answer says first: its first sentence, where that is brief and speaks of the matter (`The chapel.`)."""
    first = source.blocks[0].of(source.text) if source.blocks else ""
    brief = len(first) <= AGREEMENT and content_stems(first, source.lang) & case.stems
    return first if brief else source.text[:AGREEMENT]


def _denied_there(case: Case, asked: Clause, source: Source) -> bool:
    """Whether a user denies the very thing that was asked for, in a word that both and the claim have."""
    if source.message.role != "user" or source.message.injected:
        return False
    heads = content_stems(asked.text, case.lang_of(case.source(asked.message))) & case.stems
    return any(
        s.strength % 2 and s.heads & heads
        for clause in source.clauses[:ANSWERED]
        for s in read(clause.text, source.lang).segments
    )


def _ordered(case: Case, source: Source) -> bool:
    """Whether a message that refuses something tells to do the very thing that the claim denies (`rename ours`)."""
    heads = {h for s in read(case.text, case.lang).segments for h in s.heads if not h.startswith("=")}
    return any(
        heads & s.content.keys() and not s.strength and s.kind == "main" and not s.has("hypothetical")
        for clause in source.clauses[:ANSWERED]
        for s in read(clause.text, source.lang).segments
    )


def _chosen(case: Case, cue: str, asked: Clause) -> bool:
    """Whether a later message of the user takes the very side of a question that the claim takes (`the large one!`)."""
    lang = case.source(asked.message).lang
    if not questions(asked.text, lang):
        return False
    mine = {c.value for c in cues(case.text, case.lang, LOGIC, ("opposite", "polar")) if c.text == cue}
    for source in case.cited:
        if source.position > asked.message and source.message.role == "user":
            theirs = {c.value for c in cues(source.text[:AGREEMENT], source.lang, LOGIC, ("opposite", "polar"))}
            if mine & theirs:
                return True
    return False


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


def _same_voice(case: Case, clause: Clause, later: Source) -> bool:
    first = case.source(clause.message).message
    return first.role == later.message.role == "user" and later.assisted


def _denies(case: Case) -> bool:
    return bool(negations(case.text, case.lang)) or any(
        c.kind in ("deny", "stop", "soft") for c in cues(case.text, case.lang, LOGIC, ("deny", "stop", "soft"))
    )


def _refused(case: Case) -> Refusal | None:
    """A proposal that the user's answer refuses may only be claimed as refused."""
    if case.type in UNASSERTED or not case.supports or _denies(case):
        return None
    best = case.supports[0]
    if case.source(best.message).message.role != "assistant":
        return None
    lang = case.source(best.message).lang
    asked = bool(questions(best.text, lang) or any(c.value in ("can", "may") for c in modals(best.text, lang)))
    asked = asked or bool(hypotheticals(best.text, lang))
    for source in case.cited:
        if source.position <= best.message or not asked:
            continue
        about = content_stems(best.text, lang) & case.stems
        down = turns_down(source, about) or _needless(case, source)
        if answer(source) != "refuses" and not down:
            continue
        if down or not echoes(source, content_stems(best.text, source.lang), case.stems):
            return Refusal(
                code="refused",
                data={"clause": best.text[:200], "message": case.source(best.message).message.alias},
            )
    return None


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
