"""Cue finders: the words of a text that deny, limit, condition, ask, accept, refuse, correct, forbid or decide. Pure.

Each finder takes any text and returns the cues with their spans in the original. Where no language is
given it is guessed; a text too short to guess (`ok`, `nein`, `不用`) is looked up in every table of its script.
"""

from __future__ import annotations

from collections.abc import Iterable

from bobctx.core.language import LANGUAGES, LATIN, UNKNOWN, language_of
from bobctx.core.lexicon import ACTS, LOGIC, Cue, cues

CLOSING = 3
"""Code points that may stand behind a closing question particle."""
SHORT = 40
"""Code points up to which an answer is looked up in all tables of its script."""


def negations(text: str, lang: str | None = None) -> list[Cue]:
    """Words that deny: `not`, `never`, `no`, and verbs that deny (`forbidden`, `without`)."""
    return _logic(text, lang, ("negation", "deny"))


def modals(text: str, lang: str | None = None) -> list[Cue]:
    """Modal words; the value is `must`, `should`, `may`, `can` or `optional`."""
    return _logic(text, lang, ("modal",))


def comparators(text: str, lang: str | None = None) -> list[Cue]:
    """Words that bound a value; the value is `at_least`, `at_most`, `more`, `less`, `before` or `after`."""
    return _logic(text, lang, ("comparator", "comparator_post"))


def quantifiers(text: str, lang: str | None = None) -> list[Cue]:
    """Words that say how many; the value is `all`, `some`, `most` or `only`."""
    return _logic(text, lang, ("quantifier",))


def conditions(text: str, lang: str | None = None) -> list[Cue]:
    """Words that open a condition; the value is `if`, `unless`, `except`, `until`, `when` or `despite`."""
    return _logic(text, lang, ("condition",))


def hypotheticals(text: str, lang: str | None = None) -> list[Cue]:
    """Words that keep a statement open; the value is `maybe`, `unsure` or `idea`."""
    return _logic(text, lang, ("hypothetical",))


def questions(text: str, lang: str | None = None) -> list[Cue]:
    """Question marks and closing question particles."""
    found = [Cue("question", "mark", c, i, i + 1) for i, c in enumerate(text) if c in "?？؟"]
    return found or [c for c in _logic(text, lang, ("question_end",)) if ends(text, c)]


def ends(text: str, cue: Cue) -> bool:
    """Whether a particle closes the text: only there it asks (`합니까`, but not the `니` of `합니다`)."""
    return len(text) - cue.end <= CLOSING and not text[cue.end :].strip(" .。!！~")


def refusals(text: str, lang: str | None = None) -> list[Cue]:
    """Words with which an answer refuses what was proposed."""
    return _act(text, lang, ("refusal",))


def acceptances(text: str, lang: str | None = None) -> list[Cue]:
    """Words with which an answer accepts what was proposed."""
    return _act(text, lang, ("acceptance",))


def correction_cues(text: str, lang: str | None = None) -> list[Cue]:
    """Words that change what was said or held before."""
    return _act(text, lang, ("correction",))


def prohibition_cues(text: str, lang: str | None = None) -> list[Cue]:
    """Words that forbid."""
    return _act(text, lang, ("prohibition",))


def decision_cues(text: str, lang: str | None = None) -> list[Cue]:
    """Words that settle something."""
    return _act(text, lang, ("decision",))


def _logic(text: str, lang: str | None, kinds: Iterable[str]) -> list[Cue]:
    return cues(text, lang or language_of(text), LOGIC, kinds)


def _act(text: str, lang: str | None, kinds: Iterable[str]) -> list[Cue]:
    language = lang or language_of(text)
    if len(text) > SHORT and language != UNKNOWN:
        return cues(text, language, ACTS, kinds)
    found: dict[tuple[int, int], Cue] = {}
    for one in _scripts(text, language):
        for cue in cues(text, one, ACTS, kinds):
            found.setdefault((cue.start, cue.end), cue)
    return [found[k] for k in sorted(found)]


def _scripts(text: str, language: str) -> tuple[str, ...]:
    """Languages a short text may be in: the guess first, then the others of its script."""
    if language in LATIN or (language == UNKNOWN and text.isascii()):
        return (language, *(x for x in LATIN if x != language)) if language in LATIN else LATIN
    if language == "zh":
        return ("zh", "ja")
    return (language,) if language != UNKNOWN else LANGUAGES
