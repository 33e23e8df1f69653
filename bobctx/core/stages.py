"""How far a text says that something has come: done, open, still ahead, failed; marks of each language. Pure.

Auxiliaries and participles tell what is done, modals, verbs of planning, wishing, asking and trying and words for a
time to come what is open (`data/stages.json`). `overstated` compares claims by them; here it is also told which claims
speak of the stage themselves (`not complete`, `is possible`), so that they turn nothing around.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import regex

from bobctx.core.checking import Case
from bobctx.core.patterns import pattern
from bobctx.core.sources import Clause
from bobctx.core.text import content_stems, folded

BEHIND: Final = 60
"""Code points behind a clause in which what was tried may be told to have failed."""
_SIGNS: Final = frozenset({"zh", "ja"})
"""Languages without spaces between words."""
_TABLE: Final[dict[str, Any]] = json.loads(files("bobctx.core").joinpath("data", "stages.json").read_text("utf-8"))
_PARTS: Final = regex.compile(r"[,;:，；：、]")
_FORBIDS: Final = pattern("forbids")
"""The beginning of an order not to do something (`don't send it yet`)."""
_LANGUAGES: Final = frozenset(lang for lang in _TABLE if not lang.startswith("_"))


class Stages(NamedTuple):
    """The marks of one language."""

    done: regex.Pattern[str]
    past: regex.Pattern[str]
    """What in a source, though not in a claim, is taken for done as well."""
    over: regex.Pattern[str]
    """Words that tell of any deed that it is over (`completed`, `already`)."""
    open: regex.Pattern[str]
    ahead: regex.Pattern[str]
    """What a claim calls still to be done or still going on."""
    failed: regex.Pattern[str]
    win: regex.Pattern[str]
    """Words for an end that came out well."""
    but: regex.Pattern[str]
    """Words before what stood against a plan."""
    sure: regex.Pattern[str]
    """What a claim calls certain."""
    doubt: regex.Pattern[str]
    """Hopes and guesses."""
    link: regex.Pattern[str]
    """Words that begin another statement in the same clause."""
    wish: regex.Pattern[str]
    """Wishes, of a claim or its source."""
    possible: regex.Pattern[str]
    """What a claim itself tells as possible."""
    yet: regex.Pattern[str]
    """What makes of a denial that the thing is still to come."""


def stages_of(lang: str) -> Stages | None:
    """The marks of a language that has a table."""
    return _stages(lang) if lang in _LANGUAGES else None


@cache
def _stages(lang: str) -> Stages:
    """The marks of a language, made ready when its first claim comes."""
    before, after = ("", "") if lang in _SIGNS else (r"(?<!\p{L})", r"(?!\p{L})")
    before = r"(?<!\p{L})[وف]?" if lang == "ar" else before
    marks = {k: f"{before}(?:{_TABLE[lang][k]}){after}" for k in Stages._fields}
    marks["link"] += "|[,;，、،]"
    return Stages(**{k: regex.compile(mark) for k, mark in marks.items()})


@cache
def participants(lang: str) -> frozenset[str]:
    """Stems of who takes part in the talk (`user`)."""
    return content_stems(_TABLE[lang]["who"], lang)


def tells_done(text: str, stages: Stages, *, past: str = "") -> bool:
    """Whether a folded text tells something as done, and not that it was planned, asked for or tried.

    In `past`, the part of it that is asked about, a bare past tense is enough.
    """
    if stages.failed.search(text) and not stages.win.search(stages.failed.sub(" ", text)):
        return False
    marks = ((stages.done, text), (stages.over, text), (stages.past, past))
    said = (m.group() for marked, where in marks for m in marked.finditer(where))
    return any(stages.open.search(m) is None and stages.failed.search(m) is None for m in said)


def unfinished(case: Case, clause: Clause) -> bool:
    """Whether a claim denies the end of what a clause has at work or as failed (`not complete` of `interrupted`)."""
    stages = stages_of(case.lang)
    if stages is None:
        return False
    said, source = folded(case.text), case.source(clause.message)
    behind = source.text[clause.end : clause.end + BEHIND]
    there, failing = stages.open.search(folded(clause.text)), stages.failed.search(folded(clause.text + behind))
    if tells_done(folded(clause.text), stages):
        return False
    plain = stages.yet.sub(" ", said)
    ended = stages.over.search(said) or stages.win.search(said) or (plain != said and stages.done.search(said))
    if ended and not stages.open.search(stages.ahead.sub(" ", plain)):
        return failing is not None or there is not None
    return failing is not None and there is not None


def kept_open(case: Case, clause: Clause) -> bool:
    """Whether the claim itself tells its matter as possible, or tells a wish as the wish that it is."""
    stages = stages_of(case.lang)
    if stages is None:
        return False
    said = folded(case.text)
    wished = stages.wish.search(said) is not None and stages.wish.search(folded(clause.text)) is not None
    return wished or stages.possible.search(said) is not None


def to_come(case: Case, cue: str, clause: Clause) -> bool:
    """Whether the claim tells as planned what a clause says by `cue` is not done yet (`haven't sent it yet`)."""
    stages = stages_of(case.lang)
    part = next((p for p in _PARTS.split(clause.text) if cue in p), "")
    if stages is None or not stages.yet.search(folded(part)) or _FORBIDS.match(part):
        return False
    said = folded(case.text)
    ahead, done = stages.open.search(said) or stages.ahead.search(said), stages.done.search(said)
    return ahead is not None and (done is None or ahead.start() < done.end()) and not stages.over.search(said)
