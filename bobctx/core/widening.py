"""A claim may not speak of all where its source speaks of one: `travel is frozen`, `all budgets are frozen`. Pure."""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.acts import negations, quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import labels
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.sources import Clause
from bobctx.core.text import clauses, content_stem, content_stems, stem, words

MOST_WORDS: Final = 8
"""Content words of a claim that is short enough to be one statement."""
BEFORE_NOUN: Final = frozenset({"en", "de", "nl", "ru"})
"""Languages where what narrows a noun stands before it."""
_PRONOUNS: Final = ("thing", "one", "body", "where", "ways", "alles", "iedereen", "всё")
"""Ends of quantifiers that stand alone (`everything else`)."""
NEAR: Final = 2
"""Content words after the quantifier in which its noun stands."""


def check(case: Case) -> Refusal | None:
    """Whether a short claim says `all` of a noun that its best clause does not even have."""
    if case.lang == UNKNOWN or len(case.stems) > MOST_WORDS or not case.supports:
        return None
    every = next((c for c in quantifiers(case.text, case.lang) if c.value == "all"), None)
    if every is None:
        return None
    nouns = _nouns(case, every)
    best = _best(case, every)
    denied = bool(negations(best.text, case.lang))
    if not nouns or denied != bool(negations(case.text, case.lang)):
        return None
    if any(_says_all(case, clause) for clause in case.supports):
        return None
    determines = not every.text.casefold().endswith(_PRONOUNS)
    if (
        _one_of(nouns, case, best)
        or _only_it(nouns, case, best)
        or (not denied and determines and _narrower(nouns, case, best))
    ):
        alias = case.source(best.message).message.alias
        return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})
    if denied or nouns & content_stems(best.text, case.lang) or not case.stems & content_stems(best.text, case.lang):
        return None
    alias = case.source(best.message).message.alias
    return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})


def _best(case: Case, every: Cue) -> Clause:
    """The clause that has most of the part of the claim in which the quantifier stands."""
    parts = clauses(case.text)
    if len(parts) < 2:
        return case.supports[0]
    part = next((p for p in parts if p.start <= every.start < p.end), parts[0])
    said = content_stems(part.of(case.text), case.lang)
    return max(case.supports, key=lambda c: len(said & content_stems(c.text, case.lang)))


def _one_of(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether the best clause speaks of one of several (`bay 4`) where the claim speaks of them all."""
    marks = {label.mark for label in labels(best.text, case.source(best.message).lang) if label.noun in nouns}
    return len(marks) == 1 and not any(label.noun in nouns for label in labels(case.text, case.lang))


_BREAK: Final = regex.compile(r"[,;:.!?，、；。؛،](?:\s|$)|[，、；。؛،]")
"""Where the noun of a quantifier is looked for no further (`250 each, two of them`)."""
_EACH: Final = regex.compile(r"\b(?:per|pro|je|par|por|cada|apiece)\s\p{L}|每|あたり|ごと|마다|당\s|لكل")
"""Words that give an amount to each of something (`5 GB per account`)."""
_ONLY_IT: Final = regex.compile(
    r"\b(?:only|just)\s(?:(?:that|this)(?:\sone)?|it|him|her|them|these|those)\b|\bnur\s(?:diese[rsn]?|jene[rsn]?|den|die|das)\b"
    r"|\b(?:seulement|uniquement)\s(?:celui|celle|ceux)|\bque\s(?:celui|celle|ceux)|\b(?:sólo|solo|únicamente)\s(?:es[aeo]|est[aeo])s?\b"
    r"|\b(?:só|somente|apenas)\s(?:ess[ae]|est[ae]|isso|aquel[ae])s?\b|\b(?:solo|soltanto)\s(?:quest[aeio]|quell[aeio])\b"
    r"|\balleen\s(?:die|dat|deze)\b|\bтолько\s(?:эт|его|её|ее|тот|ту|та\b)|只(?:有)?[这那它]|(?:これ|それ|その.{1,4})だけ|(?:이것|그것|그거)만"
    r"|(?:هذا|هذه|ذلك|تلك)\sفقط"
)
"""What limits an order to the one thing it names."""


def _only_it(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether the sentence of the best clause says of its one thing `and only that one`."""
    source = case.source(best.message)
    if not nouns & content_stems(best.text, source.lang):
        return False
    sentence = source.sentence_at(best.start)
    return sentence is not None and _ONLY_IT.search(sentence.of(source.text).casefold()) is not None


def _narrower(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether the best clause speaks of one kind of it (`greenhouse units`) where the claim speaks of them all.

    At the beginning of a clause the word before may be an order (`Check units daily`), so there the claim must go on
    as the clause does.
    """
    lang = case.source(best.message).lang
    if lang not in BEFORE_NOUN:
        return False
    said = list(words(best.text, lang))
    for before, noun, after in zip(said, said[1:], [*said[2:], None], strict=False):
        kind = content_stem(before.text, lang)
        if stem(noun.text, lang) not in nouns or not kind or kind in case.stems:
            continue
        if best.text[before.end : noun.start] not in (" ", "-"):
            continue
        if before is not said[0] or (after is not None and content_stem(after.text, lang) in case.stems):
            return True
    return False


def _nouns(case: Case, every: Cue) -> frozenset[str]:
    end = next((m.start() for m in _BREAK.finditer(case.text, every.end)), len(case.text))
    after = [w for w in words(case.text, case.lang) if every.end <= w.start < end]
    content = [stem(w.text, case.lang) for w in after]
    return frozenset([k for k in content if k in case.stems][:NEAR][:1])


def _says_all(case: Case, clause: Clause) -> bool:
    lang = case.source(clause.message).lang
    if any(c.value in ("all", "most") for c in quantifiers(clause.text, lang)):
        return True
    return _EACH.search(clause.text.casefold()) is not None
