"""Two like parts of a sentence that each give one thing to one, and a claim that gives it to the other. Pure.

`on the laptop Fedora, on the desktop Debian` and `Anna brings the salad and Tom the drinks` say which belongs to
which. `parallel` asks a claim made of their words alone; here the claim may tell them in other words (`Anna is in
charge of the drinks`) and give values, if the form of the two parts shows that they are alike: a word, a preposition
or a pair of opposites in both, a part without its verb, or two names (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.function_words import DESCRIBED_BEFORE, KIN, OBJECTS, OWNED, PRONOUNS, STANDING, STANDS_FOR
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.like_parts import CUT, Part, parts, plain
from bobctx.core.others import said_of_both
from bobctx.core.part_signs import ends
from bobctx.core.part_units import Unit, among, apart, of_two, units
from bobctx.core.sources import Source
from bobctx.core.text import Span, forms

MOST_UNITS: Final = 9
"""Words and values of a claim that is one statement."""
MOST_BLOCKS: Final = 4
"""Sentences that are looked at, those with most of the claim first."""
ELSEWHERE: Final = 1
"""Words of the claim that may stand in another sentence of the cited messages only."""
FEW: Final = 2
"""Units of a part that gives one thing to one."""
_AGES: Final = frozenset({"age", "time"})
"""Pairs whose sides are told in many other words (`the current one`)."""
_DEEDS: Final = frozenset({"trade", "load", "port", "wake", "version", "move", "flow"})
"""Pairs of opposites that are verbs: what is done, not what it is done to."""
_TOPIC: Final = {"ja": regex.compile(r"[はが](?=\S)"), "ko": regex.compile(r"[은는](?=\s)")}
"""The particle behind what a part speaks of."""
_VERBAL: Final = {
    "ja": regex.compile(r"[\p{Han}\p{Katakana}ー]\p{Hiragana}{2,}+$"),
    "ko": regex.compile(r"(?:고|서|며|데|만|니|니까|어|아|면)$"),
}
"""The end of a part with a verb of its own."""


def check(case: Case) -> Refusal | None:
    """The first sentence whose like parts the claim has crossed."""
    if case.lang not in CUT or case.type == "open_question" or not plain(case.text, case.lang):
        return None
    mine = units(case.text, case.lang)
    if said_of_both(case):
        return None
    if not FEW <= len(mine) <= MOST_UNITS * (1 + (case.lang == "zh")):
        return None
    for source, block in _blocks(case):
        lang = case.lang_of(source)
        found = parts(block.of(source.text), lang)
        for one, other in combinations([p for p in found if p.tells], 2):
            rest = [p for p in found if p is not one and p is not other]
            if _crossed(case, mine, one, other, rest) and not _elsewhere(case, mine, one, other, source, block):
                return Refusal(
                    code="binding",
                    data={
                        "literal": " ".join(u.form for u in mine),
                        "kind": "words",
                        "rival": f"{one.text.strip()} / {other.text.strip()}",
                        "message": source.message.alias,
                        "clause": block.of(source.text)[:200],
                    },
                )
    return None


def _blocks(case: Case) -> Iterator[tuple[Source, Span]]:
    """The sentences of own words that have most of the claim."""
    seen: set[tuple[int, int]] = set()
    for _, clause in case.ranked:
        source = case.source(clause.message)
        block = source.sentence_at(clause.start)
        if block is None or clause.voice != "own" or source.message.role == "tool":
            continue
        if (clause.message, block.start) in seen:
            continue
        seen.add((clause.message, block.start))
        yield source, block
        if len(seen) >= MOST_BLOCKS:
            return


def _crossed(case: Case, mine: Sequence[Unit], one: Part, other: Part, rest: Sequence[Part]) -> bool:
    """Whether the claim has what one part speaks of with what the other one gives, and neither's own."""
    sides = _sides(one.text, case.lang, ahead=True), _sides(other.text, case.lang, ahead=True)
    given = _given(sides, _sides(case.text, case.lang))
    if one.past != other.past or other.refers or (given is None and any(s[:-1] in _AGES for s in sides[0])):
        return False
    if _kinds(mine, one, case.lang) & _kinds(mine, other, case.lang):
        return False  # values of both: `binding` asks for their words
    if case.lang == "zh":
        return _signs_crossed(case.text, one, other, rest, given)
    first, second = apart(one.units, other.units, case.lang), apart(other.units, one.units, case.lang)
    if len(first) < FEW or len(second) < FEW:
        return False
    noun = _elided(one, other, first, second, case.lang)
    told = [u for i, u in enumerate(first) if i != noun]
    if len(told) < FEW or all(
        sum(not u.kind and among(u, mine, case.lang) for u in part) > 1 for part in (told, second)
    ):
        return False  # it has more of both parts than one thing, and speaks of both
    opposed = any(a[:-1] == b[:-1] and a != b for a in sides[0] for b in sides[1])
    if not opposed and not _alike(one, other, first, second, case.lang):
        return False
    more, both = [u for p in rest for u in p.units], [*one.units, *other.units]
    if any(among(u, more, case.lang) and not among(u, both, case.lang) for u in mine):
        return False  # `lane 4` of `lanes 3, 4 and 6 are closed`
    owner = other.first in OWNED and told[0].capital  # `Rosa's husband` of `Rosa …, her husband …`
    return any(
        given in (None, number)
        and _ended(mine, head, tail, case.lang)
        and (given == number or _begun(mine, head, tail, case.lang, owned=owner and number == 1))
        and not among(tail[-1], more, case.lang)
        for number, (head, tail) in enumerate(((told, second), (second, told)))
    )


