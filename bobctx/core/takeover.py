"""What a sentence tells as giving way to something else: what goes and what comes, in twelve languages. Pure.

Four ways to say it: old and new in one construction (`moved from Leeds to York`, `replaced the sofa with a bench`, `X
took over from Y`), a part that tells how it was before one of now (`the class was on Mondays, now it is on Fridays`),
a part of now before one of then, somebody who leaves beside somebody who follows (`data/takeover.json`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple

import regex

from bobctx.core.function_words import BACK, OBJECTS, PREPOSITIONS
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.remembering import remembered
from bobctx.core.text import content_stems, folded

LONGEST: Final = 400
"""Characters of a sentence that is read."""
_TABLE: Final[dict[str, dict[str, str]]] = {
    lang: words
    for lang, words in json.loads(
        resources.files("bobctx.core.data").joinpath("takeover.json").read_text("utf-8")
    ).items()
    if not lang.startswith("_")
}
_VERB_LAST: Final = frozenset({"ja", "ko"})
"""Languages in which the verb stands behind what it tells."""
_VERB_BEHIND: Final = frozenset({"de", "nl"})
"""Languages in which a participle stands behind what it tells."""
_AMBIGUOUS: Final = frozenset({"fr", "es", "pt", "ru"})
"""Languages whose word for `from` means `of` or `with` too: it has to follow the verb of change."""
_FIGURE: Final = regex.compile(r"\d")
_ELIDING: Final = frozenset({"fr", "it"})
_SPOKEN: Final = r"(?:[^\s,;:!?()]|(?<=\d)[,:](?=\d))++"
_SIGNS: Final = r"[^\s、。，,；;：:！？!?()はがをにで]"
_SIGN: Final = {"zh": r"[^、。，,；;：:！？!?()]", "ja": _SIGNS, "ko": r"[^\s,;:!?()]{1,24}?"}
_TOPIC: Final = {"ja": regex.compile(r"^[^はが、。]{1,12}[はが]"), "ko": regex.compile(r"^\s?\S{1,12}[이가은는]\s")}
"""What is spoken of, behind a part that says how it was (`駅前にあったパン屋は`)."""
_NAME: Final = regex.compile(r"\p{L}*+[._/\\\d-]\S*\w")


@lru_cache(maxsize=16)
def _cut(lang: str) -> regex.Pattern[str]:
    """Marks and words between the parts of a sentence."""
    joined = _words(lang, "cut")
    spaced = joined if lang in CHARACTER_LANGUAGES else rf"\s{joined}\s"
    return regex.compile(
        rf"[,:](?!\d)|[;，；：、،؛—–()]|{spaced}" + (r"|(?<=\s)(?=و\p{Arabic})" if lang == "ar" else "")
    )


class Turn(NamedTuple):
    """Two texts of which the second stands for the first now."""

    old: str
    """What is gone, as it is told: the words that name it."""
    new: str
    """What has come, and what is said with it."""
    apart: bool = False
    """The part of the new may name what both belong to (`Mr Hale teaches French now`)."""
    at: str = ""
    """Of the new what stands from the word of now on, if anything does."""
    lead: str = ""
    """Of that the first word, which may be a verb that both have (`now it stands in the hall`)."""


def known(lang: str) -> bool:
    """Whether there is a table for the language."""
    return lang in _TABLE


@lru_cache(maxsize=256)
def _words(lang: str, kind: str) -> str:
    """The alternatives of one kind of words as a pattern."""
    listed = sorted(_TABLE[lang].get(kind, "").split("|"), key=lambda w: (-len(w), w))
    out = (regex.escape(folded(w)).replace(r"\ ", " ").replace(r"\$", "$") for w in listed)
    out = (regex.sub(r"\\\*", r"\\p{L}{0,24}", regex.sub(r"^\\\*", r"\\p{L}{2,24}", w)) for w in out)
    return "(?:" + "|".join(w for w in out if w) + ")"


@lru_cache(maxsize=256)
def pattern(lang: str, kind: str) -> regex.Pattern[str] | None:
    """A pattern for the words of one kind (`turn`, `was`, `told` …)."""
    if not _TABLE[lang].get(kind):
        return None
    if lang in CHARACTER_LANGUAGES:
        return regex.compile(_words(lang, kind))
    lead = "[وفلب]?" if lang == "ar" else ""
    return regex.compile(rf"(?<![\p{{L}}\p{{Nd}}]){lead}{_words(lang, kind)}(?![\p{{L}}\p{{Nd}}])")


def has(text: str, lang: str, kind: str) -> bool:
    """Whether a folded text has a word of a kind."""
    found = pattern(lang, kind)
    return found is not None and found.search(text) is not None


@lru_cache(maxsize=16)
def _forms(lang: str) -> tuple[tuple[regex.Pattern[str], frozenset[str]], ...]:
    """The constructions of a language as patterns, each with the kinds of words that it has."""
    return tuple((_form(lang, form.split()), frozenset(form.split())) for form in _TABLE[lang]["forms"].split("|"))


def _form(lang: str, pieces: list[str]) -> regex.Pattern[str]:
    spaced = lang not in CHARACTER_LANGUAGES
    unit = _SIGN.get(lang, _SPOKEN)
    stop = rf"(?!{_words(lang, 'F')}\s)" if spaced and pieces[0] == "F" else ""
    out: list[str] = []
    for at, piece in enumerate(pieces):
        name = piece.casefold()
        if piece not in ("OLD", "NEW"):
            out.append(_words(lang, piece) if lang != "zh" or piece != "U" else _words(lang, piece) + r"\p{Han}{0,2}?")
        elif spaced or lang == "ko":
            lazy = "?" if at + 1 < len(pieces) else ""
            out.append(rf"(?P<{name}>{stop}{unit}(?:\s{stop}{unit}){{0,4}}{lazy})")
        else:
            lazy = "?" if at + 1 < len(pieces) else ""
            out.append(rf"(?P<{name}>{unit}{{1,16}}{lazy})")
    body = r"\s".join(out) if spaced else r"\s?".join(out)
    return regex.compile(rf"(?<![\p{{L}}\p{{Nd}}])(?:{body})(?![\p{{L}}\p{{Nd}}])" if spaced else body)


@remembered(4_096)
def turns(sentence: str, lang: str, after: str = "") -> tuple[Turn, ...]:
    """What a sentence tells as giving way to something else, each time it does; `after` is the sentence behind it."""
    return tuple(_turns(sentence, lang, after))


def _turns(sentence: str, lang: str, after: str) -> Iterator[Turn]:
    plain = _plain(sentence, lang)
    yield from _constructed(plain, lang)
    yield from _once(plain, lang)
    for kind in ("ever", "was"):
        yield from _in_turn(plain, lang, kind, "now")
    if has(plain, lang, "said"):
        yield from _in_turn(f"{plain} {_plain(after, lang)}", lang, "said", "wrong")
    yield from _left(plain, lang, sentence)


def _plain(text: str, lang: str) -> str:
    plain = folded(text[:LONGEST])
    return plain.replace("'", "' ").replace("  ", " ") if lang in _ELIDING else plain


def _constructed(plain: str, lang: str) -> Iterator[Turn]:
    """Old and new in one construction."""
    for form, kinds in _forms(lang):
        for found in form.finditer(plain):
            old, new = found["old"], found["new"]
            if has(plain[: found.end("new")], lang, "open") or _idle(old, new, lang):
                continue
            if "R" in kinds:
                old = _name(old)
            elif not kinds & {"V", "O", "U"}:
                old, new = _turned(plain, lang, found)
            if old:
                yield Turn(old, new, at=_first(new, lang))


def _idle(old: str, new: str, lang: str) -> bool:
    """Whether one of the two is a time, or means or reason of a change (`replaced the tyre with your help`)."""
    said = old if lang in CHARACTER_LANGUAGES else " ".join(new.split()[:2])
    return has(said, lang, "idle")


def _turned(plain: str, lang: str, found: regex.Match[str]) -> tuple[str, str]:
    """Old and new of `from X to Y` beside its verb of change; empty where they are no object of such a verb."""
    verb, old, new = pattern(lang, "turn"), found["old"], found["new"]
    assert verb is not None
    if lang in CHARACTER_LANGUAGES or (_FIGURE.search(old) and _FIGURE.search(new)):
        return (old, new) if verb.search(plain) else ("", "")
    before = list(verb.finditer(plain, 0, found.start()))
    between = plain[before[-1].end() : found.start()] if before else ""
    if before and _cut(lang).search(between) is None:
        near = not between.strip() or (lang not in _AMBIGUOUS and found.start("old") < found.start("new"))
        return (old, new) if near and not has(old, lang, "aux") else ("", "")
    inside = verb.search(old) if lang == "it" else None
    if inside is not None:
        return old[: inside.start()], new  # `da Rossi siamo passati a Bianchi`
    behind = verb.search(plain, found.start("new")) if lang in _VERB_BEHIND else None
    if behind is None or has(old, lang, "aux") or _cut(lang).search(plain, found.start("new"), behind.start()):
        return "", ""
    return old, plain[found.start("new") : behind.start()]


def _first(new: str, lang: str) -> str:
    """The words up to the first that names something."""
    spoken = new.split()
    names = (n for n in range(1, len(spoken)) if content_stems(" ".join(spoken[:n]), lang))
    return " ".join(spoken[: next(names, len(spoken))])


def _name(old: str) -> str:
    """The name in what is renamed (`dev` of `the branch dev`); empty where a thing is named that got another name."""
    named = _NAME.findall(old)
    if named:
        return " ".join(named)
    spoken = old.split()
    if spoken[0] not in OBJECTS:
        return old if len(spoken) == 1 else ""
    return spoken[-1] if len(spoken) > 2 else ""


def _once(plain: str, lang: str) -> Iterator[Turn]:
    """How it is, and behind it how it was (`it is called main now, before that it was master`)."""
    once = pattern(lang, "once")
    found = once.search(plain) if once is not None else None
    if found is None or not any(has(plain[: found.start()], lang, kind) for kind in ("now", "today")):
        return
    cut = _cut(lang).search(plain, found.end())
    end = cut.start() if cut is not None else len(plain)
    yield Turn(plain[found.end() : end], plain[: found.start()] + plain[end:], apart=True)


def _in_turn(plain: str, lang: str, before: str, after: str) -> Iterator[Turn]:
    """How it was or was said to be, and behind it how it is (`was on Mondays, now it is on Fridays`)."""
    was, now = pattern(lang, before), pattern(lang, after)
    told = was.search(plain) if was is not None else None
    current = now.search(plain, told.end()) if now is not None and told is not None else None
    if told is None or current is None or has(plain, lang, "unlike"):
        return
    cut = _cut(lang).search(plain, told.end() - 2, current.end())
    end = cut.start() if cut is not None else current.start()
    if cut is None and before != "said" and not has(current.group(), lang, "turn"):
        return
    old, new = plain[told.end() : end], plain[end:]
    if lang in _VERB_LAST and told.start() > 0:
        old, new = (_TOPIC[lang].sub("", part) for part in (plain[: told.start()], plain[told.end() :]))
    elif not content_stems(old, lang):
        old = plain[:end]
    if before == "was" and not _parallel(plain, told.end(), current, new, lang):
        return
    if not content_stems(new.replace(current.group(), " ", 1), lang):
        return
    if not has(new, lang, "open") and not _other_matter(plain[:end], new, lang):
        follows = _first(plain[current.end() :], lang)
        yield Turn(old, new, apart=has(new, lang, "leave"), at=plain[current.start() :], lead=follows)


def _parallel(plain: str, at: int, current: regex.Match[str], new: str, lang: str) -> bool:
    """Whether a part of now says of the same thing how it is, where one before says no more than how it was."""
    event = pattern(lang, "event")
    if event is not None and event.match(plain, at + len(plain[at:]) - len(plain[at:].lstrip())):
        return False  # `was born in Leeds and now lives in York`: that stays so
    if not _TABLE[lang].get("be") or any(
        (has(current.group(), lang, "turn"), has(new, lang, "be"), has(new, lang, "leave"))
    ):
        return True
    follows = plain[current.end() :].split()[:1]
    return bool(follows) and (follows[0] in PREPOSITIONS or _FIGURE.match(follows[0]) is not None)


def _other_matter(old: str, new: str, lang: str) -> bool:
    """Whether a part goes on with the speaker and nothing of what was told before (`it was salty, now I cook`)."""
    if not has(new, lang, "speaker") or has(old, lang, "speaker"):
        return False
    return BACK.isdisjoint(regex.findall(r"\p{L}+", new))


def _left(plain: str, lang: str, sentence: str) -> Iterator[Turn]:
    """Somebody who leaves, beside somebody who follows."""
    leave, come = pattern(lang, "leave"), pattern(lang, "come")
    gone = leave.search(plain) if leave is not None else None
    if gone is None or come is None:
        return
    cuts = [m.span() for m in _cut(lang).finditer(plain)]
    low = max((b for _, b in cuts if b <= gone.start()), default=0)
    high = min((a for a, _ in cuts if a >= gone.end()), default=len(plain))
    old = plain[low : gone.start()]
    if not content_stems(old, lang):
        old = plain[gone.end() : high]
    starts = [0, *(b for _, b in cuts)]
    ends = [*(a for a, _ in cuts), len(plain)]
    for start, end in zip(starts, ends, strict=True):
        found = come.search(plain, start, end) if start != low else None
        if found is None:
            continue
        follows = plain[found.end() : end].split()[:1]
        named = bool(follows) and follows[0].capitalize() in sentence  # `and now Marta runs it`
        if named or content_stems(plain[start : found.start()], lang):
            yield Turn(old, plain[start:end], apart=True)
            return
