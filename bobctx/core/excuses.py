"""What takes a difference of meaning back that a clause shows against a claim, by its reason code. Pure.

`meaning` asks here for each mismatch: the claim may render a denial by a word of its own, the clause may be an open
question, code or data, both sides may be told (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import regex

from bobctx.core import change, compared, stages, verdict
from bobctx.core.acts import modals, negations
from bobctx.core.answers import answer, opens_with_no, turns_down
from bobctx.core.checking import Case
from bobctx.core.denial import chosen_against, waits, zero
from bobctx.core.function_words import PRONOUNS
from bobctx.core.granting import granted
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.negation import AFFIXES, MIN_BASE
from bobctx.core.polarity import Mismatch
from bobctx.core.preferring import moved, preferred
from bobctx.core.quantity import of_some
from bobctx.core.reading import read
from bobctx.core.referred import dropped
from bobctx.core.rendered import keeps, orders, rendered, renders
from bobctx.core.settled import REPORTED, chosen, is_open
from bobctx.core.sources import Clause
from bobctx.core.stemming import stem
from bobctx.core.text import content_stems, words
from bobctx.core.undecided import UNASSERTED

_CONVERSE: Final = frozenset({"lend"})
"""Pairs whose sides tell one deed by two doers."""
OPENING: Final = 16
"""Code points of an answer in which it says that it denies."""
FIRST: Final = 3
"""Clauses of an answer that tell what it is."""
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


def excused(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether something beside the mismatch takes it back."""
    if mismatch.code != "negation_dropped" and _is_code(clause.text):
        return True
    if mismatch.code in REPORTED and _reported(case, clause):
        return True
    excuse = _EXCUSES.get(mismatch.code)
    return excuse is not None and excuse(case, mismatch, clause)


def _dropped(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    return (
        rendered(case, mismatch.cue, clause.text)
        or preferred(case, clause)
        or moved(case, clause)
        or stages.to_come(case, mismatch.cue, clause)
    )


def _set_aside(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    return keeps(case) or preferred(case, clause) or moved(case, clause) or orders(case)


def _added(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    source = case.source(clause.message)
    lang = case.lang_of(source)
    return (
        _is_data(clause.text)
        or renders(case, mismatch.cue, clause.text, lang)
        or zero(clause.text)
        or waits(case, read(clause.text, lang))
        or ((is_open(clause, case) or _offers(clause, case)) and not granted(case, clause, mismatch.cue))
        or _ended(case, mismatch.cue, clause)
        or opens_with_no(source)
        or of_some(read(case.text, case.lang), read(clause.text, lang))
        or dropped(case, mismatch.cue, clause)
        or ((_noun_denied(case, mismatch) or _denied_act(case, mismatch, clause)) and not _lacks_more(case, clause))
        or any(chosen_against(case, s) for s in read(case.text, case.lang).segments if s.has("negation"))
        or verdict.follows(source, clause, case.lang)
        or stages.unfinished(case, clause)
    )


def _opposite(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    return (
        _tells_both(case, mismatch.cue, clause)
        or _inside_value(mismatch.cue, clause)
        or (mismatch.cue == "affix" and not _affixed(case, clause))
        or chosen(case, mismatch.cue, clause)
        or converse(case, mismatch.cue, clause)
        or (is_open(clause, case) and not _agreed_to(case, clause))
        or compared.turned_around(case.text, clause.text, case.lang)
    )


def converse(case: Case, cue: str, clause: Clause) -> bool:
    """Whether the claim tells the same deed from the other side (`Ann borrowed it` of `I lent it to Ann`)."""
    lang = case.lang_of(case.source(clause.message))
    mine = next((c for c in cues(case.text, case.lang, LOGIC, ("polar",)) if c.text == cue), None)
    if mine is None or mine.value[:-1] not in _CONVERSE:
        return False
    theirs = next((c for c in cues(clause.text, lang, LOGIC, ("polar",)) if c.value[:-1] == mine.value[:-1]), None)
    doer = content_stems(case.text[: mine.start], case.lang)
    return theirs is not None and bool(doer & content_stems(clause.text[theirs.end :], lang))


def _unconditioned(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """`wait with it` of `don't tell them for now`, or a `now` that the sources have."""
    return _says_now(case, mismatch.cue) or (rendered(case) and bool(negations(mismatch.cue, case.lang)))


def _considered(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    return _beside(case, mismatch, clause) or _bans_it(case, clause) or stages.kept_open(case, clause)


def _asked(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    return (rendered(case) and _denied_later(case, clause)) or _asks_beside(case, clause)


def _reported(case: Case, clause: Clause) -> bool:
    """Whether the claim says that something is asked or considered, as its source does (`is to be asked whether`)."""
    if not change.reports(case.text, case.lang):
        return False
    source = case.source(clause.message)
    asked = source.message.role == "user" and change.reports(clause.text, case.lang_of(source))
    return case.type in UNASSERTED or asked


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


def _denied_act(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether a ban of the claim stands for a denial in another part of the clause (`is forbidden`, `never write`)."""
    banned = any(c.kind == "deny" and c.text == mismatch.cue for c in read(case.text, case.lang).cues)
    theirs = read(clause.text, case.lang_of(case.source(clause.message))).segments
    return banned and any(s.strength % 2 and s.has("negation") and s.heads & case.stems for s in theirs)


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


def _lacks_more(case: Case, clause: Clause) -> bool:
    """Whether the claim bans without a thing (`no photos without flash`) what the clause denies once."""
    if not any(s.has("lacking") and s.strength > 1 for s in read(case.text, case.lang).segments):
        return False
    theirs = read(clause.text, case.lang_of(case.source(clause.message))).segments
    return sum(len(s.of("verbal")) + len(s.of("lacking")) for s in theirs) <= 1


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


_EXCUSES: Final[Mapping[str, Callable[[Case, Mismatch, Clause], bool]]] = {
    "negation_dropped": _dropped,
    "contrast_asserted": _set_aside,
    "negation_added": _added,
    "antonym": _opposite,
    "condition_dropped": _unconditioned,
    "hypothetical": _considered,
    "question": _asked,
    "modality": _suggested,
}
"""Reason code -> what is asked before it counts."""
