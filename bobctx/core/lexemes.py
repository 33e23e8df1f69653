"""The tokens that cues and scopes are read from: words, opaque names and numbers, marks. Pure.

A path, flag, identifier, code span or quotation is ONE opaque token: the `no` in `--no-cache` denies nothing.
Chinese, Japanese and Korean text is read character by character for cues (`lexicon`), so here its runs only
supply the units of overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex

from bobctx.core.folding import folded
from bobctx.core.remembering import remembered

MAX_ELIDED = 3
"""Elided words before one word that are taken apart."""
CACHED = 1_500
"""Code points of a text whose tokens are remembered: cues and units are both read from them."""
MAX_TOKENS = 4_000
"""Tokens of one text that are read; clause texts are far shorter."""

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}ー々"
_TOKEN = regex.compile(
    rf"(?P<code>`[^`\n]{{1,300}}`|\$(?![\s\d])[^$\n]{{0,199}}[^$\s]\$(?!\d))"
    rf"|(?P<quote>[\"“„«「『][^\"“”„«»「」『』\n]{{1,160}}[\"”“»」』])"
    rf"|(?P<cjk>[{_CJK}]++)"
    rf"|(?P<chunk>[[\p{{L}}\p{{M}}\p{{N}}_./\\:@#%+=~'’ʼ°\-‐‑–]--[{_CJK}]]++)"
    r"|(?P<mark>[^\s])",
    regex.V1,
)
_IDEOGRAPHS = "\u2e80"
"""Where the letters begin that are written without spaces."""
_EDGE = ".:'’ʼ-–‐‑=~/+"
_WORDISH = regex.compile(r"[\p{L}\p{M}]++(?:['’ʼ][\p{L}\p{M}]++)*+['’ʼ]?")
_PLAIN_NUMBER = regex.compile(r"[+\-–]?\p{N}++(?:[.,:]\p{N}++)*+%?")
_PIECE = regex.compile(r"[\p{L}\p{M}]++(?:['’ʼ][\p{L}\p{M}]++)*+['’ʼ]?|\p{N}++(?:[.,:]\p{N}++)*+%?|[^\s]")
_ELIDED = regex.compile(
    r"(?:qu|[cdjlmnst]|jusqu|lorsqu|puisqu|quoiqu|all|dall|dell|nell|sull|un|nessun|senz|dev|quell|dov|com)'(?=\p{L})"
)
_CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_BARE = {
    "dont": "do",
    "cant": "can",
    "wont": "will",
    "doesnt": "does",
    "isnt": "is",
    "didnt": "did",
    "shouldnt": "should",
}
_MARKS = {
    "，": ",",
    "、": ",",
    "،": ",",
    "；": ";",
    "：": ":",
    "。": ".",
    "？": "?",
    "؟": "?",
    "！": "!",
    "（": "(",
    "）": ")",
}


class Lexeme(NamedTuple):
    """One token: `kind` is word, number, opaque (name, path, code, quotation), cjk or mark."""

    form: str
    start: int
    end: int
    kind: str


def lexemes(text: str, lang: str) -> Sequence[Lexeme]:
    """The tokens of `text` in order, folded, with their spans in the original."""
    return _remembered(text, lang) if len(text) <= CACHED else _lexemes(text, lang)


@remembered(4_096)
def _remembered(text: str, lang: str) -> tuple[Lexeme, ...]:
    return tuple(_lexemes(text, lang))


def _lexemes(text: str, lang: str) -> list[Lexeme]:
    found: list[Lexeme] = []
    if text.isalpha() and max(text) < _IDEOGRAPHS:  # one word
        _word(found, text, 0, len(text), lang)
        return found
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = match.lastgroup or "mark"
        if kind == "chunk":
            _chunk(found, text, start, end, lang)
        elif kind == "mark":
            char = match.group()
            found.append(Lexeme(_MARKS.get(char, char), start, end, "mark"))
        elif kind == "cjk":
            found.append(Lexeme(folded(match.group()), start, end, "cjk"))
        else:
            found.append(Lexeme(folded(match.group())[1:-1].strip(), start, end, "opaque"))
        if len(found) >= MAX_TOKENS:
            break
    return found


def _chunk(found: list[Lexeme], text: str, start: int, end: int, lang: str) -> None:
    run = text[start:end]
    if run.isalpha():
        _word(found, run, start, end, lang)
        return
    if lang == "en" and run.lower() == "w/o":
        found.append(Lexeme("without", start, end, "word"))
        return
    left, right = start, end
    while left < right and text[left] in ".:'’ʼ=~–":
        found.append(Lexeme(text[left], left, left + 1, "mark"))
        left += 1
    while right > left and text[right - 1] in _EDGE and not (text[right - 1] == "/" and "/" in text[left : right - 1]):
        right -= 1
    run = text[left:right]
    if run:
        if _WORDISH.fullmatch(run):
            _word(found, run, left, right, lang)
        elif _PLAIN_NUMBER.fullmatch(run):
            found.append(Lexeme(folded(run).lstrip("+"), left, right, "number"))
        elif _is_name(run):
            found.append(Lexeme(folded(run), left, right, "opaque"))
        else:
            _pieces(found, text, left, right, lang)
    found.extend(Lexeme(text[at], at, at + 1, "mark") for at in range(right, end))


def _is_name(run: str) -> bool:
    """Whether a run of letters and joiners is a path, flag, identifier or version, no words with marks between."""
    if any(c in run for c in "_\\@#") or "://" in run or run.startswith("--"):
        return True
    if run.count("/") >= 2 or run.startswith(("/", "~/", "./")) or ("/" in run and "." in run):
        return True
    letters, digits = any(c.isalpha() for c in run), any(c.isnumeric() for c in run)
    if letters and digits:
        return run[0].isalpha() or "-" in run or "." in run
    if "." in run and run.isascii():
        return len(run) > 4 and ".." not in run
    return "=" in run


def _pieces(found: list[Lexeme], text: str, start: int, end: int, lang: str) -> None:
    for match in _PIECE.finditer(text, start, end):
        piece = match.group()
        if piece[0].isalpha():
            _word(found, piece, match.start(), match.end(), lang)
        elif piece[0].isnumeric():
            found.append(Lexeme(folded(piece), match.start(), match.end(), "number"))
        else:
            found.append(Lexeme(piece if piece not in "‐‑" else "-", match.start(), match.end(), "mark"))


def _word(found: list[Lexeme], run: str, start: int, end: int, lang: str) -> None:
    form = folded(run)
    if len(form) != end - start:  # folding changed the length: no inner cuts, the spans would be off
        found.append(Lexeme(form, start, end, "word"))
        return
    if "'" not in form:
        if lang == "en" and form in _BARE:
            form = _BARE[form][:] + "n't" if form not in ("cant", "wont") else form[:2] + "n't"
            found.append(Lexeme(_BARE[folded(run)], start, end - 2, "word"))
            found.append(Lexeme("n't", end - 2, end, "word"))
        elif form == "cannot":
            found.append(Lexeme("can", start, start + 3, "word"))
            found.append(Lexeme("not", start + 3, end, "word"))
        else:
            found.append(Lexeme(form, start, end, "word"))
        return
    if form.endswith("n't") and len(form) > 3:
        head = form[:-3]
        found.append(Lexeme(_CONTRACTED.get(head, head), start, end - 3, "word"))
        found.append(Lexeme("n't", end - 3, end, "word"))
        return
    if lang in ("fr", "it"):
        for _ in range(MAX_ELIDED):
            elided = _ELIDED.match(form)
            if elided is None:
                break
            cut = elided.end()
            found.append(Lexeme(form[:cut], start, start + cut, "word"))
            form, start = form[cut:], start + cut
    head, mark, tail = form.partition("'")
    if lang == "en" and mark and tail in ("s", "ll", "re", "ve", "d", "m", ""):
        found.append(Lexeme(head, start, start + len(head), "word"))
        if tail:
            found.append(Lexeme("'" + tail, start + len(head), end, "word"))
        return
    found.append(Lexeme(form, start, end, "word"))
