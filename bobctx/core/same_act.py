"""An act that a source denies, told in another word for it (`a fault was found` of `no trace of a fault`). Pure.

A denied verb that the claim lacks is taken by `polarity` for another matter, as it mostly is. Some everyday verbs tell
one act, though: who did not touch a thing has not changed it, what is not to be put on a list is not to be added to it.
They are listed by class in `data/same_acts.json` (design, section 6, Polarity). Where a clause denies a word of a class
of all that the claim says, and no clause says it, the claim turns it around.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import DIRECTIVES, Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.support import own_words
from bobctx.core.text import content_stems

MOST: Final = 24
"""Clauses with a word of the claim that are read."""
SHARE: Final = 0.5
"""Share of the claim's other words that the clause or what stands before it must have."""
DENIED: Final = 0.6
"""Share of the denied words that the claim must have."""
BEFORE: Final = 200
"""Code points before a clause in which its matter may be named."""
_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("same_acts.json").read_text("utf-8"))
_HAN: Final = regex.compile(r"[\p{Han}\p{Katakana}\p{Nd}]")
_NEVER: Final = regex.compile(r"(?!)")
_SIGNS: Final = frozenset({"zh", "ja"})
"""Languages whose words are compared by their signs."""
_TERMS: Final = frozenset({"unless", "until", "before", "except", "if", "when", "at", "despite"})


class _Act(NamedTuple):
    """The words of one class of acts."""

    denied: regex.Pattern[str]
    """Those that a source may deny."""
    off: regex.Pattern[str]
    """Phrases that deny it by themselves, with the thing as `x` (`hands off the drafts`)."""
    told: regex.Pattern[str]
    """Those in which a claim may tell it."""


def check(case: Case) -> Refusal | None:
    """The first denied act that the claim tells or orders in another word."""
    if case.lang == UNKNOWN:
        return None
    whole = read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or whole.values("condition") & _TERMS - {"at"}:
        return None
    text = case.text.casefold()
    for act in _acts(case.lang).values():
        said = act.told.search(text)
        if said is not None and not any(_turns(s, said) for s in whole.segments):
            found = _denied(case, whole, act, said)
            if found is not None:
                return found
    return None


def _turns(segment: Segment, said: regex.Match[str]) -> bool:
    """Whether the claim denies, ends, keeps or limits anything in any word but the one that tells the act."""
    if segment.strength or segment.kind == "contrast" or segment.has("stop"):
        return True
    if "optional" in segment.values("modal") or "only" in segment.values("quantifier"):
        return True
    return any(c.kind == "soft" and not said.start() <= c.start < said.end() for c in segment.cues)


def _denied(case: Case, whole: Reading, act: _Act, said: regex.Match[str]) -> Refusal | None:
    """The clause that denies the act of the same thing, if no clause says it."""
    asks = _asks(case.lang).search(case.text.casefold())
    directive = case.type in DIRECTIVES or asks is not None or bool(whole.values("modal") & {"must", "should"})
    mine = _matter(case, said, asks)
    found: Refusal | None = None
    for source, clause, reading in case.readings(MOST):
        if reading.lang != case.lang or reading.question:
            return None
        for segment in reading.segments:
            text = clause.text[segment.first : segment.last].casefold()
            match = act.off.search(text) or (act.denied.search(text) if segment.strength % 2 else None)
            if match is None:
                mine_to_do = directive and segment.has("stop")  # `I'll fix it myself` asks nobody to
                if not (segment.strength % 2 or mine_to_do) and act.told.search(text):
                    return None
                continue
            if reading.values("condition") & _TERMS - {"at", "despite"}:
                return None
            if match.group() == said.group():
                continue  # the very word is compared elsewhere, and may be no verb (`in this release`)
            theirs = _theirs(segment, text, match, case.lang)
            around = _words(source.text[max(0, clause.start - BEFORE) : clause.end], case.lang)
            if _covers(theirs, mine, DENIED) and _covers(mine, around, SHARE):
                cue = next((c.text for c in segment.cues if c.kind in ("negation", "deny")), match.group())
                data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                found = found or Refusal(code="negation_dropped", data=data)
    return found


def _matter(case: Case, said: regex.Match[str], asks: regex.Match[str] | None) -> set[str]:
    """What the claim says it of, without words of the talk, modals and the like."""
    others = content_stems(f"{said.group()} {asks.group() if asks is not None else ''}", case.lang)
    if case.lang in _SIGNS:
        return _words(f"{case.text[: said.start()]} {case.text[said.end() :]}", case.lang) - _words(
            "".join(c.text for c in read(case.text, case.lang).cues), case.lang
        )
    return set(own_words(case)) - others


def _theirs(segment: Segment, text: str, match: regex.Match[str], lang: str) -> set[str]:
    """What a segment denies it of: the thing inside the phrase, or all that it says but the act."""
    inside = match.groupdict().get("x")
    if inside:
        return _words(inside, lang)
    if lang in _SIGNS:
        return _words(text, lang) - _words("".join([match.group(), *(c.text for c in segment.cues)]), lang)
    denying = (c.text for c in segment.cues if c.kind in ("deny", "stop"))
    act = content_stems(" ".join([match.group(), *denying]), lang)
    named = (k for k in segment.content if not k.startswith("="))
    return {w for k in named for w in (content_stems(k, lang) if "." in k or "_" in k else (k,))} - act


def _covers(some: set[str], others: set[str], share: float) -> bool:
    return bool(some) and sum(has_stem(w, others) for w in some) >= share * len(some)


def _words(text: str, lang: str) -> set[str]:
    """What a text speaks of: its content stems, or its signs where words are written without spaces."""
    return set(_HAN.findall(text)) if lang in _SIGNS else set(content_stems(text, lang))


@cache
def _acts(lang: str) -> Mapping[str, _Act]:
    """Class -> its words."""
    classes = {kind: c for kind, c in _TABLE[lang].items() if isinstance(c, dict)}
    return {
        kind: _Act(_pattern(c["denied"], lang), _pattern(c.get("off", ""), lang), _pattern(c["told"], lang))
        for kind, c in classes.items()
    }


@cache
def _asks(lang: str) -> regex.Pattern[str]:
    """The words of a language that ask for or want something."""
    return _pattern(_TABLE[lang]["asks"], lang)


def _pattern(words: str, lang: str) -> regex.Pattern[str]:
    if not words:
        return _NEVER
    if lang in CHARACTER_LANGUAGES:
        return regex.compile(rf"(?:{words})")
    return regex.compile(rf"(?<!\p{{L}})(?:{words})\p{{L}}*+")
