"""What a long evaluation has finished, a line each, so that a run that was stopped goes on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Journal:
    """Finished pieces of work by their key; without a file, kept in memory only."""

    def __init__(self, path: Path | None) -> None:
        """Read what `path` holds; a last line that was cut off is left out and written again."""
        self._path = path
        self._found: dict[str, Any] = {}
        if path is None or not path.exists():
            return
        whole = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        for line in whole:
            row = json.loads(line)
            self._found[_key(row["key"])] = row["value"]
        path.write_text("".join(whole), encoding="utf-8")

    def get(self, *key: str | int) -> Any | None:
        """What was kept for `key`, else None."""
        return self._found.get(_key(list(key)))

    def keep(self, value: Any, *key: str | int) -> Any:
        """Keep a JSON value for `key`; returns it."""
        self._found[_key(list(key))] = value
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": list(key), "value": value}) + "\n")
        return value


def _key(parts: list[Any]) -> str:
    return json.dumps(parts)
