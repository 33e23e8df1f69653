"""Stems of words: Snowball, and what it leaves apart: strong verbs, German and Arabic forms, Korean endings. Pure.

The index of claims holds stems: a change here needs a new `folding.FOLDING_VERSION` (design, section 6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import regex
import Stemmer  # type: ignore[import-not-found]  # Snowball in C, without type information

from bobctx.core.remembering import remembered

MAX_WORD = 64
"""Code points of a word that are stemmed; a longer run is an identifier and stays as it is."""

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
_SPELLINGS = {
    "es": (("qu", "c"), ("gu", "g"), ("c", "z"), ("ng", "n"), ("lg", "l")),
    "pt": (("qu", "c"), ("gu", "g"), ("ç", "c"), ("nh", "n")),
    "it": (("ch", "c"), ("gh", "g"), ("ng", "n")),
}
"""Ends of verb stems that are one sound in two spellings, or two forms of one verb (`esterilice`, `pongáis`)."""
_RU_THEME = regex.compile(r"(?<=\p{L}{3})[аяиыеёью]+$")
_RU_LABIAL = regex.compile(r"(?<=\p{L}{2}[бпвмф])л$")
_RU_LASTING = regex.compile(r"(?<=\p{L}{3})[ыи]в$|(?<=\p{L}д)ав$")
"""What makes a verb imperfective: `записыва-ть` is of `записа-ть`, `передава-ть` of `переда-ть`."""
_DE_PERSON = regex.compile(r"(?<=\p{L}{2}(?:nn|mm|ll|ff|ss|ck|rr|pp))t$")
"""`beginnt` is a form of `beginn`: the stemmer leaves the ending of the third person after a double consonant."""
_KO_PLAIN = regex.compile(r"(?<=[가-힣])(?:는다|니다|다|[아어여]요|[지네]요)$")
_VERBAL = frozenset({4, 17, 20})
"""Final consonants (ㄴ, ㅂ, ㅆ) that a plain ending leaves on the verb: `쓴-다`, `씁-니다`, `갔-다`."""
_CONTRACTED = {14: 13, 9: 8, 6: 20, 10: 11}
"""Vowel numbers of a syllable: ㅝ is ㅜ+ㅓ, ㅘ is ㅗ+ㅏ, ㅕ is ㅣ+ㅓ, ㅙ is ㅚ+ㅓ."""
_EN_FY = regex.compile(r"(?<=\p{L}if)i$")
"""`verifi-es` and `verif-ication` are of one verb."""
_DE_PREFIX = regex.compile(
    r"^(?:(?:ab|an|auf|aus|bei|dar|durch|ein|fest|frei|fort|her|hin|hoch|mit|nach|nieder|um|unter|über|uber|vor|vorbei"
    r"|weg|weiter|wieder|zurück|zuruck|zusammen|be|ent|er|ver|zer|miss)(?=\p{L}{3}))*"
)
"""What stands before a German verb without being part of it."""
_PARTICIPLE = regex.compile(r"^ge(?=\p{L}{3})")
_DE_INFINITIVE = regex.compile(r"^zu(?=\p{L}{3})")
_DE_VERBAL = regex.compile(r"(?<=\p{L}{3})(?:t?et|t?ert?|t?(?:er)?ung|t)$")
_NL_PREFIX = regex.compile(
    r"^(?:aan|achter|af|bij|door|in|mee|na|om|onder|op|over|tegen|terug|toe|uit|voor|weg|ver|be|ont|her)(?=\p{L}{3})"
)
_PREFIX = {"de": _DE_PREFIX, "nl": _NL_PREFIX}
_NL_PERSON = regex.compile(r"(?<=\p{L}{4})[dt]$")
_NL_LONG = regex.compile(r"([aeou])\1(?=\p{L}?$)")
"""A long vowel is written double in a closed syllable only: `betaal`, `betalen`."""
_AR_FORMS = tuple(
    (regex.compile(pattern), form)
    for pattern, form in (
        (r"^[يتنا](..)ي?(.)$", r"\1\2"),  # يرسل، تشغيل
        (r"^ا(..)ا(.)$", r"\1\2"),  # إرسال
        (r"^م(..)و(.)$", r"\1\2"),  # محذوف
        (r"^م(...)$", r"\1"),  # مغلق
    )
)
"""Arabic forms of a root of three letters: the present, the nouns of the deed, the participles."""
_VERBS: Mapping[str, dict[str, str]] = json.loads(
    files("bobctx.core").joinpath("data", "stems.json").read_text(encoding="utf-8")
)
"""Language -> verb -> its irregular forms and nouns."""
_STEMMERS = {lang: Stemmer.Stemmer(name, 0) for lang, name in SNOWBALL.items()}
"""Without memories of their own (0), which `remembering.forget_texts` could not empty.

