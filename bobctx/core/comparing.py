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
from bobctx.core.acts import prohibition_cues
from bobctx.core.binding import rivals
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.polarity import Mismatch, compare
from bobctx.core.text import content_stems, folded, normalized, sentences
from bobctx.core.types import Claim, Message

Status = Choice["found", "not_found_verbatim", "contradicted"]

TURNED = frozenset({"negation_added", "negation_dropped", "antonym", "comparator", "contrast_asserted", "modality"})
"""Differences that turn a statement around; what a summary merely weakens or leaves out is no contradiction."""
WEAKENED = frozenset({"condition_dropped", "hypothetical", "quantifier", "question"})
"""Differences with which a sentence has the claim's words and still does not say it."""
SIGNS = frozenset({"negation_added", "negation_dropped", "modality"})
"""Those that a short sentence shows as well as a long one: its `not`, its `must` and `may`."""
CLAIM_SHARE = 0.7
"""Share of the claim's content, signs apart, from which a sentence is about the very same thing."""
SENTENCE_SHARE = 0.6
"""Share of the sentence's own content that has to be the claim's: one that says more may well say something else."""
MODAL_SHARE = 0.8
"""Both, where only `must` and `may` differ, or two words that are opposites."""
LEAST_SIGNED = 2
"""Words in common with which a sentence can turn around a `not` or a `must`."""
LEAST_SHARE = 0.4
"""Share of the claim's words below which that is not looked for."""
LEAST_WEIGHT = 2.0
"""Weight in common (a word is 1, a name or number more) below which nothing is the very same thing."""
FOUND_WITH_VALUES = 0.4
"""Share of the claim's words beside its values that one sentence must have."""
FOUND_PLAIN = 0.7
SAME_SUBJECT = 0.7
"""Share of the claim's words from which a sentence speaks of the same thing."""
LEAST_WORDS = 3
"""Words in common below which two sentences are not compared."""
LABEL_WORDS = 6
"""Words before a colon that can be a label."""
LANGUAGE_CHARS = 2_000
"""Of a cited message that its language is told by."""
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
    """`negation_dropped`, `value`, …, for a contradiction; the first missing value or `condition_dropped`, … else."""
    sentence: str = ""
    """Of the summary, where one speaks of it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the summary."""

    text: str
    stems: frozenset[str]
    values: tuple[Literal, ...]
    offers: tuple[frozenset[str], ...]
    """Folded keys of each value."""


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
                offers = tuple(frozenset(k.casefold() for k in v.offers) for v in values)
                found.append(Sentence(text, content_stems(text, self.lang), values, offers))
        return found

    @cached_property
    def offers(self) -> frozenset[str]:
        """Keys of every value in the text, and of every quoted stretch, folded."""
        keys = {k for s in self.sentences for offers in s.offers for k in offers}
        return frozenset(keys | {k.casefold() for v in literals.containers(self.text) for k in v.offers})

    @cached_property
    def lower(self) -> str:
        """The text for plain search."""
        return normalized(self.text)

    def has(self, literal: Literal) -> bool:
        """Whether the value stands here: as a value, or letter by letter where it is a quotation or a name."""
        if any(need.casefold() in self.offers for need in literal.needs):
            return True
        return not literal.measured and normalized(literal.text).strip("`\"'“”") in self.lower


