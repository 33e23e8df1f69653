"""SECURITY.md answers with tests that exist."""

from __future__ import annotations

from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_is_named_is_there() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    names = regex.findall(r"`(?:tests/)?([\w/]*test_\w+\.py)(?:::(\w+))?`", page)
    assert len(names) > 15
    files = {path.relative_to(ROOT / "tests").as_posix(): path for path in (ROOT / "tests").rglob("test_*.py")}
    for name, function in names:
        found = [path for known, path in files.items() if known == name or known.endswith(f"/{name}")]
        assert found, name
        assert not function or any(f"def {function}(" in path.read_text("utf-8") for path in found), function


def test_every_answer_names_what_shows_it() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    for section in page.split("\n## ")[1:]:
        assert "\n> " in section, section.splitlines()[0]
