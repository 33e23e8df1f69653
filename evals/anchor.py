"""Cost of a prompt's prefix against raw tokens shown, for rules that place the tail's start.

`python -m evals.anchor [--out DIR]` replays sessions turn by turn with the budget moving by +-3 %
and writes a table and a plot. Offline; the claims block is one of the size the default share
allows, and changes whenever the regions it covers change.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bobctx.core import parts
from bobctx.core.budget import STEP, Budget, plan_budget, protected_tail
from bobctx.core.fit import fit
from bobctx.core.region import select_region
from bobctx.core.segments import Entry, Spine, entry_of, split_preamble
from bobctx.core.tokens import message_tokens
from bobctx.importers import read_all
from bobctx.model_data import reference_counter
from evals.datasets import DATA, tau_bench

JITTER = 0.03
WRITE, CACHED = 1.25, 0.1
"""Price of a token that is written to a provider's cache and of one read from it, against a plain one."""
WINDOWS = (32_768, 131_072)
STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PLOTTED = 0.7
"""Larger steps leave no tail worth having and are halved, so they are no part of the curve."""
BLOCK_RATE = 0.1
"""Tokens of claims for each token they cover, up to the block's cap."""

Piece = tuple[str, int]
"""One message of a prompt: what identifies its bytes, and its tokens."""
Rule = Callable[["Turn"], list[Piece]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation as entries, and the positions before which the model was asked."""

    name: str
    entries: tuple[Entry, ...]
    asks: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class Turn:
    """One request: the spine so far, its budget, what compaction covers by now."""

    spine: Spine
    window: int
    budget: Budget
    step: float
    regions: list[tuple[int, int]]
    start: int = 0
    """Where the last turn's tail started; only the stateful rule reads it."""


@dataclass(slots=True, kw_only=True)
class Total:
    """Sums over one replay."""

    prompt: int = 0
    new: int = 0
    cached: int = 0
    turns: int = 0
    omitting: int = 0
    overruns: int = 0

    @property
    def share(self) -> float:
        """Of the tokens that could have been cached, those that were."""
        return self.cached / max(1, self.prompt - self.new)

    @property
    def ceiling(self) -> float:
        """Share of the prompt that a perfect prefix would reach."""
        return 1 - self.new / max(1, self.prompt)

    @property
    def cost(self) -> float:
        """In plain tokens."""
        return WRITE * (self.prompt - self.cached) + CACHED * self.cached


# -- sessions ----------------------------------------------------------------------------


def session(name: str, posted: Sequence[dict[str, Any]]) -> Session:
    """Entries by the reference counter; an ask stands before every assistant message."""
    count = reference_counter().count
    messages = []
    previous = None
    for body in posted:
        message = parts.read_message(body, previous_id=previous)
        previous = message.id
        messages.append(replace(message, tokens=message_tokens(message.parts, count)))
    rest = split_preamble(messages)[1]
    entries = tuple(replace(entry_of(m), id=f"{i}:{m.sha256[:12]}") for i, m in enumerate(rest))
    return Session(
        name=name, entries=entries, asks=tuple(i for i, e in enumerate(entries) if e.role == "assistant" and i)
    )


def sessions(data: Path) -> Iterator[Session]:
    """A long coding session, service runs joined to over a thousand messages, and one of giant requests."""
    native = data / "native_sessions"
    for path in sorted(native.glob("claude_3fe1b6bc*")) + sorted(native.glob("codex_*")):
        yield session(path.stem[:15], [dict(m) for m in read_all(path)[0].messages])
    joined: list[dict[str, Any]] = []
    for _, run in tau_bench(data):
        joined += [m for m in run if m["role"] != "system"]
        if len(joined) > 1_200:
            break
    yield session("tau_bench joined", joined)


# -- rules -------------------------------------------------------------------------------


def _pieces(spine: Spine, start: int, end: int) -> list[Piece]:
    return list(zip(spine.ids[start:end], spine.tokens[start:end], strict=True))


def _with_block(turn: Turn, tail_start: int, kept: Sequence[int] = ()) -> list[Piece]:
    """Opening, a block over the regions wholly inside the gap, a marker, the tail."""
    spine, end = turn.spine, turn.spine.opening_end
    inside = [r for r in turn.regions if r[1] <= tail_start]
    covered = sum(spine.tokens_between(*r) for r in inside)
    size = min(turn.budget.block_cap, int(covered * BLOCK_RATE))
    opening = _pieces(spine, 0, end)
    if turn.spine.tokens_between(0, end) > turn.budget.opening_cap:
        opening = [(f"opening cut to {turn.budget.opening_cap}", turn.budget.opening_cap)]
    middle = [(f"block {len(inside)} {tail_start} {turn.budget.block_cap}", size + 60)]
    return [
        *opening,
        *middle,
        *(p for k in kept for p in _pieces(spine, k, k + 1)),
        *_pieces(spine, tail_start, spine.n),
    ]


def lattice(turn: Turn) -> list[Piece]:
    """The rule of `core.fit`."""
    plan = fit(turn.spine, turn.budget)
    if not plan.omitting:
        return _pieces(turn.spine, 0, turn.spine.n)
    turn.start = plan.tail_start
    return _with_block(turn, plan.tail_start, plan.kept)


def moving_lattice(turn: Turn) -> list[Piece]:
    """The same with g following the room of each request: what the fixed g avoids."""
    room = turn.budget.room_after(turn.spine.tokens_between(0, turn.spine.opening_end))
    budget = replace(turn.budget, step_tokens=max(1, int(room * turn.step)))
    return lattice(replace(turn, budget=budget))


def fold(turn: Turn) -> list[Piece]:
    """Stateful: the tail grows until it does not fit, then is cut to a share of its room."""
    spine = turn.spine
    if spine.tokens_between(0, spine.n) <= turn.budget.history:
        return _pieces(spine, 0, spine.n)
    room = turn.budget.room_after(spine.tokens_between(0, spine.opening_end))
    start = max(turn.start, spine.opening_end)
    if spine.tokens_between(start, spine.n) > room:
        start = spine.cut_at_or_after(spine.first_at(spine.cum[spine.n] - int(room * (1 - turn.step))))
        start = min(start, spine.cut_at_or_before(spine.n - 1))
    turn.start = start
    return _with_block(turn, start)


def sliding(turn: Turn) -> list[Piece]:
    """The newest messages that fill the budget, nothing else: what most tools do."""
    spine = turn.spine
    start = spine.cut_at_or_after(spine.first_at(spine.cum[spine.n] - turn.budget.history))
    return _pieces(spine, min(start, spine.cut_at_or_before(spine.n - 1)), spine.n)


# -- replay ------------------------------------------------------------------------------


def _cached(before: Sequence[Piece], now: Sequence[Piece]) -> int:
    cached = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        cached += new[1]
    return cached


def replay(found: Session, window: int, rule: Rule, step: float, seed: int = 7) -> Total:
    """Every ask of a session in order."""
    rng = random.Random(seed)
    total, before, start, regions = Total(), list[Piece](), 0, list[tuple[int, int]]()
    seen: set[str] = set()
    spine, grown = Spine(), 0
    for ask in found.asks:
        spine, grown = spine.extended(found.entries[grown:ask]), ask
        full = plan_budget(window, step=step)
        asked = int(full.history * (1 + rng.uniform(-JITTER, JITTER)))
        budget = plan_budget(window, step=step, budget_tokens=asked)
        covered = regions[-1][1] if regions else spine.opening_end
        tail = protected_tail(window, full.tail_room)
        while (region := select_region(spine, covered_end=covered, protected_tail=tail)) is not None:
            if spine.tokens_between(*region) < 6_000:
                break
            regions.append(region)
            covered = region[1]
        turn = Turn(spine=spine, window=window, budget=budget, step=step, regions=regions, start=start)
        now = rule(turn)
        start = turn.start
        size = sum(p[1] for p in now)
        total.turns += 1
        total.prompt += size
        total.new += sum(tokens for ident, tokens in now if ident not in seen and not ident.startswith("block"))
        total.cached += _cached(before, now)
        total.omitting += any(ident.startswith("block") for ident, _ in now)
        total.overruns += size > budget.history
        seen |= {ident for ident, _ in now}
        before = now
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    session: str
    window: int
    rule: str
    step: float | None
    share: float
    ceiling: float
    raw: float
    """Raw tokens shown, against the sliding window."""
    cost: float
    """Against the sliding window."""
    omitting: int
    turns: int
    overruns: int


def table(data: Path) -> list[Row]:
    """Every session, window, rule and step."""
    rows = []
    for found in sessions(data):
        for window in WINDOWS:
            base = replay(found, window, sliding, 0.5)
            runs: list[tuple[str, float | None, Total]] = [("sliding", None, base)]
            runs += [("lattice", step, replay(found, window, lattice, step)) for step in STEPS]
            runs.append(("lattice, g follows T", STEP, replay(found, window, moving_lattice, STEP)))
            runs += [("fold", step, replay(found, window, fold, step)) for step in (0.3, 0.5, 0.6)]
            rows += [
                Row(
                    session=found.name,
                    window=window,
                    rule=name,
                    step=step,
                    share=total.share,
                    ceiling=total.ceiling,
                    raw=total.prompt / base.prompt,
                    cost=total.cost / base.cost,
                    omitting=total.omitting,
                    turns=total.turns,
                    overruns=total.overruns,
                )
                for name, step, total in runs
            ]
    return rows


# -- report ------------------------------------------------------------------------------


def markdown(rows: Sequence[Row]) -> str:
    """The table."""
    lines = [
        "Budget moving by +-3 %, block in the prompt, writes 1.25, cached 0.1. `share`: cached / (prompt - new).",
        "`raw` and `cost` against the sliding window. `omitting`: turns with a gap.",
        "",
        "| session | window | rule | step | share | ceiling | raw | cost | omitting | overruns |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        step = "" if r.step is None else f"{r.step:.2f}"
        lines.append(
            f"| {r.session} | {r.window:,} | {r.rule} | {step} | {r.share:.3f} | {r.ceiling:.3f} | {r.raw:.2f} "
            f"| {r.cost:.2f} | {r.omitting}/{r.turns} | {r.overruns} |"
        )
    return "\n".join(lines) + "\n"


COLOURS = ("#1b6ca8", "#c0392b", "#27864a", "#8e5fb0", "#b9770e", "#444444")


def plot(rows: Sequence[Row]) -> str:
    """Cost against raw tokens, one line for each session and window; the default step is the large dot."""
    curves: dict[str, list[Row]] = {}
    for row in rows:
        if row.rule == "lattice" and row.step is not None and row.step <= PLOTTED:
            curves.setdefault(f"{row.session} {row.window // 1024}K", []).append(row)
    width, height, left, top = 760, 440, 60, 20

    x: float
    y: float

    def at(row: Row) -> tuple[float, float]:
        return left + (row.raw - 0.3) / 0.8 * 440, top + (1 - row.cost) * 360

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">']
    out.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for tick in range(11):
        y = top + tick * 36
        out.append(f'<line x1="{left}" x2="{left + 440}" y1="{y}" y2="{y}" stroke="#eee"/>')
        out.append(f'<text x="{left - 8}" y="{y + 4}" font-size="11" text-anchor="end">{1 - tick / 10:.1f}</text>')
    for tick in range(9):
        x = left + tick * 55
        out.append(f'<text x="{x}" y="{top + 378}" font-size="11" text-anchor="middle">{0.3 + tick / 10:.1f}</text>')
    out.append(f'<text x="{left + 120}" y="{top + 402}" font-size="12">raw tokens shown, against sliding</text>')
    out.append(f'<text x="{left}" y="14" font-size="12">cost, against sliding</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join("{:.1f},{:.1f}".format(*at(r)) for r in curve)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for row in curve:
            x, y = at(row)
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5 if row.step == STEP else 2}" fill="{colour}"/>')
        out.append(f'<text x="{left + 460}" y="{top + 20 + number * 20}" font-size="12" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> None:
    """Write `anchor.md` and `anchor.svg`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    rows = table(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "anchor.md").write_text(markdown(rows), encoding="utf-8")
    (options.out / "anchor.svg").write_text(plot(rows), encoding="utf-8")
    print(markdown(rows), end="")


if __name__ == "__main__":
    main()
