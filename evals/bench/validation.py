"""Time of one validation: a region of 12K tokens, 40 claims, nothing remembered from before."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

from bobctx.core import remembering
from bobctx.core.tokens import Estimator
from bobctx.core.types import Message, Region
from bobctx.core.validator import validate_claims
from evals.frames import frames

TOKENS = 12_000
CLAIMS = 40
ROUNDS = 7


def region(seed: int = 1, tokens: int = TOKENS, claims: int = CLAIMS) -> tuple[Region, list[dict[str, Any]]]:
    """A conversation from our own sentences in English, with claims on messages from all of it."""
    rng = random.Random(seed)
    count = Estimator()
    messages: list[Message] = []
    raw: list[dict[str, Any]] = []
    total = 0
    while total < tokens:
        for base in frames(rng):
            if base.lang != "en":
                continue
            places = {m.id: len(messages) + i for i, m in enumerate(base.region.messages)}
            alias = {name: f"m{place}" for name, place in places.items()}
            messages.extend(replace(m, id=f"x{places[m.id]}", seq=places[m.id]) for m in base.region.messages)
            raw.append({**base.claim, "id": f"c{len(raw)}", "cites": [alias[c] for c in base.claim["cites"]]})
            total += sum(count.count(m.text) for m in base.region.messages)
            if total >= tokens:
                break
    return Region(messages=tuple(messages)), raw[:: max(1, len(raw) // claims)][:claims]


def once(one: Region, raw: list[dict[str, Any]]) -> float:
    """Seconds of CPU that one validation takes from cold."""
    remembering.forget_texts()
    start = time.process_time()
    validate_claims(raw, one)
    return time.process_time() - start


def validation() -> dict[str, Any]:
    """Milliseconds: the best of several rounds, since the machine is not ours alone."""
    one, raw = region()
    times = [once(one, raw) for _ in range(ROUNDS)]
    return {"ms": round(min(times) * 1000, 1), "messages": len(one.messages), "claims": len(raw)}


if __name__ == "__main__":
    print(validation())
