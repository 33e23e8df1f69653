"""Small regions and claims for the tests of the validator and what it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bobctx.core.checking import Case
from bobctx.core.parts import read_message
from bobctx.core.shape import Shaped, raw_claim, shape
from bobctx.core.sources import Sources
from bobctx.core.types import Claim, PriorClaim, Region, ValidationReport
from bobctx.core.validator import validate_claims


def region(*messages: str | tuple[str, str]) -> Region:
    """Messages m1, m2, … of a user, or of the role given with the text."""
    made = []
    for number, message in enumerate(messages, 1):
        role, text = ("user", message) if isinstance(message, str) else message
        made.append(read_message({"id": f"m{number}", "role": role, "content": text}))
    return Region(messages=tuple(made))


def raw(text: Any, *cites: str, type: Any = "fact", **more: Any) -> dict[str, Any]:
    """A claim as a seat writes it, citing m1 unless told otherwise."""
    return {"id": "c1", "type": type, "importance": 2, "text": text, "cites": list(cites or ("m1",)), **more}


def case(of: Region, text: str, *cites: str, type: str = "fact") -> Case:
    """A claim on its way through the checks."""
    shaped = shape(raw_claim(raw(text, *cites, type=type), 0), {m.id: i for i, m in enumerate(of.messages)})
    assert isinstance(shaped, Shaped)
    return Case(shaped, Sources(of.messages).cited(shaped.cites))


def validate(
    of: Region, *claims: dict[str, Any], prior: Sequence[PriorClaim] = (), **more: Any
) -> tuple[tuple[Claim, ...], ValidationReport]:
    """The validator's answer."""
    return validate_claims(claims, of, [p.alias for p in prior], prior=prior, **more)


def verdict(of: Region, text: Any, *cites: str, type: str = "fact", **more: Any) -> str:
    """`accepted`, or the code of the reason why one claim is refused."""
    claims, report = validate(of, raw(text, *cites, type=type), **more)
    return "accepted" if claims else (*report.rejections, *report.duplicates)[0].code
