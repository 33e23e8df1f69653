"""What has ended told as going on (`still supported` of `we have stopped supporting it`), and the reverse. Pure.

A word that keeps things going stands for many denials (`is still unknown` for `has not been found`), so that `polarity`
takes it as another way to deny. Here it is set against the word that ends the very thing: where a clause that speaks
of the same matter ends it, and none goes on with it, the claim turns it around (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import regex

from bobctx.core.acts import negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.patterns import patterns
from bobctx.core.reading import Reading, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems

_OFF: Final = frozenset({"open-", "enable-", "present-", "available-"})
"""Sides of a pair that are an end by themselves."""
MOST: Final = 24
"""Clauses with a word of the claim that are read."""
SHARED: Final = 2
"""Words of the claim that a clause on the same matter has; one is enough where it is most of them."""
SHARE: Final = 0.5
"""And this share of the claim's words."""
_GOES_ON: Final = patterns("goes_on")
_ENDED: Final = patterns("ended")
_HAN: Final = regex.compile(r"[\p{Han}\p{Katakana}]")
_SIGNS: Final = frozenset({"zh", "ja"})
"""Languages whose words are compared by their signs."""


def check(case: Case) -> Refusal | None:
    """The first clause that ends what the claim tells as going on, or goes on with what it tells as ended."""
    if case.lang == UNKNOWN:
        return None
    on, over = _GOES_ON[case.lang].search(case.text), _ENDED[case.lang].search(case.text)
    if (on is None) == (over is None):
        return None
    whole = read(case.text, case.lang)
    if (
        whole.question
        or (on is not None and (_denies(whole) or _stays_ended(whole)))
        or whole.values("condition") - {"at", "including"}
    ):
        return None
    said = on or over
    if said is None:
        return None
    mine = _words(f"{case.text[: said.start()]} {case.text[said.end() :]}", case.lang)
    found: tuple[str, Source, Clause] | None = None
    for source, clause, reading in case.readings(MOST):
        lang = case.lang_of(source)
        if lang != case.lang:
            continue
        ends, text = _ending(source, clause, reading)
        shared = _shared(mine, text, lang)
        if shared < min(SHARED, len(mine)):
            continue
        goes = _GOES_ON[lang].search(source.text, *_around(source, clause))
        other = over is not None and (_denies(reading) or any(s.has("stop") for s in reading.segments))
        if (goes if on is not None else ends) or other or reading.question or reading.has("hypothetical"):
            return None
        against = ends if on is not None else goes.group() if goes is not None else ""
        if against and shared >= SHARE * len(mine):
            found = found or (against, source, clause)
    if found is None:
        return None
    against, source, clause = found
    code, cue = ("negation_dropped", against) if on is not None else ("negation_added", said.group())
    return Refusal(code=code, data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias})


def _ending(source: Source, clause: Clause, reading: Reading) -> tuple[str, str]:
    """The words of a clause that end something, and the text with them, as `not … anymore` may be cut.

    Nothing where the clause denies that it ends.
    """
    for match in _ENDED[reading.lang].finditer(source.text, *_around(source, clause)):
        if match.start() < clause.end and clause.start < match.end():
            text = source.text[min(clause.start, match.start()) : max(clause.end, match.end())]
            undone = reading.has("negation") and not negations(match.group(), reading.lang)
            return "" if undone else match.group(), text
    return "", clause.text


def _around(source: Source, clause: Clause) -> tuple[int, int]:
    """Where the sentence of a clause begins and ends."""
    sentence = source.sentence_at(clause.start)
    return (sentence.start, sentence.end) if sentence is not None else (clause.start, clause.end)


def _stays_ended(claim: Reading) -> bool:
    """Whether what a claim says to go on is an end (`stays off`, `remains closed`)."""
    return not _OFF.isdisjoint(claim.values("polar"))


def _denies(reading: Reading) -> bool:
    return any(s.strength % 2 for s in reading.segments)


def _words(text: str, lang: str) -> set[str]:
    """What a text speaks of: its content stems, or its signs where words are written without spaces."""
    return set(_HAN.findall(text)) if lang in _SIGNS else set(content_stems(text, lang))


def _shared(mine: Collection[str], text: str, lang: str) -> int:
    theirs = _words(text, lang)
    return sum(has_stem(w, theirs) for w in mine)
