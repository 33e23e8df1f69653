"""A proposal that the user neither takes nor turns down: `Could we delete it?` `Maybe, let me ask Ann first.` Pure.

What was proposed may have no word of the claim but a pronoun; so the whole message with the question counts, and a
claim that rests on it alone may not give it as decided (design, section 6, Hypotheticals).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.acts import acceptances, hypotheticals, negations, questions
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import ACTS, Cue, cues
from bobctx.core.reading import read
from bobctx.core.settled import denies
from bobctx.core.sources import Source
from bobctx.core.text import sentences

OPENING: Final = 160
"""Code points of a message in which its answer stands."""
FRESH: Final = 2
"""Words of the claim that only the answer has, from which the claim tells the answer itself."""
_OPEN: Final = frozenset({"maybe", "unsure"})
_NAME: Final = regex.compile(r"(?<=[\p{Ll},] )\p{Lu}\p{Ll}+")


def check(case: Case) -> Refusal | None:
    """Whether the claim rests on a proposal alone that the answer leaves open."""
    if case.type not in DIRECTIVES | RESOLVES or case.lang == UNKNOWN or not case.supports or denies(case):
        return None
    whole = read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or whole.has("whether") or whole.values("condition") - {"at"}:
        return None
    asked = case.source(case.supports[0].message)
    if asked.message.role != "assistant" or not questions(asked.text[-OPENING:], asked.lang):
        return None
    reply = next((s for s in case.cited if s.position == asked.position + 1), None)
    if reply is None or reply.message.role != "user" or reply.message.injected:
        return None
    left = _left_open(case, reply)
    if left is None or _settles(case, asked, reply, left):
        return None
    data = {"cue": left.text, "clause": reply.text[:200], "message": reply.message.alias}
    return Refusal(code="hypothetical", data=data)


def _left_open(case: Case, reply: Source) -> Cue | None:
    """What in the first sentence of an answer says maybe, or that somebody is to be asked first."""
    text = _first(reply)
    for lang in dict.fromkeys((case.lang_of(reply), case.lang)):  # a brief answer tells little of its language
        found = [*cues(text, lang, ACTS, ("asks_first",)), *hypotheticals(text, lang)]
        left = next((c for c in found if c.kind == "asks_first" or c.value in _OPEN), None)
        if left is not None:
            return left
    return None


def _first(reply: Source) -> str:
    text = reply.text[:OPENING]
    first = sentences(text)
    return first[0].of(text) if first else ""


def _settles(case: Case, asked: Source, reply: Source, left: Cue) -> bool:
    """Whether an answer accepts, tells what the claim says of it, or a later message of the user speaks of it."""
    first, lang = _first(reply), case.lang
    outside = [c for c in acceptances(reply.text[:OPENING], lang) if not left.start <= c.start < left.end]
    if any((c.start < left.start and not negations(first, lang)) or c.start >= len(first) for c in outside):
        return True
    fresh = (reply.stems - asked.stems) & case.stems
    if len(fresh) >= FRESH or any(m.group() in case.text for m in _NAME.finditer(first)):
        return True
    return any(s.position > reply.position and s.stems & case.stems for s in case.cited if s.message.role == "user")
