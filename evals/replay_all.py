"""Replay over every conversation file: validity in every dialect at every window, then prefix share and cost.

`python -m evals.replay_all [--out DIR] [--only valid share] [--turns N] [--done FILE]` writes `replay.md` and
`replay.json`: figures only, no text of the data. Conversations with more than N turns are measured at evenly spread
turns (what lies between is recorded and compacted with them); the share and cost runs measure every turn. With
`--done`, each finished conversation, window and arm is a line of FILE, and a run that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import structlog

from bobctx.core.dialect import DIALECTS
from bobctx.importers import read_all
from bobctx.replay import Options, Result, play
from bobctx.replay.session import Arm, asks_of
from evals.datasets import DATA, DATASETS, tau_bench
from evals.journal import Journal

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

    def add(self, number: int, figures: Mapping[str, Any]) -> None:
        """One more conversation."""
        self.conversations += 1
        self.messages += figures["messages"]
        self.turns += figures["turns"]
        self.omitting += figures["omitting"]
        self.violations += figures["violations"]
        self.overruns += figures["overruns"]
        self.cannot_fit += figures["cannot_fit"]
        self.problems += [f"{number}.{problem}" for problem in figures["problems"]]


def figures_of(messages: Messages, result: Result) -> dict[str, Any]:
    """Of one conversation at one window in one dialect."""
    total = result.total
    return {
        "messages": len(messages),
        "turns": total.turns,
        "omitting": total.omitting_turns,
        "violations": total.violations,
        "overruns": total.overruns,
        "cannot_fit": total.cannot_fit,
        "problems": [f"{t.turn}: {' '.join(t.problems)}" for t in result.turns if t.problems][:5],
    }


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
    journal: Journal,
    keep: Callable[[list[Validity]], object],
) -> list[Validity]:
    """All data, all windows, all dialects; `keep` gets what is there after each conversation."""
    rows: dict[tuple[str, int, str], Validity] = {}
    started = time.monotonic()
    for number, (name, messages) in enumerate(conversations(data, only, most), 1):
        every = max(1, -(-sum(1 for _ in asks_of(messages)) // turns))
        for window in windows:
            key = ("valid", name, hash_of(messages), window, every)
            found = journal.get(*key)
            if found is None:
                results = await play([messages], Options(window=window, dialects=DIALECTS, every=every, jitter=JITTER))
                found = journal.keep({d: figures_of(messages, r) for d, r in results.items()}, *key)
            for dialect, figures in found.items():
                row = rows.setdefault((name, window, dialect), Validity(data=name, window=window, dialect=dialect))
                row.add(number, figures)
        keep(list(rows.values()))
        wrong = [p for r in rows.values() for p in r.problems]
        print(f"{number} {name} {time.monotonic() - started:.0f} s {wrong[-3:]}", flush=True)
    return list(rows.values())


def hash_of(messages: Messages) -> str:
    """Names a conversation by what it holds, not by where it stood."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:16]


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


async def shares(data: Path, dialects: Sequence[str], windows: Sequence[int], journal: Journal) -> list[Share]:
    """Prefix share and cost with the real claims block, against the sliding window."""
    rows: list[Share] = []
    for name, messages in sessions(data):
        for window in windows:
            base: dict[str, float] = {}
            arms: tuple[Arm, ...] = ("window", "head_tail", "claims")
            for arm in arms:
                key = ("share", name, hash_of(messages), window, arm, *dialects)
                totals = journal.get(*key)
                if totals is None:
                    options = Options(window=window, dialects=tuple(dialects), arm=arm, jitter=JITTER)
                    played = await play([messages], options)
                    totals = journal.keep({d: r.total.as_json() for d, r in played.items()}, *key)
                for dialect, total in totals.items():
                    base.setdefault(dialect, total["cost"])
                    rows.append(_share(name, window, f"{arm} ({dialect})", total, base[dialect]))
                    print(rows[-1], flush=True)
    return rows


def _share(session: str, window: int, arm: str, total: Mapping[str, Any], base: float) -> Share:
    return Share(
        session=session,
        window=window,
        arm=arm,
        turns=total["turns"],
        omitting=total["omitting_turns"],
        share=total["prefix_share"] or 0.0,
        ceiling=total["ceiling"] or 0.0,
        cost=total["cost"],
        relative=total["cost"] / base,
        violations=total["violations"],
        overruns=total["overruns"],
    )


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
    parser.add_argument("--share-windows", nargs="*", type=int, default=SHARE_WINDOWS)
    parser.add_argument("--dialects", nargs="*", default=("openai", "anthropic"), help="Of the share runs.")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--most", type=int, default=1_000_000, help="Conversations of one data set.")
    parser.add_argument("--done", type=Path, help="Keep what is finished here; go on from it.")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    started = time.monotonic()
    journal = Journal(options.done)
    valid: list[Validity] = []
    share: list[Share] = []
    options.out.mkdir(parents=True, exist_ok=True)

    def keep(rows: list[Validity]) -> None:
        figures = {"valid": [asdict(r) for r in rows], "share": [asdict(s) for s in share]}
        (options.out / f"{options.name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        text = markdown(rows, share, time.monotonic() - started)
        (options.out / f"{options.name}.md").write_text(text, encoding="utf-8")

    if "valid" in options.only:
        valid = asyncio.run(
            validity(options.data, options.turns, options.sets, options.windows, options.most, journal, keep)
        )
    if "share" in options.only:
        share = asyncio.run(shares(options.data, options.dialects, options.share_windows, journal))
    keep(valid)


if __name__ == "__main__":
    main()
