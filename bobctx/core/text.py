"""Folding with offset maps, sentence and clause spans, words and stems, in the original's code points. Pure.

Every span points into the text as it was given; folding never changes what a span means (design, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex
import snowballstemmer  # type: ignore[import-untyped]  # ships no type information

from bobctx.core.folding import Folded, Span, fold, folded
from bobctx.core.language import is_stop_word, language_of
from bobctx.core.remembering import remembered

__all__ = [
    "Folded",
    "Span",
    "Word",
    "clauses",
    "content_stems",
    "fold",
    "folded",
    "sentences",
    "stem",
    "words",
]

MAX_WORD = 64
"""Code points of a word that are stemmed; a longer run is an identifier and stays as it is."""
MAX_ELIDED = 3
"""Elided words before one word that are taken apart."""
MAX_CLAUSE = 1_200
"""Code points after which a clause is cut at the next space, so that one clause is never a whole log."""

SNOWBALL = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "nl": "dutch",
    "ru": "russian",
    "ar": "arabic",
}


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


_KO_ENDINGS = regex.compile(
    r"(?:에서는|에서도|에서|에게는|에게도|에게|에는|에도|에만|으로는|으로도|으로만|으로|까지는|까지도|까지만|까지|부터는|부터|보다|처럼|마다|이나|라도|이라도|들은|들이|들을|들|"
    r"은|는|이|가|을|를|에|의|와|과|도|만|로|하고|이며|이고|입니다|이에요|예요|이다|"
    r"합니다|해요|하세요|했습니다|했어요|하는|하면|해서|하지|해야|하기|한다|하다|할|한|해|"
    r"됩니다|돼요|되는|되면|되지|된다|되다|된|될|습니다|어요|아요|세요)$"
)
_KO_VERB = regex.compile(
    r"(?:는지|어야|아야|여야|야|지도|지는|지|어도|아도|여도|도|오는|는|려고|러|거나|으니까|니까|자마자|으면|면|지만)$"
)
"""Endings that stand between a Korean verb and what is said of it (`써야 한다`, `써도 된다`, `가져오지 마세요`)."""
_ROOTS = {"failur": "fail"}
"""English stems whose noun and verb a stemmer keeps apart."""
_SPELLINGS = {
    "es": (("qu", "c"), ("gu", "g"), ("c", "z"), ("ng", "n"), ("lg", "l")),
    "pt": (("qu", "c"), ("gu", "g"), ("ç", "c"), ("nh", "n")),
    "it": (("ch", "c"), ("gh", "g"), ("ng", "n")),
}
"""Ends of verb stems that are one sound in two spellings, or two forms of one verb (`esterilice`, `pongáis`)."""
_RU_THEME = regex.compile(r"(?<=\p{L}{3})[аяиыеёью]+$")
_RU_LABIAL = regex.compile(r"(?<=\p{L}{2}[бпвмф])л$")
_DE_PERSON = regex.compile(r"(?<=\p{L}{2}(?:nn|mm|ll|ff|ss|ck|rr|pp))t$")
"""`beginnt` is a form of `beginn`: the stemmer leaves the ending of the third person after a double consonant."""
_KO_PLAIN = regex.compile(r"(?<=[가-힣])(?:는다|니다|다|[아어여]요|[지네]요)$")
_VERBAL = frozenset({4, 17, 20})
"""Final consonants (ㄴ, ㅂ, ㅆ) that a plain ending leaves on the verb: `쓴-다`, `씁-니다`, `갔-다`."""
_CONTRACTED = {14: 13, 9: 8, 6: 20, 10: 11}
"""Vowel numbers of a syllable: ㅝ is ㅜ+ㅓ, ㅘ is ㅗ+ㅏ, ㅕ is ㅣ+ㅓ, ㅙ is ㅚ+ㅓ."""
_STEMMERS = {lang: snowballstemmer.stemmer(name) for lang, name in SNOWBALL.items()}


AR_LEAST = 5
"""Letters of an Arabic word that may begin with a particle and the article."""


@remembered(65_536)
def stem(word: str, lang: str) -> str:
    """The stem of one folded word: snowball where there is one, particles off for Korean, else the word."""
    if len(word) > MAX_WORD:
        return word
    if lang == "ko":
        return _korean(word)
    if lang == "de" and _DE_PERSON.search(word):
        word = word[:-1]
    if lang == "ar" and len(word) > AR_LEAST and word[1:3] == "ال" and word[0] in "وفبك":
        word = word[1:]  # `and`, `so`, `with`, `like` are written in one word with what follows
    if lang == "en":
        word = word.removesuffix("'s").removesuffix("'")
    stemmer = _STEMMERS.get(lang)
    if stemmer is None:
        return word
    found: str = stemmer.stemWord(word)
    found = _ROOTS.get(found, found) if lang == "en" else found
    if lang in _SPELLINGS:
        for ending, plain in _SPELLINGS[lang]:
            if found.endswith(ending) and len(found) > len(ending) + 1:
                return found[: -len(ending)] + plain
    return _aspectless(found) if lang == "ru" else found


def _aspectless(found: str) -> str:
    """A Russian stem that both aspects of a verb share (`очища-ть`, `очист-ить`; `обновля-ть`, `обнов-ить`)."""
    bare = _RU_THEME.sub("", found)
    if bare.endswith("щ"):
        return bare[:-1] + "ст"
    return bare[:-1] if _RU_LABIAL.search(bare) else bare


def _korean(word: str) -> str:
    """A Korean word without particle or verb ending (`쓴다`, `쓰지`, `쓸` and `씁니다` are forms of `쓰`)."""
    shorter = _KO_ENDINGS.sub("", word)
    if len(shorter) >= 2 and shorter != word:
        return shorter
    plain = _KO_PLAIN.sub("", word)
    if plain and plain != word and "가" <= plain[-1] <= "힣":
        ending = _final(plain[-1])
        return _uncontracted(plain[:-1] + chr(ord(plain[-1]) - ending)) if ending in _VERBAL else plain
    bare = _KO_VERB.sub("", word)
    return _uncontracted(bare) if bare and (len(bare) >= 2 or word[-1] in "야도지") else word


def _uncontracted(verb: str) -> str:
    """A verb whose last vowel has not run together with its ending: `바꿔` is `바꾸` + `어`."""
    index = ord(verb[-1]) - 0xAC00
    if not 0 <= index < 11_172 or index % 28:
        return verb
    vowel = index // 28 % 21
    return verb[:-1] + chr(ord(verb[-1]) + 28 * (_CONTRACTED.get(vowel, vowel) - vowel))


def _final(syllable: str) -> int:
    """Number of the final consonant of a Hangul syllable; 0 for none (Unicode, section 3.12)."""
    return (ord(syllable) - 0xAC00) % 28


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


_ABBREVIATION = frozenset(
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
    ]
)
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
    if word in _ABBREVIATION or (len(word) == 1 and word.isalpha()):
        return not after or not after[0].isupper() or word not in ("no", "etc", "ex")
    # "am 3. Mai", an ordinal: only after a word that takes one, so that "burst of 20. Internal" ends there.
    return word.isdigit() and len(word) <= 3 and _ORDINAL_BEFORE.search(text, max(start, stop - 16), stop) is not None


def _add(found: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(Span(start, end))


_BUT = (
    "but|however|whereas|yet|and then|aber|sondern|jedoch|doch|mais|cependant|pero|sino|aunque|mas|porém|ma|però|"
    "maar|echter|но|однако|لكن|ولكن"
)
_STAYS = (
    "only|not|if|unless|when|never|nur|wenn|nicht|falls|seulement|pas|si|solo|sólo|no|non|só|se|não|alleen|als|niet|"
    "только|если|не|فقط|ليس|إذا"
)
"""Words after a `but` that keep it in its clause: a contrast, a condition."""
_OTHER = "(?:(?:any|every|no)(?:thing|one|body|where)|no one|all|any|none)"
"""Words that make a `but` behind them an exception (`anything but`)."""
_QUOTES = frozenset("\"“„«»「『‘'")
HEADING = 30
HEADING_WORDS = 3
"""Code points and words before a colon that are a heading, no statement."""
_CUT = regex.compile(
    r"[;；。]|[—–](?=\s)|\s--?(?=\s)|:(?=\s)|："
    rf"|(?:[,،，]|(?<![\s,،，]))\s++(?!(?<=\b{_OTHER}\s)but\b)(?:{_BUT})\s++(?!(?:{_STAYS})\b)"
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
