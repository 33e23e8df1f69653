"""Recall of the validator on labelled claims: `python -m evals.cases FILE --json`.

A line of the file is `{id, category, lang, messages, prior, claim, expect}` with `expect` one of `accept`,
`reject`, `accept_drop_link`. Each case is validated alone against its messages.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bobctx.core.parts import read_message
from bobctx.core.types import PriorClaim, Region
from bobctx.core.validator import validate_claims
from evals.intervals import wilson

Row = Mapping[str, Any]


def region_of(messages: Iterable[Row]) -> Region:
    """Messages of a case as a region; their ids are the aliases that claims cite."""
    return Region(messages=tuple(read_message(m) for m in messages))


def priors_of(rows: Iterable[Row]) -> tuple[PriorClaim, ...]:
    """Earlier claims of a case."""
    return tuple(
        PriorClaim(alias=p["id"], id=f"prior:{p['id']}", type=p["type"], importance=p["importance"], text=p["text"])
        for p in rows
    )


def judge(case: Row) -> tuple[str, str]:
    """What the validator does with the claim of one case, and why: (`accept`|`reject`|`accept_drop_link`, reason)."""
    prior = priors_of(case["prior"])
    claims, report = validate_claims(
        [case["claim"]], region_of(case["messages"]), [p.alias for p in prior], prior=prior
    )
    if not claims:
        refused = (*report.rejections, *report.duplicates)[0]
        return "reject", f"{refused.code}: {refused.message}"
    linked = case["claim"].get("supersedes") is not None
    if linked and claims[0].supersedes is None:
        return "accept_drop_link", "; ".join(f"{w.code}: {w.message}" for w in report.warnings)
    return "accept", ""


def measure(cases: Iterable[Row]) -> dict[str, Any]:
    """Recall over all cases, by category and by language, and every case that came out wrong."""
    tally: dict[str, list[int]] = {"accept": [0, 0], "reject": [0, 0], "accept_drop_link": [0, 0]}
    by_category: dict[str, list[int]] = {}
    by_lang: dict[str, list[int]] = {}
    wrong = []
    for case in cases:
        got, reason = judge(case)
        right = got == case["expect"]
        for table, key in ((tally, case["expect"]), (by_category, case["category"]), (by_lang, case["lang"])):
            counts = table.setdefault(key, [0, 0])
            counts[0] += right
            counts[1] += 1
        if not right:
            wrong.append({"id": case["id"], "expected": case["expect"], "got": got, "reason": reason})
    return {
        "cases": sum(n for _, n in tally.values()),
        "accept_recall": _share(*tally["accept"]),
        "reject_recall": _share(*tally["reject"]),
        "link_recall": _share(*tally["accept_drop_link"]),
        "intervals": {k: wilson(*v) for k, v in tally.items()},
        "by_category": {k: {"right": v[0], "total": v[1]} for k, v in sorted(by_category.items())},
        "by_lang": {k: {"right": v[0], "total": v[1]} for k, v in sorted(by_lang.items())},
        "wrong": wrong,
    }


def _share(right: int, total: int) -> float | None:
    return round(right / total, 4) if total else None


def read_lines(path: Path) -> list[Row]:
    """Rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only regions with an even (0) or odd (1) number")
    options = parser.parse_args()
    rows = read_lines(options.file)
    if options.half is not None:
        numbers: dict[str, int] = {}
        for row in rows:
            numbers.setdefault(json.dumps(row["messages"]), len(numbers))
        rows = [r for r in rows if numbers[json.dumps(r["messages"])] % 2 == options.half]
    result = measure(rows)
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for key in ("cases", "accept_recall", "reject_recall", "link_recall", "intervals"):
        print(f"{key}: {result[key]}")
    for row in result["wrong"]:
        print(f"{row['id']}  expected {row['expected']}, got {row['got']}  {row['reason']}")


if __name__ == "__main__":
    main()
