"""A claim that takes what its sources set aside for another thing: `we take the bus` of `the train, not the bus`. Pure.

Two sentences that both choose exchange their sides where each sets aside what the other one takes. A claim that
chooses nothing by itself asserts what is set aside where it names that and not what is taken (design, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core.acts import negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.choices import Choice, answered, choices, ending, offers, takes
from bobctx.core.denial import has_stem
from bobctx.core.function_words import BEEN
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.reading import Reading, read
from bobctx.core.sources import Source
from bobctx.core.text import Span, content_stem, words

FEW: Final = 4
"""Clauses of a message that are read where none has a word of the claim (`海`)."""
CLAUSES: Final = 8
"""Clauses with most of the claim whose sentences are read."""
SAID: Final = 200
"""Code points of a clause that a refusal tells."""
_UNSURE: Final = frozenset({"negation", "deny", "stop", "contrast", "whether", "hypothetical"})
"""Kinds with which a claim does not assert what it names."""


def check(case: Case) -> Refusal | None:
    """The choice of a source that the claim turns around."""
    if case.lang == UNKNOWN:
        return None
    mine = choices(case.text, case.lang)
    reading = read(case.text, case.lang)
    if reading.question:
        return None
    found: Refusal | None = None
    for source, span in _sentences(case):
        text = span.of(source.text)
        asks = read(text, case.lang).question
        for theirs in _answer(case, source, text) if asks else choices(text, case.lang):
            if any(_same(own, theirs, case.lang) for own in mine):
                return None  # another sentence may set aside the other one, this one does not
            turned = any(_exchanged(own, theirs, case.lang) for own in mine)
            taken = not mine and not asks and theirs.firm and _takes(case, reading, source, span, theirs)
            if found is None and (turned or taken):
                data = {"cue": theirs.cue, "clause": text[:200], "message": source.message.alias}
                found = Refusal(code="contrast_asserted", data=data)
    return found


def keeps(case: Case, refusal: Refusal) -> bool:
    """Whether a denial that the claim leaves out only sets aside what it does not name (`not ill but old`: old)."""
    cue, clause = str(refusal.data.get("cue", "")).casefold(), str(refusal.data.get("clause", ""))
    stems = [k for w in words(case.text, case.lang) if (k := content_stem(w.text, case.lang))]
    for source, span in _sentences(case):
        text = span.of(source.text)
        for theirs in choices(text, case.lang) if clause[:SAID] in text else ():
            if not theirs.firm or not theirs.kept or not cue or cue not in theirs.cue.casefold():
                continue
            if case.lang in CHARACTER_LANGUAGES:
                named, other = theirs.kept[0] in case.text, ending(theirs.aside[0]) in case.text
            else:
                named, other = has_stem(theirs.kept[0], stems), any(has_stem(k, stems) for k in theirs.aside)
            if named and not other:
                return True
    return False


def _answer(case: Case, source: Source, question: str) -> Iterator[Choice]:
    """What the next user's message chooses of two that a sentence asks about."""
    after = (s for s in case.cited if s.position == source.position + 1 and s.message.role == "user" and s.clauses)
    for reply in after if case.lang not in CHARACTER_LANGUAGES else ():
        opening = reply.clauses[0].text
        if negations(opening, case.lang):
            return
        chosen = answered(question, opening, case.lang)
        if chosen is not None:
            yield chosen


def _sentences(case: Case) -> Iterator[tuple[Source, Span]]:
    seen: set[tuple[int, int]] = set()
    for clause in [c for _, c in case.ranked[:CLAUSES]] or [c for s in case.cited for c in s.clauses[:FEW]]:
        source = case.source(clause.message)
        span = source.sentence_at(clause.start) or Span(clause.start, clause.end)
        if (clause.message, span.start) not in seen:
            seen.add((clause.message, span.start))
            yield source, span


