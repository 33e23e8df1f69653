"""The cue tables of each language and the matcher that finds their phrases. Pure.

A table (`data/cues/<lang>.json`) lists phrases per kind. A phrase is a run of tokens; `word*` matches any
ending; `~` lets up to `GAP` tokens stand between (in character languages: characters); a leading or trailing
`_` asks for a word edge there, `a>b` for `b` right after `a`, and a leading `^` for the beginning of a
segment, a trailing `$` for its end. The longest phrase at a place wins and consumes its tokens, so that
`not only` is never read as `not`. One pass over the tokens, bounded work at each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from bobctx.core.folding import level
from bobctx.core.language import LANGUAGES
from bobctx.core.lexemes import Lexeme, lexemes
from bobctx.core.phrase_context import another_thing
from bobctx.core.phrases import (
    NO_STARTS,
    Starts,
    TablePhrase,
    by_next,
    gapped,
    join_all,
    rows,
    second_character,
    second_token,
    sign,
    size_of,
    written,
)
from bobctx.core.remembering import remembered

GAP = 6
"""Tokens that may stand at a `~`."""
_BEFORE = frozenset({"mas", "e", "que", "pero", "y", "ma", "et", "mais", "and", "but"})
SPARE = 3
"""Letters by which a word that a table has may be longer than a prefix that is meant by it too (`ausschließlich`)."""
REMEMBERED = 20_000
"""Words per language whose candidate phrases are kept."""
CACHED = 1_500
"""Code points of a text whose cues are remembered."""
GAP_CHARS = 14
"""Characters that may stand at a `~` in a character language."""
_TELLING = frozenset({"deny", "negation", "hypothetical"})
"""Kinds of an idiom that is not cut short by a phrase that ends in its first word."""
_ATTACHED = frozenset("وفبلك")
"""Arabic particles written in one word with the next: and, so, with, for, like."""
MAX_ATTACHED = 32
"""Of them that are looked behind in one word: a longer run of their letters is no word."""
CHARACTER_LANGUAGES = frozenset({"zh", "ja", "ko"})


class Cue(NamedTuple):
    """A phrase of one kind found in a text; `value` is its class inside the kind (`must`, `at_most`, `enable+`)."""

    kind: str
    value: str
    text: str
    start: int
    end: int


class Hit(NamedTuple):
    """A matched phrase: what it means and which tokens (or characters) it stands on."""

    senses: tuple[tuple[str, str], ...]
    first: int
    last: int
    parts: tuple[int, ...]
    """The positions that the phrase itself stands on (a gap between them is not consumed)."""


class Lexicon:
    """Phrases of one language, indexed by their first token (or character)."""

    def __init__(self, lang: str, table: Mapping[str, Any]) -> None:
        self.lang = lang
        self.by_character = lang in CHARACTER_LANGUAGES
        senses: dict[str, list[tuple[str, str]]] = {}
        for kind, value, phrase in rows(table):
            for form in written(phrase, lang):
                known = senses.setdefault(form, [])
                if (kind, value) not in known:
                    known.append((kind, value))
        denies = {p for p, meant in senses.items() if ("negation", "") in meant}
        for phrase, meant in senses.items():
            if ("contrast", "") in meant and phrase not in denies and denies & {phrase.split()[-1], phrase.split()[0]}:
                meant.append(("negation", ""))  # `but not` denies as `not` does
        join_all(senses)
        keeps = tuple(p.rstrip("*") for p, meant in senses.items() if ("soft", "") in meant and len(p) > 3)
        for phrase, meant in senses.items():
            if (
                any(k == "polar" for k, _ in meant)
                and any(w.startswith(keeps) for w in phrase.split()[:-1])
                and ("soft", "") not in meant
            ):
                meant.append(("soft", ""))  # `stay on` keeps as `stay` does
        self._exact: dict[str, list[TablePhrase]] = {}
        self._prefix: dict[str, list[TablePhrase]] = {}
        for phrase, meant in senses.items():
            closes = phrase[1:].endswith("$")  # `$` alone is money
            parts = self._parts(phrase.lstrip("^").removesuffix("$") if closes else phrase.lstrip("^"))
            item = TablePhrase(parts, tuple(meant), phrase.startswith("^"), closes, size_of(parts))
            head = parts[0]
            if self.by_character:
                self._exact.setdefault(head.lstrip("_")[0], []).append(item)
            elif head.endswith("*"):
                self._prefix.setdefault(head[:-1], []).append(item)
            else:
                self._exact.setdefault(head, []).append(item)
        for group in (*self._exact.values(), *self._prefix.values()):
            group.sort(key=lambda p: (-p.size, p.parts))
        self._known: dict[str, Starts] = {}
        self._lengths = tuple(sorted({len(k) for k in self._prefix}, reverse=True))

    def _parts(self, phrase: str) -> tuple[str, ...]:
        if self.by_character:
            return gapped(level(phrase)) if "~" in phrase else (level(phrase),)
        parts: list[str] = []
        for piece in phrase.split():
            if piece == "~":
                parts.append(piece)
                continue
            if piece.startswith("'") or (piece.endswith("'") and len(piece) > 1):
                parts.append(piece)
                continue
            star = piece.endswith("*")
            forms = [x.form for x in lexemes(piece.rstrip("*"), self.lang)]
            parts.extend(forms[:-1])
            parts.append(forms[-1] + ("*" if star else ""))
        return tuple(parts)

    def hits(self, tokens: Sequence[Lexeme]) -> list[Hit]:
        """Longest matches over word tokens, left to right; a consumed token belongs to one phrase only."""
        found: list[Hit] = []
        taken = bytearray(len(tokens))
        for at, token in enumerate(tokens):
            if taken[at] or token.kind in ("opaque", "number", "cjk"):
                continue
            if self.lang == "pt" and at and token.form == "se" and tokens[at - 1].form == "-":
                continue  # `pedem-se`: a pronoun, no `if`
            starts = self._starts(token.form)
            if starts is NO_STARTS:
                continue
            for phrase in starts.before(_next(tokens, at)):
                parts = _match(phrase.parts, tokens, at, taken)
                if (
                    parts
                    and (not phrase.opens or _begins(tokens, at))
                    and (not phrase.closes or _ends(tokens, parts[-1]))
                    and not self._idiom(phrase, parts, tokens, taken)
                    and not another_thing(phrase, parts, tokens)
                ):
                    for part in parts:
                        taken[part] = 1
                    senses = phrase.senses if len(parts) > 1 else self._single(token.form, phrase)
                    found.append(Hit(senses, parts[0], parts[-1], parts))
                    break
        return found

    def _idiom(self, phrase: TablePhrase, parts: Sequence[int], tokens: Sequence[Lexeme], taken: bytearray) -> bool:
        """Whether a longer phrase without gaps begins at the last word of this one (`is uit` of `is uit den boze`)."""
        if len(parts) < 2 or tokens[parts[-1]].kind != "word":
            return False
        at = parts[-1]
        contrasts = any(kind == "contrast" for kind, _ in phrase.senses)  # `e não` of `e não precisa`
        telling = _TELLING | {"modal"} if contrasts else _TELLING
        return any(
            len(other.parts) > 1
            and other.size > phrase.size
            and "~" not in other.parts
            and any(kind in telling for kind, _ in other.senses)
            and _match(other.parts, tokens, at, taken)
            for other in self._starts(tokens[at].form).before(_next(tokens, at))
        )

    def _single(self, form: str, first: TablePhrase) -> tuple[tuple[str, str], ...]:
        """The senses of a one-word phrase and of the other one-word phrases (prefixes) that fit the same word."""
        senses = list(first.senses)
        if senses == [("neutral", "")]:
            return first.senses
        for phrase in self._starts(form).open:
            if (
                len(phrase.parts) == 1
                and not (phrase.opens or phrase.closes)
                and (first.parts[0] != form or len(phrase.parts[0]) + SPARE > len(form))
            ):
                senses.extend(s for s in phrase.senses if s not in senses)
        return tuple(senses)

    def _starts(self, form: str) -> Starts:
        """Phrases that may begin with the word (or character) `form`; remembered, since words come again."""
        known = self._known.get(form)
        if known is None:
            if self.by_character:
                known = by_next(self._exact.get(form, ()), second_character)
            else:
                known = by_next(self._find(form), second_token)
            if len(self._known) < REMEMBERED:
                self._known[form] = known
        return known

    def _find(self, form: str) -> Sequence[TablePhrase]:
        groups: list[Sequence[TablePhrase]] = []
        for _ in range(MAX_ATTACHED):
            here = [g for n in self._lengths if len(form) >= n and (g := self._prefix.get(form[:n])) is not None]
            here.extend([self._exact[form]] if form in self._exact else ())
            groups.extend(here)
            attached = self.lang == "ar" and form[:1] in _ATTACHED and len(form) > 2
            if not attached or (here and form[1:] not in self._exact):
                break
            form = form[1:]
        return sorted((p for g in groups for p in g), key=lambda p: (-p.size, p.parts))

    def character_hits(self, text: str) -> list[Hit]:
        """Longest matches over the characters of a folded text of unchanged length."""
        found: list[Hit] = []
        at, size = 0, len(text)
        while at < size:
            first, after = text[at], text[at + 1 : at + 2]
            step = 1
            for phrase in self._starts(first).before(after) if first in self._exact else ():
                spans = _match_characters(phrase.parts, text, at)
                if spans:
                    parts = tuple(i for a, b in spans for i in range(a, b))
                    found.append(Hit(phrase.senses, parts[0], parts[-1], parts))
                    step = spans[0][1] - at
                    break
            at += step
        return found


def _next(tokens: Sequence[Lexeme], at: int) -> str:
    """The form of the token after `at`, hyphens passed over as `_match` does; empty at the end."""
    at += 1
    while at < len(tokens) and tokens[at].form == "-" and tokens[at].kind == "mark":
        at += 1
    return tokens[at].form if at < len(tokens) else ""


def _begins(tokens: Sequence[Lexeme], at: int) -> bool:
    return at == 0 or tokens[at - 1].kind == "mark" or tokens[at - 1].form in _BEFORE


def _ends(tokens: Sequence[Lexeme], at: int) -> bool:
    return at + 1 == len(tokens) or tokens[at + 1].kind == "mark"


def _fits(part: str, form: str) -> bool:
    return form.startswith(part[:-1]) if part.endswith("*") else form == part


def _match(parts: Sequence[str], tokens: Sequence[Lexeme], at: int, taken: bytearray) -> tuple[int, ...]:
    """Token positions of `parts` from `at`, or nothing."""
    if len(parts) == 1:
        return (at,)
    where = [at]
    position = at + 1
    gap = 0
    for part in parts[1:]:
        if part == "~":
            gap = GAP
            continue
        limit = min(len(tokens), position + gap + 1)
        while position < limit:
            token = tokens[position]
            if token.form == "-" and token.kind == "mark" and part != "-" and not gap:
                position += 1  # "off-limits" reads like "off limits"
                limit = min(len(tokens), limit + 1)
                continue
            if not taken[position] and token.kind in ("word", "mark") and _fits(part, token.form):
                break
            if not gap or token.form in ".;:!?":
                return ()
            position += 1
        else:
            return ()
        where.append(position)
        position += 1
        gap = 0
    return tuple(where)


def _match_characters(parts: Sequence[str], text: str, at: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position, gap = at, False
    for part in parts:
        if part == "~":
            gap = True
            continue
        body, ahead = sign(part)
        start = text.find(body, position, position + GAP_CHARS + len(body)) if gap else position
        if start < 0 or not text.startswith(body, start):
            return []
        end = start + len(body)
        if part.startswith("_") and start > 0 and text[start - 1].isalnum():
            return []
        if ahead and not text.startswith(ahead, end):
            return []
        if part.endswith("_") and end < len(text) and text[end].isalnum():
            return []
        spans.append((start, end))
        position, gap = end, False
    return spans


@cache
def _load(lang: str) -> Mapping[str, Any]:
    source = files("bobctx.core").joinpath("data", "cues", f"{lang}.json")
    return dict(json.loads(source.read_text(encoding="utf-8"))) if source.is_file() else {}


class _Tables(Mapping[str, Lexicon]):
    """One part of the tables by language, each made ready when its first text comes: few meet all twelve."""

    def __init__(self, part: str) -> None:
        self._part = part
        self._ready: dict[str, Lexicon] = {}

    def __getitem__(self, lang: str) -> Lexicon:
        if lang not in self._ready:
            if lang not in LANGUAGES:
                raise KeyError(lang)
            self._ready[lang] = Lexicon(lang, _load(lang).get(self._part, {}))
        return self._ready[lang]

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)


LOGIC: Mapping[str, Lexicon] = _Tables("logic")
"""Cues that change what a sentence says."""
ACTS: Mapping[str, Lexicon] = _Tables("acts")
"""Cues of what a sentence does: refuse, accept, correct, forbid, decide."""
REACH: Mapping[str, Lexicon] = _Tables("reach")
"""Cues of how far a sentence reaches: to everyone, for good, or this time only."""
_KNOWN = {id(LOGIC): LOGIC, id(ACTS): ACTS, id(REACH): REACH}


def cues(text: str, lang: str, lexicons: Mapping[str, Lexicon] = LOGIC, kinds: Iterable[str] = ()) -> list[Cue]:
    """The cues of `text` with their spans, of the given kinds (all when none are named)."""
    lexicon = lexicons.get(lang)
    if lexicon is None:
        return []
    wanted = frozenset(kinds)
    found = _remembered(text, lang, id(lexicons)) if len(text) <= CACHED else cues_of(text, lexicon)
    return [c for c in found if c.kind in wanted] if wanted else list(found)


@remembered(8_192)
def _remembered(text: str, lang: str, tables: int) -> tuple[Cue, ...]:
    return cues_of(text, _KNOWN[tables][lang])


def cues_of(text: str, lexicon: Lexicon) -> tuple[Cue, ...]:
    """The cues of `text` by any table."""
    if lexicon.by_character:
        spans = [(h, h.first, h.last + 1) for h in lexicon.character_hits(level(text))]
    else:
        tokens = lexemes(text, lexicon.lang)
        spans = [(h, tokens[h.first].start, tokens[h.last].end) for h in lexicon.hits(tokens)]
    return tuple(Cue(k, v, text[start:end], start, end) for hit, start, end in spans for k, v in hit.senses)
