"""Words that have changed places between two parts of a sentence: who does what, what goes where. Pure.

`altos bring the folders, tenors the stands` gives each its own; a claim with the first word of one part and the last of
the other, without their own partners, joins what the source keeps apart (design, section 6, Binding). Values have
checks of their own (`binding`, `twins`); here plain words are asked, in one sentence only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import regex

from bobctx.core.acts import questions
from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import joined_or
from bobctx.core.denial import has_stem
from bobctx.core.function_words import LATTER, PRONOUNS
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.slots import PARTICLE, stemmed
from bobctx.core.sources import Source
from bobctx.core.text import Span

MOST_WORDS: Final = 9
"""Content words of a claim that is one statement; pairs of characters count half."""
COVERED: Final = 0.74
"""Share of the claim's words that the two parts must have: then it is made of them."""
MOST_PARTS: Final = 8
"""Parts of one sentence that are compared with each other."""
SWAPPED: Final = 2
"""Statements of one claim that must have changed places with each other."""
_ELLIPTIC: Final = regex.compile(r"\bones?\b")
"""What stands for a noun of the other part (`two large boxes and three small ones`)."""
MOST_BLOCKS: Final = 4
"""Sentences that are looked at, those with most of the claim first."""

_TURNING: Final = (
    "negation",
    "deny",
    "condition",
    "hypothetical",
    "quantifier",
    "modal",
    "contrast",
)
"""Cues of a part or claim that says more than who or what goes with what."""
_COMMAS: Final = r"[,;،；，、\n]"
_CUT: Final = joined_or(_COMMAS) | {
    "ar": regex.compile(_COMMAS + r"|(?<=\s)و(?=\p{Arabic})"),
    "zh": regex.compile(_COMMAS + "|而|和"),
    "ja": regex.compile(_COMMAS),
    "ko": regex.compile(_COMMAS + "|그리고"),
}
_KO_VERB: Final = ("요", "다", "까")
_NAME: Final = regex.compile(r"\p{Lu}")
_WORD: Final = regex.compile(r"[\p{L}']+")
_SPEAKER: Final = regex.compile(r"^(?:\[[^\]\n]{1,60}\]\s)?\p{Lu}\p{L}*+(?:\s\p{Lu}[\p{L}.]*+)?:\s")
"""Who speaks, in a transcript."""
_WHILE: Final = regex.compile(
    r"^\s*(?:while|whereas|während|tandis\sque|alors\sque|mientras(?:\sque)?|enquanto|mentre|terwijl|тогда\sкак)\s",
    regex.IGNORECASE,
)
"""Words that put one statement beside another and say nothing of when."""
_DIGIT: Final = regex.compile(r"\p{Nd}")

Part = Sequence[str]


def check(case: Case) -> Refusal | None:
    """The first sentence whose parts the claim has crossed."""
    if case.lang == UNKNOWN or case.type == "open_question" or _DIGIT.search(case.text):
        return None
    most = MOST_WORDS * (1 + (case.lang in ("zh", "ja")))
    pieces = (_WHILE.sub("", p) for p in _CUT[case.lang].split(case.text) if p)
    parts = [p for p in pieces if _plain(p, case.lang)]
    said = [words for p in parts if 2 <= len(words := _spoken(p, case.lang)) <= most]
    found = [refusal for words in said if (refusal := _crossing(case, words)) is not None]
    several = _CUT[case.lang].search(case.text) is not None
    if several and (len(found) < SWAPPED or _ELLIPTIC.search(case.text)):
        return None
    return found[0] if found else None


def _crossing(case: Case, words: Sequence[str]) -> Refusal | None:
    """The first sentence whose parts one statement of the claim has crossed."""
    for source, block in _blocks(case):
        parts = _parts(source, block)
        for i, one in enumerate(parts):
            for other in parts[i + 1 :]:
                others = [p for p in parts if p is not one and p is not other]
                said = _own(words, case, source, block, (one, other))
                if _crossed(said, one, other, others, case.lang) and not _elsewhere(words, source, block, case):
                    return Refusal(
                        code="binding",
                        data={
                            "literal": " ".join(words),
                            "kind": "words",
                            "rival": " / ".join(" ".join(p) for p in (one, other)),
                            "message": source.message.alias,
                            "clause": block.of(source.text)[:200],
                        },
                    )
    return None


