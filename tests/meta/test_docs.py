"""The pages say what is there: every module has its place, every promise its test, every name a file."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
INVARIANTS = (ROOT / "docs" / "invariants.md").read_text("utf-8")
HAZARDS = (ROOT / "docs" / "hazards.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FAMILY = "dialect_*"
"""One name for the modules of the dialects."""


def rows() -> str:
    """The table of core modules."""
    return ARCHITECTURE.split("## The core by concept")[1].split("\n## ")[0]


def test_every_core_module_has_its_place_in_the_architecture() -> None:
    """Fails when a module is added to `bobctx/core` without a word about where it belongs."""
    named = set(re.findall(r"`([a-z_0-9*]+)`", rows()))
    modules = {p.stem for p in (ROOT / "bobctx" / "core").glob("*.py") if p.stem != "__init__"}
    grouped = {m for m in modules if m.startswith(FAMILY.removesuffix("*"))} if FAMILY in named else set()
    assert modules - grouped - named == set()
    assert named - modules - {FAMILY} == set(), "named, but not there"


def named_tests(text: str) -> list[tuple[str, str]]:
    return re.findall(r"`([\w/]+\.py)::(\w+)`", text)


def missing(named: list[tuple[str, str]]) -> list[str]:
    """Tests that are named but not there."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    there = {
        file: {n.name for n in ast.walk(ast.parse((ROOT / "tests" / file).read_text("utf-8"))) if isinstance(n, kinds)}
        for file in {file for file, _ in named}
    }
    return [f"{file} has no {name}" for file, name in named if name not in there[file]]


@pytest.mark.parametrize("number", range(1, 14))
def test_every_invariant_names_tests_that_exist(number: int) -> None:
    """Fails when a test is renamed or taken away that an invariant rests on."""
    found = named_tests(INVARIANTS.split(f"\n## I{number} ")[1].split("\n## ")[0])
    assert found
    assert missing(found) == []


def test_every_hazard_names_tests_that_exist() -> None:
    """Fails when a test is renamed or taken away that a hazard of agent sessions is held by."""
    hazards = HAZARDS.split("\n- ")[1:]
    assert len(hazards) > 50
    assert [h for h in hazards if not named_tests(h)] == []
    assert missing(named_tests(HAZARDS)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readme_holds_the_two_commands_of_a_fresh_machine() -> None:
    lines = README.splitlines()
    assert "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/bobctx demo" in lines
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/python -m pytest" in lines


def test_every_example_is_linked_from_the_readme() -> None:
    assert [p.name for p in (ROOT / "examples").glob("*.py") if f"(examples/{p.name})" not in README] == []


def test_the_layout_of_data_sets_is_the_one_that_is_read() -> None:
    """Fails if the folders that the evals look into are not those that their page names."""
    page, source = ((ROOT / "evals" / name).read_text("utf-8") for name in ("README.md", "datasets.py"))
    for folder, ending in (("locomo", "json"), ("qmsum", "jsonl")):
        assert f"`DIR/{folder}/*.{ending}`" in page
        assert f'(data / "{folder}").glob("*.{ending}")' in source


def test_every_design_note_is_linked_and_says_what_was_decided() -> None:
    for note in sorted((ROOT / "docs" / "design").glob("*.md")):
        text = note.read_text("utf-8")
        assert f"design/{note.name}" in ARCHITECTURE, f"{note.name} is not linked from the architecture page"
        assert "\n## Decision\n" in text, note.name
        assert text.count("\n") <= 80, f"{note.name} is longer than a page"


SHOWN = [*PAGES, *sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "bobctx").rglob("*.py"))]


def test_an_extra_is_installed_from_the_checkout_and_stays_editable() -> None:
    """No package index holds ours: a name of it there may be somebody else's."""
    by_name = re.compile(r"bobctx\[|pip3? install (?:\S+ )*'?bobctx\b|pip install '\.\[")
    assert [p.relative_to(ROOT).as_posix() for p in SHOWN if by_name.search(p.read_text("utf-8"))] == []


def test_every_extra_that_is_named_exists() -> None:
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    named = {name for page in SHOWN for name in re.findall(r"install -e '\.\[([\w-]+)\]'", page.read_text("utf-8"))}
    assert named <= extras
    assert {"mcp", "vectors", "langchain", "litellm", "pydantic-ai", "openai-agents", "hermes", "dev"} <= named
