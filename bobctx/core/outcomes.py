"""What an assistant reports at the end of an exchange stands for the user's request for it. Pure.

A request that was answered is history: quoted alone it reads like work that is still to be done. The report that
repeats all its values says the same, and what became of it; a report that says no more than that it is done is quoted
behind the request (design, section 5, Seats).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import regex

from bobctx.core.candidates import unsafe
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.markers import is_question
from bobctx.core.quotable import MAX_CHARS
from bobctx.core.salience import VALUE
from bobctx.core.segments import Flag, flags_of
from bobctx.core.sorting import Draft, announces
from bobctx.core.text import sentences
from bobctx.core.types import Region

_END = ".,:;!?…。，：；！？"
REPORTS = frozenset({"fact", "artifact", "failure", "decision"})
"""Types of an assistant's sentence that says how things are."""
REPORT_CHARS = 160
"""Characters of a report that is quoted behind its request."""
_TABLE: dict[str, Any] = json.loads(files("bobctx.core").joinpath("data", "outcomes.json").read_text("utf-8"))


def _phrases(name: str, languages: Collection[str]) -> str:
    found = (words for lang in languages for words in _TABLE[lang].get(name, "").split("|") if words)
    return "|".join(regex.escape(phrase) for phrase in sorted(found, key=len, reverse=True))


_SPACED = [lang for lang in _TABLE if lang not in ("_source", *CHARACTER_LANGUAGES)]
_DONE = regex.compile(
    rf"^[^\p{{L}}\p{{N}}]*+(?:(?:{_phrases('opens', _SPACED)})(?![\w'’])"
    rf"|(?:{_phrases('opens', CHARACTER_LANGUAGES)}))"
    rf"|(?:{_phrases('ends', CHARACTER_LANGUAGES)})[。.!！]*+$",
    regex.IGNORECASE,
)


def with_outcomes(drafts: Sequence[Draft], region: Region) -> list[Draft | None]:
    """The drafts, None for a plain request whose outcome is among them; an outcome is worth what its request was.

    A rule, a correction or a preference binds on and always stays. A change is now the report's. A request whose report
    repeats less than its values is quoted together with it.
    """
    users = [p for p, m in enumerate(region.messages) if flags_of(m) & Flag.GENUINE_USER]
    reports: dict[int, list[tuple[int, frozenset[str]]]] = {}
    for index, draft in enumerate(drafts):
        if draft.voice == "assistant" and draft.type in REPORTS and draft.importance > 1 and not announces(draft.text):
            reports.setdefault(bisect_right(users, draft.position), []).append((index, values(draft.text)))
    out: list[Draft | None] = list(drafts)
    dones: dict[int, tuple[int, str] | None] = {}
    places = {(draft.position, draft.text): index for index, draft in enumerate(drafts)}
    for index, draft in enumerate(drafts):
        if draft.voice != "user" or draft.type != "fact" or draft.importance != 2:
            continue
        exchange = bisect_right(users, draft.position)
        wanted = values(draft.text)
        told = reports.get(exchange, ()) if wanted else ()
        after = (at for at, said in reversed(told) if wanted <= said and drafts[at].position > draft.position)
        last = next(after, None)
        if last is not None:
            report = out[last] or drafts[last]
            corrects = report.corrects or draft.corrects
            out[last] = replace(report, score=max(report.score, draft.score), corrects=corrects, outcome=True)
            out[index] = None
            continue
        if exchange not in dones:
            end = users[exchange] if exchange < len(users) else len(region.messages)
            dones[exchange] = _done(region, draft.position + 1, end)
        done = dones[exchange]
        if done is None or len(draft.text) + len(done[1]) >= MAX_CHARS:
            continue
        twin = places.get(done)
        score = draft.score
        if twin is not None and drafts[twin].importance < 3:
            out[twin], score = None, max(score, drafts[twin].score)
        out[index] = replace(draft, score=score, report=done, outcome=True)
    return out


def _done(region: Region, start: int, end: int) -> tuple[int, str] | None:
    """The last message of a stretch that begins with a report that all is done, and that sentence."""
    for position in range(end - 1, start - 1, -1):
        message = region.messages[position]
        if message.role != "assistant":
            continue
        begins = message.text[: 2 * REPORT_CHARS]
        spans = sentences(begins)
        said = begins[spans[0].start : spans[0].end].strip() if spans else ""
        if 0 < len(said) <= REPORT_CHARS and _DONE.search(said) and not is_question(said) and not unsafe(said):
            return position, said
    return None


def values(text: str) -> frozenset[str]:
    """The exact values of a sentence, without what ends it."""
    return frozenset(v for v in (m.rstrip(_END) for m in VALUE.findall(text)) if v)
