"""The demo on one screen of 100 columns and 40 lines; on a narrower one texts are cut shorter."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bobctx.demo import bad_seat, conversation
from bobctx.demo.conversation import PROBES
from bobctx.demo.player import Played
from bobctx.demo.promises import Promise, refusals, region_of

WIDTH = 100


def _cut(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _mark(ok: bool) -> Text:
    return Text("✓", style="bold green") if ok else Text("✗", style="bold red")


def _claim_for(seen: Played, needle: str) -> str:
    """Alias of the shown claim that carries the needle, or where else it stands."""
    for claim in seen.claims:
        if needle in claim["text"] and claim["active"] and claim["text"] in seen.prompt_text:
            return f"{claim['alias']} cites {claim['cites'][0]}"
    return "in the prompt"


def _knowledge(seen: Played, summary: dict[str, Any]) -> Table:
    """Two columns at the same budget: what each prompt still holds."""
    budget, decision = seen.assembled["budget"], seen.assembled["decision"]
    tokens = sum(item["tokens_est"] for item in seen.window)
    table = Table(box=None, pad_edge=False, expand=True, header_style="bold")
    table.add_column(f"known at message {seen.recorded}?", ratio=40)
    table.add_column(f"newest {len(seen.window)} ({tokens:,} tokens)", ratio=29)
    table.add_column(f"bobctx ({budget['used']:,} tokens)", ratio=30)
    prompt, window = seen.prompt_text, seen.window_text
    for probe in PROBES:
        here = probe.needle in prompt
        where = _claim_for(seen, probe.needle) if here else f"search finds {seen.found.get(probe.what, 'nothing')}"
        table.add_row(
            _cut(probe.what, 38),
            _mark(True) if probe.needle in window else Text("✗ gone silently", style="red"),
            Text.assemble(_mark(True), f" {where}") if here else Text(f"- {where}", style="yellow"),
        )
    table.add_row(
        Text("left out", style="dim"),
        Text(f"{seen.recorded - len(seen.window)} messages, unannounced", style="dim"),
        Text(f"{decision['messages_covered']} covered, {decision['messages_uncovered']} announced", style="dim"),
    )
    table.add_row(
        Text("claims in the prompt", style="dim"),
        Text("-", style="dim"),
        Text(
            f"{decision['claims_shown']} of {summary['claims_accepted']}, {summary['block_share']:.1%} of it",
            style="dim",
        ),
    )
    return table


def _line(label: str, text: str | Text) -> Text:
    return Text.assemble((f"{label:<9}", "bold"), text)


def _details(seen: Played, width: int) -> list[RenderableType]:
    refused = refusals(seen)
    hit = seen.hits[0] if seen.hits else None
    original = seen.expanded[0] if seen.expanded else None
    share = sum(seen.shares) / len(seen.shares) if seen.shares else 0.0
    edited = next(item["alias"] for item in seen.stored if item["id"] == conversation.EDITED)
    region = region_of(seen.chain, edited)
    lost = [c for c in seen.claims if c["alias"].startswith(f"{region}.")]
    rows: list[RenderableType] = [
        *(_line("why m3" if n == 0 else "", _cut(row, width - 9)) for n, row in enumerate(seen.why.splitlines()[:3])),
        _line("search", _cut(f'"{conversation.QUERY}" -> {hit["alias"]}: {hit["snippet"]}' if hit else "-", width - 9)),
        _line("expand", _cut(f"m3: {original['content']}" if original else "nothing", width - 9)),
    ]
    failed = f" (the worker failed: {seen.refused.error})" if seen.refused and seen.refused.error else ""
    rows.append(Text(f"a model that compacts badly claims:{failed}", style="bold"))
    for text in (bad_seat.PERMITS, bad_seat.WRONG_PORT, bad_seat.ORDERS):
        reason = refused.get(text)
        said = Text(f' {"refused" if reason else "NOT refused"}: "{_cut(text, width - 22)}"')
        rows.append(Text.assemble("  ", _mark(reason is not None), said))
        rows.append(Text(f"    {_cut(reason or '', width - 6)}", style="dim"))
    rows.append(_line("edit", f"{edited} changed: {region} with its {len(lost)} claims is out, no other region is"))
    rows.append(_line("delete", "m3 is deleted: its claim left the next prompt, expand m3 says not found"))
    rows.append(_line("cache", f"{share:.0%} of a prompt that omits history is, on average, the prompt before it"))
    return rows


def _promise_grid(found: Sequence[Promise], width: int) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    for _ in range(2):
        table.add_column(width=1)
        table.add_column(ratio=1)
    half = (len(found) + 1) // 2
    for index in range(half):
        cells: list[RenderableType] = []
        for promise in found[index::half]:
            cells += [_mark(promise.ok), _cut(promise.name, width // 2 - 3)]
        table.add_row(*cells)
    return table


def render(
    seen: Played, found: Sequence[Promise], summary: dict[str, Any], seconds: float, *, width: int = WIDTH
) -> RenderableType:
    """Everything, top to bottom."""
    title = Text.assemble(
        ("bobctx demo  ", "bold"),
        f"{summary['recorded']} messages, {summary['tokens_before']:,} tokens; each side may use "
        f"{seen.assembled['budget']['history']:,}: the left one fills it with the newest messages",
    )
    held = sum(p.ok for p in found)
    verdict = Text(
        f"{held} of {len(found)} promises held, {seconds:.0f} s",
        style="bold green" if held == len(found) else "bold red",
    )
    parts: list[RenderableType] = [title, Text(), _knowledge(seen, summary), Text(), *_details(seen, width), Text()]
    return Group(*parts, _promise_grid(found, width), verdict)


def show(seen: Played, found: Sequence[Promise], summary: dict[str, Any], seconds: float) -> None:
    """Print the screen."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # a pipe has no width of its own
        console.width = WIDTH
    width = min(WIDTH, max(60, console.width))
    console.print(render(seen, found, summary, seconds, width=width), width=width)
