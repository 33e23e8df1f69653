"""The narrative beside the claims: each field keeps only what its region or earlier claims have literally. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bobctx.core import literals
from bobctx.core.language import language_of
from bobctx.core.reasons import sentence
from bobctx.core.shape import unclean
from bobctx.core.sources import Sources
from bobctx.core.types import NARRATIVE_FIELDS, Json, PriorClaim, Region, Rejection

MAX_FIELD = 2_000
"""Characters of one field."""


def validate_narrative(
    narrative: Mapping[str, Json], region: Region, prior: Sequence[PriorClaim] = ()
) -> tuple[dict[str, str], tuple[Rejection, ...]]:
    """The fields whose literals all stand in the region or in earlier claims; a field with another is dropped.

    Source: design, section 6, last sentence.
    """
    sources = Sources(region.messages)
    kept: dict[str, str] = {}
    dropped: list[Rejection] = []
    earlier = "\n".join(p.text for p in prior)
    for index, field in enumerate(NARRATIVE_FIELDS):
        value = narrative.get(field)
        if not isinstance(value, str) or not value.strip():
            continue
        text = " ".join(value.split())
        problem = _problem(text, sources, earlier)
        if problem is None:
            kept[field] = text
        else:
            code, data = problem
            dropped.append(
                Rejection(index=index, claim=field, code=code, data=data, message=sentence(code, data), text=text[:600])
            )
    return kept, tuple(dropped)


def _problem(text: str, sources: Sources, earlier: str) -> tuple[str, Mapping[str, Json]] | None:
    if len(text) > MAX_FIELD:
        return "text_too_long", {"characters": len(text), "most": MAX_FIELD}
    if bad := unclean(text):
        return bad.code, bad.data
    for literal in literals.of_claim(text, language_of(text)):
        if literal.text in earlier:
            continue
        if not any(sources[i].find(literal) for i in range(len(sources.messages))):
            return "literal_missing", {"literal": literal.text, "kind": literal.kind}
    return None
