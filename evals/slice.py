"""A small seeded slice of the evals with floors, for continuous integration: `python -m evals slice`.

Every eval that needs no data set, shortened; it fails where a floor is missed. The floors are what the product keeps
at this size with the extractor and the deterministic reader; they may only be raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evals import constraints, recalling
from evals.recalling import Setting
from evals.results import Ledger

SCALES: Mapping[str, float] = {"planted": 1.0, "iterated": 0.25, "long": 0.04, "constraints": 0.5}
FLOORS: Mapping[str, float] = {"planted": 1.0, "iterated": 1.0, "long": 1.0, "constraints": 1.0}
"""Least share of right answers, or of prohibitions held."""
STALE_MOST = 0


def run(setting: Setting, ledger: Ledger, *, seed: int) -> dict[str, dict[str, Any]]:
    """`{eval: {share, floor, stale_shown, kept}}` of the default policy."""
    found = {}
    for name, scale in SCALES.items():
        own = replace(setting, scale=scale)
        if name == "constraints":
            share, stale = constraints.run(own, ledger, seed=seed, repeats=1)["claims"]["survival"], 0
        else:
            cell = recalling.run(name, own, ledger, seed=seed, repeats=1)["claims"]
            share, stale = round(cell["correct"] / cell["questions"], 4), int(cell["stale_shown"])
        kept = share >= FLOORS[name] and stale <= STALE_MOST
        found[name] = {"share": share, "floor": FLOORS[name], "stale_shown": stale, "kept": kept}
    return found
