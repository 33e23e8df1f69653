"""Short corrections that name no subject (`make that 9443`): they lean on the statement just before them. Pure.

Such a claim means nothing alone, so it is shown with what it replaces (`render`), and a link to it is judged by
the kind of its value (`supersession`).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core import change, literals
from bobctx.core.language import language_of
from bobctx.core.lexicon import ACTS, cues
from bobctx.core.literals import Literal
from bobctx.core.markers import markers
from bobctx.core.remembering import remembered
from bobctx.core.repairing import repair
from bobctx.core.salience import NAMES, stems

ELLIPTIC: Final = 48
"""Characters, beside its value, of a statement that only repairs a value just given."""
SHORTER: Final = 40
"""Characters in all of one that does not begin as a repair."""
LONGEST: Final = 2 * ELLIPTIC
"""Characters of such a statement in all."""
MOST_WORDS: Final = 2
"""Words of its own that it may have (`of course`, `the right one`)."""
VALUES: Final = literals.MEASURED | {"ip", "port", "url", "email", "path", "money", "ticket"}
"""Kinds of literal that are values; identifiers, flags, names and the like say what a statement is about."""
COMPOUND: Final = regex.compile(r"(?<![A-Za-z0-9_/-])[A-Za-z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++){2,}+(?![A-Za-z0-9_/-])")
"""A name made of three or more parts."""
APOLOGY: Final = regex.compile(
    r"(?:oh |no |wait |nein |non |нет )?[, ]*(?:(?:no|nein|non|nee|não|нет)(?=\s?[,.!])"
    r"|sorry|pardon|oops|wait(?=,)|actually"
    r"|perd[óo]n|entschuldigung|scusa|desculp[ae]|прости(?:те)?|извини(?:те)?"
    r"|抱歉|对不起|すみません|죄송|عفوا)(?!\p{L})",
    regex.IGNORECASE,
)
"""With which a repair begins."""


def prepare() -> None:
    """Make the tables of all languages ready, so that no answer waits for those of its own."""
    for lang in ACTS:
        ACTS[lang]


def values_of(text: str, lang: str) -> frozenset[tuple[str, str]]:
    """The exact values of a text as (kind, value); people count as values of the kind `name`."""
    found = {(lit.kind, lit.text) for lit in _values(text, lang)}
    return frozenset(found | {("name", m.group()) for m in NAMES.finditer(text)})


@remembered(2048)
def leans(text: str, lang: str) -> bool:
    """Whether a text corrects one value and names nothing that the value belongs to."""
    if len(text) > LONGEST or COMPOUND.search(text) is not None:
        return False
    begins = APOLOGY.match(text) is not None or bool(repair(text, lang))
    if not begins and len(text) > SHORTER:
        return False
    repairs = begins or "correct" in markers(text, lang)
    if not repairs and not change.marks_change(text, lang):
        return False
    values = values_of(text, lang)
    if len(values) != 1 or len(text) - sum(len(value) for _, value in values) > ELLIPTIC:
        return False
    most = MOST_WORDS if repairs else MOST_WORDS - 1  # `67 minutes more` marks a change, and of something else
    return len(own_words(text, lang)) <= most + 3 * (lang in ("zh", "ja"))  # characters come in pairs


def needs(text: str, before: str, lang: str) -> bool:
    """Whether a text leans on the statement `before` it, which it replaces, and names less than half of its subject."""
    if not leans(text, lang):
        return False
    subject = own_words(before, language_of(before))
    return len(own_words(text, lang) & subject) * 2 < max(1, len(subject))


def own_words(text: str, lang: str) -> frozenset[str]:
    """Words beside the value and what marks the correction."""
    spelled = " ".join(value for _, value in values_of(text, lang)).casefold()
    said = (repair(text, lang), *(c.text for c in cues(text, lang, ACTS, ("correction", "refusal"))))
    cue = {w for one in said for w in stems(one, lang)}
    return frozenset(w for w in stems(text, lang) if w.casefold() not in spelled and w not in cue)


def _values(text: str, lang: str) -> list[Literal]:
    return [lit for lit in literals.scan(text, lang) if lit.kind in VALUES]
