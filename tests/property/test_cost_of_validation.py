"""What a validation costs grows with its region and no faster, on prose and on text made to hurt."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims
from evals.bench.validation import forget

MOST = 2.9
"""Growth of time when the input doubles: 2.3 is the aim, the rest is for a machine that is not ours alone."""
TRIES = 5
PROSE = "The public listener on edge-04 stays on port 8443, and the admin team may not restart it before 18:30. "
HOSTILE = {
    "prose": PROSE,
    "digits": "7" * 400 + " ",
    "commas": ",1," * 40,
    "quotes": "\"'“«" * 30,
    "backticks": "`a``b```" * 15,
    "slashes": "/a.b-" * 30,
    "keys": '{"bay": {"x": 4, ' * 8,
    "labels": "bay 4 Bay 2 motor A ",
    "negations": "not never no without unless ",
    "parentheses": "((1 night (12 EUR ",
    "rows": "a1  b2  3.4 m  c\n",
}
CLAIMS = [
    {"id": "c1", "type": "fact", "importance": 1, "text": text, "cites": ["m1"], "supersedes": None}
    for text in (
        "The public listener on edge-04 stays on port 8443.",
        "Bay 4 is not at 3.4 m before 18:30.",
        "The admin team may not restart the listener.",
        'The x of bay 2 is 4 and 12 EUR, "a b c".',
    )
]


def spent(text: str) -> float:
    """Least CPU seconds of several validations of one message."""
    region = Region(messages=(read_message({"id": "m1", "role": "user", "content": text}),))
    times = []
    for _ in range(TRIES):
        forget()
        start = time.process_time()
        validate_claims([dict(c) for c in CLAIMS], region)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_twice_the_text_costs_about_twice_the_time(name: str) -> None:
    """Fails if a check is worse than linear in the length of a message."""
    piece = HOSTILE[name]
    size = 24_000 // len(piece)
    small = spent(piece * size)
    if small < 0.004:
        size, small = size * 8, spent(piece * size * 8)
    ratios: list[Any] = []
    for _ in range(3):
        ratios.append(spent(piece * size * 2) / small)
        if ratios[-1] <= MOST:
            return
        small = spent(piece * size)
    pytest.fail(f"{name}: {ratios}")
