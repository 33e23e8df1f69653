"""A state, plan or order that the cited messages tell as a former one, claimed as if it still held. Pure.

What `staleness` does for values is done here for words: the sentence itself calls it former (`we used to meet in the
hall`, `she had offered to drive, but has backed out`), a later message takes back what was said of it (`forget what I
said about the door`), or tells the contrary of the very deed (`don't order yet` … `then order them`). The phrases stand
in `data/former.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final, NamedTuple

import regex

from bobctx.core import change
from bobctx.core.checking import Case, Refusal
from bobctx.core.function_words import THEN
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import ACTS, cues
from bobctx.core.reading import Segment, read
from bobctx.core.settled import denies
from bobctx.core.sources import Source
from bobctx.core.text import Span, content_stems, folded

ORDER: Final = frozenset({"before", "after"})
"""Limits that give a place in an order."""
SHARED: Final = 2
"""Words of the claim in a clause that speaks of the same matter."""
PAIRS: Final = 3
"""The same where words are pairs of characters."""
HALF: Final = 0.5
"""Share of the claim's words in what is told as former."""
TOPIC: Final = 0.6
"""Share of the words that name what is taken back which the claim must have."""
FIRST: Final = 2
"""Clauses of an answer in which it sets something right."""
BRIEF: Final = 3
"""Words of each side of such a correction."""
MOST: Final = 40
"""Clauses or sentences of a message that are read."""
LIGHT: Final = frozenset({"go", "goe", "get", "come", "take", "put", "make", "stay", "keep", "use", "tell"})
"""English verbs that say nothing of a matter by themselves."""
_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("former.json").read_text("utf-8"))
_CUT: Final = regex.compile(
    r"[,;:，；：、،؛—–()]|[ ](?:but|aber|sondern|mais|pero|mas|ma|maar|но|а|لكن|ولكن)[ ]"
    r"|但是|但|不过|지만|는데|けど|ですが|だったが|でしたが|、"
)
_STOP: Final = regex.compile(r"[,.;:!?，。；：！？،؛؟—–]")
_OPENING: Final = regex.compile(r"\s*+(?:\p{L}{1,12}[,!.]\s++)?+")
_SEQUEL: Final = regex.compile(r"(?<!\p{L})(?:" + "|".join(map(regex.escape, THEN)) + r")(?!\p{L})")
_TOLD: Final = regex.compile(
    r"(?<!\b(?:is|are|be|been|being|gets?|got|has|have)(?: \w{1,12})?) "
    r"(?:\w{2,14}ed|met|went|ran|gave|took|made|came|kept|held|led|left|did|had|sat|wrote|drove"
    r"|taught|sold|bought|sang|lived) "
)
"""An English verb in the past, which claims nothing of today."""


def check(case: Case) -> Refusal | None:
    """The first sign that what the claim tells as current is so no more."""
    turned = limit_turned(case)
    if turned is not None or not _speaks_of_today(case):
        return turned or _reversed(case)
    return _told_as_former(case) or _taken_back(case) or _reversed(case) or _set_right(case)


@lru_cache(maxsize=64)
def _pattern(lang: str, kind: str) -> regex.Pattern[str] | None:
    listed = _TABLE[lang][kind] if lang in _TABLE else ""
    return change.phrasing(listed, lang) if listed else None


def _first(text: str, lang: str, kind: str) -> regex.Match[str] | None:
    pattern = _pattern(lang, kind)
    return pattern.search(text) if pattern is not None else None


def _refusal(source: Source, sentence: str, *, told: str, now: str = "") -> Refusal:
    data = {"literal": told, "kind": "words", "now": now, "message": source.message.alias, "clause": sentence[:200]}
    return Refusal(code="stale_value", data=data)


def _speaks_of_today(case: Case) -> bool:
    """Whether a claim tells something as current, and nothing as past, asked or denied."""
    if case.lang == UNKNOWN or case.type not in ("decision", "constraint", "preference", "definition", "fact"):
        return False
    if change.marks_former(case.text, case.lang) or change.reports(case.text, case.lang) or denies(case):
        return False
    plain = folded(case.text)
    if case.lang == "en" and _TOLD.search(f"{plain} ") is not None:
        return False
    return not speaks_once(case)


def speaks_once(case: Case) -> bool:
    """Whether a claim tells a plan or how it was once."""
    return any(_first(folded(case.text), case.lang, kind) is not None for kind in ("plan", "once"))


# -- told as former in its own sentence -----------------------------------------