A call holds the interpreter's lock (in builds that have one), so threads may share them; stemmers in Python keep the
word on the object, and threads mixed their words up.
"""
AR_LEAST = 5
"""Letters of an Arabic word that may begin with a particle and the article."""


@remembered(65_536)
def stem(word: str, lang: str) -> str:
    """The stem of one folded word: snowball where there is one, particles off for Korean, else the word."""
    if len(word) > MAX_WORD:
        return word
    if lang == "ko":
        return _korean(word)
    if lang not in _STEMMERS:
        return word
    found = _plain(word, lang)
    if lang in ("de", "nl"):
        return _germanic(found, lang)
    found = _irregular(lang).get(found, found)
    if lang == "en":
        return _EN_FY.sub("", found)
    if lang == "ar":
        return _root(found)
    if lang in _SPELLINGS:
        for ending, plain in _SPELLINGS[lang]:  # in turn: `toqu-e` and `toc-a` both end as `toz`
            if found.endswith(ending) and len(found) > len(ending) + 1:
                found = found[: -len(ending)] + plain
    return _aspectless(found) if lang == "ru" else found


def _plain(word: str, lang: str) -> str:
    """What Snowball makes of a word."""
    if lang == "de" and _DE_PERSON.search(word):
        word = word[:-1]
    if lang == "ar" and len(word) > AR_LEAST and word[1:3] == "ال" and word[0] in "وفبك":
        word = word[1:]  # `and`, `so`, `with`, `like` are written in one word with what follows
    if lang == "en":
        word = word.removesuffix("'s").removesuffix("'")
    found: str = _STEMMERS[lang].stemWord(word)
    return found


@cache
def _irregular(lang: str) -> dict[str, str]:
    """Stem of an irregular form -> stem of its verb (`data/stems.json`)."""
    verbs = [(_plain(base, lang), forms.split()) for base, forms in _VERBS.get(lang, {}).items()]
    pairs = [(_plain(form, lang), base) for base, forms in verbs for form in forms]
    bases = {base for base, _ in verbs}
    found = {form: base for form, base in reversed(pairs) if form not in bases}
    if lang == "en":
        found = {f"un{form}": f"un{base}" for form, base in found.items()} | found  # `unpaid`
    return found


def _germanic(found: str, lang: str) -> str:
    """A German or Dutch stem without what its participle adds, strong forms as their verb (`abgeholt`: `abhol`)."""
    match = _PREFIX[lang].match(found)
    before, verb = (match.group(), found[match.end() :]) if match else ("", found)
    if lang == "de" and before:
        verb = _DE_INFINITIVE.sub("", verb)
    verb = _PARTICIPLE.sub("", verb)
    whole = before + _irregular(lang).get(verb, verb)
    if lang == "de":
        return _DE_VERBAL.sub("", whole)
    return _NL_LONG.sub(r"\1", _NL_PERSON.sub("", whole))


def _root(found: str) -> str:
    """The three letters of an Arabic verb where its form is one of the plain ones."""
    for pattern, form in _AR_FORMS:
        bare = pattern.sub(form, found)
        if bare != found:
            return bare
    return found


def _aspectless(found: str) -> str:
    """A Russian stem that both aspects of a verb share (`очища-ть`, `очист-ить`; `обновля-ть`, `обнов-ить`)."""
    bare = _RU_LASTING.sub("", _RU_THEME.sub("", found))
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
        ending = final_consonant(plain[-1])
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


def final_consonant(syllable: str) -> int:
    """Number of the final consonant of a Hangul syllable; 0 for none (Unicode, section 3.12)."""
    return (ord(syllable) - 0xAC00) % 28
