"""Two predicates denied in one sentence, of which a claim denies only one. Pure.

In languages where one negation agrees with another (`non … mai`), a segment counts as denied once. But `chi non paga
non entra` denies two verbs, each with a `non` of its own, so the words right behind them are compared.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.reading import Segment, read

LANGUAGES: Final = frozenset({"it", "es", "pt", "ru"})
"""Languages of agreeing negations whose verb has one word before it (French has two: `ne … pas`)."""
MOST: Final = 8
"""Clauses that are compared, those with most of the claim first."""
SAME: Final = 0.7
"""Share of either segment's words that both have."""
_OTHERWISE: Final = ("deny", "stop", "soft", "condition", "contrast")
"""Other ways to deny, which may stand for one of the two."""


def check(case: Case) -> Refusal | None:
    """`chi non paga entra` of `chi non paga non entra`."""
    if case.lang not in LANGUAGES:
        return None
    for mine in read(case.text, case.lang).segments:
        for source, clause, reading in case.readings(MOST):
            for theirs in reading.segments:
                code = _turned(mine, theirs) if reading.lang == case.lang and not reading.question else ""
                if code:
                    cue = (theirs if code == "negation_dropped" else mine).of("verbal")[-1].text
                    data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                    return Refusal(code=code, data=data)
    return None


def _turned(mine: Segment, theirs: Segment) -> str:
    """The code of a verb that only one of two alike segments denies, or nothing."""
    verbs, others = len(mine.of("verbal")), len(theirs.of("verbal"))
    if verbs == others or not verbs or not others or not _alike(mine, theirs):
        return ""
    few, many = (mine, theirs) if verbs < others else (theirs, mine)
    if "only" in few.values("quantifier") or _ways(few) != _ways(many):
        return ""
    bare = {h for h in many.heads - few.heads if not h.startswith("=") and h in few.content}
    if not bare:
        return ""
    return "negation_dropped" if few is mine else "negation_added"


def _alike(mine: Segment, theirs: Segment) -> bool:
    left, right = (s.content.keys() for s in (mine, theirs))
    return len(left & right) >= SAME * max(len(left), len(right))


def _ways(segment: Segment) -> set[tuple[str, str]]:
    """The words of a segment that deny otherwise; the verbs' own negations are none."""
    own = {c.start for c in segment.of("verbal")}
    return {(c.kind, c.value) for kind in _OTHERWISE for c in segment.of(kind) if c.start not in own}