def _kinds(mine: Sequence[Unit], part: Part, lang: str) -> set[str]:
    """The kinds of the values of a part that the claim has."""
    return {u.kind for u in part.units if u.kind and among(u, mine, lang)}


def _sides(text: str, lang: str, *, ahead: bool = False) -> frozenset[str]:
    """The sides of pairs of opposites that a text is on, or `ahead` that it begins with."""
    end = len(text) // 2 if ahead else len(text)
    found = (c for c in cues(text, lang, LOGIC, ("opposite",)) if c.start <= end)
    return frozenset(c.value for c in found if c.value[:-1] not in _DEEDS)


def _given(parts: tuple[frozenset[str], frozenset[str]], mine: frozenset[str]) -> int | None:
    """The part whose side of a pair the claim is on, where the other part has the other side (`on the way back`)."""
    for number, (own, other) in enumerate((parts, parts[::-1])):
        for side in own & mine:
            rivals = {o for o in other if o[:-1] == side[:-1] and o != side}
            if rivals and not rivals & mine and side not in other:
                return number
    return None


def _signs_crossed(claim: str, one: Part, other: Part, rest: Sequence[Part], given: int | None) -> bool:
    """The same of two parts in Chinese."""
    found = ends(one.text, other.text)
    return found is not None and any(
        given in (None, number)
        and tail.closes(claim)
        and not head.closes(claim)
        and (given == number or (head.begins(claim) and not tail.begins(claim)))
        and not any(tail.closes(p.text) for p in rest)
        for number, (head, tail) in enumerate((found, found[::-1]))
    )


def _elided(one: Part, other: Part, first: Sequence[Unit], second: Sequence[Unit], lang: str) -> int:
    """Which unit of the first part is a noun that the second part leaves out too; -1 for none.

    `the bus to Rye leaves at 7, that to Ely at 8`; `the red key opens the cellar, the blue one the garage`.
    """
    stood_for = other.first in STANDS_FOR - OBJECTS or not STANDING.isdisjoint(w for w, _ in forms(other.text, lang))
    known = len(first) < len(one.units)  # a noun stands in both parts
    few = len(first) - len(second) <= 1 and (known or not stood_for)
    if few or of_two(first[0], second[0], lang):
        return -1
    described = lang in DESCRIBED_BEFORE and first[1].led == "+" and not any(c.isdigit() for c in first[1].form)
    return int(described)


