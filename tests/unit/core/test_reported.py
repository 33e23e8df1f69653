"""Quotations of somebody else."""

from __future__ import annotations

import pytest

from bobctx.core.reported import reported


@pytest.mark.parametrize(
    ("text", "lang", "quoted"),
    [
        ('The client wrote: "Please add gold foil on every page."', "en", True),
        ('I wrote: "Please add gold foil on every page."', "en", False),
        ('The subject line is "Small wins, shipped weekly".', "en", False),
        ("Der Kunde schrieb: „Bitte alles in Gold drucken.“", "de", True),
        ("客户写道：「请在每一页都加上金箔。」", "zh", True),
        ('She said "gold foil".', "en", False),
    ],
)
def test_only_statements_of_somebody_else_are_reported(text: str, lang: str, quoted: bool) -> None:
    """Fails if a title or one's own words count as another's, or another's as one's own."""
    assert bool(list(reported(text, lang))) is quoted
