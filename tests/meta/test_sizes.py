"""Files stay small enough to read in one sitting, say what they are for, and keep broad catches to two places."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "bobctx"
FILES = sorted(PACKAGE.rglob("*.py"))
LIMIT = 400
LONGER: dict[str, str] = {}
"""File -> reason why it is longer. May only shrink."""
BROAD = {
    "compactor/scheduler.py": "background work never fails a turn (design, section 2)",
    "api/proxy/service.py": "the user's request goes on to the provider whatever fails here (design, section 9)",
    "api/proxy/turns.py": "the provider's answer reaches the user whatever reads along fails at (design, section 9)",
    "api/assemble.py": "the prompt path always answers, by plain fit at worst (design, section 2)",
    "api/meaning.py": "a failing model costs an answer its meaning, never the answer (design, section 8)",
    "hooks/run.py": "an adapter fails open: a hook never disturbs its host (design, section 2)",
}


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_file_is_short_and_says_what_it_is_for(path: Path) -> None:
    source = path.read_text("utf-8")
    if not source.strip():
        return
    assert ast.get_docstring(ast.parse(source)), f"{relative(path)} has no first line that says what it is for"
    lines = source.count("\n")
    assert lines <= LIMIT or relative(path) in LONGER, f"{relative(path)} has {lines} lines"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_core_modules_say_they_are_pure(path: Path) -> None:
    source = path.read_text("utf-8")
    if path.parent.name != "core" or not source.strip():
        return
    doc = ast.get_docstring(ast.parse(source)) or ""
    assert "Pure" in doc.split("\n\n")[0], f"{relative(path)} does not say that it is pure"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_broad_catches_stand_only_at_the_two_boundaries(path: Path) -> None:
    """Fails for `except Exception`, `except BaseException` or a bare `except` anywhere else that does not re-raise."""
    if relative(path) in BROAD:
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ExceptHandler):
            continue
        names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"bare"}
        if names & {"Exception", "BaseException", "bare"}:
            reraises = any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(node))
            assert reraises, f"{relative(path)}:{node.lineno} catches {names} and goes on"
