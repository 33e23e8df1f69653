"""The model-free extractor: quotes the sentences of a region that later turns will need. Pure.

It is the seat of everyone without a key. Its reply is claims-v2 JSON like any model's and passes the same
validator. It quotes whole sentences in the source's language, one cite each: rules, decisions, corrections
and definitions first, then the densest facts per token (design, section 5, Seats).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import regex

from bobctx.core.acts import correction_cues, negations
from bobctx.core.candidates import Candidate, candidates, shorter
from bobctx.core.change import marks_change
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.markers import language_said, markers
from bobctx.core.observations import observations
from bobctx.core.outcomes import with_outcomes
from bobctx.core.salience import NAMES, Terms, region_terms, salience, stems
from bobctx.core.sorting import Draft, classify, observed
from bobctx.core.succession import link
from bobctx.core.types import ClaimType, Json, PriorClaim, Region

TOKENS_PER_CLAIM = 200
"""One claim for this many tokens of region: quotes are short, and what does not fit a prompt is packed away there."""
MIN_CLAIMS, MAX_CLAIMS = 6, 64
DIRECTIVE_SHARE = 0.7
"""Share of the claims that rules, decisions and corrections may take."""
TOOL_SHARE = 0.35
"""Share of the claims that tool output may take."""
FLOOR = 0.12
"""Salience below which a plain sentence is left out."""


def claim_limit(region: Region) -> int:
    """How many claims a region of this size gets at most."""
    return max(MIN_CLAIMS, min(MAX_CLAIMS, region.tokens // TOKENS_PER_CLAIM))


def extract(region: Region, prior: Sequence[PriorClaim] = ()) -> str:
    """The extractor's reply for a region, as claims-v2 JSON text, most valuable claims first.

    Args:
        region: The messages to read; their aliases are cited.
        prior: Claims of earlier regions: not said again, and replaced where a message here changes one.
    """
    terms = region_terms(region.messages)
    chosen = _choose(_drafts(region, terms), claim_limit(region), prior)
    linked = link(chosen, prior, first=region.messages[0].seq if region.messages else None)
    return json.dumps({"claims": _written(linked, region), "narrative": {}}, ensure_ascii=False)


def _drafts(region: Region, terms: Terms) -> list[Draft]:
    """Every sentence that could be kept, with type, importance and score."""
    # A region may hold nothing but one request; only where people with names talk among themselves is nobody told.
    assisted = any(m.role == "assistant" for m in region.messages) or not any(m.speaker for m in region.messages)
    told = [(c, d) for c in candidates(region) if (d := classify(c, _score(c, terms), assisted=assisted)) is not None]
    kept = with_outcomes([d for _, d in told], region)
    found = [_shortened(d, c, terms, assisted) for (c, _), d in zip(told, kept, strict=True) if d is not None]
    found.extend(observed(o, salience(o.text, terms, o.position, lang=UNKNOWN)) for o in observations(region))
    return found


def _score(candidate: Candidate, terms: Terms) -> float:
    return salience(candidate.text, terms, candidate.position, lang=candidate.lang)


def _shortened(draft: Draft, candidate: Candidate, terms: Terms, assisted: bool) -> Draft:
    """The densest way to quote a plain fact; what binds is always quoted whole."""
    if draft.type != "fact" or draft.outcome or candidate.voice == "quoted":
        return draft
    for text in shorter(candidate.text, candidate.lang):
        part = replace(candidate, text=text)
        other = classify(part, _score(part, terms), assisted=assisted)
        if (
            other is not None
            and other.type == "fact"
            and (other.importance, other.score) > (draft.importance, draft.score)
        ):
            draft = other
    return draft


def _choose(drafts: Sequence[Draft], limit: int, prior: Sequence[PriorClaim]) -> list[Draft]:
    """Directives first, then facts by score, without saying anything twice."""
    told = _Told([c.text for c in prior if c.active])
    kept: list[Draft] = []
    order = sorted(drafts, key=lambda d: (-d.importance, -d.score, d.position, d.order))
    directives = [d for d in order if d.importance == 3]
    prohibitions = [d for d in directives if d.binding]
    room = max(1, int(limit * DIRECTIVE_SHARE))
    for draft in (*prohibitions, *(d for d in directives if not d.binding)):
        if (len(kept) < room or draft.binding) and len(kept) < MAX_CLAIMS and told.add(draft):
            kept.append(draft)
    tools = max(1, int(limit * TOOL_SHARE))
    plain = sorted(
        (d for d in drafts if d.importance < 3), key=lambda d: (-d.importance, -d.score, d.position, d.order)
    )
    for draft in plain:
        if len(kept) >= (limit if draft.importance == 2 else MIN_CLAIMS):
            break
        if draft.tool and not tools:
            continue
        if draft.score >= FLOOR and told.add(draft):
            kept.append(draft)
            tools -= draft.tool
    return kept


_JOINED = regex.compile(r"(?<![\w-])[\p{Latin}\d]++(?:-[\p{Latin}\d]++)++(?![\w-])")
"""A name in parts, of which one may be a small word (`relay-us`)."""


def _words(text: str, lang: str) -> frozenset[str]:
    """What a sentence says: its stems, and its names whole."""
    return frozenset(stems(text, lang)) | {m.group().casefold() for m in _JOINED.finditer(text)}


def _order(text: str) -> tuple[str, ...]:
    """The people of a sentence in order: `from Ana to Bo` is not `from Bo to Ana`."""
    return tuple(m.group() for m in NAMES.finditer(text))


def _within(order: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one order is a part of the other."""
    left = iter(other)
    return all(one in left for one in order)