def _same(mine: Choice, theirs: Choice, lang: str) -> bool:
    """Whether both set the same aside."""
    if lang in CHARACTER_LANGUAGES:
        return ending(mine.aside[0]) == ending(theirs.aside[0])
    return has_stem(theirs.aside[0], mine.aside) and not _spelled_so(mine, theirs)


def _exchanged(mine: Choice, theirs: Choice, lang: str) -> bool:
    """Whether each sets aside what the other one does not."""
    if lang in CHARACTER_LANGUAGES:
        a, b = ending(mine.aside[0]), ending(theirs.aside[0])
        return a != b and a in theirs.beside and b in mine.beside and a not in theirs.aside[0]
    if _spelled_so(mine, theirs) and _spelled_so(theirs, mine):
        return True
    own, other = ([k for k in x.aside if not has_stem(k, y.aside)] for x, y in ((mine, theirs), (theirs, mine)))
    if not own or not other or len(own) < len(mine.aside):
        return False
    return has_stem(own[0], theirs.rest) and has_stem(other[0], mine.rest)


def _spelled_so(one: Choice, other: Choice) -> bool:
    """Whether what one sets aside stands in the other word for word, beside what that sets aside."""
    return bool(one.phrase) and f" {one.phrase} " in other.beside and one.phrase not in other.phrase


def _takes(case: Case, reading: Reading, source: Source, span: Span, theirs: Choice) -> bool:
    """Whether the claim names what is set aside, not what is taken, and says of it what this sentence does."""
    if (
        offers(case.text)
        or any(c.kind in _UNSURE for c in reading.cues)
        or reading.has("condition")
        or "optional" in reading.values("modal")
    ):
        return False
    if any(c.kind == "past" and c.text.casefold() not in BEEN for c in reading.cues):
        return False
    later = any(s.position > source.position and s.message.role == "user" for s in case.cited)
    if source.message.role == "assistant" and later:
        return False
    if case.lang in CHARACTER_LANGUAGES:
        return _takes_characters(case, theirs)
    stems = [k for w in words(case.text, case.lang) if (k := content_stem(w.text, case.lang))]
    head = next((k for k in theirs.aside if has_stem(k, stems)), theirs.aside[0])
    if theirs.aside[0] in theirs.rest or not has_stem(head, stems) or _elsewhere(case, source, span, head):
        return False
    if _names(theirs, head, stems):
        return False
    own = [k for k in stems if not has_stem(k, theirs.aside)]
    if any(k not in theirs.rest and _elsewhere(case, source, span, k) for k in own):
        return False
    ordered = not {"must", "should"}.isdisjoint(reading.values("modal"))
    return not own or any(has_stem(k, theirs.rest) for k in own) or takes(case.text) or ordered


def _names(theirs: Choice, head: str, stems: list[str]) -> bool:
    """Whether the claim names what is taken: a noun that both have (`oat milk, not soy`) does not name it."""
    if not theirs.kept:
        return True
    first, *more = theirs.kept
    at = next(i for i, k in enumerate(stems) if has_stem(head, (k,)))
    beside = stems[max(0, at - 1) : at + 2]
    if not has_stem(first, stems):
        return False
    return not (has_stem(first, beside) and more and not has_stem(more[0], stems))


def _elsewhere(case: Case, source: Source, span: Span, key: str) -> bool:
    """Whether another sentence of the cited messages has a word."""
    for other in case.cited:
        for index in other.clauses_with.get(key, ()):
            clause = other.clauses[index]
            if other is not source or not span.start <= clause.start < span.end:
                return True
    return False


def _takes_characters(case: Case, theirs: Choice) -> bool:
    aside = theirs.aside[0]
    named = aside if aside in case.text else ending(aside)
    if named not in case.text or aside in theirs.beside or (len(aside) == 1 and theirs.kept == ()):
        return False
    if not theirs.kept or theirs.kept[0] in case.text:
        return False
    others = sum(s.text.count(named) for s in case.cited)
    return others == 1 and any(c in theirs.beside for c in case.text.replace(named, "") if c.isalpha())
