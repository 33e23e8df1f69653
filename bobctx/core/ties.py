"""What a text ties to something else: what comes after or before what, what holds even so, also or without it. Pure.

The phrases stand in `data/ties.json`, apart from the cue tables: they say how the parts of one sentence hang together,
and cut nothing (design, section 6, Polarity).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import regex

from bobctx.core.checking import Case
from bobctx.core.language import LANGUAGES
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue, Lexicon, cues_of
from bobctx.core.remembering import remembered
from bobctx.core.slots import PARTICLE, stemmed

MOST: Final = 6
"""Clauses with most of the claim whose sentences are read."""
ALIKE: Final = 4
"""Letters of the shorter of two stems from which it may be the beginning of the longer one (`part`, `partenz`)."""
SYLLABLES: Final = 2
"""The same in Korean, whose signs are syllables."""
_HANGUL: Final = "\uac00"
LEADING: Final = 2
"""Content words of a term that opens its sentence and that no mark closes (`after dark the gate is shut`)."""
_TABLE: Final[Mapping[str, Any]] = json.loads(
    files("bobctx.core").joinpath("data", "ties.json").read_text(encoding="utf-8")
)
LOOSE: Final = frozenset(_TABLE["loose"].split("|"))
"""Prepositions that are the end of a figure and of nothing else (`by five`, but `by the team`)."""
_MARK: Final = regex.compile(r"[,;:.!?()،؛。，、；：！？\n]")
_CLOSING: Final = " .!?؟"
_BACKWARD: Final = frozenset({"ja", "ko"})
"""Languages that put the word of a tie behind its term."""
_OF_TIME: Final = frozenset({"after", "before", "once"})
"""Ties whose word Chinese puts there too."""
_LIGHT: Final = regex.compile("[也都就还才]")
_TOPIC: Final = {"ja": regex.compile(r"[は、]"), "ko": regex.compile(r"(?:은|는|,)\s"), "zh": regex.compile("在|，")}
"""What stands before a term of these languages and does not belong to it."""

_SIGN: Final = regex.compile(r"\p{Han}|[\p{Katakana}ー]{2,}+|[\p{Latin}\p{Nd}]++")


class Tie(NamedTuple):
    """A word that ties two parts of a sentence, its term, and the rest of the sentence."""

    cue: Cue
    term: frozenset[str]
    rest: frozenset[str]


@cache
def _lexicon(lang: str, table: str) -> Lexicon:
    return Lexicon(lang, _TABLE[lang][table])


@remembered(4_096)
def words_of_tie(text: str, lang: str, table: str = "parts") -> tuple[Cue, ...]:
    """The words of a text that tie its parts, or (`ends`) that make a value an end, each with its kind."""
    return cues_of(text, _lexicon(lang, table)) if lang in LANGUAGES else ()


def ties(text: str, lang: str, kinds: Collection[str]) -> list[Tie]:
    """The ties of these kinds with the stems of their terms and of all else."""
    return list(_ties(text, lang, frozenset(kinds)))


@remembered(4_096)
def _ties(text: str, lang: str, kinds: frozenset[str]) -> tuple[Tie, ...]:
    said = content(text, lang)
    out: list[Tie] = []
    for cue in words_of_tie(text, lang):
        if cue.kind in kinds:
            start, end = (cue.start, cue.end) if cue.kind == "then" else _span(text, cue, lang)
            term = [k for at, k in said if start <= at < end]
            if start in (cue.start, cue.end) and not text[: cue.start].strip() and not text[end:].strip(_CLOSING):
                term = term[:LEADING]
            inside = frozenset(term)
            out.append(Tie(cue, inside, frozenset(k for at, k in said if not cue.start <= at < cue.end) - inside))
    return tuple(out)


def _span(text: str, cue: Cue, lang: str) -> tuple[int, int]:
    """Where the term of a tie stands: up to the next mark, in languages with the word behind it back to the last."""
    if lang not in _BACKWARD and (lang != "zh" or cue.kind not in _OF_TIME):
        comma = text.startswith(",", cue.end)  # `до того, как …`
        mark = _MARK.search(text, cue.end + comma)
        return cue.start if lang == "zh" else cue.end, mark.start() if mark is not None else len(text)
    start = max((m.end() for m in _MARK.finditer(text, 0, cue.start)), default=0)
    topic = max((m.end() for m in _TOPIC[lang].finditer(text, start, cue.start)), default=start)
    return (topic if content(text[topic : cue.start], lang) else start), cue.end


def content(text: str, lang: str) -> list[tuple[int, str]]:
    """Start and stem of each content word; in Chinese no pair with a particle, in Japanese each sign of meaning."""
    if lang == "ja":
        return [(m.start(), m.group()) for m in _SIGN.finditer(text)]
    found = stemmed(text, lang)
    return (
        [(at, k) for at, k in found if not PARTICLE.search(k) and not _LIGHT.search(k)]
        if lang in CHARACTER_LANGUAGES
        else found
    )


def shared(mine: Collection[str], theirs: Collection[str]) -> int:
    """How many stems of the one stand in the other, in this or another form."""
    return sum(any(k == t or _alike(k, t) for t in theirs) for k in mine)


def _alike(left: str, right: str) -> bool:
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    if len(short) < (SYLLABLES if short >= _HANGUL else ALIKE) or not short.isalpha():
        return False
    return long.startswith(short) or (len(short) > ALIKE and long[: ALIKE + 1] == short[: ALIKE + 1])


def sentences_of(case: Case) -> Iterator[tuple[str, str, str]]:
    """The sentences around the clauses with most of the claim: text, language, alias of the message."""
    seen: set[tuple[int, int]] = set()
    for clause in case.supports[:MOST]:
        source = case.source(clause.message)
        block = source.sentence_at(clause.start)
        start = block.start if block is not None else clause.start
        if (clause.message, start) not in seen:
            seen.add((clause.message, start))
            text = block.of(source.text) if block is not None else clause.text
            yield text.lstrip("> "), case.lang_of(source), source.message.alias
