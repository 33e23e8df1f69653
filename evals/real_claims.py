"""How many honest claims on real conversations are refused: `python -m evals.real_claims FILE --json`.

A line of the file is one region: `{region, messages, claims, audit}`; the audit says of each claim whether
its cites support it. All claims of a region are validated as one reply.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bobctx.core.validator import validate_claims
from evals.cases import Row, read_lines, region_of
from evals.intervals import wilson


def measure(regions: Iterable[Row]) -> dict[str, Any]:
    """False rejections of supported claims, and what of the unsupported ones was accepted."""
    supported = unsupported = 0
    by_reason: Counter[str] = Counter()
    wrong: list[dict[str, Any]] = []
    accepted_wrongly = 0
    for row in regions:
        audit = {a["id"]: a["supported"] for a in row["audit"]}
        _, report = validate_claims(row["claims"], region_of(row["messages"]))
        refused = {r.claim: r for r in (*report.rejections, *report.duplicates)}
        for claim in row["claims"]:
            if audit[claim["id"]]:
                supported += 1
                if claim["id"] in refused:
                    reason = refused[claim["id"]]
                    by_reason[reason.code] += 1
                    wrong.append(
                        {
                            "region": row["region"],
                            "id": claim["id"],
                            "reason": reason.code,
                            "message": reason.message,
                            "text": claim["text"],
                        }
                    )
            else:
                unsupported += 1
                accepted_wrongly += claim["id"] not in refused
    return {
        "supported": supported,
        "false_rejects": len(wrong),
        "false_reject_rate": round(len(wrong) / supported, 4) if supported else None,
        "interval": wilson(len(wrong), supported),
        "unsupported": unsupported,
        "wrongly_accepted": accepted_wrongly,
        "by_reason": dict(sorted(by_reason.items())),
        "wrong": wrong,
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only regions with an even (0) or odd (1) number")
    options = parser.parse_args()
    rows = read_lines(options.file)
    if options.half is not None:
        rows = [r for i, r in enumerate(rows) if i % 2 == options.half]
    result = measure(rows)
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for key in ("supported", "false_rejects", "interval", "unsupported", "wrongly_accepted", "by_reason"):
        print(f"{key}: {result[key]}")
    for row in result["wrong"]:
        print(f"{row['region']} {row['id']}  {row['message']}\n    {row['text']}")


if __name__ == "__main__":
    main()
