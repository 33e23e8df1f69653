"""Replay over every conversation file: validity in every dialect at every window, then prefix share and cost.

`python -m evals.replay_all [--out DIR] [--only valid share] [--turns N]` writes `replay.md` and `replay.json`:
figures only, no text of the data. Conversations with more than N turns are measured at evenly spread turns (what
lies between is recorded and compacted with them); the share and cost runs measure every turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import structlog

from bobctx.core.dialect import DIALECTS
from bobctx.importers import read_all
from bobctx.replay import Options, Result, play
from bobctx.replay.session import Arm, asks_of
from evals.datasets import DATA, DATASETS, tau_bench

WINDOWS = (8_192, 16_384, 32_768, 131_072)
SHARE_WINDOWS = (32_768, 131_072)
JITTER = 0.03
TURNS = 8
"""Turns of one conversation that the validity runs measure."""
JOINED = 1_200
"""Messages of service runs joined to one conversation."""

Messages = Sequence[dict[str, Any]]


@dataclass(slots=True, kw_only=True)
class Validity:
    """One data set at one window in one dialect."""

    data: str
    window: int
    dialect: str
    conversations: int = 0
    messages: int = 0
    turns: int = 0
    omitting: int = 0
    violations: int = 0
    overruns: int = 0
    cannot_fit: int = 0
    problems: list[str] = field(default_factory=list)
    """Where: conversation, turn and codes; no text."""

    def add(self, number: int, messages: Messages, result: Result) -> None:
        """One more conversation."""
        total = result.total
        self.conversations += 1
        self.messages += len(messages)
        self.turns += total.turns
        self.omitting += total.omitting_turns
        self.violations += total.violations
        self.overruns += total.overruns
        self.cannot_fit += total.cannot_fit
        self.problems += [f"{number}.{t.turn}: {' '.join(t.problems)}" for t in result.turns if t.problems][:5]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One session, window and arm: every turn."""

    session: str
    window: int
    arm: str
    turns: int
    omitting: int
    share: float
    ceiling: float
    cost: float
    relative: float
    """Cost against the sliding window."""
    violations: int
    overruns: int


