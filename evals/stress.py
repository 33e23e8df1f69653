"""Corruptions of accepted claims, one at a time: `python -m evals.stress [--seed N] --json`.

Bases are claims made from our own frames in twelve languages and, with `--cases` and `--real`, the accepted claims of
such files. A base counts only if the validator accepts it; a corruption only where it changes the meaning.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bobctx.core.validator import validate_claims
from evals.cases import read_lines, region_of
from evals.corruptions import corruptions
from evals.frames import Base, frames
from evals.intervals import wilson

KINDS = (
    "number", "unit", "date", "version", "path", "url", "identifier", "quote", "citation", "negation_dropped",
    "negation_added", "antonym", "modality", "comparator", "twin", "condition",
)  # fmt: skip
ENOUGH = 300
"""Corruptions of each kind at least."""
MOST = 600
"""And at most, of those made from our own sentences; the claims of files are all taken."""
ROUNDS = 200


def accepted(base: Base) -> bool:
    """Whether the honest claim passes."""
    return bool(validate_claims([base.claim], base.region)[0])


def labelled(path: Path) -> Iterator[Base]:
    """The claims of a file of labelled cases that are to be accepted."""
    for row in read_lines(path):
        if row["expect"] == "accept":
            yield Base(region=region_of(row["messages"]), claim=row["claim"], lang=row["lang"], source="cases")


def audited(path: Path) -> Iterator[Base]:
    """The supported claims of a file of real conversations."""
    for row in read_lines(path):
        supported = {a["id"] for a in row["audit"] if a["supported"]}
        region = region_of(row["messages"])
        for claim in row["claims"]:
            if claim["id"] in supported:
                yield Base(region=region, claim={**claim, "supersedes": None}, lang=row["lang"], source="real")


class Tally:
    """What was caught, by kind, language and source."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[int]] = {kind: [0, 0] for kind in KINDS}
        self.by: dict[str, list[int]] = {}
        self.missed: list[dict[str, Any]] = []
        self.bases = [0, 0]

    def run(self, base: Base, rng: random.Random) -> None:
        """All corruptions of one base, if the base itself is accepted."""
        if base.source == "frames" and self.full(base, rng):
            return
        right = accepted(base)
        self.bases[0] += right
        self.bases[1] += 1
        if not right:
            return
        for kind, claim in corruptions(base, rng):
            if base.source == "frames" and self.kinds[kind][1] >= MOST:
                continue
            caught = not validate_claims([claim], base.region)[0]
            for key in (f"{base.source}:{kind}", f"{base.lang}:{kind}"):
                self.by.setdefault(key, [0, 0])
                self.by[key][0] += caught
                self.by[key][1] += 1
            self.kinds[kind][0] += caught
            self.kinds[kind][1] += 1
            if not caught:
                self.missed.append(
                    {
                        "kind": kind,
                        "lang": base.lang,
                        "source": base.source,
                        "was": base.claim["text"],
                        "text": claim["text"],
                        "cites": claim["cites"],
                    }
                )

    def full(self, base: Base, rng: random.Random) -> bool:
        """Whether no kind that this base can show needs more."""
        return all(self.kinds[kind][1] >= ENOUGH for kind, _ in corruptions(base, rng))

    def enough(self) -> bool:
        """Whether every kind has its number."""
        return all(total >= ENOUGH for _, total in self.kinds.values())


def measure(seed: int, extra: Iterator[Base]) -> dict[str, Any]:
    """The stress test with one seed."""
    rng = random.Random(seed)
    tally = Tally()
    for base in extra:
        tally.run(base, rng)
    for _ in range(ROUNDS):
        if tally.enough():
            break
        for base in frames(rng):
            tally.run(base, rng)
    return {
        "kinds": {
            k: {"caught": c, "total": n, "share": round(c / n, 4) if n else None, "interval": wilson(c, n)}
            for k, (c, n) in tally.kinds.items()
        },
        "seeds": [seed],
        "bases": {"accepted": tally.bases[0], "total": tally.bases[1]},
        "by": {k: {"caught": c, "total": n} for k, (c, n) in sorted(tally.by.items()) if c < n},
        "missed": tally.missed,
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=Path, nargs="+", default=(), help="also the accepted claims of labelled cases")
    parser.add_argument("--real", type=Path, help="also the supported claims of real conversations")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args()
    result = measure(options.seed, _extra(options.cases, options.real))
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    print("bases", result["bases"])
    for kind, row in result["kinds"].items():
        print(f"{kind:18} {row['caught']:4}/{row['total']:<4} {row['share']} {row['interval']}")
    print(result["by"])
    shown: dict[tuple[str, str], int] = {}
    for row in result["missed"]:
        key = (row["kind"], row["lang"])
        shown[key] = shown.get(key, 0) + 1
        if shown[key] <= 3:
            print(row["kind"], row["lang"], row["source"], "|", row["was"], "=>", row["text"], row["cites"])


def _extra(cases: Sequence[Path], real: Path | None) -> Iterator[Base]:
    for path in cases:
        yield from labelled(path)
    if real is not None:
        yield from audited(real)


if __name__ == "__main__":
    main()
