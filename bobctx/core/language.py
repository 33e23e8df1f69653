"""A light, deterministic guess at a text's language: by script, then by stop words. Pure.

Twelve languages have tables (`LANGUAGES`); anything else is `und`, and no rule guesses there (design, section 6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import regex

from bobctx.core.folding import folded
from bobctx.core.patterns import patterns
from bobctx.core.remembering import remembered

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ru", "zh", "ja", "ko", "ar")
LATIN = ("en", "de", "fr", "es", "pt", "it", "nl")
UNKNOWN = "und"
SAMPLE = 2_000
"""Code points that are looked at; more would not change the guess."""


def _table() -> dict[str, Any]:
    source = files("bobctx.core").joinpath("data", "stopwords.json").read_text(encoding="utf-8")
    return dict(json.loads(source))


_DATA = _table()
STOP_WORDS: Mapping[str, frozenset[str]] = {lang: frozenset(folded(_DATA[lang]).split()) for lang in LANGUAGES}
_WEIGHT: dict[str, dict[str, float]] = {}
for _lang in LATIN:
    for _word in STOP_WORDS[_lang] | frozenset(folded(_DATA["known"][_lang]).split()):
        _WEIGHT.setdefault(_word, {})[_lang] = 1.0
for _shares in _WEIGHT.values():
    for _lang in _shares:
        _shares[_lang] = 1.0 / len(_shares)

_SCRIPTS = regex.compile(
    r"(?P<kana>[\p{Hiragana}\p{Katakana}])|(?P<hangul>\p{Hangul})|(?P<han>\p{Han})|(?P<cyrillic>\p{Cyrillic})"
    r"|(?P<arabic>\p{Arabic})|(?P<latin>\p{Latin})|(?P<other>\p{L})"
)
_DUTCH = regex.compile(r"(?<=\p{L})(?:aa|ij|oei|uu)(?=\p{L})")
"""Letter pairs that Dutch has in most sentences and its neighbours hardly ever."""
_ENDINGS = patterns("endings")
"""How words end, and letters that they have, in languages that share many little words."""
_ARTICLE = regex.compile(r"(?:^|[.!?:]\s)O\s|(?<!\p{L})(?:no|o)\s\p{L}+o(?!\p{L})")
"""`o` and `no` as Portuguese has them, before a noun; a Spanish `o` (or) begins no sentence."""
FEW_WORDS = 40
"""Words of a text whose little words may not tell its language by themselves."""
KNOWN = 0.04
"""Share of a text's words from which the little words of a language tell that it is in this one."""
END = 0.1
"""What one ending speaks for a language, in stop words."""
BESIDE = 1.0
"""By how much fewer little words a language may be the likelier one for the endings."""
PAIR = 0.3
CLEAR = 1.0
"""Score (one stop word of one language only) from which a sentence may be in another language than its message."""
BRIEF = 120
"""Code points of a text that may be in another language than its words speak for most."""
CLEARLY = 2.0
"""By how many times that score must exceed the one of the message's language."""
_ASCII = regex.compile(r"[A-Za-z]++")
_LATIN_WORD = regex.compile(r"[\p{Latin}\p{M}]++(?:'[\p{Latin}\p{M}]++)*+")
_MARKS = {
    "ß": "de",
    "ñ": "es",
    "¿": "es",
    "¡": "es",
    "ã": "pt",
    "õ": "pt",
    "œ": "fr",
    "ĳ": "nl",
    "ê": "",
    "ä": "de",
    "ö": "de",
    "ü": "de",
}
_CODE = regex.compile(r"`[^`\n]{1,300}`|\bhttps?://\S{1,500}|(?<![\w.~-])(?:[^\W_]|[.~-])*+[/\\_@][\w./\\@-]*+")
_MAY_CODE = regex.compile(r"[`/\\_@]")
"""What each of it has one of."""
_COMPOUND = regex.compile(r"(?<![A-Za-z\d])[A-Za-z\d]++(?:[.-][A-Za-z\d]++)++")
_NAME = regex.compile(r"(?<![\w-])[A-Za-z\d]++(?:-[A-Za-z\d]++){2,}+(?![\w-])")
"""A name made of three or more parts, of which `us` or `live` is no word of English."""
_UKRAINIAN = regex.compile(r"[іїєґў]", regex.IGNORECASE)
_FOREIGN_ARABIC = regex.compile(r"[پچژگکی]")


def is_stop_word(word: str, lang: str) -> bool:
    """Whether the folded `word` carries no meaning of its own in `lang`."""
    return word in STOP_WORDS.get(lang, frozenset())


