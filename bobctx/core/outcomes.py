"""What an assistant reports at the end of an exchange stands for the user's request for it. Pure.

A request that was answered is history: quoted alone it reads like work that is still to be done. The report that
repeats all its values says the same, and what became of it (design, section 5, Seats).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from bobctx.core.salience import VALUE
from bobctx.core.segments import Flag, flags_of
from bobctx.core.sorting import Draft, announces
from bobctx.core.types import Region

_END = ".,:;!?…。，：；！？"
REPORTS = frozenset({"fact", "artifact", "failure", "decision"})
"""Types of an assistant's sentence that says how things are."""


def with_outcomes(drafts: Sequence[Draft], region: Region) -> list[Draft | None]:
    """The drafts, None for a plain request whose outcome is among them; an outcome is worth what its request was.

    A rule, a correction or a preference binds on and always stays. A change is now the report's.
    """
    users = [p for p, m in enumerate(region.messages) if flags_of(m) & Flag.GENUINE_USER]
    reports: dict[int, list[tuple[int, frozenset[str]]]] = {}
    for index, draft in enumerate(drafts):
        if draft.voice == "assistant" and draft.type in REPORTS and draft.importance > 1 and not announces(draft.text):
            reports.setdefault(bisect_right(users, draft.position), []).append((index, values(draft.text)))
    out: list[Draft | None] = list(drafts)
    for index, draft in enumerate(drafts):
        if draft.voice != "user" or draft.type != "fact" or draft.importance != 2:
            continue
        wanted = values(draft.text)
        told = reports.get(bisect_right(users, draft.position), ()) if wanted else ()
        after = (at for at, said in reversed(told) if wanted <= said and drafts[at].position > draft.position)
        last = next(after, None)
        if last is not None:
            report = out[last] or drafts[last]
            corrects = report.corrects or draft.corrects
            out[last] = replace(report, score=max(report.score, draft.score), corrects=corrects, outcome=True)
            out[index] = None
    return out


def values(text: str) -> frozenset[str]:
    """The exact values of a sentence, without what ends it."""
    return frozenset(v for v in (m.rstrip(_END) for m in VALUE.findall(text)) if v)