def _told_as_former(case: Case) -> Refusal | None:
    """What a sentence tells as former (`we used to meet in the hall, now it's the library`), claimed as current."""
    for source in case.cited:
        if source.message.role == "tool":
            continue
        for number, block in enumerate(source.blocks[:MOST]):
            sentence = block.of(source.text)
            after = source.blocks[number + 1].of(source.text) if number + 1 < len(source.blocks) else ""
            part = _former_part(sentence, after, case.lang_of(source))
            if part is None:
                continue
            rest = f"{sentence[: part.start]} {sentence[part.end :]} {after}"
            if _is_of(case, source, part.of(sentence), rest) and not _said_again(case, source, block):
                return _refusal(source, sentence, told=case.text[:80])
    return None


def _former_part(sentence: str, after: str, lang: str) -> Span | None:
    """The part of a sentence that is told as former."""
    plain = folded(sentence)
    if len(plain) != len(sentence):
        return None
    plan = _first(plain, lang, "plan")
    found = plan or _first(plain, lang, "once")
    if found is None:
        return None
    but = _first(plain, lang, "but")
    if but is not None and but.start() <= found.end() and found.start() <= but.end():
        return None
    cuts = [m for m in _CUT.finditer(sentence)]
    low = max((m.end() for m in cuts if m.end() <= found.start() and m.group() not in ":："), default=0)
    ends = [m.start() for m in cuts if m.start() >= found.end()] or [len(sentence)]
    high = ends[0]
    told = f"{sentence[low : found.start()]} {sentence[found.end() : high]}"
    if len(content_stems(told, lang)) < SHARED and len(ends) > 1:
        high = ends[1]  # `Originally, the stage was by the lake`
    rest = folded(f"{sentence[:low]} | {sentence[high:]} | {after}")
    if _first(rest, lang, "still") is not None:
        return None  # `until now on Mondays, and now on Tuesdays as well`
    if plan is None and (_first(rest, lang, "now") is None or _SEQUEL.search(rest) is not None):
        return None  # `first sort the plums, but then wash the jars` gives an order
    return Span(low, high)


def _is_of(case: Case, source: Source, part: str, rest: str) -> bool:
    """Whether the claim has its words from the former part and none from what came of it."""
    lang = case.lang_of(source)
    former, now = content_stems(part, lang), content_stems(rest, lang)
    known = case.stems & (former | now | frozenset().union(*(s.stems for s in case.cited)))
    least = PAIRS if lang in ("zh", "ja") else SHARED
    said = known & former
    return len(said - now) >= least and len(said) >= HALF * len(known) and not (known & now) - former - LIGHT


def _said_again(case: Case, source: Source, block: Span) -> bool:
    """Whether another sentence of this message or a later one has as many of the claim's words."""
    own = len(content_stems(block.of(source.text), case.lang_of(source)) & case.stems)
    for other in case.cited:
        if other.position < source.position:
            continue
        for clause, stems in zip(other.clauses, other.clause_stems, strict=True):
            inside = other is source and block.start <= clause.start < block.end
            if not inside and len(stems & case.stems) >= own:
                return True
    return False


# -- taken back by a later message ----------------------------------------------


def _taken_back(case: Case) -> Refusal | None:
    """What a user takes back by name (`scrap what I said about the door`), claimed from an earlier message."""
    for source in case.cited[1:]:
        if source.message.role != "user" or source.message.injected:
            continue
        earlier = frozenset().union(*(s.stems for s in case.cited if s.position < source.position))
        for block in source.blocks[:MOST]:
            sentence = block.of(source.text)
            lang = case.lang_of(source)
            topic = _topic(sentence, lang)
            shared = topic & case.stems
            if not shared or len(shared) < TOPIC * len(topic) or not topic & earlier:
                continue
            if not (source.stems & case.stems) - topic - earlier:
                return _refusal(source, sentence, told=case.text[:80])
    return None


def _topic(sentence: str, lang: str) -> frozenset[str]:
    """The words that name what is taken back, up to the next mark."""
    plain = folded(sentence)
    found = _first(plain, lang, "undo") if len(plain) == len(sentence) else None
    if found is None:
        return frozenset()
    if lang in ("ja", "ko"):
        return content_stems(_STOP.split(sentence[: found.start()])[-1], lang)
    named = _STOP.split(sentence[found.end() :])[0]
    said = " ".join(c.text for c in cues(named, lang, ACTS, ("talk",)))
    return content_stems(named, lang) - content_stems(said, lang)


# -- set right in an answer -----------------------------------------------------


