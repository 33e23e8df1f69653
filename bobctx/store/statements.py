"""Named SQL statements: every query stands in `sql/*.sql` under a `-- name:` line, with its reason beside it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

_NAME = "-- name:"


def parse(text: str) -> dict[str, str]:
    """The statements of one file by name; other comment lines are dropped."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.splitlines():
        if line.startswith(_NAME):
            name = line[len(_NAME) :].strip()
            if name in found:
                raise ValueError(f"statement {name} is defined twice")
            current = found.setdefault(name, [])
        elif current is not None and not line.lstrip().startswith("--"):
            current.append(line.strip())
    return {name: " ".join(part for part in lines if part).rstrip(";") for name, lines in found.items()}


def _load() -> Mapping[str, str]:
    statements: dict[str, str] = {}
    folder = files("bobctx.store") / "sql"
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".sql") and entry.name != "schema.sql":
            for name, sql in parse(entry.read_text("utf-8")).items():
                if name in statements:
                    raise ValueError(f"statement {name} is defined twice")
                statements[name] = sql
    return statements


SQL: Mapping[str, str] = _load()
"""All statements of the store."""
