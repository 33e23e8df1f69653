"""The arrows of the architecture hold: every import in the package is read and checked by its syntax tree.

Layers, lowest first: errors and core.types, core, ports and the shared adapters, then store / seats / compactor /
api / client / integrations / importers side by side, then runtime, then cli. The allowlist may only shrink.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "bobctx"
CORE_MAY_IMPORT = {
    "__future__", "bisect", "collections", "dataclasses", "datetime", "decimal", "enum", "functools",
    "hashlib", "heapq", "hmac", "html", "importlib", "itertools", "json", "math", "operator", "re", "regex",
    "Stemmer", "string", "types", "typing", "unicodedata", "bobctx", "difflib", "zlib",
}  # fmt: skip
CORE_NEVER = {"asyncio", "os", "time", "random", "logging", "sqlite3", "threading", "socket", "subprocess", "pathlib"}
UPPER = ("runtime", "cli", "demo", "replay", "audit", "hooks")
MAY_READ_SETTINGS = ("runtime", "cli", "demo", "settings")
LOWER = ("root", "core", "errors", "ports", "clock", "logs", "keys", "model_data", "settings", "places")
SIDE_BY_SIDE = ("store", "seats", "compactor", "api", "client", "integrations", "importers")
MAY_IMPORT = {
    "errors": ("root", "errors"),
    "core": ("root", "core"),
    "ports": ("root", "core", "ports"),
    "runtime": (*LOWER, *SIDE_BY_SIDE, "runtime"),
}
MAY_IMPORT_LITELLM = ("bobctx.seats.litellm_seat", "bobctx.integrations.litellm")
STANDARD_ONLY = ("hooks", "places")
"""Nothing but the standard library and one another: what a coding agent waits for on every prompt."""
ALLOWED: dict[tuple[str, str], str] = {}
"""(module, imported module) -> reason. May only shrink."""


def modules() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE.parent).with_suffix("")
        name = ".".join(relative.parts).removesuffix(".__init__")
        found.append((name, path))
    return found


def imports_of(path: Path, module: str) -> set[str]:
    """Absolute names of all imported modules, lazy ones too; type-checking ones as well."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = module.split(".")[: -node.level] if path.name != "__init__.py" else module.split(".")
                names.add(".".join([*base, node.module or ""]).rstrip("."))
            elif node.module:
                names.add(node.module)
                names.update(f"{node.module}.{alias.name}" for alias in node.names if node.module.startswith("bobctx"))
    return names


def layer(name: str) -> str:
    parts = name.split(".")
    return "root" if len(parts) == 1 else parts[1]


def forbidden(module: str, target: str) -> str | None:
    """Why `module` may not import `target`, None where it may."""
    mine, theirs, top = layer(module), layer(target), target.split(".")[0]
    if mine == "core" and top != "bobctx":
        return None if top in CORE_MAY_IMPORT and top not in CORE_NEVER else "core is pure"
    if mine in STANDARD_ONLY and top != "bobctx":
        return None if top in sys.stdlib_module_names else "a hook starts in a few milliseconds"
    if mine in STANDARD_ONLY:
        return None if theirs in (*STANDARD_ONLY, "root", "errors") else "a hook starts in a few milliseconds"
    if top == "evals":
        return "evals depend on the package, never the other way round"
    if top == "litellm":
        return None if module in MAY_IMPORT_LITELLM else "only the worker's seat and the callback inside its host may"
    if top != "bobctx" or (module, target) in ALLOWED:
        return None
    if theirs == "settings" and mine not in MAY_READ_SETTINGS:
        return "values are passed in"
    if mine in MAY_IMPORT:
        return None if theirs in MAY_IMPORT[mine] else f"{mine} stands below {theirs}"
    if mine in SIDE_BY_SIDE:
        if theirs in UPPER:
            return "arrows point down"
        beside = theirs in SIDE_BY_SIDE and theirs != mine
        return "they meet in ports" if beside and (mine, theirs) != ("integrations", "client") else None
    return None


@pytest.mark.parametrize(("module", "path"), modules(), ids=lambda v: v if isinstance(v, str) else "")
def test_module_imports_only_what_its_layer_may(module: str, path: Path) -> None:
    """Fails when an arrow points upward or sideways; add an import of `store` to `api/app.py` to see it."""
    wrong = {t: why for t in imports_of(path, module) if (why := forbidden(module, t))}
    assert not wrong, f"{module}: {wrong}"


def test_types_is_a_leaf() -> None:
    imported = {n for n in imports_of(PACKAGE / "core/types.py", "bobctx.core.types") if n.startswith("bobctx")}
    assert imported == set()


def test_core_has_no_import_cycle() -> None:
    graph = {
        name: {t for t in imports_of(path, name) if t.startswith("bobctx.core.") and t != name}
        for name, path in modules()
        if name.startswith("bobctx.core.")
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"cycle: {' -> '.join((*trail, name))}"
        if name in done:
            return
        for target in sorted(graph.get(name, ())):
            if target in graph:
                visit(target, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        visit(name, ())
