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
from bobctx.core.acts import modals, negations
from bobctx.core.answers import answer, opens_with_no, turns_down
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import chosen_against, waits, zero
from bobctx.core.function_words import PRONOUNS
from bobctx.core.granting import granted
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.negation import AFFIXES, MIN_BASE
from bobctx.core.polarity import Mismatch
from bobctx.core.preferring import moved, preferred
from bobctx.core.reading import read
from bobctx.core.referred import dropped
from bobctx.core.rendered import keeps, rendered, renders
from bobctx.core.settled import REPORTED, chosen, doubts, is_open, settled
from bobctx.core.sources import Clause
from bobctx.core.stemming import stem
from bobctx.core.text import content_stems, words
from bobctx.core.types import Json
from bobctx.core.undecided import UNASSERTED, answered

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
OPENING: Final = 16
"""Code points of an answer in which it says that it denies."""
FIRST: Final = 3
"""Clauses of an answer that tell what it is."""
FEW: Final = 12
"""Clauses of all cited messages that are read closely; talk among people is too loose for that."""
SHORT_ANSWER: Final = 40
"""Code points of a user's clause that is read as an answer even where it shares no word with the claim."""
_ASIDE: Final = frozenset({"contrast_asserted", "negation_dropped"})
"""What a claim that names the side set aside as such does not do."""
ELSEWHERE: Final = frozenset({"question", "hypothetical", "condition_dropped"})
"""What another clause that says the same outright takes back."""
SOLE: Final = frozenset({"hypothetical", "condition_dropped", "question", "modality"})
"""What a clause may accuse of that is all a segment of the claim rests on, however much else it says."""
SAME: Final = 0.7
"""Share of the accusing clause's words of the claim that such a clause must have."""


def check(case: Case) -> Refusal | None:
    """The first difference of meaning between the claim and its supports that counts."""
    supports = [*case.supports, *_short_answers(case)]
    brief = case.clause_count <= FEW and all(s.assisted for s in case.cited)
    for mismatch in polarity.compare(case.text, [c.text for c in supports], lang=case.lang, claim_type=case.type):
        clause = supports[mismatch.clause] if mismatch.clause < len(supports) else None
        if clause is None or settled(case, mismatch, clause):
            continue
        if not _aligned(mismatch, case.text, brief=brief) and not _sole(case, mismatch, clause):
            continue
        if mismatch.code == "negation_dropped" and rendered(case):
            continue
        if mismatch.code != "negation_dropped" and _is_code(clause.text):
            continue
        if mismatch.code == "negation_added" and (
            _is_data(clause.text)
            or renders(case, mismatch.cue, clause.text, case.lang_of(case.source(clause.message)))
            or zero(clause.text)
            or waits(case, read(clause.text, case.lang_of(case.source(clause.message))))
            or ((is_open(clause, case) or _offers(clause, case)) and not granted(case, clause, mismatch.cue))
            or _ended(case, mismatch.cue, clause)
            or _noun_denied(case, mismatch)
            or opens_with_no(case.source(clause.message))
            or dropped(case, mismatch.cue, clause)
            or any(chosen_against(case, s) for s in read(case.text, case.lang).segments if s.has("negation"))
            or verdict.follows(case.source(clause.message), clause, case.lang)
        ):
            continue
        if mismatch.code == "antonym" and (
            _tells_both(case, mismatch.cue, clause)
            or _inside_value(mismatch.cue, clause)
            or (mismatch.cue == "affix" and not _affixed(case, clause))
            or chosen(case, mismatch.cue, clause)
            or (is_open(clause, case) and not _agreed_to(case, clause))
            or compared.turned_around(case.text, clause.text, case.lang)
        ):
            continue
        if mismatch.code == "condition_dropped" and _says_now(case, mismatch.cue):
            continue
        if mismatch.code == "contrast_asserted" and keeps(case):
            continue
        if mismatch.code == "question" and rendered(case) and _denied_later(case, clause):
            continue
        if mismatch.code == "condition_dropped" and rendered(case) and negations(mismatch.cue, case.lang):
            continue  # `wait with it` of `don't tell them for now`
        if mismatch.code in _ASIDE and (preferred(case, clause) or moved(case, clause)):
            continue
        if mismatch.code == "hypothetical" and (_beside(case, mismatch, clause) or _bans_it(case, clause)):
            continue
        if mismatch.code in REPORTED and change.reports(case.text, case.lang):
            source = case.source(clause.message)
            asked = source.message.role == "user" and change.reports(clause.text, case.lang_of(source))
            if case.type in UNASSERTED or asked:
                continue  # `is to be asked whether they could`
        if mismatch.code == "modality" and _suggested(case, mismatch, clause):
            continue
        if mismatch.code == "question" and _asks_beside(case, clause):
            continue
        elsewhere = mismatch.code in ELSEWHERE and mismatch.cue not in case.text and "only" not in mismatch.data
        if elsewhere and _said_elsewhere(case, clause, supports):
            continue
        return Refusal(code=mismatch.code, data=_data(case, mismatch, clause))
    return answered(case)


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


_OPEN_ENDED: Final = frozenset({"maybe", "unsure"})
_CODE: Final = regex.compile(
    r"^\s*(?:\d+[:|]\s*)?(?:[\w.]+\([^()]*\);?|(?:if|elif|else|for|while|def|class|return|import|from|try|except|raise|with)\b[^.?!]*:"
    r"|[\w.\[\]\"']+\s*[-+*/]?=\s*\S+;?|[^\s.?!]*[{};])\s*$"
)
_DATA: Final = regex.compile(r"\"\s*[:\]}]|[{\[]\s*\"|\\[nt\"]|=>")
ENDING: Final = 2
"""Letters in which two forms of one word may differ (`inactif`, `active`)."""
_PARTS: Final = regex.compile(r"[,;、，；،]")
OWN: Final = 2
"""Content words of a part of a clause from which it speaks for itself."""


