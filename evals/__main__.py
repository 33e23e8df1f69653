"""`python -m evals NAME [--seat …] [--model …] [--repeats N] [--seed N] [--json] [--out DIR]`: one eval, or `report`.

With `--out` every unit of work is kept as a JSON line and an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evals import constraints, evidence, recalling, report, survival
from evals.datasets import DATA
from evals.planting import PHRASINGS
from evals.reader import through_litellm
from evals.recalling import Setting
from evals.results import Ledger
from evals.scenarios import SHAPES
from evals.seats import seat_named, writer_named
from evals.slice import run as slice_run

Run = Callable[[argparse.Namespace, Setting, Ledger], dict[str, Any]]


def _recalling(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    repeats = options.repeats or SHAPES[options.name].repeats
    return recalling.run(options.name, setting, ledger, seed=options.seed, repeats=repeats)


def _regions(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    return recalling.regions(setting, ledger, seed=options.seed, repeats=options.repeats or 1)


def _constraints(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    return constraints.run(setting, ledger, seed=options.seed, repeats=options.repeats or 1)


def _evidence(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    found = evidence.run_units(
        options.data,
        ledger,
        seat=setting.seat,
        seed=options.seed,
        part=options.part,
        chat=options.chat,
        shares=(options.share,) if options.share else evidence.SHARES,
    )
    return found if options.detail else {"sets": found["sets"]}


def _survival(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    return survival.run(options.data, setting.seat, ledger, seed=options.seed)


def _slice(options: argparse.Namespace, setting: Setting, ledger: Ledger) -> dict[str, Any]:
    return slice_run(setting, ledger, seed=options.seed)


EVALS: dict[str, Run] = {
    "planted": _recalling,
    "iterated": _recalling,
    "long": _recalling,
    "constraints": _constraints,
    "evidence": _evidence,
    "survival": _survival,
    "regions": _regions,
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    found.add_argument("name", choices=[*EVALS, "all", "slice", "report"])
    found.add_argument(
        "--seat", default="extractive", help="extractive, litellm:MODEL, http:URL, scripted:FILE, exchange:DIR"
    )
    found.add_argument("--model", help="a model, as litellm names it, that answers; default: the deterministic reader")
    found.add_argument("--prose", help="who writes the prose arm's summaries: litellm:MODEL, http:URL, exchange:DIR")
    found.add_argument("--repeats", type=int, help="conversations, on seeds from --seed on")
    found.add_argument("--seed", type=int, default=0)
    found.add_argument("--json", action="store_true", help="one JSON object on standard output")
    found.add_argument("--out", type=Path, help="folder of kept results; also what `report` reads and writes")
    found.add_argument("--data", type=Path, default=DATA)
    found.add_argument("--part", choices=("all", "dev", "test"), default="all", help="evidence: which conversations")
    found.add_argument("--chat", metavar="NAME", help="evidence: one conversation alone, locomo-conv-30")
    found.add_argument("--share", type=int, choices=evidence.SHARES, help="evidence: one budget alone, in %%")
    found.add_argument("--detail", action="store_true", help="evidence: also intervals and answer words")
    found.add_argument("--tools", action="store_true", help="the tool-heavy variant")
    found.add_argument("--plain", action="store_true", help="planted: without the tool-heavy variant")
    found.add_argument("--phrasings", choices=[*PHRASINGS], default="first", help="the words that facts are said in")
    found.add_argument("--scale", type=float, default=1.0, help="share of the full size, for a quick look")
    found.add_argument("--wait", type=float, default=0.0, help="seconds that exchange:DIR waits for a reply")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print."""
    options = parser().parse_args(argv)
    if options.name == "report":
        readme = Path(__file__).parents[1] / "README.md" if options.out is None else None
        print(report.write(options.out or Path(__file__).with_name("results"), readme))
        return 0
    names = [*EVALS] if options.name == "all" else [options.name]
    setting = Setting(
        seat=seat_named(options.seat, wait_s=options.wait),
        ask=through_litellm(options.model) if options.model else None,
        write=writer_named(options.prose, wait_s=options.wait) if options.prose else None,
        tools=options.tools,
        plain=options.plain,
        scale=options.scale,
        phrasings=options.phrasings,
    )
    for name in names:
        options.name = name
        ledger = Ledger(name, options.out, seat=options.seat.split(":")[0], model=options.model)
        found = (EVALS | {"slice": _slice})[name](options, setting, ledger)
        if options.json:
            print(json.dumps(found, ensure_ascii=False), flush=True)
        else:
            _table(name, found)
        if name == "slice" and not all(cell["kept"] for cell in found.values()):
            return 1
    return 0


def _table(name: str, found: dict[str, Any]) -> None:
    print(name)
    rows: list[tuple[str, dict[str, Any]]] = [*found.items()]
    if "sets" in found:
        rows = [(f"{s} {b} %", arms) for s, budgets in found["sets"].items() for b, arms in budgets.items()]
    for label, cell in rows:
        print(f"  {label:24}", "  ".join(f"{k} {v}" for k, v in cell.items()) if isinstance(cell, dict) else cell)


if __name__ == "__main__":
    sys.exit(main())
