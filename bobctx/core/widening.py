"""A claim may not speak of all where its source speaks of one: `travel is frozen`, `all budgets are frozen`. Pure."""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.acts import comparators, quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import JOINED
from bobctx.core.denial import has_stem
from bobctx.core.function_words import PREPOSITIONS
from bobctx.core.labels import labels
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.limits import SCALES, number_stems
from bobctx.core.ofall import part_of_all
from bobctx.core.others import said_of_both
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Clause
from bobctx.core.stemming import stem
from bobctx.core.text import clauses, content_stem, content_stems, forms, words

MOST_WORDS: Final = 8
"""Content words of a claim that is short enough to be one statement."""
BEFORE_NOUN: Final = frozenset({"en", "de", "nl", "ru"})
"""Languages where what narrows a noun stands before it."""
_PRONOUNS: Final = ("thing", "one", "body", "where", "ways", "alles", "iedereen", "всё")
"""Ends of quantifiers that stand alone (`everything else`)."""
_BEFORE_KIND: Final = regex.compile(
    r"\b(?:the|in|of|for|at|on|from|with|any|our|my|their|den|die|der|das|dem|im|am|de|het|in\sde)\s$", regex.IGNORECASE
)
"""What stands before the kind of a thing (`in the organic parcels`)."""
_NO_KIND: Final = frozenset({"single", "individual", "own", "einzige", "einziger", "einzigen", "enkele"})
"""Words before a noun that make no kind of it."""
ADDS: Final = {
    "en": regex.compile(r"\s(?:and|as\swell\sas|and\salso|plus)\s"),
    "de": regex.compile(r"\s(?:und|sowie|und\sauch)\s"),
    "fr": regex.compile(r"\s(?:et|ainsi\sque)\s"),
    "es": regex.compile(r"\s(?:y|e|así\scomo)\s"),
    "pt": regex.compile(r"\s(?:e|bem\scomo)\s"),
    "it": regex.compile(r"\s(?:e|ed|nonché)\s"),
    "nl": regex.compile(r"\s(?:en|evenals|alsook)\s"),
    "ru": regex.compile(r"\s(?:и|а\sтакже)\s"),
}
"""What adds one thing to another."""
MOST_CLAUSES: Final = 4
"""Clauses with most of the claim in which a limit of its subject is looked for."""
_FIGURE: Final = regex.compile(r"\s{0,2}\p{Sc}?\s?(\d[\d.,]*+)")
"""The amount behind a word that bounds one."""
_FAILED: Final = regex.compile(r"\b[1-9]\d{0,5}\s(?:failed|failing|failures?|errors?)\b", regex.IGNORECASE)
"""Counts that say that not all of them did."""
SHARED: Final = 2
"""Words of the claim in a clause beside the best one that counts a part of them."""
_WHATEVER: Final = regex.compile(
    r"\W*(?:anything|whatever|anyone|anybody|whoever|alles,? was|jeder,? der|wer\b|tout ce|quiconque|todo lo|quien\b"
    r"|tudo o|quem\b|tutto ci|chiunque|alles wat|wie\b|всё,? что|кто\b)",
    regex.IGNORECASE,
)
"""How a clause begins that speaks of all that are such."""
NEAR_NOUN: Final = 2
"""Code points between a quantifier and its noun."""
NEAR: Final = 2
"""Content words after the quantifier in which its noun stands."""


def check(case: Case) -> Refusal | None:
    """Whether a short claim says `all` of a noun that its best clause does not even have, or drops what limits it."""
    if case.lang == UNKNOWN or not case.supports or case.type == "correction":
        return None  # a correction has its subject from what it corrects
    if (beyond := _beyond_only(case)) is not None or len(case.stems) > MOST_WORDS:
        return beyond
    every = next((c for c in quantifiers(case.text, case.lang) if c.value == "all"), None)
    if every is None:
        return _unlimited(case)
    if _EACH_OF.search(case.text, 0, every.start) or "except" in read(case.text, case.lang).values("condition"):
        return None  # `at 0.12 each`, `all but Tuesday's`
    if THE_REST.match(case.text, every.end) or said_of_both(case):
        return None
    nouns = _nouns(case, every)
    best = _best(case, every)
    if (short := _counted_short(case, every, best) or _unlimited(case)) is not None:
        return short
    if _WHATEVER.match(best.text) and any(c.value in SCALES for c in comparators(case.text, case.lang)):
        return None  # `anything above 750 goes past her`: every order above 750 is one
    denied = _denies(best.text, case.lang_of(case.source(best.message)))
    if not nouns or denied != _denies(case.text, case.lang):
        return None
    if any(_says_all(case, clause) for clause in case.supports):
        return _all_limited(case, every, nouns)
    determines = not every.text.casefold().endswith(_PRONOUNS)
    if (
        _one_of(nouns, case, best)
        or _only_it(nouns, case, best)
        or (determines and (_narrower(nouns, case, best, denied=denied) or _placed(nouns, case, best)))
        or (denied and determines and _elsewhere_named(nouns, case, best))
    ):
        alias = case.source(best.message).message.alias
        return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})
    if denied or nouns & content_stems(best.text, case.lang) or not case.stems & content_stems(best.text, case.lang):
        return None
    alias = case.source(best.message).message.alias
    return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})