def _prose(text: str) -> str:
    """The text without code and names; most texts have no sign of either, and need no pattern."""
    bare = _CODE.sub(" ", text) if _MAY_CODE.search(text) else text
    return _NAME.sub(" ", bare) if bare.count("-") > 1 else bare


@remembered(4096)
def _guess(text: str) -> str:
    sample = _prose(text)
    counts: dict[str, int] = {}
    if sample.isascii():
        return _by_words(sample) if regex.search("[A-Za-z]", sample) else UNKNOWN
    letters = sum(map(len, _ASCII.findall(sample)))
    if letters:
        counts["latin"] = letters
    for match in _SCRIPTS.finditer("".join([c for c in sample if c > "\x7f"])):
        kind = match.lastgroup or ""
        counts[kind] = counts.get(kind, 0) + 1
    if len(counts.keys() - {"latin", "other"}) and counts.get("latin"):
        # Beside another script, compounds of Latin letters and figures are names, not words of a language.
        counts["latin"] -= sum(map(len, _COMPOUND.findall(sample)))
    script = _by_script(counts, sample)
    return script if script != "latin" else _by_words(sample)


def _by_script(counts: Mapping[str, int], sample: str) -> str:
    kana, hangul, han = counts.get("kana", 0), counts.get("hangul", 0), counts.get("han", 0)
    cyrillic, arabic, latin = counts.get("cyrillic", 0), counts.get("arabic", 0), counts.get("latin", 0)
    # One ideograph says about as much as three Latin letters, so identifiers do not outvote prose.
    if (kana + han) * 3 >= latin and kana * 8 >= han and kana:
        return "ja"
    if hangul and hangul * 3 >= latin:
        return "ko"
    if han and han * 3 >= latin:
        return "zh"
    if cyrillic and cyrillic * 2 >= latin:
        return "ru" if len(_UKRAINIAN.findall(sample)) * 50 <= cyrillic else UNKNOWN
    if arabic and arabic * 2 >= latin:
        return "ar" if len(_FOREIGN_ARABIC.findall(sample)) * 30 <= arabic else UNKNOWN
    return "latin" if latin and latin >= counts.get("other", 0) else UNKNOWN


def _by_words(sample: str) -> str:
    scores, total = _scores(sample)
    best = max(LATIN, key=lambda lang: scores[lang])
    if scores[best] <= 0.0 or (total and scores[best] < KNOWN * total):
        return UNKNOWN
    return best


def _scores(sample: str) -> tuple[dict[str, float], int]:
    """How much of each language in Latin letters the words and letters show, and how many words there are."""
    scores = dict.fromkeys(LATIN, 0.0)
    said = _LATIN_WORD.findall(sample.replace("\u2019", "'"))
    total = len(said)
    for word in map(str.lower, said):
        for part in (word, *word.split("'")) if "'" in word else (word,):
            if part in _WEIGHT:
                for lang, weight in _WEIGHT[part].items():
                    scores[lang] += weight
    for char in "" if sample.isascii() else sample.lower():
        if _MARKS.get(char):
            scores[_MARKS[char]] += 0.7
    scores["nl"] += PAIR * len(_DUTCH.findall(sample))
    most = max(scores.values())
    near = [x for x in _ENDINGS if 0.0 < scores[x] >= most - BESIDE]
    if len(near) > 1 and total <= FEW_WORDS and most >= KNOWN * total:
        for lang in near:  # they choose among languages, and make none of an unknown one
            scores[lang] += END * len(_ENDINGS[lang].findall(sample))
        scores["pt"] += PAIR * len(_ARTICLE.findall(sample)) if "pt" in near else 0.0
    return scores, total


def language_of(text: str) -> str:
    """The language of `text` among `LANGUAGES`, else `und` (no words it knows, another script, code only)."""
    return _guess(text[:SAMPLE])


def likeliest(text: str, among: Sequence[str]) -> str:
    """The one of these languages in Latin letters that the words of `text` speak for most; the first of equals."""
    scores, _ = _scores(text[:SAMPLE])
    return max(among, key=lambda lang: scores[lang])


@remembered(4096)
def is_clearly(text: str, lang: str, other: str) -> bool:
    """Whether `text` is in `lang` and hardly can be in `other`, as a sentence among sentences of that language.

    A foreign name or one word that two languages have is not enough.
    """
    if language_of(text) != lang:
        return False
    if lang not in LATIN or other not in LATIN:
        return True
    scores, _ = _scores(_prose(text[:SAMPLE]))
    return scores[lang] >= CLEAR and scores[lang] >= CLEARLY * scores[other]


def may_be(text: str, own: str, other: str) -> bool:
    """Whether a short text taken for one language in Latin letters may as well be in the other."""
    latin = own in LATIN and other in LATIN and own != other
    return latin and len(text) <= BRIEF and not is_clearly(text, own, other)
