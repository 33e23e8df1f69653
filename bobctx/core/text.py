"""Folding with offset maps, sentence and clause spans and words, in the original's code points. Pure.

Every span points into the text as it was given; folding never changes what a span means (design, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from bobctx.core.folding import Folded, Span, fold, folded
from bobctx.core.language import is_stop_word, language_of
from bobctx.core.remembering import remembered
from bobctx.core.stemming import stem

__all__ = [
    "Folded",
    "Span",
    "Word",
    "clauses",
    "content_stems",
    "fold",
    "folded",
    "sentences",
    "words",
]

MAX_ELIDED = 3
"""Elided words before one word that are taken apart."""
MAX_CLAUSE = 1_200
"""Code points after which a clause is cut at the next space, so that one clause is never a whole log."""


class Word(NamedTuple):
    """One word: its folded form and where it stands in the original."""

    text: str
    start: int
    end: int


_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}ー々"
_WORD = regex.compile(
    rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_CJK}]]++(?:['\u2019\u02bc][[\p{{L}}\p{{M}}]--[{_CJK}]]++)*+|[{_CJK}]++",
    regex.V1,
)
_ASCII_WORD = regex.compile(r"[a-z0-9_]++(?:'[a-z]++)*+")
_ELIDED = regex.compile(
    r"^(?:qu|[cdjlmnst]|jusqu|lorsqu|puisqu|quoiqu|presqu|all|dall|dell|nell|sull|un|dev|com|quell|nessun|senz)'(?=\w)"
)


def words(text: str, lang: str | None = None) -> list[Word]:
    """The words of `text`, folded; French and Italian elisions apart; Chinese and Japanese as character pairs."""
    lang = lang or language_of(text)
    if text.isascii() and lang not in ("fr", "it"):
        return [Word(m.group(), m.start(), m.end()) for m in _ASCII_WORD.finditer(text.lower())]
    found: list[Word] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        form = folded(match.group())
        if lang in ("fr", "it"):
            for _ in range(MAX_ELIDED):
                elided = _ELIDED.match(form)
                if elided is None or end - start != len(form):
                    break
                cut = elided.end()
                found.append(Word(form[:cut], start, start + cut))
                form, start = form[cut:], start + cut
        if _is_cjk(form[:1]) and end - start > 1:
            found.extend(
                Word(form[i : i + 2], start + i, start + i + 2) for i in range(min(len(form), end - start) - 1)
            )
            continue
        found.append(Word(form, start, end))
    return found


def _is_cjk(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\U00020000" <= char <= "\U0003ffff"


@remembered(65_536)
def content_stem(word: str, lang: str) -> str:
    """The stem of a folded word that carries meaning; empty for a stop word."""
    return "" if is_stop_word(word, lang) else stem(word, lang)


def forms(text: str, lang: str) -> Iterator[tuple[str, int]]:
    """The words of `text`, folded, and their starts: what `words` gives, without their ends."""
    if text.isascii() and lang not in ("fr", "it"):
        return ((m.group(), m.start()) for m in _ASCII_WORD.finditer(text.lower()))
    return ((w.text, w.start) for w in words(text, lang))


def content_stems(text: str, lang: str | None = None) -> frozenset[str]:
    """Stems of the words that carry meaning (no stop words)."""
    lang = lang or language_of(text)
    return frozenset(key for word, _ in forms(text, lang) if (key := content_stem(word, lang)))


ABBREVIATIONS = frozenset(
    [
        "e.g",
        "i.e",
        "etc",
        "vs",
        "cf",
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "no",
        "nr",
        "art",
        "fig",
        "vol",
        "approx",
        "inc",
        "ltd",
        "jr",
        "sr",
        "dept",
        "ca",
        "bzw",
        "z.b",
        "d.h",
        "u.a",
        "ggf",
        "evtl",
        "inkl",
        "usw",
        "p.ex",
        "par.ex",
        "ex",
        "sig",
        "sra",
        "sr.a",
        "pág",
        "pag",
        "núm",
        "num",
        "bijv",
        "d.w.z",
        "o.a",
        "т.е",
        "т.к",
        "т.д",
        "т.п",
        "г",
        "ул",
        "acc",
        "cat",
        "inv",
        "ref",
        "ext",
        "tel",
        "incl",
        "excl",
        "qty",
        "resp",
        "abb",
        "abs",
        "max",
        "min",
        "tél",
        "réf",
        "env",
        "aprox",
        "máx",
        "mín",
        "тыс",
        "стр",
        "рис",
    ]
)
_ALSO_LAST = frozenset({"no", "etc", "ex", "max", "min", "ref", "cat", "inv", "ext", "env", "abs"})
"""Of these those that end a sentence as well."""
_STOP = regex.compile(
    r"[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？｡؟]++[」』”’）]*+|\n\s*+"
    r"|[.!?](?=[\p{Han}\p{Hiragana}\p{Katakana}])"
)
_ORDINAL_BEFORE = regex.compile(
    r"\b(?:am|der|den|dem|des|die|das|zum|vom|im|bis|ab|seit|und)\s\d{1,3}$", regex.IGNORECASE
)
UNIT = 3
"""Letters of a unit that ends a sentence (`after 450 ms. If …`)."""
_MEASURED = regex.compile(r"\d[ \u00a0]?[°º]?(?:\p{L}{1,3}/)?\p{L}{1,3}$")
_LAST_WORD = regex.compile(r"[\p{L}\p{N}.]++$")


def sentences(text: str) -> list[Span]:
    """Sentence spans: at full stops, question and exclamation marks of all scripts, and at line ends."""
    found: list[Span] = []
    start = 0
    for match in _STOP.finditer(text):
        if match.group()[0] == "." and _is_abbreviation(text, start, match.start(), match.end()):
            continue
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _is_abbreviation(text: str, start: int, stop: int, end: int) -> bool:
    if text[stop:end] != ".":
        return False
    head = _LAST_WORD.search(text, max(start, stop - 12), stop)
    if head is None:
        return False
    word = head.group().lower()
    after = text[end : end + 2].strip()
    if len(word) <= UNIT and after[:1].isupper() and _MEASURED.search(text, max(start, stop - 12), stop):
        return False  # "needs 30 s. Never": a unit, not an initial
    if word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        return not after or not after[0].isupper() or word not in _ALSO_LAST
    # "am 3. Mai", an ordinal: only after a word that takes one, so that "burst of 20. Internal" ends there.
    return word.isdigit() and len(word) <= 3 and _ORDINAL_BEFORE.search(text, max(start, stop - 16), stop) is not None


def _add(found: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(Span(start, end))


MAIS = r"mais(?!\s(?:de|do|que|tarde|cedo|um|uma|alguns|algumas|\d))"
"""French for `but`; what Portuguese compares with it (`mais de 10`) is no new statement."""
_BUT = (
    f"but|however|whereas|yet|and then|aber|sondern|jedoch|doch|{MAIS}|cependant|pero|sino|aunque|mas|porém|ma|però|"
    "maar|echter|но|однако|لكن|ولكن"
)
_STAYS = (
    "only|not|if|unless|when|never|nur|wenn|nicht|falls|seulement|pas|si|solo|sólo|no|non|só|se|não|alleen|als|niet|"
    "только|если|не|فقط|ليس|إذا"
)
"""Words after a `but` that keep it in its clause: a contrast, a condition."""
_OTHER = "(?:(?:any|every|no)(?:thing|one|body|where)|no one|all|any|none)"
"""Words that make a `but` behind them an exception (`anything but`)."""
_AS_LONG = r"(?<=\bals\s(?:het|ze|hij|zij|we|je|u)\s)maar\b"
"""Dutch for `as long as it`."""
_QUOTES = frozenset("\"“„«»「『‘'")
HEADING = 30
HEADING_WORDS = 3
"""Code points and words before a colon that are a heading, no statement."""
_CUT = regex.compile(
    r"[;；。]|[—–](?=\s)|\s--?(?=\s)|:(?=\s)|："
    rf"|(?:[,،，]|(?<![\s,،，]))\s++(?!(?<=\b{_OTHER}\s)but\b)(?!{_AS_LONG})(?:{_BUT})\s++(?!(?:{_STAYS})\b)"
    r"|,\s++(?:and|so|und|et|y|e|en|и|а)\s++(?=\p{L})|，(?=但|不过|而且|并且|所以|然后)|、?(?<=が|けど|けれど)、|지만[,\s]"
)


def clauses(text: str, parts: Sequence[Span] | None = None) -> list[Span]:
    """Clause spans: coordinated clauses apart; a condition, exception or reason stays with what it governs.

    `parts` are its sentences, where the caller has them.
    """
    found: list[Span] = []
    for sentence in sentences(text) if parts is None else parts:
        start = sentence.start
        for match in _CUT.finditer(text, sentence.start, sentence.end):
            if match.group() == ":" and _is_heading(text, start, match.start()):
                continue
            _add_bounded(found, text, start, match.start())
            start = match.start() if match.group().strip(" ,،，;；。—–-:：、") else match.end()
        _add_bounded(found, text, start, sentence.end)
    return found


def _is_heading(text: str, start: int, end: int) -> bool:
    """Whether what stands before a colon only names what the rest speaks of (`Fireworks: forget it`)."""
    lead = text[start:end].strip()
    quoted = text[end + 1 : end + 3].lstrip()[:1] in _QUOTES
    return (
        bool(lead) and len(lead) <= HEADING and len(lead.split()) <= HEADING_WORDS and "\n" not in lead and not quoted
    )


def _add_bounded(found: list[Span], text: str, start: int, end: int) -> None:
    while end - start > MAX_CLAUSE:
        space = text.rfind(" ", start + MAX_CLAUSE // 2, start + MAX_CLAUSE)
        cut = space if space > start else start + MAX_CLAUSE
        _add(found, text, start, cut)
        start = cut
    _add(found, text, start, end)


def normalized(text: str) -> str:
    """A text in lower case with single spaces: equal for statements that differ in nothing else."""
    return " ".join(text.casefold().split())
