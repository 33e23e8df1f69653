"""A word that all cited clauses deny and the claim says outright, or the other way round. Pure.

`polarity` needs a clause of the source that fits the claim as a whole. Here single words are asked, wherever they
stand: the word after the claim's `not`, if no cited clause denies it and one says it of the same thing; and the words
of the claim that its sources have in denials only (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Final

import regex

from bobctx.core.acts import hypotheticals, negations
from bobctx.core.answers import answer, opens_with_no
from bobctx.core.checking import Case, Refusal
from bobctx.core.condition import replaced, still_needed, unopposed, with_the_rest
from bobctx.core.denial import CONCORD, denies_ahead, has_stem, turned_there, turns, until, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.negation import turned
from bobctx.core.quantity import of_some
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.terms import waits_for_term

SHARED: Final = 2
"""Words of the denied statement that a clause saying it must have; one is enough where nothing near denies."""
REACH: Final = 3
"""Content words before and after a denied word that say of what it is denied."""
FITTING: Final = 0.6
"""Share of the claim's known words that a proposal must have to be what the claim speaks of."""
DENIED: Final = 0.5
"""Share of the words of a claim's segment that its sources have in denials only."""
AFTER: Final = 6
"""Code points between a negation and the denial that it turns around."""
BRIEF: Final = 60
"""Code points of a message that is an answer and no more."""
STEM: Final = 5
"""Letters in common from which two denying words are forms of one."""
MOST: Final = 60
"""Clauses with a word of the claim that are read."""
MORE: Final = 3
"""Content words of a denial from which one in common with the claim tells nothing."""
TOLD: Final = 2
"""How many times the words of any denial an assistant's own statement must have to count as said."""
LAST: Final = 1 << 30
"""Behind every message."""
_ENDING: Final = regex.compile(r"(?:[aeo]mos|[aei]r|[aeio]n|[aeio]s|[aeio])$")
"""What short words of one stem end in, where a stemmer leaves it (`usar`, `use`)."""
_ASKED: Final = regex.compile(r"[^.!?。！？\n]{0,80}+[?？؟]")
"""The rest of a sentence that ends as a question."""
_IMPERFECT: Final = frozenset("تينأ")
"""What Arabic verbs begin with in a ban (`لا تفتح`) and not in an order."""
_OPEN: Final = frozenset({"maybe", "unsure", "would"})


def check(case: Case) -> Refusal | None:
    """The first word of the claim that all its sources say with the other sign."""
    if case.lang == UNKNOWN:
        return None
    if case.lang in ("zh", "ja"):
        return _against(case) or _dropped(case)  # pairs of characters are too common to ask one by one
    return _added(case) or _against(case) or _undone(case) or _dropped(case)


def _refusal(code: str, cue: str, source: Source, clause: Clause) -> Refusal:
    return Refusal(code=code, data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias})


# -- the claim denies what its sources say --------------------------------------


def _added(case: Case) -> Refusal | None:
    if waits_for_term(case):
        return None
    for segment in read(case.text, case.lang).segments:
        heads = {h for h in segment.heads if not h.startswith("=")}
        if not segment.has("verbal") or not heads or segment.kind == "contrast":
            continue
        if segment.kind == "condition" and until(case, segment):
            continue
        if case.lang not in CONCORD and segment.strength % 2 == 0:
            continue
        found = _said(case, segment, heads, _near(segment, heads))
        if found is not None:
            return _refusal("negation_added", segment.of("negation")[0].text, *found)
    return None


def _near(segment: Segment, heads: set[str]) -> set[str]:
    """The words right before and after the denied ones."""
    words = [k for k in segment.content if not k.startswith("=")]
    places = [i for i, w in enumerate(words) if w in heads]
    return {w for i, w in enumerate(words) if w not in heads and any(abs(i - at) <= REACH for at in places)}