def _plain(text: str, lang: str) -> bool:
    return not cues(text, lang, LOGIC, _TURNING) and not questions(text, lang)


def _spoken(text: str, lang: str) -> list[str]:
    """Content stems in order; of Chinese and Japanese pairs those without particles."""
    found = dict.fromkeys(key for _, key in stemmed(text, lang))
    if lang == "ko":
        return [k for k in found if not k.endswith(_KO_VERB)]  # the verb stands last and once for all parts
    return [k for k in found if not (lang in ("zh", "ja") and len(k) == 2 and PARTICLE.search(k))]


def _blocks(case: Case) -> Iterator[tuple[Source, Span]]:
    """The sentences of own words that have most of the claim."""
    seen: set[tuple[int, int]] = set()
    for _, clause in case.ranked:
        source = case.source(clause.message)
        block = source.sentence_at(clause.start)
        if block is None or clause.voice != "own" or (clause.message, block.start) in seen:
            continue
        seen.add((clause.message, block.start))
        yield source, block
        if len(seen) >= MOST_BLOCKS:
            return


def _parts(source: Source, block: Span) -> list[Part]:
    """The content words of each part that says plainly what goes with what."""
    if source.lang not in _CUT or questions(block.of(source.text), source.lang):
        return []
    text = _SPEAKER.sub("", block.of(source.text))
    cuts = [0, *(m.start() for m in _CUT[source.lang].finditer(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(cuts)][:MOST_PARTS]
    begins = [m.group() if (m := _WORD.search(p.casefold().replace("\u2019", "'"))) else "" for p in parts]
    if any(a != b and b in PRONOUNS for a, b in pairwise(begins)) or any(w in LATTER for w in _WORD.findall(text)):
        return []  # `the little one is cute, his name is Kyle`: one thing, spoken of twice
    return [words for p in parts if _plain(p, source.lang) and (words := _spoken(p, source.lang))]


def _own(words: Sequence[str], case: Case, source: Source, block: Span, pair: Sequence[Part]) -> Sequence[str]:
    """The words without the name that another sentence of the message has for a pronoun of this one (`Ada`: `her`)."""
    first = words[0]
    if any(has_stem(first, part) for part in pair) or not _NAME.match(case.text):
        return words
    beside = zip(source.clauses, source.clause_stems, strict=True)
    named = any(first in stems for c, stems in beside if not block.start <= c.start < block.end)
    return words[1:] if named else words


def _crossed(words: Sequence[str], one: Part, other: Part, others: Sequence[Part], lang: str) -> bool:
    """Whether the words join the beginning of one part with the end of the other, which no third part has."""
    both = set(one) | set(other)
    if sum(has_stem(w, both) for w in words) < COVERED * len(words):
        return False
    first = [w for w in one if w not in other]
    second = [w for w in other if w not in one]
    if len(first) < 2 or len(second) < 2:
        return False
    mine, more = set(words), {w for p in others for w in p}
    return any(_joins(mine, h, t, lang) and t[-1] not in more for h, t in ((first, second), (second, first)))


def _joins(mine: set[str], head: Part, tail: Part, lang: str) -> bool:
    """Whether `mine` has what `head` begins with and `tail` ends with, and not what belongs to either."""
    if not any(_has(w, mine) for w in head[:-1]) or _has(head[-1], mine) or not _has(tail[-1], mine):
        return False
    if lang in ("zh", "ja"):
        return not _has(tail[0], mine)  # the pairs behind it reach into the verb that both have
    if len(tail) > len(head):  # the shorter part leaves out what both have (`and the green ones on the floor`)
        return not all(_has(w, mine) for w in tail[:-1])
    return not any(_has(w, mine) for w in tail[:-1])


def _has(word: str, mine: set[str]) -> bool:
    return has_stem(word, mine)


def _elsewhere(words: Sequence[str], source: Source, block: Span, case: Case) -> bool:
    """Whether another clause of the cited messages has most of the words together."""
    for other in case.cited:
        for clause, stems in zip(other.clauses, other.clause_stems, strict=True):
            if other is source and block.start <= clause.start < block.end:
                continue
            if sum(has_stem(w, stems) for w in words) > COVERED * len(words):
                return True
    return False