def judge(stated: Stated, summary: Summary) -> Finding:
    """Compare one claim with the summary."""
    lang = _language(stated, summary)
    text = _unlabelled(stated.claim.text, lang)
    values = literals.of_claim(text, lang)
    mine = content_stems(text, lang) - _value_stems(values, lang)
    ranked = _ranked(mine, values, summary)
    missing = [v for v in values if not summary.has(v)]
    if summary.contradicts:
        named = [pair for pair in ranked if _has_names(values, pair[1])]
        turned = None if missing else _turned(stated, text, named[:COMPARED], mine, lang)
        near = [s for share, s in named if share >= SAME_SUBJECT and len(mine & s.stems) >= LEAST_WORDS]
        turned = turned or _another_value(stated, values, missing, near[:COMPARED])
        if turned is not None:
            return turned
    least = FOUND_WITH_VALUES if values else FOUND_PLAIN
    enough = [s.text for share, s in ranked[:COMPARED] if share >= least or (values and len(mine) <= 1)]
    wrong = [] if missing else [_differs(text, s, lang) for s in enough]
    if "" in wrong:
        return Finding(stated=stated, status="found", sentence=enough[wrong.index("")])
    reason = missing[0].text if missing else next(iter(wrong), "")
    return Finding(stated=stated, status="not_found_verbatim", reason=reason)


def _language(stated: Stated, summary: Summary) -> str:
    """Of the claim, else of the summary, else of what the claim was made from: an order may be three words long."""
    own = language_of(stated.claim.text)
    if own != UNKNOWN or summary.lang != UNKNOWN:
        return own if own != UNKNOWN else summary.lang
    return language_of("\n".join(m.text[:LANGUAGE_CHARS] for m in stated.cited))


def _unlabelled(claim: str, lang: str) -> str:
    """`The hard rule: never use it` says what `Never use it` says: the order behind the label is whole by itself."""
    label, mark, order = claim.partition(": ")
    if not mark or len(label.split()) > LABEL_WORDS:
        return claim
    start = min((cue.start for cue in prohibition_cues(order, lang)), default=-1)
    return order if start == 0 else claim


def _value_stems(values: Sequence[Literal], lang: str) -> frozenset[str]:
    return frozenset().union(*(content_stems(v.text, lang) for v in values if v.measured)) if values else frozenset()


def _ranked(mine: frozenset[str], values: Sequence[Literal], summary: Summary) -> list[tuple[float, Sentence]]:
    """Sentences that share words or values with the claim: (share of its words, sentence), best first."""
    needs = {need.casefold() for v in values for need in v.needs}
    found = []
    for place, sentence in enumerate(summary.sentences):
        share = len(mine & sentence.stems) / len(mine) if mine else 0.0
        same = sum(1 for offers in sentence.offers if not needs.isdisjoint(offers)) if needs else 0
        if share or same:
            found.append((share + 0.25 * min(same, 2), share, -place, sentence))
    found.sort(key=lambda item: item[:3], reverse=True)
    return [(share, sentence) for _, share, _, sentence in found]


def _has_names(values: Sequence[Literal], sentence: Sentence) -> bool:
    """Whether a sentence has the identifiers, paths and quotations of the claim: else it is about something else."""
    names = [v for v in values if not v.measured]
    return all(any(not {k.casefold() for k in v.needs}.isdisjoint(o) for o in sentence.offers) for v in names)


def _turned(
    stated: Stated,
    claim: str,
    ranked: Sequence[tuple[float, Sentence]],
    mine: frozenset[str],
    lang: str,
) -> Finding | None:
    """The sentence that says the opposite, unless another one says what `claim` says or it was said later."""
    if stated.claim.type == "open_question":
        return None
    words = content_stems(claim, lang)
    for share, sentence in ranked:
        near = share >= SAME_SUBJECT and len(mine & sentence.stems) >= LEAST_WORDS
        common = len(words & sentence.stems)
        if not near and (common < LEAST_SIGNED or common < LEAST_SHARE * len(words)):
            continue
        code = _turn(claim, sentence.text, lang, near=near)
        if not code:
            continue
        others = (s for part, s in ranked if s is not sentence and part >= SAME_SUBJECT)
        if any(_agrees(claim, s.text, lang) for s in others) or _became(sentence, claim, stated, lang):
            return None
        return Finding(stated=stated, status="contradicted", reason=code, sentence=sentence.text)
    return None