def _unlimited(case: Case) -> Refusal | None:
    """`Children eat free` of `Children under six eat free`: the subject without the amount that limits it."""
    whole = read(case.text, case.lang)
    if whole.question:
        return None
    denies = any(s.strength for s in whole.segments)
    if any(c.value in SCALES for s in whole.segments for c in s.of("comparator")):
        return None
    for source, clause, reading in case.readings(MOST_CLAUSES):
        said = [
            (start, key)
            for word, start in forms(clause.text, reading.lang)
            if (key := content_stem(word, reading.lang))
        ]
        if denies != any(s.strength for s in reading.segments):
            continue
        for cue in (c for s in reading.segments[:1] for c in s.of("comparator") if c.value in SCALES):
            before = [key for start, key in said if start < cue.start]
            after = [(start, key) for start, key in said if start >= cue.end]
            if len(before) != 1 or not has_stem(before[0], case.stems) or not after:
                continue
            number = _FIGURE.match(clause.text, cue.end)
            figure = number is not None and number[1] not in case.text
            worded = (
                after[0][1] not in case.stems
                and after[0][1] in number_stems(reading.lang)
                and not clause.text[cue.end : after[0][0]].strip()
            )
            if (figure or worded) and any(has_stem(k, case.stems) for _, k in after):
                data = {"cue": cue.text, "clause": clause.text[:200], "message": source.message.alias}
                return Refusal(code="quantifier", data=data)
    return None


def _beyond_only(case: Case) -> Refusal | None:
    """`on main and on release branches` of `only on main`: the claim adds to what its source names alone."""
    if any(c.value == "only" for c in quantifiers(case.text, case.lang)) or case.lang not in JOINED:
        return None
    link = ADDS.get(case.lang)
    for source, clause, reading in case.readings(MOST_CLAUSES):
        for segment in (s for s in reading.segments if s.alone and not s.strength):
            if not _only_there(clause.text, segment):
                continue  # `it only took a week` limits no place
            alone = next((k for k in segment.content if k in segment.alone), "")
            for joined in link.finditer(case.text) if link is not None and alone else ():
                before = content_stems(case.text[: joined.start()], case.lang)
                after = content_stems(case.text[joined.end() :], case.lang)
                sides = ((after, before), (before, after))
                added = next((side for side, other in sides if alone in other - side), None)
                if added and not any(has_stem(k, segment.content.keys()) for k in added):
                    cue = next(c.text for c in segment.of("quantifier") if c.value == "only")
                    data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                    return Refusal(code="quantifier", data=data)
    return None


def _only_there(text: str, segment: Segment) -> bool:
    """Whether an `only` limits a place or group (`only on main`)."""
    after = (text[c.end :].split() for c in segment.of("quantifier") if c.value == "only")
    return any(words and words[0].casefold() in PREPOSITIONS for words in after)


def _denies(text: str, lang: str) -> bool:
    return any(s.strength for s in read(text, lang).segments)


