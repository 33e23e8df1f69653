"""One claim against the text that replaced its source: there, not found verbatim, or contradicted. Pure.

Lexical, as the validator is: a paraphrase without the claim's values and words is "not found verbatim", which
does not mean that it is lost. A contradiction needs the same subject in one sentence of the summary, and there
the opposite sign or another value of the same kind, which nothing said later explains (design, section 12).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as Choice

from bobctx.core import literals
from bobctx.core.binding import rivals
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.literals import Literal
from bobctx.core.polarity import compare
from bobctx.core.text import content_stems, sentences
from bobctx.core.types import Claim, Message

Status = Choice["found", "not_found_verbatim", "contradicted"]

TURNED = frozenset({"negation_added", "negation_dropped", "antonym", "comparator", "contrast_asserted"})
"""Differences that turn a statement around; what a summary merely weakens or leaves out is no contradiction."""
FOUND_WITH_VALUES = 0.4
"""Share of the claim's words beside its values that one sentence must have."""
FOUND_PLAIN = 0.7
SAME_SUBJECT = 0.7
"""Share of the claim's words from which a sentence speaks of the same thing."""
LEAST_WORDS = 3
"""Words in common below which two sentences are not compared."""
COMPARED = 6
"""Sentences of a summary, best first, that a claim is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One claim that still held at the end of its stretch, and the messages it cites."""

    claim: Claim
    importance: int
    cited: tuple[Message, ...]
    after: Sequence[Message] = ()
    """What was said later: a value that changed there is no contradiction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of one claim."""

    stated: Stated
    status: Status
    reason: str = ""
    """`negation_dropped`, `value`, …, for a contradiction; the first missing value for one not found."""
    sentence: str = ""
    """Of the summary, where one speaks of it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the summary."""

    text: str
    stems: frozenset[str]
    values: tuple[Literal, ...]


class Summary:
    """The text that stands for the earlier messages, prepared once."""

    def __init__(self, text: str, *, contradicts: bool = True) -> None:
        """`contradicts=False`: the text is original messages, which cannot misquote anything."""
        self.text = text
        self.lang = language_of(text)
        self.contradicts = contradicts

    @cached_property
    def sentences(self) -> list[Sentence]:
        """All of them, in order, without list marks and emphasis."""
        found = []
        for span in sentences(self.text):
            text = self.text[span[0] : span[1]].strip().lstrip("-*#>• \t").replace("**", "")
            if text:
                values = tuple(literals.scan(text, self.lang))
                found.append(Sentence(text, content_stems(text, self.lang), values))
        return found

    @cached_property
    def offers(self) -> frozenset[str]:
        """Keys of every value in the text, and of every quoted stretch, folded."""
        keys = {k.casefold() for s in self.sentences for v in s.values for k in v.offers}
        return frozenset(keys | {k.casefold() for v in literals.containers(self.text) for k in v.offers})

    @cached_property
    def lower(self) -> str:
        """The text for plain search."""
        return " ".join(self.text.casefold().split())

    def has(self, literal: Literal) -> bool:
        """Whether the value stands here: as a value, or letter by letter where it is a quotation or a name."""
        if any(need.casefold() in self.offers for need in literal.needs):
            return True
        return not literal.measured and " ".join(literal.text.casefold().split()).strip("`\"'“”") in self.lower


def judge(stated: Stated, summary: Summary) -> Finding:
    """Compare one claim with the summary."""
    text = stated.claim.text
    lang = language_of(text)
    lang = summary.lang if lang == UNKNOWN else lang
    values = literals.of_claim(text, lang)
    mine = content_stems(text, lang) - _value_stems(values, lang)
    ranked = _ranked(mine, values, summary)
    missing = [v for v in values if not summary.has(v)]
    if summary.contradicts:
        near = [s for share, s in ranked if share >= SAME_SUBJECT and len(mine & s.stems) >= LEAST_WORDS]
        turned = _contradiction(stated, values, missing, near[:COMPARED], lang)
        if turned is not None:
            return turned
    least = FOUND_WITH_VALUES if values else FOUND_PLAIN
    enough = [s.text for share, s in ranked[:COMPARED] if share >= least or (values and len(mine) <= 1)]
    said = None if missing else next((s for s in enough if _agrees(text, s, lang)), None)
    if said is not None:
        return Finding(stated=stated, status="found", sentence=said)
    reason = missing[0].text if missing else ""
    return Finding(stated=stated, status="not_found_verbatim", reason=reason)


def _value_stems(values: Sequence[Literal], lang: str) -> frozenset[str]:
    return frozenset().union(*(content_stems(v.text, lang) for v in values if v.measured)) if values else frozenset()


def _ranked(mine: frozenset[str], values: Sequence[Literal], summary: Summary) -> list[tuple[float, Sentence]]:
    """Sentences that share words or values with the claim: (share of its words, sentence), best first."""
    needs = {need.casefold() for v in values for need in v.needs}
    found = []
    for place, sentence in enumerate(summary.sentences):
        share = len(mine & sentence.stems) / len(mine) if mine else 0.0
        same = sum(1 for v in sentence.values if needs & {k.casefold() for k in v.offers})
        if share or same:
            found.append((share + 0.25 * min(same, 2), share, -place, sentence))
    found.sort(key=lambda item: item[:3], reverse=True)
    return [(share, sentence) for _, share, _, sentence in found]


def _contradiction(
    stated: Stated, values: Sequence[Literal], missing: Sequence[Literal], near: Sequence[Sentence], lang: str
) -> Finding | None:
    if not near or stated.claim.type == "open_question":
        return None
    supports = [s.text for s in near]
    turned = [m for m in compare(stated.claim.text, supports, lang=lang) if m.code in TURNED]
    if turned and not missing:
        sentence = supports[turned[0].clause] if turned[0].clause < len(supports) else supports[0]
        if not any(_agrees(stated.claim.text, s, lang) for s in supports):
            return Finding(stated=stated, status="contradicted", reason=turned[0].code, sentence=sentence)
    measured = [v for v in missing if v.measured]
    if len(measured) != 1:
        return None
    for candidate in near:
        other = _rival(measured[0], values, candidate)
        if other is not None and not _said_later(other, stated):
            return Finding(
                stated=stated,
                status="contradicted",
                reason=f"value: {measured[0].text} became {other.text}",
                sentence=candidate.text,
            )
    return None


def _agrees(claim: str, sentence: str, lang: str) -> bool:
    """Whether one sentence of the summary says what the claim says, so that another one merely adds to it."""
    return not any(m.code in TURNED for m in compare(claim, [sentence], lang=lang))


def _rival(missing: Literal, values: Sequence[Literal], sentence: Sentence) -> Literal | None:
    """The one value that stands where the claim's should: the only one of its kind that the claim does not have."""
    known = {need.casefold() for v in values for need in v.needs}
    others = [
        v
        for v in sentence.values
        if v.kind == missing.kind
        and v.unit == missing.unit
        and rivals(missing, v)
        and not known & {k.casefold() for k in v.offers}
    ]
    return others[0] if len(others) == 1 else None


def _said_later(value: Literal, stated: Stated) -> bool:
    """Whether the value stands in the claim's own messages or was said after them: then it is news, no mistake."""
    needle = value.text.casefold()
    return any(needle in m.text.casefold() for m in (*stated.cited, *stated.after))
