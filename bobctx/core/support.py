"""Enough of the claim must stand in its cited messages: the right message, the right subject. Pure.

Values are checked elsewhere; this catches the claim without any, and the one that cites the wrong message.
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.lexicon import ACTS, LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.slots import PARTICLE
from bobctx.core.stemming import stem
from bobctx.core.text import words

PLAIN: Final = 0.35
"""Share of the claim's words that its sources must have where it has no literal."""
FEW: Final = 4
"""A claim of so few words must have more of them there."""
FEW_SHARE: Final = 0.5
WITH_LITERAL: Final = 0.25
_NOUN_ENDS: Final = frozenset(
    {"ership", "ing", "er", "or", "age", "ment", "ation", "ion", "ung", "eur", "ador", "atore"}
)
ROOT: Final = 3
"""Letters of a verb behind its particle (`anruf`)."""
SEPARABLE: Final = (
    "ab",
    "an",
    "auf",
    "aus",
    "bei",
    "ein",
    "los",
    "nach",
    "um",
    "vor",
    "weg",
    "zu",
    "af",
    "op",
    "uit",
    "in",
)
"""Particles of German and Dutch verbs, which stand apart from them in a sentence (`zahlen wir aus`, `Auszahlung`)."""
SIGNS: Final = 0.5
"""Share of a Chinese claim's characters that stands for support where the pairs do not."""
_HAN: Final = regex.compile(r"\p{Han}")
PREFIX: Final = 5
"""Letters in common from which two stems count as the same word in another form."""
PART: Final = 4
"""Letters of a word of the source from which a compound of the claim may begin with it (`Kindermenü`)."""
_FRAME: Final = ("negation", "deny", "modal", "quantifier", "comparator", "condition", "hypothetical", "now")


def check(case: Case) -> Refusal | None:
    """Whether the cited messages hold enough of the claim's own words."""
    mine = own_words(case)
    if not mine:
        return None
    theirs = frozenset().union(*(s.stems for s in case.cited)) if case.cited else frozenset()
    missing = [w for w in mine if w not in theirs and not _near(w, theirs)]
    share = 1 - len(missing) / len(mine)
    anchored = any(places for lit, places in zip(case.literals, case.found, strict=True) if _specific(lit))
    least = WITH_LITERAL if anchored else FEW_SHARE if len(mine) <= FEW else PLAIN
    if share >= least:
        return None
    told = _told_otherwise(case) | _kept(case) | _named(case)
    missing = [w for w in missing if w not in told]
    if 1 - len(missing) / len(mine) >= least or _in_signs(case) >= SIGNS:
        return None
    return Refusal(code="unsupported", data={"missing": ", ".join(missing[:8]), "share": round(share, 2)})


def _told_otherwise(case: Case) -> frozenset[str]:
    """Stems of words for one side of an opposite that the sources name in another word (`abgesagt`, `findet statt`)."""
    mine = cues(case.text, case.lang, LOGIC, ("polar",))
    if not mine:
        return frozenset()
    named = {c.value[:-1] for clause in case.supports for c in cues(clause.text, case.lang, LOGIC, ("polar",))}
    spans = [(c.start, c.end) for c in mine if c.value[:-1] in named]
    said = words(case.text, case.lang)
    return frozenset(stem(w.text, case.lang) for w in said if any(a <= w.start < b for a, b in spans))


def _kept(case: Case) -> frozenset[str]:
    """Stems of words that deny or keep, where a clause it rests on denies (`stays as it is`, `is abolished`)."""
    mine = cues(case.text, case.lang, LOGIC, ("soft", "deny"))
    if not mine or not any(_denies(c.text, case.lang) for c in case.supports):
        return frozenset()
    said = words(case.text, case.lang)
    return frozenset(stem(w.text, case.lang) for w in said if any(c.start <= w.start < c.end for c in mine))


def _denies(text: str, lang: str) -> bool:
    """Whether a text denies something, or says that it need not be."""
    return any(
        c.kind != "modal" or c.value == "optional" for c in cues(text, lang, LOGIC, ("negation", "deny", "modal"))
    )


def _named(case: Case) -> frozenset[str]:
    """Stems of the words that identifiers of the sources are made of (`search_direct_flight`)."""
    found = (x.text for s in case.cited for x in s.literals if x.kind == "identifier" and "_" in x.text)
    return frozenset(stem(piece.casefold(), case.lang) for text in found for piece in text.split("_") if len(piece) > 2)


def _in_signs(case: Case) -> float:
    """Share of a claim's own Chinese characters that one cited message has: its words may be cut in other places."""
    if case.lang not in ("zh", "ja"):
        return 0.0
    hidden = [(c.start, c.end) for c in cues(case.text, case.lang, LOGIC, _FRAME)]
    signs = {
        c
        for i, c in enumerate(case.text)
        if _HAN.match(c) and not PARTICLE.match(c) and not any(a <= i < b for a, b in hidden)
    }
    return max((len(signs & set(s.text)) for s in case.cited), default=0) / max(1, len(signs))


def own_words(case: Case) -> list[str]:
    """The claim's content stems without cue words and words about the talk itself."""
    frame = [*cues(case.text, case.lang, LOGIC, _FRAME), *cues(case.text, case.lang, ACTS, ("talk",))]
    hidden = [(c.start, c.end) for c in frame]
    out: dict[str, None] = {}
    stems = case.stems
    for word in words(case.text, case.lang):
        key = stem(word.text, case.lang)
        if case.lang in ("zh", "ja") and len(key) == 2 and PARTICLE.search(key):
            continue
        paired = case.lang in ("zh", "ja") and len(key) == 2  # a pair may begin before a cue and end in it
        if key in stems and not any(a - paired <= word.start < b for a, b in hidden):
            out[key] = None
    return list(out)


def _specific(literal: Literal) -> bool:
    """A literal that hardly stands in a message by chance."""
    return len(literal.text) > 2 or literal.unit is not None


def _near(word: str, theirs: frozenset[str]) -> bool:
    if len(word) < PREFIX or not word.isalpha():
        return False
    head = word[:PREFIX]
    whole = (word, *(word[len(p) :] for p in SEPARABLE if word.startswith(p) and len(word) - len(p) >= ROOT))
    return any(
        t.startswith(head)
        or (len(t) >= PART and word.startswith(t))
        or (len(t) >= ROOT and any(w.startswith(t) for w in whole[1:]))
        or _derived(word, t)
        for t in theirs
    )


def _derived(word: str, root: str) -> bool:
    """Whether a noun is made of a short verb (`ownership` of `owns`)."""
    return len(root) > 2 and word.startswith(root) and word[len(root) :] in _NOUN_ENDS
