"""The phrases of a cue table: its rows, the spellings of each, and the phrases that two of them make together. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

_EVEN = "ても"
"""The Japanese form that either concedes (`even if`) or, with a word behind it, permits."""
_ELIDED = ((" que", (" qu'",)), (" de", (" d'",)), (" si", (" s' il", " s' ils")))
"""Last words of French phrases that lose their vowel before another one."""
_ALEF = str.maketrans("أإآ", "ااا")


def join_limits(senses: dict[str, list[tuple[str, str]]]) -> None:
    """`but not more than` as one limit, wherever a table has `but not` and `not more than`."""
    limits = [p for p, meant in senses.items() if any(kind == "comparator" for kind, _ in meant)]
    contrasts = [p.rpartition(" ") for p, meant in senses.items() if ("contrast", "") in meant and " " in p]
    ends = [(lead, f"{last} ") for lead, _, last in contrasts]
    for limit in limits:
        for lead, end in ends:
            if limit.startswith(end):
                senses.setdefault(f"{lead} {limit}", list(senses[limit]))


def join_permissions(senses: dict[str, list[tuple[str, str]]]) -> None:
    """`にしてもよい` as one permission, wherever a table has `にしても` (even if) and `てもよい` (may)."""
    even = [p for p, meant in senses.items() if ("condition", "despite") in meant and p.endswith(_EVEN)]
    may = [p for p, meant in senses.items() if ("modal", "may") in meant and p.startswith(_EVEN)]
    for phrase in even:
        for permission in may:
            senses.setdefault(phrase.removesuffix(_EVEN) + permission, list(senses[permission]))


def join_all(senses: dict[str, list[tuple[str, str]]]) -> None:
    """What phrases of a table mean together with others of it."""
    join_limits(senses)
    join_permissions(senses)
    join_parts(senses)


def join_parts(senses: dict[str, list[tuple[str, str]]]) -> None:
    """`only one of` is an `only` as well, and has the amounts that its words name (`only some of`)."""
    for phrase, meant in senses.items():
        if ("quantifier", "sole") in meant:
            named = [s for word in phrase.split() for s in senses.get(word, ()) if s[0] == "quantifier"]
            meant.extend(s for s in (("quantifier", "only"), ("soft", ""), *named) if s not in meant)


def written(phrase: str, lang: str) -> Sequence[str]:
    """A phrase in each spelling: Arabic without hamza, French elided before a vowel (`à moins qu'`, `même s'il`)."""
    if lang == "ar":
        return sorted({phrase, bare_alef(phrase)})
    if lang == "fr":
        for full, short in _ELIDED:
            if f"{full} " in f"{phrase} ":
                return (phrase, *(f"{phrase} ".replace(f"{full} ", f"{form} ", 1).rstrip() for form in short))
    return (phrase,)


def bare_alef(phrase: str) -> str:
    """The phrase as it is often typed, without hamza; not where that makes another word of it (`except`, `not to`)."""
    return phrase if phrase in ("إلا", "ألا", "إن", "أن") else phrase.translate(_ALEF)


def gapped(phrase: str) -> tuple[str, ...]:
    """A phrase of a character language at its gaps."""
    out: list[str] = []
    for index, piece in enumerate(phrase.split("~")):
        if index:
            out.append("~")
        out.append(piece.strip())
    return tuple(out)


def rows(table: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(kind, value, phrase) of `{kind: "a|b"}`, `{kind: {value: "a|b"}}` and `{"polar": {id: {"+": "a|b"}}}`."""
    for kind, body in table.items():
        if isinstance(body, str):
            yield from ((kind, "", phrase) for phrase in body.split("|"))
            continue
        for value, phrases in body.items():
            if isinstance(phrases, str):
                yield from ((kind, value, phrase) for phrase in phrases.split("|"))
            else:
                for sign, items in phrases.items():
                    yield from ((kind, value + sign, phrase) for phrase in items.split("|"))


class TablePhrase(NamedTuple):
    """One phrase of a table: its tokens and what they mean."""

    parts: tuple[str, ...]
    senses: tuple[tuple[str, str], ...]
    opens: bool
    """Only at the beginning of a segment."""
    closes: bool
    """Only at its end."""
    size: int
    """What the longest match is measured by (`size_of`)."""


class Starts(NamedTuple):
    """The phrases that may begin with one token (or character), longest first."""

    open: Sequence[TablePhrase]
    """Those that any token may follow, as far as one can tell from that token alone."""
    by_next: Mapping[str, Sequence[TablePhrase]]
    """The next token -> what may stand with it, those of `open` among them."""

    def before(self, form: str) -> Sequence[TablePhrase]:
        """Those that may go on with `form`."""
        return self.by_next.get(form, self.open)


NO_STARTS = Starts((), {})


def size_of(parts: Sequence[str]) -> int:
    """What the longest match is measured by: parts first, then letters; an exact form before a prefix."""
    size = 0
    for part in parts:
        size += 2 * len(part) + (0 if part == "~" else 200) - (3 if part.endswith("*") else 0)
    return size


@cache
def sign(part: str) -> tuple[str, str]:
    """What a part of a character language stands on (`a` of `_a>b`), and what must follow it."""
    bare = part.strip("_")
    body, _, ahead = bare.partition(">")
    return (body, ahead) if body else (bare, "")


def second_token(phrase: TablePhrase) -> str:
    """The token that must follow the first one; empty where several may."""
    part = phrase.parts[1] if len(phrase.parts) > 1 else ""
    return "" if part in ("~", "-") or part.endswith("*") else part


def second_character(phrase: TablePhrase) -> str:
    """The character that must follow the first one; empty where any may."""
    return "".join(sign(phrase.parts[0]))[1:2]


def by_next(found: Sequence[TablePhrase], second: Callable[[TablePhrase], str]) -> Starts:
    """Phrases of one beginning, longest first, by what must follow it: most of them fail at that."""
    if not found:
        return NO_STARTS
    known = [(phrase, second(phrase)) for phrase in found]
    return Starts(
        tuple(phrase for phrase, after in known if not after),
        {form: tuple(phrase for phrase, after in known if after in ("", form)) for form in {a for _, a in known if a}},
    )
