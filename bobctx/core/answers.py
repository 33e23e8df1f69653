"""What a later cited message says to an earlier one: accepted, refused, or answered by its own words. Pure."""

from __future__ import annotations

from typing import Final, Literal

import regex

from bobctx.core.acts import acceptances, negations, refusals
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.patterns import pattern, phrases_of
from bobctx.core.sources import Source
from bobctx.core.text import content_stems, sentences

Answer = Literal["accepts", "refuses", "other"]

OPENING: Final = 240
"""Code points of a message in which its answer stands."""
FIRST_WORDS: Final = 24
"""Code points in which a message says no, the name of its speaker included."""
WORD: Final = 16
"""Code points of a sentence that is a mere word."""
TOPIC: Final = 30
"""Code points before a `no` that names what it is said to."""
_CLOSES: Final = frozenset(",.!;，。！；、،")
_COMMA: Final = regex.compile(r"[,،、，;；]")
_HEADS: Final = frozenset(":：")
_PART: Final = regex.compile(r"[^,.;:!?\n，。；：！？、،؛؟]++")
_AGAINST: Final = pattern("against")
"""A question for what speaks against something."""
_OUT: Final = phrases_of("out")
"""An answer that leaves out, in one word."""
_SPEAKER: Final = regex.compile(r"^(?:\[[^\]\n]{1,60}\]\s)?\p{Lu}[\p{L}\d.'-]*+(?:\s[\p{L}\d.'-]++){0,3}:\s++")
"""Who speaks, in a transcript."""
WORDED: Final = 2
"""Spaces in a refusal that says what is refused wherever it stands (`more than I want to pay`)."""
REFUSAL_WORDS: Final = 14
"""Code points before a refusal; further in, `no` belongs to something else."""


def answer(source: Source) -> Answer:
    """How a user's message answers what was said before it: by its first words, else by its first sentence."""
    if source.message.role != "user" or source.message.injected:
        return "other"
    if source.text.strip(" .!").casefold() in _OUT:
        return "refuses"
    text = _opening(source.text)
    lang = None if source.lang == UNKNOWN else source.lang
    no = next((c for c in refusals(text, lang) if _early(text, c) or c.text.count(" ") >= WORDED), None)
    yes = next(iter(acceptances(text, lang)), None)
    if no is not None and (yes is None or no.start <= yes.start):
        return "accepts" if _asks_against(source) else "refuses"
    return "accepts" if yes is not None else "other"


def _asks_against(source: Source) -> bool:
    """Whether the message before asks whether anything is against it (`Any objection?`), which a no leaves standing."""
    if source.region is None or source.position == 0:
        return False
    before = source.region[source.position - 1]
    return before.message.role == "assistant" and _AGAINST.search(before.text[-OPENING:]) is not None


def _early(text: str, refusal: Cue) -> bool:
    return len(text[: refusal.start].strip()) <= REFUSAL_WORDS


def opens_with_no(source: Source) -> bool:
    """Whether a message of anybody says no to what was asked before, in its first words."""
    opening = _SPEAKER.sub("", source.text[: 2 * OPENING], count=1)[:FIRST_WORDS]
    cues = refusals(opening, source.lang if source.lang != UNKNOWN else None)
    return any(opening[c.end : c.end + 1] in _CLOSES or c.end == len(source.text) for c in cues)


def _opening(text: str) -> str:
    """The first sentence, and the second where the first is a mere word (`Ok. …`)."""
    text = _SPEAKER.sub("", text, count=1)
    first = sentences(text[:OPENING])
    if not first:
        return ""
    short = first[0].end - first[0].start <= WORD and len(first) > 1
    return text[first[0].start : first[1].end if short else first[0].end]


def first_part(text: str) -> str:
    """What an answer says before its first comma: the choice without its reason (`Green, we can't use red`)."""
    return _COMMA.split(text, maxsplit=1)[0]


def echoes(source: Source, asked: frozenset[str], claimed: frozenset[str]) -> bool:
    """Whether the answer begins with words of both the question and the claim, and denies nothing."""
    if source.message.role != "user" or not source.clauses:
        return False
    whole = source.clauses[0].text
    return any(
        (stems := content_stems(said, source.lang)) & asked
        and stems & claimed
        and not negations(said, source.lang)
        and not any(c.start <= 2 and " " in c.text for c in refusals(said, source.lang))
        for said in dict.fromkeys((first_part(whole), whole))
    )


def turns_down(source: Source, about: frozenset[str]) -> bool:
    """Whether a user's message says no to one of several things asked (`cornflour yes, list no`)."""
    if source.message.role != "user" or source.message.injected:
        return False
    lang = None if source.lang == UNKNOWN else source.lang
    headed, colon = "", False
    for match in _PART.finditer(source.text[:OPENING]):
        part = match.group()
        for cue in refusals(part, lang):
            topic = part[: cue.start].strip()
            if 0 < len(topic) <= TOPIC and not part[cue.end :].strip() and content_stems(topic, lang) & about:
                return True
            ends = colon or not part[cue.end :].strip()  # `Lab access: hold off until …`, `the books, not for now.`
            if headed and ends and not topic and content_stems(headed, lang) & about:
                return True
        headed, colon = part.strip() if len(part) <= TOPIC else "", source.text[match.end() : match.end() + 1] in _HEADS
    return False
