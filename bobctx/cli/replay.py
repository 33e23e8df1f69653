"""`bobctx replay`: a transcript, turn by turn, through the real pipeline, without a daemon, a key or the network."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bobctx.cli.options import DIALECTS, PROFILES, NewFile, Share
from bobctx.cli.output import FAILED, emit_json, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.core.packing import Policy
    from bobctx.core.types import Json
    from bobctx.replay import Options, Price, Result
    from bobctx.replay.session import Arm

SHOWN_TURNS = 24
"""Rows of the table; the turns in between are summed by `--json` only."""


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--window", type=click.IntRange(min=256), default=32_768, show_default=True, help="Tokens the model reads."
)
@click.option("--profile", type=click.Choice(PROFILES), default="default", show_default=True)
@click.option("--dialect", type=click.Choice(DIALECTS), default="openai", show_default=True)
@click.option(
    "--arm",
    type=click.Choice(["window", "head_tail", "claims"]),
    default="claims",
    show_default=True,
    help="`window`: the newest messages only; `head_tail`: opening and tail; `claims`: with claims between them.",
)
@click.option("--policy", type=click.Choice(["seed", "pinned", "ranked"]), default="pinned", show_default=True)
@click.option("--recall", is_flag=True, help="With a recall block before the newest user message.")
@click.option("--price", default="1,1.25,0.1,0", show_default=True, help="Per million tokens: in,write,cached,out.")
@click.option("--jitter", type=Share(0, 0.5), default=0.0, help="Move the budget by this share each turn.")
@click.option("--every", type=click.IntRange(min=1), default=1, help="Measure every n-th turn only (huge files).")
@click.option("--format", "format_", help="Format of the file; detected if left out.")
@click.option("--pick", type=int, help="Only this conversation of a file that holds several, from 1.")
@click.option("--plot", "plot_", type=NewFile(), help="Write an SVG of the turns.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plain_errors
def replay_command(
    file: Path,
    window: int,
    profile: str,
    dialect: str,
    arm: str,
    policy: Policy,
    recall: bool,
    price: str,
    jitter: float,
    every: int,
    format_: str | None,
    pick: int | None,
    plot_: Path | None,
    as_json: bool,
) -> None:
    """Play a transcript turn by turn: what each prompt holds, repeats and costs. Exit 1 where a list is not valid."""
    from bobctx.importers import read, read_all
    from bobctx.replay import ARMS, Options

    found = [read(file, format_, pick=pick)] if pick is not None else read_all(file, format_)
    chosen: Arm = next(a for a in ARMS if a == arm)
    options = Options(
        window=window,
        profile=profile,
        dialects=(dialect,),
        arm=chosen,
        policy=policy,
        recall=recall,
        price=_price(price),
        jitter=jitter,
        every=every,
    )
    result = _play([t.messages for t in found], options, dialect)
    if plot_ is not None:
        from bobctx.replay.plot import plot

        plot_.write_text(plot(result.turns, f"{file.name}: {arm}, window {window:,}, {dialect}"), encoding="utf-8")
    if as_json:
        emit_json(result.as_json())
    else:
        _show(result, many=len(found) > 1)
        if plot_ is not None:
            click.echo(f"plot: {plot_}")
    total = result.total
    if total.violations or total.overruns:
        raise SystemExit(FAILED)


def _price(text: str) -> Price:
    from bobctx.errors import InvalidInput
    from bobctx.replay import Price

    try:
        return Price.parse(text)
    except ValueError as error:
        raise InvalidInput(f"--price takes four numbers in,write,cached,out, not {text!r}", field="price") from error


def _play(conversations: Sequence[Sequence[dict[str, Json]]], options: Options, dialect: str) -> Result:
    from bobctx import logs
    from bobctx.cli.importing import progress
    from bobctx.replay import play
    from bobctx.replay.session import asks_of

    logs.configure(level="error", stream=io.StringIO())  # problems are in the figures
    turns = sum(1 for messages in conversations for _ in asks_of(messages))
    with progress("playing", turns) as advance:
        results = asyncio.run(play(conversations, options, advance=advance))
    return results[dialect]


def _show(result: Result, *, many: bool) -> None:
    turns = list(result.turns)
    if len(turns) > SHOWN_TURNS:
        half = SHOWN_TURNS // 2
        turns = [*turns[:half], *turns[-half:]]
    rows = [
        (
            f"{t.conversation}.{t.turn}" if many else str(t.turn),
            f"{t.prompt_tokens:,}",
            f"{t.new_tokens:,}",
            f"{t.cached_tokens:,}",
            f"{t.cost * 1e6:,.0f}",
            str(t.claims or ""),
            str(t.covered or ""),
            str(t.announced or ""),
            " ".join(t.problems[:3]),
        )
        for t in turns
    ]
    names = ("#turn", "#prompt", "#new", "#cached", "#cost", "#claims", "#covered", "#announced", "problems")
    left = len(result.turns) - len(turns)
    title = f"first and last turns ({left:,} between)" if left else several(len(rows), "turn")
    print_table(title + "; cost in millionths, as below", names, rows)
    total = result.total
    share, ceiling = total.prefix_share, total.ceiling
    click.echo(
        f"{several(total.turns, 'turn')}, {total.omitting_turns:,} of them with messages left out; "
        f"{several(total.compactions, 'compaction')}; {total.seconds:.1f} s"
    )
    click.echo(
        f"{total.prompt_tokens:,} prompt tokens, {total.new_tokens:,} new, {total.cached_tokens:,} cached:\n"
        f"{_percent(share)} of what could be cached (the rest of a prompt is new: ceiling {_percent(ceiling)})"
    )
    click.echo(
        f"cost {total.cost * 1e6:,.0f} millionths of the unit of --price (by default: plain input tokens)\n"
        f"violations {total.violations}, overruns {total.overruns}, cannot fit {total.cannot_fit}"
    )


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
