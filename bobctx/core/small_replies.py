"""The answers about a region's windows as one claims-v2 reply: names, importance and links are set by code. Pure.

So that everything after it (storing, validating, reading again on a fork) knows one reply for a region, whichever
profile its seat has. The model says what was said and where; how much it matters, and what it replaces, is found by
the same code that serves the extractor (design, section 5, Small seat).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bobctx.core.candidates import PROSE_CHARS, Candidate, Voice
from bobctx.core.language import language_of
from bobctx.core.reply import ReplyError, parse_reply
from bobctx.core.sorting import Draft, classify
from bobctx.core.succession import link
from bobctx.core.text import content_stems, sentences
from bobctx.core.types import CLAIM_TYPES, ClaimType, Json, Message, PriorClaim, RawClaim, Region

COPIED: Final = 0.6
"""Share of a sentence's words that a claim has which repeats it."""


def claims_of(text: str, finish_reason: str) -> tuple[RawClaim, ...] | ReplyError:
    """The claims of one window's answer, or why it cannot be read."""
    parsed = parse_reply(text, finish_reason=finish_reason)
    return parsed if isinstance(parsed, ReplyError) else parsed.claims


def joined(answers: Sequence[Sequence[RawClaim]], region: Region, prior: Sequence[PriorClaim] = ()) -> str:
    """The claims of all windows as one reply, in the order of the messages they rest on.

    Args:
        answers: The claims of each window, oldest first; those of a reply that is completed before them.
        region: Their region; cites are its aliases.
        prior: Claims of earlier regions, which the model has not seen: code finds what a claim here replaces.
    """
    places = {message.alias: place for place, message in enumerate(region.messages)}
    claims = [_written(claim) for answer in answers for claim in answer]
    claims = [claim for n, claim in enumerate(claims) if claim not in claims[:n]]
    claims.sort(key=lambda claim: _place(claim, places))
    claims = _without_echoes(claims, region, places)
    for number, claim in enumerate(claims, 1):
        claim["id"] = f"c{number}"
    sound = [c for c in claims if isinstance(c["text"], str) and c["text"].strip() and c["type"] in CLAIM_TYPES]
    drafts = [_draft(claim, n, region.messages[_place(claim, places)], places) for n, claim in enumerate(sound)]
    for claim, draft in zip(sound, link(drafts, prior), strict=True):
        claim["type"], claim["importance"] = draft.type, draft.importance
        if draft.replaces is not None:
            claim["supersedes"] = sound[draft.replaces]["id"]
        elif draft.replaces_prior is not None:
            claim["supersedes"] = draft.replaces_prior
    return json.dumps({"claims": claims, "narrative": {}}, ensure_ascii=False)


def _written(claim: RawClaim) -> dict[str, Json]:
    """A claim with the keys of claims-v2; what the model wrote is left for the validator to judge."""
    return {
        "id": "",
        "type": claim.type,
        "importance": 1,
        "text": claim.text,
        "cites": claim.cites,
        "supersedes": None,
    }


def _without_echoes(
    claims: Sequence[dict[str, Json]], region: Region, places: Mapping[str, int]
) -> list[dict[str, Json]]:
    """What an assistant only repeats is left out: a copy of a value would outlive the value's correction."""
    kept: list[dict[str, Json]] = []
    said: list[frozenset[str]] = []
    for claim in claims:
        text = claim["text"] if isinstance(claim["text"], str) else ""
        stems = content_stems(text)
        echo = bool(stems) and region.messages[_place(claim, places)].role == "assistant"
        if not (echo and any(stems <= earlier for earlier in said)):
            kept.append(claim)
            said.append(stems)
    return kept


def _place(claim: Mapping[str, Json], places: Mapping[str, int]) -> int:
    """Position of the newest message that a claim cites; 0 where it cites none of the region."""
    cites = claim["cites"] if isinstance(claim["cites"], list) else []
    return max((places[c] for c in cites if isinstance(c, str) and c in places), default=0)


def _draft(claim: Mapping[str, Json], order: int, message: Message, places: Mapping[str, int]) -> Draft:
    """The claim as the extractor would have found it: type, importance, and whether it changes something."""
    text = str(claim["text"]).strip()
    kind: ClaimType = claim["type"]
    lang = language_of(text)
    place = _place(claim, places)
    candidate = Candidate(position=place, order=order, text=text, lang=lang, voice=_voice(message))
    seen = classify(candidate, 0.0, assisted=True)
    told = seen or Draft(position=place, order=order, text=text, type="fact", importance=1, score=0.0, lang=lang)
    # a model drops the word that marks the change (`Correction: …`); the sentence it copied still has it
    sources = (classify(replace(candidate, text=said), 0.0, assisted=True) for said in _said(text, message, lang))
    changes = told.corrects or any(source is not None and source.corrects for source in sources)
    if told.type == "fact":
        kind = "fact" if kind == "correction" and not changes else kind
        told = replace(told, type=kind, importance=3 if kind == "correction" else told.importance)
    return replace(told, order=order, corrects=changes, tool=message.role == "tool")


def _said(text: str, message: Message, lang: str) -> list[str]:
    """The sentences of the message that the claim repeats."""
    own = content_stems(text, lang)
    said = [span.of(message.text) for span in sentences(message.text[:PROSE_CHARS])]
    stems = [content_stems(sentence, lang) for sentence in said]
    return [sentence for sentence, has in zip(said, stems, strict=True) if has and len(own & has) >= COPIED * len(has)]


def _voice(message: Message) -> Voice:
    if message.role == "user" and not message.injected:
        return "user"
    return "assistant" if message.role == "assistant" else "quoted"
