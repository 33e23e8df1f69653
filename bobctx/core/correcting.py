"""A correction needs something that changed: a word of change, or an earlier message about the same thing. Pure.

Source: design, section 6, Polarity (`a correction only if the cited text shows a change`). What was said before may
stand uncited: then the cited words are read against the earlier messages of the region.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bobctx.core import change
from bobctx.core.acts import correction_cues, negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.language import LANGUAGES, UNKNOWN
from bobctx.core.sources import Source
from bobctx.core.text import content_stems
from bobctx.core.types import PriorClaim

SAME: Final = 2
"""Words of the claim that an earlier message must have to be about the same thing."""
EARLIER: Final = 60
"""Messages before the last cite that are looked at."""


def check(case: Case, prior: Iterable[PriorClaim] = ()) -> Refusal | None:
    """Whether a correction corrects nothing; `prior` are the claims of earlier regions, which it may correct."""
    if case.type != "correction" or case.lang == UNKNOWN or not case.cited:
        return None
    if any(_changes(source) for source in case.cited) or _said_before(case):
        return None
    if any(p.active and len(content_stems(p.text, case.lang) & case.stems) >= SAME for p in prior):
        return None
    last = case.cited[-1]
    return Refusal(code="no_change", data={"message": last.message.alias})


def _changes(source: Source) -> bool:
    """Whether a cited message has a word of change, in its language or in that of one of its sentences."""
    if _marks(source.text, source.lang):
        return True
    return any(source.speaks(lang) and _marks(source.text, lang) for lang in LANGUAGES if lang != source.lang)


def _marks(text: str, lang: str) -> bool:
    return change.marks_change(text, lang) or bool(correction_cues(text, lang) or negations(text, lang))


def _said_before(case: Case) -> bool:
    """Whether a message before the last cite, cited or not, speaks of what the claim does."""
    last = case.cited[-1]
    if last.region is None:
        return False
    first = max(0, last.position - EARLIER)
    return any(len(last.region[at].stems & case.stems) >= SAME for at in range(last.position - 1, first - 1, -1))