def _turn(claim: str, sentence: str, lang: str, *, near: bool) -> str:
    """How a sentence turns the claim around; empty if it does not, or is about something else.

    `near`: most of the claim's words, and not only two, stand in the sentence.
    """
    for found in compare(sentence, [claim], lang=lang):
        if found.code not in TURNED:
            continue
        if (near and found.code != "modality") or (_is_sign(found, claim, sentence, lang) and _same_thing(found)):
            # The other way round too: what only one reading calls a contradiction may be another way to put it.
            both = found.code == "contrast_asserted" or not _agrees(sentence, claim, lang)
            return found.code if both else ""
    return ""


def _is_sign(found: Mismatch, claim: str, sentence: str, lang: str) -> bool:
    """Whether the difference is one of signs; of opposites only those of two states (`open`, `closed`) are.

    One of several (`left`, `Tuesday`) may hold beside the other.
    """
    if found.code != "antonym":
        return found.code in SIGNS
    theirs, own = (cues(text, lang, LOGIC, ("polar",)) for text in (sentence, claim))
    said = {c.value for c in theirs if c.text.casefold() == found.cue.casefold()}
    return any(one[:-1] == c.value[:-1] and one != c.value for one in said for c in own)


def _same_thing(found: Mismatch) -> bool:
    """Whether the compared segments have nearly all in common but their signs."""
    weights = found.data
    if not weights or weights["shared"] < LEAST_WEIGHT:
        return False
    theirs, mine = (weights["shared"] / max(weights[side], 1.0) for side in ("theirs", "mine"))
    if found.code in ("modality", "antonym"):
        return bool(min(theirs, mine) >= MODAL_SHARE)
    return bool(theirs >= CLAIM_SHARE and mine >= SENTENCE_SHARE)


def _became(sentence: Sentence, claim: str, stated: Stated, lang: str) -> bool:
    """Whether something said with the claim or later says what the sentence says: then it is news, no mistake."""
    wanted = sentence.stems & content_stems(claim, lang)
    for message in (*stated.cited, *stated.after):
        plain = folded(message.text)
        if not all(stem[:4] in plain for stem in wanted):
            continue
        for span in sentences(message.text):
            said = message.text[span[0] : span[1]]
            if (
                wanted <= content_stems(said, lang)
                and _agrees(sentence.text, said, lang)
                and not _agrees(claim, said, lang)
            ):
                return True
    return False


def _another_value(
    stated: Stated, values: Sequence[Literal], missing: Sequence[Literal], near: Sequence[Sentence]
) -> Finding | None:
    """The sentence that has another value where the claim's should stand."""
    measured = [v for v in missing if v.measured]
    if len(measured) != 1 or stated.claim.type == "open_question":
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
    """Whether one sentence says what the claim says, so that another one merely adds to it."""
    return not any(m.code in TURNED for m in compare(sentence, [claim], lang=lang))


def _differs(claim: str, sentence: str, lang: str) -> str:
    """What keeps a sentence with the claim's words from saying it; empty if nothing does."""
    codes = (m.code for m in compare(sentence, [claim], lang=lang))
    return next((code for code in codes if code in TURNED | WEAKENED), "")


def _rival(missing: Literal, values: Sequence[Literal], sentence: Sentence) -> Literal | None:
    """The one value that stands where the claim's should: the only one of its kind that the claim does not have."""
    known = {need.casefold() for v in values for need in v.needs}
    others = [
        v
        for v, offers in zip(sentence.values, sentence.offers, strict=True)
        if v.kind == missing.kind and v.unit == missing.unit and rivals(missing, v) and known.isdisjoint(offers)
    ]
    return others[0] if len(others) == 1 else None


def _said_later(value: Literal, stated: Stated) -> bool:
    """Whether the value stands in the claim's own messages or was said after them: then it is news, no mistake."""
    needle = value.text.casefold()
    return any(needle in m.text.casefold() for m in (*stated.cited, *stated.after))
