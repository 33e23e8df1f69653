"""`requirements.lock` names every dependency, with hashes, and no place to load it from."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import regex
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
DECLARED = [
    Requirement(line) for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
]


def entries() -> dict[str, tuple[str, list[str]]]:
    """Name -> version and hashes."""
    found: dict[str, tuple[str, list[str]]] = {}
    for entry in regex.split(r"\n(?=[^\s#])", regex.sub(r"(?m)^#.*\n", "", LOCK).strip()):
        requirement = Requirement(entry.split("\\")[0].strip())
        [pin] = requirement.specifier
        assert pin.operator == "==", entry
        if requirement.marker is None or requirement.marker.evaluate(default_environment()):  # type: ignore[arg-type]
            found[canonicalize_name(requirement.name)] = (
                pin.version,
                regex.findall(r"--hash=sha256:([0-9a-f]{64})(?:\s|$)", entry),
            )
    return found


@pytest.mark.parametrize("declared", DECLARED, ids=lambda r: r.name)
def test_every_dependency_is_locked_to_a_version_that_it_allows(declared: Requirement) -> None:
    """Fails when a dependency is added or raised in pyproject.toml and the lock is not made anew."""
    version, _ = entries()[canonicalize_name(declared.name)]
    assert declared.specifier.contains(version)


def test_every_locked_version_has_a_hash() -> None:
    assert len(entries()) > len(DECLARED)
    assert [name for name, (_, hashes) in entries().items() if not hashes] == []


def test_the_lock_names_no_place() -> None:
    """Fails for an index line, an address or a path: hashes say what is installed, the installer says from where."""
    assert regex.search(r"://|--(?:extra-)?index|--find-links|--trusted-host| @ |^-[er]\b", LOCK) is None
