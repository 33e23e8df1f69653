"""`bobctx audit`: what a tool's own compactions left out of a transcript, or turned around. Offline, no key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.output import FAILED, emit_json, one_line, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.audit import CompactionAudit, FileAudit

SHOWN = 12
"""Claims not found verbatim that are listed for one compaction; `--all` and `--json` list every one."""
WORDS = {"found": "found", "not_found_verbatim": "not found", "contradicted": "CONTRADICTED"}


@click.command("audit")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--last", type=click.IntRange(min=1), help="Audit a window of the last N messages, whatever the format.")
@click.option("--all", "everything", is_flag=True, help="List every claim, found ones too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plain_errors
def audit_command(paths: tuple[Path, ...], last: int | None, everything: bool, as_json: bool) -> None:
    """Audit transcripts, or folders of them: which claims a summary kept, and which it contradicts.

    Reads Claude Code and Codex sessions with their own compaction summaries, and plain chats as a window of
    their last messages. Exit 1 where a summary contradicts what was said.
    """
    from bobctx.audit import audit_file, files_in
    from bobctx.cli.importing import progress
    from bobctx.errors import InvalidInput
    from bobctx.model_data import reference_counter

    count = reference_counter().count
    files = list(files_in(paths))
    named = {p for p in paths if p.is_file()}
    done: list[FileAudit] = []
    skipped: list[dict[str, str]] = []
    with progress("auditing", len(files)) as advance:
        for path in files:
            try:
                done.append(audit_file(path, count, last=last))
            except InvalidInput as error:
                if path in named:
                    raise
                skipped.append({"path": str(path), "why": error.message})
            advance(1)
    total = _total(done, skipped)
    if as_json:
        emit_json({"files": [f.as_json() for f in done], "skipped": skipped, "total": total})
    else:
        for file in done:
            for compaction in file.compactions:
                _show(file, compaction, everything)
        _close(total)
    if total["contradicted"]:
        raise SystemExit(FAILED)


def _total(done: list[FileAudit], skipped: list[dict[str, str]]) -> dict[str, int]:
    return {
        "files": len(done),
        "skipped": len(skipped),
        "files_without_compaction": sum(not f.compactions for f in done),
        "compactions": sum(len(f.compactions) for f in done),
        "claims": sum(len(c.rows) for f in done for c in f.compactions),
        "found": sum(f.count("found") for f in done),
        "not_found_verbatim": sum(f.count("not_found_verbatim") for f in done),
        "contradicted": sum(f.count("contradicted") for f in done),
    }


def _show(file: FileAudit, compaction: CompactionAudit, everything: bool) -> None:
    replaced = compaction.replacement
    what = f"summary on line {replaced.line}" if replaced.kind == "summary" else "window of the last messages"
    part = f", conversation {replaced.conversation}" if replaced.conversation > 1 else ""
    click.echo(f"{file.path} ({file.format}{part}): {what}")
    if not replaced.before:
        click.echo("  nothing stands before it in this file\n")
        return
    click.echo(
        f"  {several(len(replaced.before), 'message')}, {several(compaction.tokens_before, 'token')}, "
        f"became {several(compaction.tokens_after, 'token')}"
    )
    click.echo(
        f"  {several(len(compaction.rows), 'claim')}: {compaction.count('found'):,} found, "
        f"{compaction.count('not_found_verbatim'):,} not found verbatim, "
        f"{compaction.count('contradicted'):,} contradicted"
    )
    rows: list[Any] = [r for r in compaction.rows if everything or r.finding.status != "found"]
    shown = rows if everything else rows[: SHOWN + compaction.count("contradicted")]
    if shown:
        print_table("", ("#line", "=status", "=type", "claim"), [_cells(row) for row in shown])
    if len(rows) > len(shown):
        click.echo(f"  … {len(rows) - len(shown)} more; --all lists them")
    click.echo("")


def _cells(row: Any) -> tuple[str, ...]:
    finding = row.finding
    there = f"there: {one_line(finding.sentence, 120)}" if finding.sentence else ""
    if finding.status == "contradicted":
        there = f"{there} ({finding.reason})"
    elif finding.status == "not_found_verbatim" and finding.reason:
        there = f"not there: {one_line(finding.reason, 40)}"
    claim = finding.stated.claim
    text = one_line(claim.text, 120) + (f"\n-> {there}" if there else "")
    return (str(row.line or ""), WORDS[finding.status], f"{claim.type} {finding.stated.importance}", text)


def _close(total: dict[str, int]) -> None:
    click.echo(
        f"{several(total['files'], 'transcript')}, {several(total['compactions'], 'compaction')}, "
        f"{several(total['claims'], 'claim')}:\n"
        f"{total['found']:,} found, {total['not_found_verbatim']:,} not found verbatim, "
        f"{total['contradicted']:,} contradicted"
    )
    without = total["files_without_compaction"]
    if without:
        hold = "holds" if without == 1 else "hold"
        click.echo(f"{several(without, 'transcript')} {hold} no compaction (--last N audits a window)")
    if total["skipped"]:
        click.echo(several(total["skipped"], "file is no transcript", "files are no transcripts"))
    if total["claims"]:
        click.echo("Not found verbatim: neither its words nor its values stand there; the sense may.")