def _said(case: Case, mine: Segment, heads: set[str], others: set[str]) -> tuple[Source, Clause] | None:
    """The clause that says the denied word of the same thing, if no cited clause denies it."""
    best: tuple[int, Source, Clause] | None = None
    places, denied_near, denied_most, aside = 0, False, 0, 0
    told = read(case.text, case.lang)
    for source, clause, reading in case.readings(MOST):
        musts = mine.kind == "condition" and any("must" in s.values("modal") for s in reading.segments)
        ahead = any(denies_ahead(s, others) or _excepts(s, others) for s in reading.segments)
        if turned(reading, mine) or musts or (ahead and heads & _content(reading)) or of_some(told, reading):
            return None  # `only after the review` is `not before the review`
        if any(_leaves(s) for s in reading.segments) and not reading.question:
            aside = max(aside, sum(has_stem(w, _content(reading)) for w in others))
        for segment in reading.segments:
            keys = segment.content.keys() | segment.heads
            shared = sum(has_stem(w, keys) for w in others)
            denied_near = denied_near or (shared > 0 and turns(segment))
            denied_most = max(denied_most, shared if segment.strength % 2 else 0)
            if not any(has_stem(h, keys) for h in heads):
                continue
            if _denies(segment):
                return None
            places += 1
            if (
                not opens_with_no(source)
                and not _is_open(case, source, clause, reading)
                and (best is None or shared > best[0])
            ):
                best = shared, source, clause
    if best is None or denied_most > max(1, best[0]) or aside > max(1, best[0]):
        return None  # `no clay for the lids` has more of it than `the bowl is made of clay`
    if best[0] + 1 < SHARED and (places > 1 or denied_near or len(others) == 0):
        return None
    return best[1:]


def _leaves(segment: Segment) -> bool:
    """Whether a segment says of something named beside it that it stays or is let alone (`leave it where it is`)."""
    return len(segment.content.keys() - segment.marked) <= 1 and not segment.strength and turns(segment)


def _excepts(segment: Segment, words: Collection[str]) -> bool:
    """Whether a segment excepts one of the words (`any colour except red`)."""
    return bool(segment.values("condition") & {"except"}) and any(w in segment.content for w in words)


def _content(reading: Reading) -> set[str]:
    return {k for s in reading.segments for k in s.content}


def _denies(segment: Segment) -> bool:
    """Whether a segment that has the word may deny it; a word that merely keeps or lowers something else does not."""
    if segment.strength or segment.kind == "contrast" or segment.has("stop") or segment.has("whether"):
        return True
    if "optional" in segment.values("modal") or segment.values("condition") & {"unless", "except"}:
        return True
    return "only" in segment.values("quantifier") or "unsure" in segment.values("hypothetical")


def _is_open(case: Case, source: Source, clause: Clause, reading: Reading) -> bool:
    """Whether the clause asks or merely considers, and no later cited answer accepts it."""
    asked = reading.question or _ASKED.match(source.text, clause.end) is not None
    doubts = hypotheticals(clause.text, reading.lang)
    doubted = bool(doubts) and (source.message.role == "assistant" or any(c.value in _OPEN for c in doubts))
    if not asked and not doubted:
        return False
    later = [s for s in case.cited if s.position > source.position]
    return not any(answer(s) == "accepts" for s in later) or any(_says_no(s) for s in later)


def _says_no(source: Source) -> bool:
    return answer(source) == "refuses" or (len(source.text) <= BRIEF and bool(negations(source.text, source.lang)))


# -- the claim denies a proposal that was accepted --------------------------------


def _against(case: Case) -> Refusal | None:
    """`is not printed today` of `Shall I print it today?` and a plain yes."""
    mine = [s for s in read(case.text, case.lang).segments if s.content]
    denials = [s for s in mine if s.has("verbal") and s.strength % 2]
    if len(mine) != 1 or not denials or not case.ranked:
        return None
    best = case.ranked[0][1]
    source = case.source(best.message)
    proposed = read(best.text, case.lang_of(source))
    known = {k for k in case.stems if any(k in s.clauses_with for s in case.cited)}
    asked = proposed.question or _ASKED.match(source.text, best.end) is not None or proposed.has("hypothetical")
    if source.message.role != "assistant" or not asked or any(turns(s) for s in proposed.segments):
        return None
    if len(known & source.clause_stems[source.clause_at(best.start)]) <= FITTING * len(known):
        return None
    later = [s for s in case.cited if s.position > source.position]
    if any(answer(s) == "accepts" for s in later) and not any(turned_there(case, s) for s in later):
        return _refusal("negation_added", denials[0].of("negation")[0].text, source, best)
    return None


# -- the claim denies a denial (`is not excluded`) that its sources state --------


def _undone(case: Case) -> Refusal | None:
    for segment in read(case.text, case.lang).segments:
        denial = _denied_denial(segment)
        if denial is None:
            continue
        others = words_of(segment)
        same: tuple[Source, Clause] | None = None
        for source, clause, reading in case.readings(MOST):
            if reading.question:
                continue
            for theirs in reading.segments:
                if not _alike(denial, theirs) or not others & theirs.content.keys() - theirs.marked:
                    continue
                if theirs.of("negation") or _stopped(theirs, denial):
                    return None
                same = same or (source, clause)
        if same is not None:
            return _refusal("negation_added", segment.of("verbal")[0].text, *same)
    return None