class _Told:
    """Remembers what chosen sentences say; a rule and its opposite have nearly the same words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._exact = set(texts)
        self._sets = [
            (_words(t, lang), _order(t), "forbid" in markers(t, lang, ("forbid",)))
            for t in texts
            for lang in (language_said(t),)
        ]

    def add(self, draft: Draft) -> bool:
        """Whether the draft says something new; it is remembered if so."""
        said = _words(draft.text, draft.lang)
        if draft.text in self._exact or not said:
            return False
        # `Must not be enabled after all` says no word more than the rule that was lifted in between.
        order = _order(draft.text)
        told = any(
            binding == draft.binding and said <= other and _within(order, another)
            for other, another, binding in self._sets
        )
        if told and not draft.corrects:
            return False
        self._exact.add(draft.text)
        self._sets.append((said, order, draft.binding))
        return True


def _written(drafts: Sequence[Draft], region: Region) -> list[dict[str, Json]]:
    """Claims in order of value, what is replaced before what replaces it, labelled in that order."""
    labels: dict[int, str] = {}
    claims: list[dict[str, Json]] = []

    def write(index: int) -> None:
        if index in labels:
            return
        draft = drafts[index]
        if draft.replaces is not None:
            write(draft.replaces)
        labels[index] = f"c{len(claims) + 1}"
        text, also = draft.text, draft.also
        if draft.report is not None and not also:
            text, also = f"{text} {draft.report[1]}", (draft.report[0],)
        target = draft.replaces_prior if draft.replaces is None else labels[draft.replaces]
        claims.append(
            {
                "id": labels[index],
                "type": _type(draft, region),
                "importance": draft.importance,
                "text": text,
                "cites": [region.messages[p].alias for p in sorted((*also, draft.position))],
                "supersedes": target,
            }
        )

    for index in sorted(range(len(drafts)), key=lambda i: (-drafts[i].importance, -drafts[i].score, i)):
        write(index)
    return claims


def _type(draft: Draft, region: Region) -> ClaimType:
    """A correction only where the message, read in its own language, says that something changed; else a fact.

    What it replaces is replaced all the same, so that no value stays current for want of a word.
    """
    if draft.type != "correction":
        return draft.type
    texts = [region.messages[p].text for p in (*draft.also, draft.position)]
    said = [(t, draft.lang if (lang := language_of(t)) == UNKNOWN else lang) for t in texts]
    marked = any(marks_change(t, lang) or correction_cues(t, lang) or negations(t, lang) for t, lang in said)
    return "correction" if marked else "fact"
