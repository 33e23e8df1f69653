"""What a claim says that somebody did, asked or wants, where no sentence about them speaks of anything like it. Pure.

`The landlord wants the walls painted` names a landlord who stands in the source, where all he does is not to mind nail
holes. `data/deeds.json` has classes of such acts (`says`) and for each the words that may stand for it in a source
(`grounds`): a wish in other words, a yes, a no (design, section 6, Support).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import regex

from bobctx.core.acts import hypotheticals, negations, questions
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.lexicon import CACHED, Cue, Lexicon, cues_of
from bobctx.core.remembering import remembered
from bobctx.core.sources import Source
from bobctx.core.text import content_stems

SUBJECT: Final = 48
"""Code points of a claim before its verb in which its subject stands."""
NEAR: Final = 2
"""Words before a verb among which its subject or auxiliary stands."""
VERB_LAST: Final = frozenset({"de", "nl"})
"""Languages with the participle at the end, far from its auxiliary (`Besuche sind bis 20 Uhr erlaubt`)."""
BEHIND: Final = 1
"""Sentences behind one with the subject that may speak of it as well."""
ANSWERS: Final = 2
"""Sentences with which the next message answers one that has the subject."""
_MARKED: Final = frozenset({"let_down", "buy", "sell", "sick", "die", "marry", "sue"})
"""Classes with words so much their own that they are looked for in all that is cited, for anybody.

Whoever takes part in the talk asks and agrees in it all the time, in any words.
"""


class _Deeds(NamedTuple):
    """The acts of one language."""

    lexicon: Lexicon
    participants: frozenset[str]
    """Stems of who takes part in the talk (`user`)."""
    passive: frozenset[str]
    """Words that make the subject what something is done to (`is` of `is approved`)."""
    writer: frozenset[str]
    """Words for who writes (`I`)."""


_TABLE: Final[Mapping[str, Any]] = json.loads(files("bobctx.core").joinpath("data", "deeds.json").read_text("utf-8"))
_LANGUAGES: Final = frozenset(lang for lang in _TABLE if not lang.startswith("_"))
_KIN: Final = {deed: frozenset(others.split("|")) for deed, others in _TABLE["_kin"].items()}
"""Class -> the classes whose acts may be told as one of it (`wants` as `has asked`)."""
_SPEECH: Final = regex.compile(r"^[^\n:：]{1,48}(?:：|:\s)\s*\S")
"""A sentence that begins with who says it (`The architect: go for a flat roof`)."""


@cache
def _deeds(lang: str) -> _Deeds:
    """The acts of a language, made ready when its first claim comes."""
    table = _TABLE[lang]
    return _Deeds(
        Lexicon(lang, {"says": table["says"], "grounds": table["grounds"]}),
        content_stems(table["participants"], lang),
        frozenset(table["be"].split("|")),
        frozenset(table["self"].split("|")),
    )


def check(case: Case) -> Refusal | None:
    """Whether the claim gives somebody an act of whose kind nothing that is said about them has a word."""
    if case.lang not in _LANGUAGES or case.type == "open_question" or questions(case.text, case.lang):
        return None
    deeds = _deeds(case.lang)
    deed = next((c for c in _acts(case.text, case.lang) if c.kind == "says"), None)
    if deed is None or deed.start > SUBJECT or hypotheticals(case.text, case.lang):
        return None
    before = case.text[: deed.start]
    subject = content_stems(before, case.lang)
    auxiliary = before.casefold().split() if case.lang in VERB_LAST else _last(before)
    if not subject or not deeds.passive.isdisjoint(auxiliary) or negations(before, case.lang):
        return None
    own, marked = bool(subject & deeds.participants), deed.value in _MARKED
    if own and not marked:
        return None
    about = list(_cited(case, own=own) if marked else _about(case, subject))
    if not marked and any(_speaks(text, lang, subject) for text, lang in about):
        return None
    if not about or any(_grounded(text, deed.value, lang, own=own or marked) for text, lang in about):
        return None
    return Refusal(code="unsupported", data={"missing": deed.text, "share": 0.0})


def _acts(text: str, lang: str) -> tuple[Cue, ...]:
    return _remembered(text, lang) if len(text) <= CACHED else tuple(cues_of(text, _deeds(lang).lexicon))


@remembered(2_048)
def _remembered(text: str, lang: str) -> tuple[Cue, ...]:
    return tuple(cues_of(text, _deeds(lang).lexicon))


def _last(text: str) -> list[str]:
    return text.casefold().split()[-NEAR:]


def _grounded(text: str, deed: str, lang: str, *, own: bool) -> bool:
    """Whether a text has a word that may stand for an act of this class, not as an act of who writes it.

    `I want to hear what Nadia thinks` is no wish of Nadia's; what the writer is told or promised is said of others.
    """
    if lang not in _LANGUAGES:
        return True
    writer = frozenset() if own or deed == "agree" else _deeds(lang).writer
    return any(
        (c.value == deed or (c.kind == "says" and c.value in _KIN.get(deed, ())))
        and writer.isdisjoint(_last(text[: c.start]))
        for c in _acts(text, lang)
    )


def _cited(case: Case, *, own: bool) -> Iterator[tuple[str, str]]:
    """The cited messages, for what a participant feels or buys (`own`) those of users."""
    return ((s.text, case.lang_of(s)) for s in case.cited if not own or s.message.role == "user")


def _about(case: Case, subject: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The sentences of the cited messages about somebody, what stands behind them and what answers them."""
    for number, source in enumerate(case.cited):
        lang = case.lang_of(source)
        named = _naming(source, subject)
        for at in named:
            near = source.blocks[at : at + BEHIND + 1]
            yield source.text[near[0].start : near[-1].end], lang
        if named and number + 1 < len(case.cited):
            yield from _opening(case, case.cited[number + 1])


def _naming(source: Source, subject: frozenset[str]) -> list[int]:
    """The sentences of a message with a word of the subject."""
    starts = [b.start for b in source.blocks]
    found = {bisect_right(starts, at) - 1 for at, key in source.spoken if any(has_stem(w, (key,)) for w in subject)}
    return sorted(i for i in found if i >= 0)


def _opening(case: Case, source: Source) -> Iterator[tuple[str, str]]:
    """The first sentences of a message."""
    first = source.blocks[:ANSWERS]
    if first:
        yield source.text[: first[-1].end], case.lang_of(source)


def _speaks(text: str, lang: str, subject: frozenset[str]) -> bool:
    """Whether a text begins with somebody and a colon: what follows is theirs, in whatever words."""
    head = _SPEECH.match(text)
    return head is not None and _names(head.group(), lang, subject)


def _names(text: str, lang: str, subject: frozenset[str]) -> bool:
    said = content_stems(text, lang)
    return any(has_stem(w, said) for w in subject)
