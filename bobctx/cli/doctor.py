"""`bobctx doctor`: checks the set-up from outside and says what to do."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import FAILED, console, emit_json, plain_errors, print_table

if TYPE_CHECKING:
    from bobctx.cli.checks import Finding
    from bobctx.settings import Settings

MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "problem": "[red]problem[/]"}


@click.command("doctor")
@click.option("--recall", is_flag=True, help="Only measure where a recall gate would stand; needs vectors.")
@common
@plain_errors
def doctor_command(recall: bool, db: Path | None, as_json: bool) -> None:
    """Check database, owners, daemon, keys, seat, windows, worker, host hooks, clock. Exit 1 on a problem, else 0."""
    from bobctx import logs
    from bobctx.cli.checks import CHECKS

    settings = settings_for(db)
    logs.configure(level="error", stream=io.StringIO())  # what goes wrong is in the findings
    if recall:
        _calibrate(settings, as_json=as_json)
        return
    findings = [finding for check in CHECKS for finding in check(settings)]
    bad = [f for f in findings if f.state == "problem"]
    if as_json:
        rows = [{"check": f.check, "state": f.state, "found": f.found, "do": f.do} for f in findings]
        emit_json({"ok": not bad, "checks": rows})
    else:
        _show(findings)
    sys.exit(FAILED if bad else 0)


def _calibrate(settings: Settings, *, as_json: bool) -> None:
    from bobctx.cli.checks.recall import calibration

    found = calibration(settings)
    if as_json:
        emit_json(found)
        return
    rows = [(f"{f['floor']:g}", f"{f['keeps']:.1%}", f"{f['lets_through']:.1%}") for f in found["floors"]]
    title = f"{found['pairs']} requests with a claim that answers them and one that does not, {found['model']}"
    print_table(title, ("#floor", "#keeps", "#lets through"), rows)
    click.echo(found["verdict"])


def _show(findings: list[Finding]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        text = escape(finding.found) + (f"\n-> {escape(finding.do)}" if finding.do else "")
        table.add_row(MARKS[finding.state], finding.check, text)
    console().print(table)
