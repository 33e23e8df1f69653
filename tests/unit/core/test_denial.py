"""A denial in a claim needs one in its sources."""

from __future__ import annotations

import pytest

from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims

FILLER = " ".join(f"Step {n} of the rollout went through without any trouble at the site." for n in range(11, 40))


@pytest.mark.parametrize(
    ("source", "claim", "refused"),
    [
        ("The upload cache was added to the image proxy.", "The upload cache was not added to the image proxy.", True),
        ("The upload cache was not added to the image proxy.", "The upload cache was not added to it.", False),
        ("Ibuprofen is off limits for her mother.", "Ibuprofen is not off limits for her mother.", True),
        ("The slogan is final: 'fresh every day'.", "The slogan is not 'fresh every day'.", True),
        ("Only the field crew may delete rows from the log.", "The field crew may not delete rows from the log.", True),
        ("Deploy only after the review.", "Do not deploy before the review.", False),
        ("We skip the upload cache of the image proxy.", "The upload cache of the image proxy is not used.", False),
    ],
)
@pytest.mark.parametrize("around", ["", FILLER])
def test_a_not_must_come_from_its_sources(source: str, claim: str, refused: bool, around: str) -> None:
    """Fails if an added negation passes, in a brief or a long message, or an honest one is refused."""
    content = f"{source}\n{around}"
    region = Region(messages=(read_message({"id": "m1", "role": "user", "content": content}),))
    raw = {"id": "c1", "type": "fact", "importance": 2, "text": claim, "cites": ["m1"], "supersedes": None}
    _, report = validate_claims([raw], region)
    assert bool(report.rejections) is refused, report.rejections