def _is_data(text: str) -> bool:
    """JSON or code: it denies nothing in words, so a denial read from it contradicts nothing."""
    return bool(_DATA.search(text))


def _is_code(text: str) -> bool:
    """A line of a program: what it calls `if`, `except` or `not` is no word of anybody."""
    return _CODE.search(text) is not None


def _tells_both(case: Case, cue: str, clause: Clause) -> bool:
    """Whether the claim has both sides of an opposite that its sources tell apart (`was added and dropped again`)."""
    said = cues(case.text, case.lang, LOGIC, ("polar",))
    source = case.source(clause.message)
    sentence = source.sentence_at(clause.start)
    there = {c.value for c in cues(sentence.of(source.text) if sentence else clause.text, case.lang, LOGIC, ("polar",))}
    mine = {c.value for c in said if c.text == cue}
    turned = {v[:-1] + ("-" if v[-1] == "+" else "+") for v in mine}
    return bool(turned & {c.value for c in said}) and not mine & there


def _beside(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the doubt stands in a part of the clause that speaks of something else."""
    lang = case.source(clause.message).lang
    cue = mismatch.cue
    doubted = [content_stems(p.replace(cue, " "), lang) for p in _PARTS.split(clause.text) if cue and cue in p]
    return bool(doubted) and all(len(stems) >= OWN and not stems & case.stems for stems in doubted)


def _denied_later(case: Case, asked: Clause) -> bool:
    """Whether a later user's message begins with a denial (`Not before January`)."""
    later = [s for s in case.cited if s.position > asked.message and s.message.role == "user" and s.clauses]
    return any(negations(s.text[:OPENING], case.lang_of(s)) for s in later)


def _says_now(case: Case, cue: str) -> bool:
    """Whether a `now` of the claim, which the clause it rests on lacks, stands in its sources too."""
    now = any(c.text == cue for c in cues(case.text, case.lang, LOGIC, ("now",)))
    return now and any(cue.casefold() in s.lower for s in case.cited)


def _bans_it(case: Case, clause: Clause) -> bool:
    """Whether the sentence of a doubt goes on to forbid what the claim denies (`not sure yet, so leave it out`)."""
    if not any(s.strength or s.has("stop") for s in read(case.text, case.lang).segments):
        return False
    source = case.source(clause.message)
    sentence = source.sentence_at(clause.start)
    behind = source.text[clause.end : sentence.end] if sentence is not None else ""
    taken_up = not PRONOUNS.isdisjoint(w.text for w in words(behind, case.lang_of(source)))
    return taken_up and any(s.strength or s.has("stop") for s in read(behind, case.lang_of(source)).segments)


def _suggested(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the claim tells as a suggestion what its source says may be done (`you could visit the palace`)."""
    lang = case.lang_of(case.source(clause.message))
    if any(c.value == "must" and c.text == mismatch.cue for c in modals(case.text, case.lang)):
        return False
    return change.reports(case.text, case.lang) and any(c.value in ("may", "can") for c in modals(clause.text, lang))


def _asks_beside(case: Case, clause: Clause) -> bool:
    """Whether only the last part of a clause asks, of which the claim has nothing (`it is in the park, do you …?`)."""
    lang = case.lang_of(case.source(clause.message))
    parts = [content_stems(p, lang) for p in _PARTS.split(clause.text)]
    told = set().union(*parts[:-1]) & case.stems
    return len(parts) > 1 and len(told) >= OWN and not (parts[-1] - told) & case.stems


def _offers(clause: Clause, case: Case) -> bool:
    """Whether an assistant says what it can do (`I can register you`)."""
    source = case.source(clause.message)
    able = any(c.value == "can" for c in modals(clause.text, case.lang_of(source)))
    return able and source.message.role == "assistant"


def _ended(case: Case, cue: str, clause: Clause) -> bool:
    """Whether a correction says of the former state that it holds no longer, and the clause marks the change."""
    former = {c.text for c in cues(case.text, case.lang, LOGIC, ("past",))}
    return case.type == "correction" and cue in former and change.marks_change(clause.text, case.lang)


def _agreed_to(case: Case, proposed: Clause) -> bool:
    """Whether no user's answer goes against what is proposed (`Shall I delete it?` `Leave it for now.`)."""
    source = case.source(proposed.message)
    about = source.clause_stems[source.clause_at(proposed.start)] if source.clauses else frozenset[str]()
    later = [s for s in case.cited if s.position > proposed.message and s.message.role == "user"]
    if source.message.role != "assistant" or not later:
        return True
    if any(answer(s) == "refuses" or turns_down(s, about) for s in later):
        return False
    said = (read(c.text, case.lang_of(s)) for s in later if answer(s) != "accepts" for c in s.clauses[:FIRST])
    return not any(s.strength or s.has("stop") or s.has("soft") for reading in said for s in reading.segments)


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
    open_ = case.type == "decision" and doubts(accuser.text, case.lang)  # only the matter itself takes that back
    for clause in supports:
        said = content_stems(clause.text, case.lang) & (shared if open_ else case.stems)
        if clause is accuser or len(said) < SAME * len(shared):
            continue
        alone = polarity.compare(case.text, [clause.text], lang=case.lang, claim_type=case.type)
        if not [m for m in alone if _aligned(m, case.text, brief=False)]:
            return True
    return False