def _elsewhere_named(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether what is denied of all of a thing that no source has is denied of something named (`not for U11`)."""
    if any(has_stem(n, s.stems) for n in nouns for s in case.cited):
        return False
    source = case.source(best.message)
    named = [x for x in source.literals if best.start <= x.start < best.end and not x.measured]
    return bool(named) and not any(x.offers & mine.needs for x in named for mine in case.literals)


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


_EACH_OF: Final = regex.compile(r"\d[^\s]*\s(?:\p{L}+\s)?$")
"""An amount before a word that gives it to each."""
THE_REST: Final = regex.compile(
    r"\s*else\b|\s*(?:of\s|the\s|die\s|der\s|les\s|los\s|las\s|os\s|as\s|gli\s|le\s|de\s)*(?:others?\b|rest\b|remaining|übrig|ander|autres|demás"
    r"|outr[oa]s|altr[ie]\b|overige|andere|остальн|друг)|\s*(?:其他|其余|其它|他の|나머지|다른)",
    regex.IGNORECASE,
)
"""What is left of things that were named before (`all the others`)."""
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


def _narrower(nouns: frozenset[str], case: Case, best: Clause, *, denied: bool) -> bool:
    """Whether the best clause speaks of one kind of it (`greenhouse units`) where the claim speaks of them all.

    At the beginning of a clause the word before may be an order (`Check units daily`), so there the claim must go on
    as the clause does.
    """
    lang = case.source(best.message).lang
    if lang not in BEFORE_NOUN:
        return False
    said = list(words(best.text, lang))
    goes_on = [next((k for w in said[i + 2 :] if (k := content_stem(w.text, lang))), "") for i in range(len(said))]
    for before, noun, after in zip(said, said[1:], goes_on, strict=False):
        kind = content_stem(before.text, lang)
        if stem(noun.text, lang) not in nouns or not kind or kind in case.stems:
            continue
        if best.text[before.end : noun.start] not in (" ", "-") or before.text in _NO_KIND:
            continue
        if denied and not _BEFORE_KIND.search(best.text, 0, before.start):
            continue  # `may take leave`: a verb makes no kind of leave
        if before is not said[0] or after in case.stems:
            return True
    return False


def _all_limited(case: Case, every: Cue, nouns: frozenset[str]) -> Refusal | None:
    """`All invoices need a signature` of `all invoices over 500 euros`: what limits them is gone."""
    for source, clause, reading in case.readings(MOST_CLAUSES):
        said = list(words(clause.text, reading.lang))
        for noun, link, after in zip(said, said[1:], said[2:], strict=False):
            if stem(noun.text, reading.lang) not in nouns or clause.text[noun.end : link.start] != " ":
                continue
            limits = [c for s in reading.segments for c in s.of("comparator") if c.value in SCALES]
            amount = any(c.start == link.start for c in limits)
            place = link.text in PREPOSITIONS and bool(content_stem(after.text, reading.lang))
            rest = content_stems(clause.text[link.start :], reading.lang)
            kept = content_stem(after.text, reading.lang) in case.stems or len(rest & case.stems) < 1
            kept = kept or (amount and bool(_limits(case)))
            limited = (amount or place) and not kept and noun is not said[-1]
            if limited and _quantified(clause.text, noun.start, reading):
                data = {"cue": every.text, "clause": clause.text[:200], "message": source.message.alias}
                return Refusal(code="quantifier", data=data)
    return None


def _limits(case: Case) -> list[Cue]:
    """The words with which a claim sets a limit of its own (`the maximum for each is 3`)."""
    found = (c for s in read(case.text, case.lang).segments for c in s.cues)
    return [c for c in found if c.kind in ("comparator", "comparator_post") and c.value in SCALES]


def _quantified(text: str, noun: int, reading: Reading) -> bool:
    """Whether the noun that begins there is one of which all is said."""
    cues_all = (c for s in reading.segments for c in s.of("quantifier") if c.value == "all")
    return any(0 < noun - c.end <= NEAR_NOUN and not text[c.end : noun].strip(" ") for c in cues_all)


def _counted_short(case: Case, every: Cue, best: Clause) -> Refusal | None:
    """`All tests passed` of `1 failed, 6 passed`, `all tenants have replied` of `three of the five replied`."""
    if _denies(case.text, case.lang) or part_of_all(case.text, case.lang):
        return None
    for clause in (best, *(c for c in case.supports[:MOST_CLAUSES] if c is not best)):
        lang = case.lang_of(case.source(clause.message))
        shared = content_stems(clause.text, case.lang) & case.stems
        short = part_of_all(clause.text, lang) or (clause is best and _FAILED.search(clause.text) is not None)
        if short and len(shared) >= (1 if clause is best else SHARED):
            alias = case.source(clause.message).message.alias
            return Refusal(code="quantifier", data={"cue": every.text, "clause": clause.text[:200], "message": alias})
    return None


def _placed(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether the best clause speaks only of those somewhere (`devices in vineyards may sleep`)."""
    lang = case.source(best.message).lang
    said = list(words(best.text, lang))
    for noun, link, place in zip(said, said[1:], said[2:], strict=False):
        key = content_stem(place.text, lang)
        if stem(noun.text, lang) in nouns and link.text in PREPOSITIONS and key and key not in case.stems:
            return best.text[noun.end : link.start] == " " and noun is said[0]
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
