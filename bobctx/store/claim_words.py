"""Claims and tasks as the claim index sees them: folded words and their stems, and the terms that name a scope.

The same text always gives the same words, which is what lets a row leave a contentless index; a change
here needs a new `folding.FOLDING_VERSION`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import regex

from bobctx.core.identity import digest
from bobctx.core.language import STOP_WORDS, UNKNOWN, is_stop_word, language_of
from bobctx.core.remembering import remembered
from bobctx.core.shortlist import MAX_TERMS
from bobctx.core.stemming import stem
from bobctx.core.types import EgressClass, Scope, UserScope
from bobctx.store import folding

MAX_TASK = 20_000
"""Code points of a task whose words are read."""
MAX_WORD = 64

STATES = ("a", "l", "x")
"""Active, active and local, not active."""

_CONTROL = regex.compile(r"\p{C}+")
_EVERY_STOP_WORD = frozenset(word for words in STOP_WORDS.values() for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word of a task."""

    word: str
    stem: str
    prefix: bool = False
    """A single character of a script without spaces: the start of a pair."""

    @property
    def match(self) -> str:
        """As FTS5 syntax; quoted, so that nothing in it is an operator."""
        if self.prefix:
            return f'("{self.word}" *)'
        return f'("{self.word}")' if self.stem == self.word else f'("{self.word}" OR "{self.stem}")'


@remembered(4096)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a claim or task, in order."""
    return tuple(token.lower()[:MAX_WORD] for token in folding.tokens(text[:MAX_TASK]))


def _stem(word: str, lang: str) -> str:
    """The stem of a word of a spaced script, in English where the language is not known; words with digits stay."""
    if not word.isalpha() or (not word.isascii() and lang in ("zh", "ja", UNKNOWN)):
        return word
    return stem(word, "en" if lang == UNKNOWN else lang)


def stems(text: str) -> tuple[str, ...]:
    """The stem of each word."""
    lang = language_of(text)
    return tuple(_stem(word, lang) for word in words(text))


def indexed(text: str) -> str:
    """What the index is given for a claim: its words, then stems that are no words of it."""
    own = words(text)
    more = dict.fromkeys(s for s in stems(text) if s not in own)
    return " ".join((*own, *more))


def terms_of(task: str) -> tuple[Term, ...]:
    """The distinct words of a task, at most `MAX_TERMS`; words that carry no meaning only where there are no others."""
    clean = _CONTROL.sub(" ", task[:MAX_TASK])
    lang = language_of(clean)
    found: dict[str, Term] = {}
    idle: dict[str, Term] = {}
    own = words(clean)
    ends = {word[1] for word in own if len(word) == 2}
    for word in dict.fromkeys(own):
        lone = len(word) == 1 and not word.isascii()
        if lone and word in ends:
            continue  # the last character of a run is in the pair before it
        term = Term(word=word, stem=_stem(word, lang), prefix=lone)
        (idle if _is_idle(word, lang) else found).setdefault(term.stem, term)
        if len(found) >= MAX_TERMS:
            break
    return tuple((found or idle).values())[:MAX_TERMS]


def _is_idle(word: str, lang: str) -> bool:
    return word in _EVERY_STOP_WORD if lang == UNKNOWN else is_stop_word(word, lang)


def matches(terms: tuple[Term, ...], own: list[str], own_stems: list[str]) -> tuple[int, ...]:
    """How often a claim holds each term, as a word or by its stem."""
    return tuple(
        sum(w.startswith(t.word) for w in own) if t.prefix else max(own.count(t.word), own_stems.count(t.stem))
        for t in terms
    )


# -- scope ------------------------------------------------------------------------------


def _user(user_id: str) -> str:
    return hashlib.sha256(user_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def scope_terms(conv: int, user_id: str, kind: str, *, active: bool, local: bool) -> str:
    """The terms of a claim's conversation and user, with its state in them, and of its type."""
    state = "x" if not active else "l" if local else "a"
    return f"{state}c{conv} {state}u{_user(user_id)} t{kind.replace('_', '')}"


def scope_match(scope: Scope | UserScope, conv: int | None, states: str, kinds: tuple[str, ...] = ()) -> str:
    """FTS5 syntax for the claims of a scope in given states (`a`, `l`, `x`) and of given types."""
    name = f"c{conv}" if isinstance(scope, Scope) else f"u{_user(scope.user_id)}"
    found = _any_of("scope", [f"{state}{name}" for state in states])
    if kinds:
        found += " AND " + _any_of("scope", ["t" + kind.replace("_", "") for kind in kinds])
    return found


def _any_of(column: str, values: list[str]) -> str:
    return f"{column} : (" + " OR ".join(f'"{value}"' for value in values) + ")"


def visible(egress: EgressClass) -> str:
    """States that a backend of a class may see."""
    return "a" if egress == "cloud_ok" else "al"


def subject_hash(user_id: str, key: str) -> str:
    """The name of a subject within one user's claims; it says nothing about the words."""
    return digest("subject", [user_id, key])[:32]
