"""Which of two things a sentence takes and which it sets aside: `tea rather than coffee`, `not tea`. Pure.

A mark (`data/choices.json`) tells where the thing set aside stands: behind it, or in front of it. The words next to it
on its other side are what is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple

import regex

from bobctx.core.folding import level
from bobctx.core.function_words import OR
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.remembering import remembered
from bobctx.core.text import Word, content_stem, content_stems, words

LONGEST: Final = 1_500
"""Code points of a sentence that are read."""
MOST: Final = 3
"""Words that are set aside together (`Frau Olsen`)."""
NEAR: Final = 2
"""Words next to a mark that are taken."""
LONG: Final = 3
"""Characters of a thing in languages without spaces, from which its end alone names it."""
_TABLE: Final[Mapping[str, Any]] = json.loads(
    files("bobctx.core").joinpath("data", "choices.json").read_text(encoding="utf-8")
)


def _compiled(kind: str) -> Mapping[str, regex.Pattern[str]]:
    return {lang: regex.compile(text) for lang, text in _TABLE[kind].items()}


_KINDS: Final = {kind: _compiled(kind) for kind in ("after", "weak", "before")}
_END: Final = regex.compile(r"[,;:.!?()،؛؟–—]|\s-\s")
_BUT: Final = regex.compile(_TABLE["but"])
_VOWELS: Final = regex.compile(r"\p{Mn}")
_STOPS: Final = regex.compile(r"[，,。；;、！？!?\s]")
_OFFERED: Final = regex.compile(_TABLE["offered"])
_TAKES: Final = regex.compile(_TABLE["takes"])
_PARTICLES: Final = {"ja": "はがをにのでも", "zh": "的把将", "ko": ""}


class Choice(NamedTuple):
    """One thing set aside for another."""

    aside: tuple[str, ...]
    """Stems of what is set aside, the first one first; its characters in languages without spaces."""
    kept: tuple[str, ...]
    """Stems of what is taken, the one next to the mark first."""
    rest: frozenset[str]
    """Stems of all that is said beside the head of what is set aside."""
    phrase: str
    """What is set aside as it is spelled, without articles and prepositions before it."""
    beside: str
    """The sentence without that."""
    cue: str
    firm: bool
    """Whether the mark has no other use."""


@remembered(2_048)
def choices(text: str, lang: str) -> tuple[Choice, ...]:
    """The choices that a sentence makes."""
    flat = level(_VOWELS.sub("", text[:LONGEST]) if lang == "ar" else text[:LONGEST])
    read = _unspaced if lang in CHARACTER_LANGUAGES else _spaced
    return tuple(read(flat, lang))


def answered(question: str, reply: str, lang: str) -> Choice | None:
    """What the reply to `X or Y?` takes: the one of which it has a word that the other one lacks."""
    said = [(w.text, content_stem(w.text, lang)) for w in words(question, lang)]
    at = max((i for i, (form, _) in enumerate(said) if form in OR), default=0)
    left, right = ([k for _, k in part if k] for part in (said[:at], said[at + 1 :]))
    first, second = [k for k in reversed(left) if k not in right][:MOST], [k for k in right if k not in left][:MOST]
    taken = content_stems(reply, lang)
    for kept, aside in ((first, second), (second, first)):
        if aside and not taken.isdisjoint(kept) and taken.isdisjoint(aside):
            named = tuple(k for k in kept if k in taken)
            return Choice(tuple(aside), named, frozenset(named), "", "", said[at][0], firm=True)
    return None


def offers(text: str) -> bool:
    """Whether a text says that something was there to choose (`the other option`)."""
    return _OFFERED.search(level(text)) is not None


def takes(text: str) -> bool:
    """Whether a text says that somebody chooses, prefers or wants something."""
    return _TAKES.search(level(text)) is not None


def _marks(text: str, lang: str) -> Iterator[tuple[int, int, bool, bool]]:
    """Where each mark stands, whether what it sets aside stands in front, and whether it has no other use."""
    for kind, table in _KINDS.items():
        if lang in table:
            for match in table[lang].finditer(text):
                start, end = match.span("m") if "m" in match.groupdict() and match["m"] is not None else match.span()
                yield start, end, kind == "before", kind != "weak"


def _spaced(text: str, lang: str) -> Iterator[Choice]:
    found = words(text, lang)
    said = [(w, content_stem(w.text, lang)) for w in found]
    for start, end, before, firm in _marks(text, lang):
        if before:
            edge = max((m.end() for m in _END.finditer(text, 0, start)), default=0)
            part = [x for x in said if edge <= x[0].start and x[0].end <= start]
            aside = [x for x in part if x[1]][-MOST:]
            near = [k for w, k in said if w.start >= end and k]
        else:
            edge_at = _END.search(text, end)
            last = edge_at.start() if edge_at is not None else len(text)
            part = [x for x in said if end <= x[0].start < last]
            ahead = any(k for w, k in said if w.end <= start)
            aside = _run(part, MOST if ahead or text[last : last + 1] in ",،" else 1)
            near = _taken(said, text, start, aside[-1][0].end if aside else end)
        if not aside:
            continue
        close = aside[-1][0].end
        head = aside[0]
        rest = frozenset(k for w, k in said if k and w is not head[0] and not start <= w.start < end)
        yield Choice(
            aside=(head[1], *(k for _, k in aside if k != head[1])),
            kept=tuple(near[:NEAR]),
            rest=rest,
            phrase=_spelled(part),
            beside=" "
            + " ".join(w.text for w, _ in said if w.end <= min(start, aside[0][0].start) or w.start >= max(close, end))
            + " ",
            cue=text[start:end].strip(),
            firm=firm,
        )


_Said = tuple[Word, str]


def _run(part: Sequence[_Said], most: int) -> list[_Said]:
    """The first words of a part that carry meaning and stand together."""
    out: list[_Said] = []
    for word, key in part:
        if not key:
            if out:
                break
            continue
        out.append((word, key))
        if len(out) == most:
            break
    return out


def _taken(said: Sequence[_Said], text: str, mark: int, close: int) -> list[str]:
    """What stands before the mark, next to it first; after a mark that opens, what follows a `but` or ends the text."""
    ahead = [k for w, k in said if w.end <= mark and k]
    turn = _BUT.search(text, close)
    if turn is not None:
        return [k for w, k in said if w.start >= turn.end() and k]
    if ahead:
        return ahead[::-1]
    return [k for w, k in reversed(said) if w.start >= close and k]


def _spelled(part: Sequence[_Said]) -> str:
    first = next((i for i, (_, key) in enumerate(part) if key), max(0, len(part) - 1))
    return " ".join(w.text for w, _ in part[first:])


def _unspaced(text: str, lang: str) -> Iterator[Choice]:
    for start, end, before, firm in _marks(text, lang):
        ahead, behind = _last_run(text[:start], lang), _first_run(text[end:], lang)
        aside, kept = (ahead, behind) if before else (behind, ahead)
        aside, kept = _apart(aside, kept) if lang == "zh" else (aside, kept)
        if aside:
            beside = text[: start - len(ahead)] + text[end:] if before else text[:start] + text[end + len(behind) :]
            near = kept[:NEAR] if before else ending(kept)
            yield Choice((aside,), (near,) if near else (), frozenset(), aside, beside, text[start:end].strip(), firm)


def _last_run(text: str, lang: str) -> str:
    at = max((text.rfind(c) for c in _PARTICLES[lang]), default=-1) + 1
    edge = max((m.end() for m in _STOPS.finditer(text)), default=0)
    return text[max(at, edge) :]


def _first_run(text: str, lang: str) -> str:
    text = text.lstrip(" ，、")
    cut = _STOPS.search(text)
    text = text[: cut.start()] if cut is not None else text
    at = min((i for c in _PARTICLES[lang] if (i := text.find(c)) > 0), default=len(text))
    return text[:at]


def ending(characters: str) -> str:
    """What names a thing in a language without spaces: all of a short name, the end of a long one."""
    return characters if len(characters) <= LONG else characters[-NEAR:]


def _apart(aside: str, kept: str) -> tuple[str, str]:
    """Two sides without the word they begin with and the one they end with (`按姓氏排`, `按生日排`)."""
    while aside and kept and aside[-1] == kept[-1] and len(aside) > 1:
        aside, kept = aside[:-1], kept[:-1]
    at = kept.find(aside[:1]) if len(aside) > 1 else -1
    return (aside[1:], kept[at + 1 :]) if at >= 0 else (aside, kept)
