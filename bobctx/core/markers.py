"""What a sentence does, by the words that mark it: forbids, requires, decides, corrects, defines. Pure.

The extractor's own reading of twelve languages (`data/extract_cues.json`); no rule guesses in a
language without a table (design, section 5, Seats).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import regex

from bobctx.core.language import LATIN, UNKNOWN, is_stop_word, language_of
from bobctx.core.literals import containers
from bobctx.core.remembering import remembered
from bobctx.core.repairing import repair
from bobctx.core.text import folded, words

KINDS = (
    "forbid", "require", "decide", "correct", "shift", "define", "commit", "fail", "prefer", "make",
    "open", "hypo", "lift",
)  # fmt: skip
"""`time` and `event` words are counted, not found (`counts`)."""

UNSPACED = frozenset({"zh", "ja", "ko"})
"""Languages whose cues stand inside runs of characters."""

STRONG = 5
"""Characters of a phrase from which it denies a rule and not just a fact (`nunca`, `jamais`; not `no`, `pas de`)."""
MAX_CHARS = 1_200
"""Characters of a sentence that are read for markers."""

_TABLES: dict[str, Any] = json.loads(
    files("bobctx.core").joinpath("data", "extract_cues.json").read_text(encoding="utf-8")
)

_BEFORE_NO_ORDER = {
    "de": "ich|wir|er|sie|es|das|die|der|man|du|ihr|mein|unser|hier|da|so|gestern|ein|eine|war|hat|habe",
    "nl": "ik|we|wij|hij|zij|ze|het|dat|de|men|je|jij|er|hier|zo|gisteren|een|mijn|ons|was|heb|heeft",
}
"""Words with which a sentence that orders nothing begins."""
_ORDER = (
    r"(?:\p{L}{2,20}iere|nutz|benutz|verwend|lösch|änder|start|stopp|öffn|schließ|send|schick|teil|speicher|schreib|leg|setz|stell"
    r"|mach|lass|fass|rühr|entfern|verschieb|bearbeit|überschreib|veröffentlich|ruf|beantwort|bestell|buch|kauf|zahl|schalt"
    r"|dreh|fahr|zieh|lad|verrat|erwähn|berühr|verändern|ersetz|erlaub|vergib|gib|nimm|lies|sprich|vergiss)"
)
"""Stems of what people are told to do in German: a bare `nicht` stands behind many verbs that order nothing."""
_VERB_FIRST = {
    "de": (
        regex.compile(rf"(?:^|^[^:]{{2,40}}: )(?!(?:{_BEFORE_NO_ORDER['de']})\b)\p{{L}}++ .*\b(?:niemals|nie)\b"),
        regex.compile(
            r"^(?!(?:ich|wir)\b)(?:.{0,200}?(?:[:;,.!–—] |\b(?:und|bitte|aber|oder) ))?"
            rf"(?:{_ORDER}(?:e|t)?|{_ORDER}en sie) (?!ich\b|er\b|sie\b|wir\b)[^,;.!?]{{0,120}}?\bnicht\b"
        ),
    ),
    "fr": (
        regex.compile(
            r"^(?:[^,;:]{2,40}[,;:] |(?:au fait|désormais|dorénavant|à l'avenir|surtout|alors|donc|et|mais|svp|stp"
            r"|s'il (?:te|vous) plaît) ){0,2}n'(?:y |en )?(?!(?:est|es|a|as|ai|ont|avons|avez|avait|avaient|avais|était"
            r"|étaient|étais|aura|aurait|importe)\b)\p{L}++[^,;.!?]{0,40}?\b(?:pas|jamais|plus|rien|aucune?)\b"
        ),
    ),
    "nl": (regex.compile(rf"(?:^|^[^:]{{2,40}}: )(?!(?:{_BEFORE_NO_ORDER['nl']})\b)\p{{L}}++ .*\bnooit\b"),),
}
"""Imperatives whose `never` or `not` stands after the verb (`Start ... nooit`, `N'active pas`, `Schalte ... nicht`)."""
_LATIN_LETTER = regex.compile(r"\p{Latin}")
_QUESTION = regex.compile(
    r"[?？؟]['\"”’»)\]]*+\s*+$|か[。.]?$|(?:吗|呢)[。.]?$|(?:까요|나요|습니까|는지요)[.]?$|^¿", regex.V1
)


def is_question(sentence: str) -> bool:
    """Whether the sentence asks, by its end in any script."""
    return _QUESTION.search(sentence.strip()) is not None


@remembered(8192)
def markers(sentence: str, lang: str, kinds: Collection[str] = KINDS) -> frozenset[str]:
    """The kinds of marker in one sentence, of `kinds`, and `question`; nothing is guessed for an unknown language.

    Who asks for a few kinds spares the patterns of all others, which are made when they are first looked for. What
    stands in quotation marks or code is named, not said; a rule that only follows a supposition is supposed.
    """
    found = {"question"} if is_question(sentence) else set()
    if lang not in _TABLES or lang == UNKNOWN:
        return frozenset(found)
    plain = _plain(_unquoted(sentence))
    for idiom in _patterns(lang, "idiom"):
        plain = idiom.sub(lambda m: "\u00b7" * len(m.group()), plain)
    places = {kind: place for kind in kinds if (place := _first(plain, lang, kind)) is not None}
    found.update(places)
    supposable = [kind for kind in ("forbid", "require", "decide") if kind in places]
    hypo = places.get("hypo") if "hypo" in kinds or not supposable else _first(plain, lang, "hypo")
    found.difference_update(kind for kind in supposable if hypo is not None and hypo < places[kind])
    return frozenset(found)


def _first(plain: str, lang: str, kind: str) -> int | None:
    places = [m.start() for p in _patterns(lang, kind) if (m := p.search(plain)) is not None]
    return min(places, default=None)


def _unquoted(sentence: str) -> str:
    """The sentence with quoted strings and code blanked; a sentence that is one quotation stays as it is."""
    spans = [(lit.start, lit.end) for lit in containers(sentence)]
    if not spans or sum(b - a for a, b in spans) > len(sentence) - 4:
        return sentence
    out, at = [], 0
    for start, end in spans:
        out += [sentence[at:start], "x" * (end - start)]
        at = end
    return "".join(out) + sentence[at:]


def counts(sentence: str, lang: str, kind: str) -> int:
    """How many words of `kind` (`time`, `event`) stand in the sentence."""
    if lang not in _TABLES:
        return 0
    return sum(1 for pattern in _patterns(lang, kind) for _ in pattern.finditer(_plain(sentence)))


def _plain(sentence: str) -> str:
    return folded(sentence[:MAX_CHARS]).strip()


@lru_cache(maxsize=256)
def _patterns(lang: str, kind: str) -> tuple[regex.Pattern[str], ...]:
    table = _TABLES[lang]
    if kind not in ("forbid", "require"):
        return (_anywhere(table[kind], lang),)
    start = _at_start(table["lead"], table[f"{kind}_start"], lang)
    found: tuple[regex.Pattern[str], ...] = start, _anywhere(table[f"{kind}_any"], lang)
    if kind == "forbid":
        found = (*found, _behind_known_opener(table, lang))
    if kind == "forbid" and lang not in UNSPACED:
        found = (*found, _behind_opener(table["forbid_start"]))
    return (*found, *_VERB_FIRST.get(lang, ())) if kind == "forbid" else found


def _anywhere(phrases: Iterable[str], lang: str) -> regex.Pattern[str]:
    body = _alternatives(phrases)
    return regex.compile(body if lang in UNSPACED else rf"(?<!\w)(?:{body})(?!\w)")


def _at_start(lead: Iterable[str], phrases: Iterable[str], lang: str) -> regex.Pattern[str]:
    """A phrase where a clause begins: at the start, after a stop or dash, or after words such as `please` and `but`.

    Behind a comma or an `and`, a mere `not` before a value, a place or a measure contrasts and forbids nothing.
    """
    edge = "" if lang in UNSPACED else r"(?!\w)"
    said, listed, joined = {folded(w) for w in lead}, [folded(p) for p in phrases], _JOINED.get(lang, frozenset())
    comma = r",\s" if lang in ("en", "de") else ""  # `Hi all, never …`; elsewhere `, pas de …` only contrasts
    gap = r"[\s,:;!*_\"'`>-]*+"
    clause = rf"(?:^|(?<=[.;:!—–。；：！]\s?)|(?<!\w)(?:{_alternatives(said - joined)}){edge})"
    patterns = [rf"{clause}{gap}(?:(?:{_alternatives(said)}){edge}{gap}){{0,2}}(?:{_alternatives(listed)}){edge}"]
    if joined:
        weak, strong = [p for p in listed if p in _WEAK], [p for p in listed if p not in _WEAK]
        behind = rf"(?:(?<!\w)(?:{_alternatives(joined)}){edge}{'|' + comma if comma else ''}){gap}"
        told = rf"(?:{_alternatives(strong)}){edge}"
        if weak:
            told = rf"(?:{told}|(?:{_alternatives(weak)}){edge}(?!\s+(?:[\d/]|(?:{_PLACED[lang]}){edge})))"
        patterns.append(behind + told)
    return regex.compile("|".join(patterns))


_JOINED = {
    "en": frozenset({"and", "but"}),
    "de": frozenset({"und", "aber"}),
    "es": frozenset({"y", "pero"}),
    "pt": frozenset({"e", "mas"}),
    "it": frozenset({"e", "ma"}),
    "nl": frozenset({"en", "maar"}),
    "ru": frozenset({"и", "но"}),
}
"""Words that join two statements, and two things as well."""
_WEAK = frozenset({"nicht", "kein", "keine", "no", "não", "non", "niet", "geen", "не"})
"""Negations of any statement, which forbid only before a verb."""
_PLACED = {
    "en": "the",
    "de": "zu[mr]?|bei|beim|auf|vo[nm]|mit|i[nm]|an|am|für|der|die|das|de[nm]|eine?[nm]?|mehr|so|nur|sehr|ganz|immer",
    "es": "en|al?|del?|el|con|por|para|una?|es|está|son|hay|más|solo|tan|muy|siempre",
    "pt": "em|n[oa]|ao?|d[eoa]|com|por|para|uma?|é|está|há|mais|só|tão|muito",
    "it": "in|al?|di|del|da|su|il|con|per|una?|è|sono|più|solo|così|molto|sempre",
    "nl": "in|op|aan|van|met|voor|de|het|een|meer|zo|erg|altijd|naar|bij|tot",
    "ru": "на|во?|со?|ко?|по|для|у|о|из|от|до|за|только|так|очень|всегда",
}
"""What stands before a place, a thing or a measure."""


def _behind_opener(phrases: Iterable[str]) -> regex.Pattern[str]:
    """`By the way, never …`: behind a few opening words only what is no everyday `no` forbids."""
    strong = [p for p in phrases if len(p) >= STRONG]
    return regex.compile(rf"^(?:[\p{{L}}'’]++\s?){{1,4}},\s?(?:{_alternatives(strong)})(?!\w)")


def _behind_known_opener(table: Mapping[str, Any], lang: str) -> regex.Pattern[str]:
    """`by the way never …`, which some write without a comma: behind words that only open, a clause begins."""
    gap, edge = (r"[\s,:;!.*_–—-]++", r"(?!\w)") if lang not in UNSPACED else (r"[\s,:;!.，、：；。！—-]*+", "")
    openers = rf"(?:(?:{_alternatives(table['opener'])}|{_alternatives(table['lead'])}){gap}){{1,4}}"
    weak = [p for p in table["forbid_start"] if folded(p) in _WEAK]
    strong = [p for p in table["forbid_start"] if folded(p) not in _WEAK]
    told = rf"(?:{_alternatives(strong)}){edge}"
    if weak and lang in _PLACED:
        told = rf"(?:{told}|(?:{_alternatives(weak)}){edge}(?!\s+(?:[\d/]|(?:{_PLACED[lang]}){edge})))"
    return regex.compile(rf"^{openers}{told}")


def _alternatives(phrases: Iterable[str]) -> str:
    longest_first = sorted({folded(p) for p in phrases}, key=lambda p: (-len(p), p))
    return "|".join(_escape(p) for p in longest_first)


def _escape(phrase: str) -> str:
    """A phrase as a pattern: `*` at its end is the rest of the word, between words any one to six words."""
    escaped = regex.escape(phrase, literal_spaces=True)
    escaped = escaped.replace(r" \* ", r"\s+(?:[\w'\".-]++\s+){1,6}?").replace(r"\*", r"\w*+")
    return escaped.replace(" ", r"\s+")


def language_within(text: str, whole: str) -> str:
    """A short sentence is read in the language of its message, unless more of its small words are of another."""
    own = language_of(text)
    if len(text) >= 60 or whole == UNKNOWN or own == whole:
        return whole if own == UNKNOWN else own
    if own == UNKNOWN:
        return whole
    if own in LATIN and whole in LATIN:
        small = [w.text for w in words(text, own)]
        mine, theirs = (sum(is_stop_word(w, one) for w in small) for one in (own, whole))
        return own if mine > theirs + 1 else whole
    return own


_TELLING = frozenset({"forbid", "lift", "correct"})


def telling(text: str, lang: str) -> str:
    """A short sentence in another language than its message may bind or correct: then it is of that language."""
    if len(text) > 80 or _tells(text, lang) or _LATIN_LETTER.search(text) is None:
        return lang
    own = language_of(text)
    if own not in (UNKNOWN, lang) and (_tells(text, own) or "require" in markers(text, own)):
        return own
    if own == lang and _sure(text, lang):
        return lang
    return next((one for one in LATIN if one != lang and _tells(text, one)), lang)


def _tells(text: str, lang: str) -> bool:
    return bool(markers(text, lang) & _TELLING) or bool(repair(text, lang))


def _sure(text: str, lang: str) -> bool:
    """Whether a small word that no other of the Latin languages has stands in the text (`no` is of three)."""
    found = [w.text for w in words(text, lang) if is_stop_word(w.text, lang)]
    return any(not any(is_stop_word(w, one) for one in LATIN if one != lang) for w in found)


def language_said(text: str, around: str = "") -> str:
    """The language of a statement of which no small word may tell it; `around` is the message that it comes from."""
    return telling(text, language_within(text, language_of(around) if around else UNKNOWN))