def _denied_denial(segment: Segment) -> Cue | None:
    """The word of a segment that excludes, stops or lacks something and has a `not` right before it."""
    for negation in segment.of("verbal"):
        for cue in segment.cues:
            low = cue.kind in ("deny", "stop", "soft") or (cue.kind == "polar" and cue.value.endswith("-"))
            if low and 0 <= cue.start - negation.end <= AFTER:
                return cue
    return None


def _stopped(theirs: Segment, denial: Cue) -> bool:
    """Whether a word of its own says that the thing is not to be done (`deleting is my job`)."""
    return any(not c.text.casefold().startswith(denial.text.casefold()[:STEM]) for c in theirs.of("stop"))


def _alike(denial: Cue, theirs: Segment) -> bool:
    head = denial.text.casefold()[:STEM]
    return any(c.kind == denial.kind and c.text.casefold().startswith(head) for c in theirs.cues)


# -- the claim says what its sources deny ----------------------------------------


def _dropped(case: Case) -> Refusal | None:
    whole = read(case.text, case.lang)
    if whole.question:
        return None
    denying = [s for s in whole.segments if s.strength % 2 or s.kind == "contrast" or s.has("stop")]
    for segment in whole.segments:
        if not _open(segment) or (denying and len(words_of(segment)) < SHARED):
            continue
        found = _denied(segment, case.readings(MOST)) or _elided(segment, case.readings(MOST))
        if found is None or any(_renders(s, found[2]) for s in denying) or turned(whole, found[2]):
            continue
        if any(s.strength and s.heads & found[2].heads for s in whole.segments):
            continue  # `wagons that lack a code must not go`: the lack is said there
        source, clause, denial = found
        theirs = read(clause.text, case.lang_of(source))
        if replaced(whole, denial, theirs) or still_needed(segment, denial, theirs):
            continue
        if unopposed(segment, denial) or with_the_rest(segment, whole):
            continue
        cue = next((c.text for c in denial.cues if c.kind in ("negation", "deny")), "")
        return _refusal("negation_dropped", cue, source, clause)
    return None


def _open(segment: Segment) -> bool:
    """Whether a segment of the claim says something outright, also by denying a denial (`is not excluded`)."""
    if segment.kind != "main" or segment.has("hypothetical"):
        return False
    if segment.strength:
        return segment.strength == 2 and _denied_denial(segment) is not None
    return not turns(segment) or not (segment.has("stop") or segment.has("soft") or _limits(segment))


def _limits(segment: Segment) -> bool:
    """Whether it turns anything by more than one of its own words (`finished`)."""
    if "optional" in segment.values("modal") or segment.values("condition") & {"unless", "except"}:
        return True
    alone = "only" in segment.values("quantifier") or segment.has("reserved")
    return alone or segment.kind == "contrast"


def _renders(mine: Segment, denial: Segment) -> bool:
    """Whether a denial of the claim stands for one of its source: it has something of it."""
    theirs = denial.content.keys() | denial.heads
    return any(has_stem(w, theirs) for w in words_of(mine) | mine.heads if not w.startswith("="))


def _denied(mine: Segment, touching: Iterable[tuple[Source, Clause, Reading]]) -> tuple[Source, Clause, Segment] | None:
    """A denial that has most of the words of a segment, which stand nowhere else in its sources."""
    words = words_of(mine) - (mine.marked if mine.strength else set())
    denials, affirming, langs = _weighed(words, mine, touching)
    affirmed = set().union(*affirming)
    reads_on = not mine.has("whether") and all(lang not in CHARACTER_LANGUAGES for lang in langs)
    for source, clause, segment in denials:
        subject, phrase = segment.content.keys() - segment.marked, _phrase(segment)
        if len(phrase) > 1 and reads_on and phrase <= words and not any(phrase <= a for a in affirming):
            return source, clause, segment  # `but not a design person` of somebody who will design it
        if segment.heads & (words - affirmed) and len(subject) >= SHARED and subject <= words and reads_on:
            return source, clause, segment  # all that it says but the `not`
        if segment.kind == "contrast" and reads_on and affirmed and segment.heads & (words - affirmed):
            return source, clause, segment  # `but not the address`, which stands nowhere else
        if subject and not segment.heads and subject <= words and not subject <= affirmed and len(subject) < len(words):
            return source, clause, segment  # `the van needs a tube, the cart doesn't`: what the cart needs is left out
    denied = {w for _, _, s in denials for w in words & s.content.keys() - _led(s, words)}
    known = denied | affirmed
    only = denied - affirmed
    if not only or len(only) < DENIED * len(known):
        return None
    heads = {h for *_, s in denials if only & s.content.keys() for h in s.heads or s.marked}
    turned_itself = any(v.endswith("-") for v in mine.values("polar"))
    if turned_itself and not reads_on:
        return None
    if (words - known or turned_itself) and not heads & only and not _other_form(words - known, heads):
        return None  # a word of its own may turn it around
    if (
        reads_on
        and words - known
        and len(only) == 1
        and all(len(s.content) > MORE for *_, s in denials if only & s.content.keys())
    ):
        return None  # one word in common with a denial that says much else
    return max(denials, key=lambda d: len(only & d[2].content.keys()))


