"""One corruption of an accepted claim at a time, only where it changes the meaning."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from bobctx.core import literals
from bobctx.core.binding import rivals
from bobctx.core.language import language_of
from bobctx.core.literals import Literal
from bobctx.core.text import content_stems
from evals.frames import Base
from evals.negating import negated

Claim = dict[str, Any]

LITERAL_KINDS = {
    "number": ("number", "money", "percent"),
    "date": ("date", "time"),
    "version": ("version",),
    "path": ("path",),
    "url": ("url",),
    "identifier": ("identifier", "ticket", "hex", "uuid", "flag", "env", "email", "code"),
    "quote": ("quote",),
}
UNITS = {
    "s": "ms", "ms": "s", "min": "h", "h": "min", "d": "weeks", "wk": "days", "mo": "days", "yr": "days", "GB": "MB",
    "MB": "GB", "GiB": "MiB", "kB": "MB", "TB": "GB", "mg": "g", "g": "mg", "kg": "g", "km": "m", "m": "km", "cm": "mm",
    "%": "EUR", "EUR": "USD", "USD": "EUR", "GBP": "EUR", "JPY": "EUR", "CNY": "USD", "l": "ml", "ml": "l",
}  # fmt: skip


def corruptions(base: Base, rng: random.Random) -> Iterator[tuple[str, Claim]]:
    """(kind, corrupted claim) for everything that can go wrong with this claim."""
    for kind, text in base.wrong.items():
        yield kind, {**base.claim, "text": text}
    text = base.claim["text"]
    cited = "\n".join(m.text for m in base.region.messages if m.id in base.claim["cites"])
    found = literals.of_claim(text, base.lang)
    for literal in found:
        yield from _literal(base, literal, cited, rng)
    yield from _citation(base, found, rng)
    if base.source != "frames":
        for kind, changed in negated(text, base.lang):
            yield kind, {**base.claim, "text": changed}
    if base.lang == "en":
        for kind, edit in EDITS:
            edited = edit(text)
            if edited and edited != text:
                yield kind, {**base.claim, "text": edited}


def _literal(base: Base, literal: Literal, cited: str, rng: random.Random) -> Iterator[tuple[str, Claim]]:
    for kind, kinds in LITERAL_KINDS.items():
        if literal.kind in kinds:
            other = _tweak(kind, literal.text, rng)
            if other is not None and other not in cited and other != literal.text:
                yield kind, _with(base, literal, other)
    if literal.unit in UNITS and not literal.soft_unit:
        number = re.search(r"\d[\d.,]*", literal.text)
        if number is not None:
            other = f"{number.group()} {UNITS[literal.unit]}"
            if other not in cited:
                yield "unit", _with(base, literal, other)
    twin = _twin(base, literal, cited, rng)
    if twin is not None:
        yield "twin", _with(base, literal, twin.text)


def _with(base: Base, literal: Literal, text: str) -> Claim:
    old = base.claim["text"]
    return {**base.claim, "text": old[: literal.start] + text + old[literal.end :]}


def _tweak(kind: str, text: str, rng: random.Random) -> str | None:
    if kind in ("number", "date", "version"):
        digits = [i for i, c in enumerate(text) if c.isascii() and c.isdigit()]
        if not digits:
            return None
        at = digits[-1] if kind != "number" else rng.choice(digits)
        new = str((int(text[at]) + rng.choice((1, 2, 3))) % 10)
        if at == digits[0] and new == "0" and len(digits) > 1:
            new = "7"
        return text[:at] + new + text[at + 1 :]
    if kind in ("path", "url"):
        return text + "x" if rng.random() < 0.3 else _swapped(text, rng)
    if kind == "quote":
        words = text.split(" ")
        if len(words) < 2:
            return None
        at = rng.randrange(len(words))
        words[at] = "quietly" if words[at] != "quietly" else "loudly"
        return " ".join(words)
    return _swapped(text, rng)


def _swapped(text: str, rng: random.Random) -> str | None:
    """Two neighbouring letters or digits that differ, exchanged."""
    places = [i for i in range(len(text) - 1) if text[i].isalnum() and text[i + 1].isalnum()]
    places = [i for i in places if text[i].casefold() != text[i + 1].casefold() and i > 7 * text.startswith("http")]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _twin(base: Base, literal: Literal, cited: str, rng: random.Random) -> Literal | None:
    """Another value of the kind that the cited messages give to something else."""
    if literal.kind in ("quote", "code", "weekday") or not literal.measured or literal.text.isalpha():
        return None
    mine = [f.needs for f in literals.of_claim(base.claim["text"], base.lang)]
    others = [
        o
        for o in literals.scan(cited, base.lang)
        if rivals(literal, o)
        and o.unit == literal.unit
        and not o.text.isalpha()
        and not any(o.offers & m for m in mine)
    ]
    return rng.choice(others[:6]) if others else None


def _citation(base: Base, found: list[Literal], rng: random.Random) -> Iterator[tuple[str, Claim]]:
    stems = content_stems(base.claim["text"], language_of(base.claim["text"]))
    others = [m for m in base.region.messages if m.id not in base.claim["cites"] and m.text.strip()]
    rng.shuffle(others)
    for message in others[:3]:
        share = len(stems & content_stems(message.text)) / max(1, len(stems))
        if share < 0.5 or any(f.text not in message.text for f in found):
            yield "citation", {**base.claim, "cites": [message.id]}
            return


def _drop_negation(text: str) -> str | None:
    for pattern, new in (
        (r"\bmust never\b", "must"), (r"\bmust not\b", "must"), (r"\bmustn't\b", "must"), (r"\bmay not\b", "may"),
        (r"\b(is|are|was|were|does|do|did|has|have|should|can|could|will|would) not\b", r"\1"),
        (r"\bcannot\b", "can"), (r"\bis forbidden\b", "is required"), (r"\bdoesn't\b", "does"), (r"\bisn't\b", "is"),
    ):  # fmt: skip
        if len(re.findall(pattern, text)) == 1 and not re.search(r"\b(no|without|neither|nor|unless|none)\b", text):
            return re.sub(pattern, new, text)
    return None


def _add_negation(text: str) -> str | None:
    if re.search(r"\b(not|never|no|nor|without|unless|none|cannot|only|if|whether)\b|n't", text):
        return None
    match = re.search(r"\b(is|are|was|were|must|may|should|can|will)\b(?! not)", text)
    return text[: match.end()] + " not" + text[match.end() :] if match else None


def _swap(*pairs: tuple[str, str]) -> Callable[[str], str | None]:
    table = dict(pairs) | {b: a for a, b in pairs}
    pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, table), key=len, reverse=True)) + r")\b")

    def edit(text: str) -> str | None:
        return pattern.sub(lambda m: table[m.group()], text) if len(pattern.findall(text)) == 1 else None

    return edit


def _modal(text: str) -> str | None:
    """`must` and `may` exchanged; under a negation both forbid."""
    if re.search(r"\b(must|may) (not|never)\b|\bonly\b|\bat (most|least)\b", text):
        return None
    return _swap(("must", "may"))(text)


def _drop_condition(text: str) -> str | None:
    match = re.fullmatch(r"(?:If|Unless|Once) [^,]{5,80}, (?P<main>.{10,})", text)
    if match:
        return match["main"][0].upper() + match["main"][1:]
    match = re.fullmatch(r"(?P<main>.{12,}?),? (?:only )?(?:if|unless) [^,]{5,80}\.", text)
    return match["main"] + "." if match else None


OPPOSITES = (
    ("enabled", "disabled"), ("allowed", "forbidden"), ("increases", "decreases"), ("included", "excluded"),
    ("succeeded", "failed"), ("accepted", "rejected"), ("locked", "unlocked"), ("open", "closed"),
)  # fmt: skip
EDITS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("negation_dropped", _drop_negation),
    ("negation_added", _add_negation),
    ("antonym", _swap(*OPPOSITES)),
    ("modality", _modal),
    ("comparator", _swap(("at least", "at most"), ("more than", "less than"), ("no later than", "no earlier than"))),
    ("condition", _drop_condition),
)  # fmt: skip
