"""Which type and importance a quoted sentence gets, by its markers and by who said it. Pure.

Questions, suppositions and quoted words are never rules or decisions; tool output never is (design, section 6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import regex

from bobctx.core import change
from bobctx.core.acts import modals
from bobctx.core.candidates import Candidate, Voice
from bobctx.core.language import UNKNOWN
from bobctx.core.leaning import leans
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.markers import markers
from bobctx.core.observations import Observation
from bobctx.core.quotable import MAX_CHARS
from bobctx.core.repairing import turned
from bobctx.core.reported import as_quoted
from bobctx.core.salience import NAMES, VALUE
from bobctx.core.types import ClaimType

ORDERS = frozenset({"forbid", "require", "prefer", "lift"})
"""Markers of sentences that tell somebody what to do."""
WEAK = 0.45
"""Factor on the score of a sentence that leans on the one before it (`It is 9443 now`) or only asks."""
CUE_BOOST = 1.25
ROUTINE = 0.6
"""Factor on what an assistant announces (`Let me check`) and on a line that only introduces the next one."""
CODE_SHARE = 0.12
"""Share of code punctuation from which a line is program text."""
_CODE_LINE = regex.compile(
    r"^(?:(?:def|class|import|from|return|assert|if|elif|else|for|while|try|except|with|async|await|raise|const|let|var"
    r"|function|public|private|static|package|use|fn)\s.*[(){}\[\]=;:]"
    r"|self\.|@\w|\$ |>>>|[\w.\[\]]+\s*[+*/-]?=\s*\S|[\w.]+\(.*\)[;:]?$)"
)
_CODE_MARK = regex.compile(r"[(){}\[\]=;<>|\\$&*+#@^~]|\w_\w|\.\w+\(")
_LABELLED = regex.compile(r"^[*_]{0,2}[\p{L} ]{2,30}[*_]{0,2}[:：][*_]{0,2}\s\S.{0,40}$")
"""`Arrival: 04:00 PM`: one line of a list whose head is not quoted with it."""
_ROUTINE = regex.compile(
    r"^(?:now,? |first,? |next,? |then,? |finally,? |okay,? |great[,!]? |perfect[,!]? )*"
    r"(?:i'll|i will|i'm going to|let me|let's|here is|here are|here's|we'll|we will|i need to|i can)(?!\w)",
    regex.IGNORECASE,
)
_ANAPHOR = regex.compile(
    r"^(?:it|that|this|they|he|she|those|these|so|which|das|dies|es|sie|er|cela|ça|il|elle|eso|esto|isso|isto|ele|ela|quello|questo|lo|dat|dit|het|это|он|она|оно|они)\b",
    regex.IGNORECASE,
)
_FIRST_PERSON = regex.compile(
    r"(?<!\w)(?:i|we)(?:'ll|'d|'ve)?\s+(?:really\s+|just\s+|also\s+|will\s+|would\s+|do\s+)?"
    r"(?:must|have to|need to|had to|should|shouldn't|should not|can't|cannot)(?!\w)"
    r"|^(?:ich|wir)\s+(?:muss|müssen)|(?:je dois|nous devons)|^(?:tengo|tenemos) que|^(?:tenho|temos) (?:que|de)"
    r"|^(?:devo|dobbiamo)\b",
    regex.IGNORECASE,
)
"""What the speaker has to do, which binds nobody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A sentence on its way to becoming a claim."""

    position: int
    order: int
    text: str
    type: ClaimType
    importance: int
    score: float
    lang: str = UNKNOWN
    tool: bool = False
    voice: Voice = "user"
    binding: bool = False
    """A prohibition: kept before anything else."""
    corrects: bool = False
    """Says that something changed."""
    outcome: bool = False
    """Stands for the request that it reports on: quoted whole."""
    report: tuple[int, str] | None = None
    """Message and words that say it is done: quoted behind the request, where nothing else is quoted with it."""
    also: tuple[int, ...] = ()
    """Further messages that are quoted and cited."""
    replaces: int | None = None
    """Index of the draft it replaces."""
    replaces_prior: str | None = None
    """Alias of the earlier claim it replaces."""


def classify(candidate: Candidate, score: float, *, assisted: bool) -> Draft | None:
    """A draft for one sentence, None where it is not worth keeping.

    Args:
        candidate: The sentence.
        score: Its salience.
        assisted: An assistant takes part, so a user's imperatives are addressed to it.
    """
    found = markers(candidate.text, candidate.lang)
    has_value = VALUE.search(candidate.text) is not None
    if _ANAPHOR.match(candidate.text):
        score *= 0.85
    if candidate.text.endswith((":", "：")):
        score *= ROUTINE
    if candidate.voice == "quoted" or is_code(candidate.text):
        return _of_record(candidate, found, score, has_value)
    if "question" in found or ("hypo" in found and not found & {"forbid", "require", "decide"}):
        return _draft(candidate, "fact", 1, score * WEAK) if not found & {"question"} else None
    if candidate.voice == "user":
        return _of_user(candidate, found, score, has_value, assisted)
    return _of_assistant(candidate, found, score, has_value)


def is_code(text: str) -> bool:
    """Whether a line is program text rather than a sentence."""
    return _CODE_LINE.match(text) is not None or len(_CODE_MARK.findall(text)) > CODE_SHARE * len(text)


def announces(text: str) -> bool:
    """Whether an assistant only says what it is about to do (`Let me check`)."""
    return _ROUTINE.match(text) is not None


def _of_record(candidate: Candidate, found: frozenset[str], score: float, has_value: bool) -> Draft | None:
    """Pasted, quoted or program text: errors and exact values are facts about it, nothing more.

    What another text orders is left out; what may order without a word that shows it is given as reported speech.
    """
    if found & ORDERS:
        return None
    if "fail" in found and candidate.lang != "und":
        return _draft(candidate, "failure", 2, score * WEAK)
    if has_value and not is_code(candidate.text):
        text = as_quoted(candidate.text, candidate.lang)
        return _draft(replace(candidate, text=text), "fact", 2, score * WEAK) if len(text) <= MAX_CHARS else None
    return None


_WHEN_TOLD: tuple[tuple[str, ClaimType, int], ...] = (
    ("decide", "decision", 3),
    ("define", "definition", 3),
    ("prefer", "preference", 2),
    ("fail", "failure", 2),
    ("open", "open_question", 2),
)
"""Marker, type and importance, in the order they are looked for."""


def _of_user(
    candidate: Candidate, found: frozenset[str], score: float, has_value: bool, assisted: bool
) -> Draft | None:
    boosted = min(1.0, score * CUE_BOOST)
    text, lang = candidate.text, candidate.lang
    changed = change.marks_change(text, lang) or turned(text, lang)
    corrects = bool(found & {"correct", "shift"}) or changed or leans(text, lang)
    if assisted and ("lift" in found or (corrects and permits(candidate.text, candidate.lang, found))):
        return _draft(candidate, "correction", 3, boosted, corrects=True)
    own_need = _FIRST_PERSON.search(candidate.text) is not None
    if "forbid" in found and not own_need and (assisted or has_value):
        return _draft(candidate, "constraint", 3, boosted, binding=True, corrects=corrects)
    if "correct" in found and (has_value or NAMES.search(candidate.text)):
        return _draft(candidate, "correction", 3, boosted, corrects=True)
    if "require" in found and not own_need and assisted:
        return _draft(candidate, "constraint", 3, boosted, corrects=corrects)
    if "commit" in found and assisted and has_value:
        return _draft(candidate, "commitment", 3, boosted, corrects=corrects)
    if "make" in found and has_value:
        return _draft(candidate, "artifact", 2, boosted, corrects=corrects)
    for marker, type_, importance in _WHEN_TOLD:
        if marker in found and (importance == 2 or assisted or has_value):
            return _draft(candidate, type_, importance, boosted, corrects=corrects)
    return _draft(candidate, "fact", 2, score, corrects=corrects)


def permits(text: str, lang: str, found: frozenset[str]) -> bool:
    """Whether somebody may do something (`found` are the sentence's markers)."""
    if found & {"forbid", "question", "hypo"} or text.startswith(("I ", "We ")):
        return False
    said = {cue.value for cue in modals(text, lang)}
    if said & {"must", "should"}:
        return False
    # `You can enable it from now on`: what can be done with a thing that has two states was not allowed before.
    return "may" in said or ("can" in said and bool(cues(text, lang, LOGIC, ("polar",))))


def _of_assistant(candidate: Candidate, found: frozenset[str], score: float, has_value: bool) -> Draft | None:
    if _ROUTINE.match(candidate.text) or _LABELLED.match(candidate.text):
        score *= ROUTINE
    if "decide" in found and has_value:
        return _draft(candidate, "decision", 2, score * CUE_BOOST)
    if "fail" in found:
        return _draft(candidate, "failure", 2, score)
    if "make" in found and has_value:
        return _draft(candidate, "artifact", 2, score * CUE_BOOST)
    if has_value or NAMES.search(candidate.text):
        return _draft(candidate, "fact", 2, score)
    return _draft(candidate, "fact", 1, score * WEAK)


def _draft(
    candidate: Candidate,
    type_: ClaimType,
    importance: int,
    score: float,
    *,
    binding: bool = False,
    corrects: bool = False,
) -> Draft:
    return Draft(
        position=candidate.position,
        order=candidate.order,
        text=candidate.text,
        type=type_,
        importance=importance,
        score=min(1.0, score),
        lang=candidate.lang,
        voice=candidate.voice,
        binding=binding,
        corrects=corrects,
    )


def observed(item: Observation, score: float) -> Draft:
    """A draft for a stretch of tool text."""
    weight = 1.0 + 0.2 * min(3, item.reuse)
    return Draft(
        position=item.position,
        order=0,
        text=item.text,
        type=item.type,
        importance=2,
        score=min(1.0, score * weight),
        tool=True,
        voice="tool",
    )