def _set_right(case: Case) -> Refusal | None:
    """What the user's answer sets aside by name (`south gate, not north`), claimed as the assistant had it."""
    for before, source in pairwise(case.cited):
        answers = source.message.role == "user" and before.message.role == "assistant"
        if not answers or source.message.injected or source.position != before.position + 1 or not source.clauses:
            continue
        known = case.stems & before.stems
        if 2 * len(known) < len(case.stems):
            continue
        for clause in source.clauses[:FIRST]:
            segments = read(clause.text, case.lang_of(source)).segments
            for one, other in pairwise(segments):
                new, old = (_plain(s) for s in (one, other))
                aside = other.kind == "contrast" and one.kind == "main" and not one.strength
                brief = 0 < len(old) <= BRIEF and len(new) <= BRIEF
                if not (aside and brief and old <= known):
                    continue
                if new - old - case.stems and not (new - old - before.stems) & case.stems:
                    return _refusal(source, clause.text, told=case.text[:80])
    return None


def _plain(segment: Segment) -> frozenset[str]:
    """The words of a segment without its concepts."""
    return frozenset(k for k in segment.content if k and not k.startswith("="))


# -- the contrary of the very deed ----------------------------------------------


def _reversed(case: Case) -> Refusal | None:
    """A deed of which the user's last word is the contrary (`don't order yet` … `then order them`)."""
    last = _last_word(case)
    if last is None or last.agrees or not last.overrules:
        return None
    if any(s.position > last.source.position and s.stems & last.deeds for s in case.cited):
        return None
    return _refusal(last.source, last.sentence, told=case.text[:80])


def overrules(case: Case, refusal: Refusal) -> bool:
    """Whether the user's last word on a deed is the claim's, and a refusal rests on what was said before."""
    last = _last_word(case)
    if last is None or not last.agrees or not last.overrules:
        return False
    return any(
        s.position < last.source.position and s.message.alias == refusal.data.get("message", "") for s in case.cited
    )


class _Word(NamedTuple):
    """The user's last word on a deed."""

    agrees: bool
    """It says of the deed what the claim says."""
    overrules: bool
    """An earlier message said the contrary."""
    source: Source
    sentence: str
    deeds: frozenset[str]


def _last_word(case: Case) -> _Word | None:
    if case.lang == UNKNOWN or len(case.cited) < 2 or case.type not in ("decision", "constraint", "preference"):
        return None
    segments = read(case.text, case.lang).segments
    if len(segments) != 1 or segments[0].kind == "condition" or segments[0].has("hypothetical"):
        return None
    denied = bool(segments[0].strength % 2)
    deeds = segments[0].heads if denied else case.stems
    found: list[tuple[bool, bool, Source, str]] = []
    for source in case.cited:
        if source.message.role == "user" and not source.message.injected:
            found += [(sign, whole, source, text) for sign, whole, text in _orders(case, source, deeds)]
    last = next((f for f in reversed(found) if f[1] or f[0] == denied), None)
    if last is None:
        return None
    sign, whole, source, sentence = last
    before = any(f[0] != sign and f[2].position < source.position for f in found)
    return _Word(sign == denied, before and whole, source, sentence, deeds)


def _orders(case: Case, source: Source, deeds: frozenset[str]) -> Iterator[tuple[bool, bool, str]]:
    """What a message says of a deed: whether it denies it, whether it speaks of nothing else, and its clause."""
    lang = case.lang_of(source)
    for clause in source.clauses[:MOST]:
        text = clause.text[_OPENING.match(clause.text).end() :]  # type: ignore[union-attr]
        reading = read(text, lang)
        if reading.question:
            continue
        for segment in reading.segments:
            sign = bool(segment.strength % 2)
            spoken = segment.heads if sign else segment.content.keys()
            if segment.kind == "condition" or segment.has("hypothetical") or not deeds & spoken:
                continue
            yield sign, _alone(case, segment), clause.text


def _alone(case: Case, segment: Segment) -> bool:
    """Whether a segment has no word that the claim has not (`then order them`)."""
    return not _plain(segment) - case.stems - segment.marked and not segment.has("modal") and not segment.has("deny")


# -- a place in an order ---------------------------------------------------------


def limit_turned(case: Case) -> Refusal | None:
    """A place in an order (`after the first interview`) that a later cited message turns round (`now before it`)."""
    mine = [b for b in read(case.text, case.lang).bounds if b.value in ORDER]
    for bound in mine:
        last: dict[str, tuple[int, Source, str]] = {}
        for source in case.cited:
            if source.message.role == "tool":
                continue
            for clause, stems in zip(source.clauses[:MOST], source.clause_stems, strict=False):
                if len(stems & case.stems) < SHARED:
                    continue
                for other in read(clause.text, source.lang).bounds:
                    if other.key == bound.key and other.value in ORDER:
                        last[other.value] = (source.position, source, clause.text)
        turned = next((found for value, found in last.items() if value != bound.value), None)
        own = last.get(bound.value)
        if own is not None and turned is not None and turned[0] > own[0]:
            _, source, clause_text = turned
            if change.marks_change(clause_text, source.lang):
                return _refusal(source, clause_text, told=bound.cue.text, now=clause_text[:80])
    return None