def _elided(mine: Segment, touching: Iterable[tuple[Source, Clause, Reading]]) -> tuple[Source, Clause, Segment] | None:
    """A denial that takes its subject from the part before it, which has the claim's (`is wear and must not be …`)."""
    words = words_of(mine)
    for source, clause, reading in touching:
        for before, segment in pairwise(reading.segments):
            denied = words_of(segment)
            plain = before.kind == segment.kind == "main" and segment.strength % 2 and not before.strength
            if not plain or not denied or not denied <= segment.heads & words or segment.has("past"):
                continue
            if len(words_of(before) & words - denied) >= SHARED and not denied & words_of(before):
                return source, clause, segment
    return None


def _led(denial: Segment, words: set[str]) -> Collection[str]:
    """The words before the first comma of a denial that denies something else (`As a fan, I can't agree`)."""
    return denial.lead if denial.heads and not denial.heads & words else ()


_Denial = tuple[Source, Clause, Segment]


def _weighed(
    words: set[str], mine: Segment, touching: Iterable[tuple[Source, Clause, Reading]]
) -> tuple[list[_Denial], list[set[str]], set[str]]:
    """What denies, the words that anything else says, and the languages read.

    What an assistant only proposes before a user's denial does not count as said; what it tells, with far more of
    the words than any denial has, does.
    """
    denials: list[_Denial] = []
    said: list[tuple[int, bool, set[str]]] = []
    langs: set[str] = set()
    for source, clause, reading in touching:
        for segment in reading.segments:
            langs.add(reading.lang)
            aside = segment.kind == "contrast" and segment.has("negation") and not mine.has("past")
            if segment.strength % 2 and (segment.kind == "main" or aside):
                denials.append((source, clause, segment))
            elif shared := words & segment.content.keys():
                proposed = source.message.role == "assistant" and not _told(reading, segment)
                said.append((source.position if source.message.role == "assistant" else LAST, proposed, shared))
    refusing = max((s.position for s, *_ in denials if s.message.role == "user"), default=-1)
    most = max((len(words & s.content.keys()) for *_, s in denials), default=0)
    kept = [shared for at, proposed, shared in said if at > refusing or (not proposed and len(shared) > TOLD * most)]
    return denials, kept, langs


def _told(reading: Reading, segment: Segment) -> bool:
    """Whether a segment says outright what is or was, and neither asks nor proposes."""
    return not (reading.question or segment.has("hypothetical") or segment.has("modal") or segment.has("whether"))


def _other_form(words: set[str], heads: set[str]) -> bool:
    """Whether one of the words is another form of a denied one (`usar` of `use`, in Korean with other endings)."""
    if any(len(h) > 1 and "\uac00" <= h[0] <= "\ud7a3" and w.startswith(h) for h in heads for w in words):
        return True
    if any(h[:1] in _IMPERFECT and len(h) > SHARED and w.startswith(h[1:]) for h in heads for w in words):
        return True  # an Arabic ban and the order that it forbids
    bare = {_ENDING.sub("", h) for h in heads if not h.startswith("=")}
    return any(len(short := _ENDING.sub("", w)) > 1 and short in bare for w in words)


def _phrase(segment: Segment) -> set[str]:
    """The denied word with those behind it, where somebody denies it outright."""
    if segment.has("hypothetical") or segment.has("whether"):
        return set()
    words = [k for k in segment.content if not k.startswith("=")]
    at = next((i for i, w in enumerate(words) if w in segment.heads), len(words))
    return set(words[at : at + REACH])
