"""One self-contained page of all kept results, and the README's table: `python -m evals report [--out DIR]`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from evals.evidence import ARMS, SHARES, bootstrap
from evals.recalling import total

Row = Mapping[str, Any]
RECALLING = ("planted", "iterated", "long", "regions")
FIELDS = {"arms": "evidence turns", "words": "answer words"}
COLOURS = ("#1b6ca8", "#c0392b", "#27864a", "#8e5fb0", "#b9770e", "#444444", "#0f8b8d", "#a23b72")
STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}"
    "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}td:first-child,th:first-child{text-align:left}"
    "svg{background:#fff;max-width:100%}.note{color:#555}"
)


def load(folder: Path) -> dict[str, list[Row]]:
    """The newest line of each unit, by eval."""
    found: dict[str, list[Row]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        rows: dict[tuple[Any, ...], Row] = {}
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                row = json.loads(line)
                rows[(row["seat"], row["model"], row["seed"], row["unit"])] = row
        if rows:
            found[path.stem] = [*rows.values()]
    return found


SHORT = ("full", "window", "head_tail", "claims", "claims_24k")
"""Arms of the short table in the repository's README."""
MARKS = ("<!-- measured -->\n", "<!-- /measured -->\n")


def write(folder: Path, readme: Path | None = None) -> str:
    """Write `report.html` and `README-table.md` into the folder, its short form into `readme`; returns the table."""
    found = load(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = readme_table(found)
    (folder / "README-table.md").write_text(table, encoding="utf-8")
    (folder / "report.html").write_text(page(found), encoding="utf-8")
    if readme is not None:
        before, rest = readme.read_text("utf-8").split(MARKS[0])
        _, after = rest.split(MARKS[1])
        readme.write_text(f"{before}{MARKS[0]}{shortened(table)}{MARKS[1]}{after}", encoding="utf-8")
    return table


def shortened(table: str) -> str:
    """The lines of the table that say most: a few arms, and evidence turns."""
    head, evidence = table.splitlines()[:2], "| evidence turns"
    lines = [ln for ln in table.splitlines()[2:] if ln.split(" | ")[1] in SHORT or ln.startswith(evidence)]
    left_out = ("| regions", "| survival")
    return "\n".join([*head, *(ln for ln in lines if not ln.startswith(left_out))]) + "\n"


def readme_table(found: Mapping[str, Sequence[Row]]) -> str:
    """Markdown: one line for each eval and arm."""
    lines = ["| eval | arm | result | context tokens | stale shown |", "|---|---|---|---|---|"]
    for name in RECALLING:
        for arm, c in total(found.get(name, ())).items():
            right = f"{c['correct']}/{c['questions']}"
            lines.append(f"| {name} | {arm} | {right} | {c['context_tokens']:,} | {c['stale_shown']} |")
    for arm, share in survival_of(found.get("constraints", ())).items():
        lines.append(f"| constraints | {arm} | {share:.1%} | | |")
    for arm, (held, asked) in literals_of(found.get("survival", ())).items():
        lines.append(f"| survival | {arm} | {held}/{asked} | | |")
    for field, title in FIELDS.items():
        for (name, share), cells in evidence_of(found.get("evidence", ()), field).items():
            shown = ", ".join(f"{arm} {cells[arm]:.3f}" for arm in ARMS)
            low, mean, high = cells["gain"]
            lines.append(
                f"| {title}, {name} {share} % | {shown} | gain {mean:+.3f} | | {low:+.3f} to {high:+.3f} (95 %) |"
            )
    return "\n".join(lines) + "\n"


def survival_of(rows: Sequence[Row]) -> dict[str, float]:
    """Arm -> share of prohibitions in the prompt."""
    names = rows[0]["arms"] if rows else {}
    return {a: sum(r["arms"][a]["held"] for r in rows) / sum(r["arms"][a]["asked"] for r in rows) for a in names}


def literals_of(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Arm -> exact values of agent sessions that are still in the prompt, and all that were used again."""
    names = dict.fromkeys(a for r in rows for a in r["arms"])
    return {a: (_sum(rows, a, 0), _sum(rows, a, 1)) for a in names}


def _sum(rows: Sequence[Row], arm: str, column: int) -> int:
    return sum(r["arms"][arm][column] for r in rows if arm in r["arms"])


def evidence_of(rows: Sequence[Row], field: str = "arms") -> dict[tuple[str, int], dict[str, Any]]:
    """(set, share) -> recall of turns (`arms`) or answer words (`words`) by arm, and the gain's interval."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for name in dict.fromkeys(r["unit"].split()[0] for r in rows):
        for share in SHARES:
            cells = [r[field] for r in rows if field in r and r["unit"].startswith(f"{name} {share} ")]
            if cells:
                recall = {a: sum(c[a][0] for c in cells) / max(1, sum(c[a][1] for c in cells)) for a in ARMS}
                found[name, share] = {**recall, "gain": bootstrap(cells, 0)}
    return found


def page(found: Mapping[str, Sequence[Row]]) -> str:
    """The whole page; nothing is loaded from elsewhere."""
    parts = [
        f"<!doctype html><meta charset=utf-8><title>bobctx evals</title><style>{STYLE}</style><h1>bobctx evals</h1>"
    ]
    stamps = sorted(
        {(r["revision"], r["prompt_version"], r["seat"], r["reader"]) for rows in found.values() for r in rows}
    )
    parts.append("<p class=note>" + "<br>".join(escape(" · ".join(map(str, s))) for s in stamps) + "</p>")
    for name in RECALLING:
        rows = found.get(name)
        if rows:
            cells = total(rows)
            parts.append(f"<h2>{name}</h2>" + _table(["arm", "correct", "questions", "context tokens", "stale"], cells))
            points = {a: [(c["context_tokens"], c["correct"] / max(1, c["questions"]))] for a, c in cells.items()}
            parts.append(_plot(points, "context tokens", "share correct", dots=True))
    rows = found.get("constraints")
    if rows:
        parts.append("<h2>constraints</h2>")
        parts.append(_table(["arm", "survival"], {a: {"s": f"{s:.4f}"} for a, s in survival_of(rows).items()}))
        curves = {a: _mean_curve([r["arms"][a]["curve"] for r in rows], 1) for a in rows[0]["arms"]}
        sizes = {a: _mean_curve([r["arms"][a]["curve"] for r in rows], 2) for a in rows[0]["arms"]}
        parts.append(_plot(curves, "compactions so far", "prohibitions in the prompt"))
        parts.append(_plot(sizes, "compactions so far", "context tokens"))
    literals = {a: {"held": h, "of": n} for a, (h, n) in literals_of(found.get("survival", ())).items()}
    if literals:
        parts.append("<h2>survival of exact values in agent sessions</h2>" + _table(["arm", "held", "of"], literals))
    for field, title in FIELDS.items():
        body = {
            f"{n} {s} %": {**{a: f"{c[a]:.4f}" for a in ARMS}, "gain": " … ".join(f"{g:+.4f}" for g in c["gain"])}
            for (n, s), c in evidence_of(found.get("evidence", ()), field).items()
        }
        if body:
            parts.append(f"<h2>{title}</h2>" + _table(["set", *ARMS, "gain: low, mean, high"], body))
    return "\n".join(parts) + "\n"


def _mean_curve(curves: Iterable[Sequence[Sequence[float]]], column: int) -> list[tuple[float, float]]:
    by_count: dict[float, list[float]] = {}
    for curve in curves:
        for point in curve:
            by_count.setdefault(point[0], []).append(point[column])
    return [(x, sum(y) / len(y)) for x, y in sorted(by_count.items())]


def _table(head: Sequence[str], cells: Mapping[str, Mapping[str, Any]]) -> str:
    rows = ["<tr>" + "".join(f"<th>{escape(h)}</th>" for h in head) + "</tr>"]
    for label, cell in cells.items():
        values = "".join(
            f"<td>{escape(f'{v:,}' if isinstance(v, int | float) else str(v))}</td>" for v in cell.values()
        )
        rows.append(f"<tr><td>{escape(label)}</td>{values}</tr>")
    return "<table>" + "".join(rows) + "</table>"


def _plot(curves: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, *, dots: bool = False) -> str:
    """Lines or dots in a box, the legend beside it."""
    points = [p for c in curves.values() for p in c]
    right, top = max((p[0] for p in points), default=1) or 1, max((p[1] for p in points), default=1) or 1
    out = ['<svg width="760" height="300" font-family="sans-serif" font-size="11">']
    out.append('<rect x="50" y="10" width="450" height="240" fill="none" stroke="#ccc"/>')
    for tick in range(5):
        share = tick / 4
        out.append(f'<text x="{50 + 450 * share}" y="266" text-anchor="middle">{right * share:,.0f}</text>')
        out.append(f'<text x="44" y="{254 - 240 * share}" text-anchor="end">{top * share:,.2g}</text>')
    out.append(f'<text x="275" y="286" text-anchor="middle">{escape(x)}</text><text x="4" y="8">{escape(y)}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        placed = [(50 + 450 * a / right, 250 - 240 * b / top) for a, b in curve]
        if dots:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in placed]
        else:
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in placed)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out.append(f'<text x="515" y="{22 + 16 * number}" fill="{colour}">{escape(name)}</text>')
    return "".join([*out, "</svg>"])