def _ended(mine: Sequence[Unit], head: Sequence[Unit], tail: Sequence[Unit], lang: str) -> bool:
    """Whether `mine` has the end of `tail` and not that of `head`."""
    return among(tail[-1], mine, lang) and not among(head[-1], mine, lang)


def _begun(mine: Sequence[Unit], head: Sequence[Unit], tail: Sequence[Unit], lang: str, *, owned: bool) -> bool:
    """Whether `mine` has what `head` speaks of and, unless that is an `owned` one, not what `tail` does."""
    if among(tail[0], mine, lang) and not owned:
        return False
    before = head[: (len(head) + 1) // 2]
    told = [i for i, u in enumerate(before) if among(u, mine, lang)]
    like = [i for i, u in enumerate(before) if u.led == tail[0].led] or [0]  # `a stage …, a kitchen …` of `the hall`
    if lang == "ar" and _article(tail[0]):
        return any(_article(head[i]) for i in told)  # the verb stands before its subject
    return any(head[i].is_subject if i == 0 else head[i].is_named for i in told if i in like)


def _article(unit: Unit) -> bool:
    return unit.form.lstrip("و").startswith("ال")


def _alike(one: Part, other: Part, first: Sequence[Unit], second: Sequence[Unit], lang: str) -> bool:
    """Whether the form of two parts shows that each gives one thing to one."""
    topic = _TOPIC.get(lang)
    if topic is not None:
        spoken = len(first) < len(one.units) or (topic.search(one.text) and topic.search(other.text))
        return bool(spoken) and not _VERBAL[lang].search(one.text)
    if len(one.units) < len(other.units) and not one.frame:
        return False  # `bus 3 and tram 6 are late`: a list
    end = other.units[-1]
    gapped = len(other.units) == 2 and (end.led not in ("", "+") or bool(end.keys) or end.capital)
    gapped = gapped or (other.units[1].led in OBJECTS and other.units[1].gap == 1)  # `her brother the cello`
    if len(other.units) == FEW and gapped and one.first in one.frame and other.first in other.frame - STANDS_FOR:
        return True  # `in the cellar the skis, under the roof the tents`
    if one.first != other.first and (one.first in one.frame or other.first in other.frame - STANDS_FOR):
        return False  # `at the workshop …`: where or when, for all parts; `… and must not melt`: of the same thing
    if one.frame & other.frame or len(first) < len(one.units):
        return True
    if one.first in PRONOUNS & OBJECTS and other.first in PRONOUNS & OBJECTS:
        return True
    if first[0].kind == second[0].kind != "":
        return True
    names = all(u.capital and not u.keys for u in (first[0], second[0])) and lang != "de"
    ends = all(u.capital and not u.keys and (lang != "de" or u.led == "+") for u in (first[-1], second[-1]))
    bare = lang == "de" and not first[0].led and not second[0].led
    return gapped or names or ends or bare or (first[0].form in KIN and second[0].form in KIN)


def _elsewhere(case: Case, mine: Sequence[Unit], one: Part, other: Part, source: Source, own: Span) -> bool:
    """Whether another sentence has words of the claim that the two parts have not, or joins these itself."""
    both = [*one.units, *other.units]
    words = [u for u in mine if not among(u, both, case.lang)]
    told = [u for u in mine if among(u, both, case.lang)]
    others = [
        stems
        for s in case.cited
        for clause, stems in zip(s.clauses, s.clause_stems, strict=True)
        if not (s is source and own.start <= clause.start < own.end)
    ]
    known = sum(any(u.stem in stems for stems in others) for u in words)
    return known > ELSEWHERE or any(sum(u.stem in stems for u in told) > 1 for stems in others)
