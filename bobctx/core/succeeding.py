"""A success that nothing reports: `the upload succeeded` of messages in which it fails. Pure.

A log says `ERROR` or `FAIL` and names no verb, so no opposite stands in it. A claim that something passed or succeeded
needs a sign of success for it; without one, a sign of failure with its words refuses it (design, section 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.reading import NAME_WEIGHT, Segment, read
from bobctx.core.sources import Source
from bobctx.core.text import content_stems

_OPEN: Final = ("hypothetical", "modal")
"""Kinds of words with which no success is told."""
LONGEST: Final = 20_000
"""Characters of a message that are searched."""
_FAILED: Final = regex.compile(
    r"(?i:\b(?:fail(?:ed|ure|s|ing)?|error|fatal|panic(?:ked)?|traceback|crash(?:ed)?|abort(?:ed)?)\b)"
    r"|\b[A-Z]\w*(?:Error|Exception|Timeout|Mismatch)\b|✗|✘|❌"
)
_RAISED: Final = regex.compile(r"\b\w*(?:Error|Exception|ERROR|FAILED):? ")
"""What a log reads like in the message of a user."""
_PASSED: Final = regex.compile(
    r"(?i)\b(?:pass(?:ed|es|ing)?|ok|succe\w+|done|finished|complete[ds]?|green|work(?:s|ed)?"
    r"|(?:0|no|zero|without)\s(?:fail(?:ed|ing|ures?|s)?|errors?|crash(?:es)?|exceptions?)(?:\stests?)?"
    r"|(?:fail(?:ed|ures?|ing)?|errors?)\s?[:=]\s?(?:0|none|no|null)|(?:HTTP\s)?20[0-4]"
    r"|erfolgreich|abgeschlossen|terminée?s?|réussie?s?|completad[oa]s?|concluíd[oa]s?|completat[oa]|voltooid|gelukt"
    r"|завершен[аоы]?|успешно|went\sthrough)\b|✓|✔|✅|成功|完了|完成|완료|성공|نجح|اكتمل"
)


def check(case: Case) -> Refusal | None:
    """The first success of the claim for which its sources have a failure and no success."""
    if case.lang == UNKNOWN:
        return None
    whole = read(case.text, case.lang)
    if whole.question or "success-" in whole.values("polar") or any(map(whole.has, _OPEN)):
        return None
    if whole.values("condition") & {"if", "unless"}:
        return None
    said = _first(whole.segments)
    if said is None or said[0].strength:
        return None
    segment, cue = said
    lines = [(source, line) for source in case.cited for line in source.text[:LONGEST].splitlines()]
    names = [k for k, w in segment.content.items() if w >= NAME_WEIGHT and any(c.isalpha() for c in k)]
    named = [(s, line) for s, line in lines if any(name in line.casefold() for name in names)]
    failing = [(s, line) for s, line in named if _FAILED.search(line)]
    about = named if failing and len(failing) == len([1 for _, line in named if _tells(line)]) else lines
    if any(_succeeds(s, line) for s, line in about):
        return None
    words = words_of(segment) - segment.wording.get("=success", frozenset())
    for source, line in about:
        logged = source.message.role == "tool" or _RAISED.search(line) is not None
        if logged and _FAILED.search(line) and _speaks(line, words, case.lang):
            data = {"cue": cue, "clause": line.strip()[:200], "message": source.message.alias}
            return Refusal(code="antonym", data=data)
    return None


def _speaks(line: str, words: set[str], lang: str) -> bool:
    """Whether a line has a word of what is said to have succeeded."""
    said = content_stems(line, lang)
    return any(has_stem(w, said) for w in words)


def _tells(line: str) -> bool:
    """Whether a line says how something came out."""
    return _FAILED.search(line) is not None or _PASSED.search(line) is not None


def _succeeds(source: Source, line: str) -> bool:
    """Whether a line reports a success, alone or beside a failure."""
    if _PASSED.search(line) is not None:
        return True
    return any(c.value == "success+" for c in cues(line, source.lang, LOGIC, ("polar",)))


def _first(segments: Sequence[Segment]) -> tuple[Segment, str] | None:
    return next(((s, c.text) for s in segments for c in s.of("polar") if c.value == "success+"), None)
