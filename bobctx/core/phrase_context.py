"""Where the words around a phrase of a cue table make another thing of it (`is over 22 knots`). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.lexemes import Lexeme
from bobctx.core.measures import TIMES, unit_of
from bobctx.core.phrases import TablePhrase

_DENIAL_ENDS = frozenset({"pas", "plus", "jamais", "point", "guère", "tant"})
"""What ends a French denial that `ne` has begun."""
_FRACTIONS = frozenset({"half", "other", "second", "few", "halbe", "zweite", "demi", "media", "mezz'ora"})
"""What stands for a number before a unit of time (`every half hour`)."""
_GIVEN = frozenset({"by", "in", "to", "for", "as", "with", "from", "below", "above", "here"})
_LIMITING = frozenset({"over", "under", "above", "below"})
"""What sets a limit before a figure."""


def another_thing(phrase: TablePhrase, parts: Sequence[int], tokens: Sequence[Lexeme]) -> bool:
    """Whether a phrase that stands on `parts` of the tokens is none here."""
    return (
        _paces(phrase, parts, tokens)
        or _limits(phrase, parts, tokens)
        or _denies_inside(phrase, parts, tokens)
        or _participle(tokens[parts[0]].form, tokens[parts[0] + 1 : parts[0] + 2])
    )


def _paces(phrase: TablePhrase, parts: Sequence[int], tokens: Sequence[Lexeme]) -> bool:
    """Whether a quantifier gives a pace and no amount (`every 30 minutes`, `not every 10 minutes`)."""
    after = tokens[parts[-1] + 1 : parts[-1] + 3]
    if len(after) < 2 or not any(kind == "quantifier" for kind, _ in phrase.senses):
        return False
    return (after[0].kind == "number" or after[0].form in _FRACTIONS) and unit_of(after[1].form) in TIMES


def _limits(phrase: TablePhrase, parts: Sequence[int], tokens: Sequence[Lexeme]) -> bool:
    """Whether a phrase that says nothing by itself sets a limit here, before a figure (`is over 22 knots`)."""
    after = tokens[parts[-1] + 1 : parts[-1] + 2]
    bare = phrase.senses == (("neutral", ""),) and tokens[parts[-1]].form in _LIMITING
    return bare and bool(after) and after[0].kind == "number"


def _denies_inside(phrase: TablePhrase, parts: Sequence[int], tokens: Sequence[Lexeme]) -> bool:
    """Whether a French `ne … que` has the rest of a denial in it (`n'imprime pas … tant que`), which it ends."""
    if ("quantifier", "only") not in phrase.senses or "~" not in phrase.parts:
        return False
    return any(t.form in _DENIAL_ENDS for t in tokens[parts[0] : parts[-1]])


def _participle(form: str, after: Sequence[Lexeme]) -> bool:
    """Whether `provided` is what somebody provides (`no arguments provided`, `provided by the host`)."""
    return form == "provided" and (not after or after[0].kind == "mark" or after[0].form in _GIVEN)