def conversations(data: Path, only: Sequence[str], most: int) -> Iterator[tuple[str, Messages]]:
    """Every conversation with the name of its data set, at most `most` of each, evenly spread."""
    if not only or "native_sessions" in only:
        for path in sorted((data / "native_sessions").iterdir()):
            for transcript in read_all(path):
                yield "native_sessions", transcript.messages
    for name, read in DATASETS.items():
        if not only or name in only:
            found = read(data)
            for _, messages in found[:: max(1, -(-len(found) // most))]:
                yield name, [{"id": f"m{i}", **m} for i, m in enumerate(messages)]


async def validity(
    data: Path,
    turns: int,
    only: Sequence[str],
    windows: Sequence[int],
    most: int,
    keep: Callable[[list[Validity]], object],
) -> list[Validity]:
    """All data, all windows, all dialects; `keep` gets what is there after each conversation."""
    rows: dict[tuple[str, int, str], Validity] = {}
    started = time.monotonic()
    for number, (name, messages) in enumerate(conversations(data, only, most), 1):
        every = max(1, -(-sum(1 for _ in asks_of(messages)) // turns))
        for window in windows:
            results = await play([messages], Options(window=window, dialects=DIALECTS, every=every, jitter=JITTER))
            for dialect, result in results.items():
                key = (name, window, dialect)
                row = rows.setdefault(key, Validity(data=name, window=window, dialect=dialect))
                row.add(number, messages, result)
        keep(list(rows.values()))
        wrong = [p for r in rows.values() for p in r.problems]
        print(f"{number} {name} {time.monotonic() - started:.0f} s {wrong[-3:]}", flush=True)
    return list(rows.values())


def sessions(data: Path) -> Iterator[tuple[str, Messages]]:
    """A long coding session, service runs joined to over a thousand messages, one of giant requests."""
    native = data / "native_sessions"
    for path in [*sorted(native.glob("claude_3fe1b6bc*")), *sorted(native.glob("codex_*"))]:
        yield path.stem[:15], read_all(path)[0].messages
    joined: list[dict[str, Any]] = []
    for _, run in tau_bench(data):
        joined += [m for m in run if m["role"] != "system"]
        if len(joined) > JOINED:
            break
    yield "tau_bench joined", [{"id": f"m{i}", **m} for i, m in enumerate(joined)]


async def shares(data: Path, dialects: Sequence[str]) -> list[Share]:
    """Prefix share and cost with the real claims block, against the sliding window."""
    rows: list[Share] = []
    for name, messages in sessions(data):
        for window in SHARE_WINDOWS:
            base: dict[str, float] = {}
            arms: tuple[Arm, ...] = ("window", "head_tail", "claims")
            for arm in arms:
                options = Options(window=window, dialects=tuple(dialects), arm=arm, jitter=JITTER)
                for dialect, result in (await play([messages], options)).items():
                    total = result.total
                    base.setdefault(dialect, total.cost)
                    rows.append(
                        Share(
                            session=name,
                            window=window,
                            arm=f"{arm} ({dialect})",
                            turns=total.turns,
                            omitting=total.omitting_turns,
                            share=total.prefix_share or 0.0,
                            ceiling=total.ceiling or 0.0,
                            cost=total.cost,
                            relative=total.cost / base[dialect],
                            violations=total.violations,
                            overruns=total.overruns,
                        )
                    )
                    print(rows[-1], flush=True)
    return rows


def markdown(valid: Sequence[Validity], share: Sequence[Share], seconds: float) -> str:
    """Both tables."""
    lines: list[str] = []
    if valid:
        lines += [
            f"## Validity (budget moving by +-3 %; {seconds:,.0f} s)",
            "",
            "| data | window | dialect | conversations | messages | turns | omitting | violations | overruns "
            "| cannot fit |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for r in valid:
            lines.append(
                f"| {r.data} | {r.window:,} | {r.dialect} | {r.conversations} | {r.messages:,} | {r.turns:,} "
                f"| {r.omitting:,} | {r.violations} | {r.overruns} | {r.cannot_fit} |"
            )
        lines.append(
            f"\nTotal: {sum(r.turns for r in valid):,} turns, {sum(r.violations for r in valid)} violations, "
            f"{sum(r.overruns for r in valid)} overruns, {sum(r.cannot_fit for r in valid)} that cannot fit.\n"
        )
    if share:
        lines += [
            "## Prefix share and cost (every turn, +-3 %, writes 1.25, cached 0.1)",
            "",
            "`share`: cached / (prompt - new). `ceiling`: of all prompt tokens. `cost` against the sliding window.",
            "",
            "| session | window | arm | turns | omitting | share | ceiling | cost |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for s in share:
            lines.append(
                f"| {s.session} | {s.window:,} | {s.arm} | {s.turns} | {s.omitting} | {s.share:.3f} "
                f"| {s.ceiling:.3f} | {s.relative:.2f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is asked for and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--name", default="replay", help="Name of the files.")
    parser.add_argument("--only", nargs="*", choices=("valid", "share"), default=("valid", "share"))
    parser.add_argument("--sets", nargs="*", default=(), help="Data sets of the validity runs; else all.")
    parser.add_argument("--windows", nargs="*", type=int, default=WINDOWS)
    parser.add_argument("--dialects", nargs="*", default=("openai", "anthropic"), help="Of the share runs.")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--most", type=int, default=1_000_000, help="Conversations of one data set.")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    started = time.monotonic()
    valid: list[Validity] = []
    share: list[Share] = []
    options.out.mkdir(parents=True, exist_ok=True)

    def keep(rows: list[Validity]) -> None:
        figures = {"valid": [asdict(r) for r in rows], "share": [asdict(s) for s in share]}
        (options.out / f"{options.name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        text = markdown(rows, share, time.monotonic() - started)
        (options.out / f"{options.name}.md").write_text(text, encoding="utf-8")

    if "valid" in options.only:
        valid = asyncio.run(validity(options.data, options.turns, options.sets, options.windows, options.most, keep))
    if "share" in options.only:
        share = asyncio.run(shares(options.data, options.dialects))
    keep(valid)


if __name__ == "__main__":
    main()
