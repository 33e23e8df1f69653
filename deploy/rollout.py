"""Puts a tested tree of bobctx in place of the running one, gate by gate, and undoes itself where a gate fails.

    rollout.py seal STAGE                          after the tests passed there: note what was tested
    rollout.py deploy STAGE LIVE --service bobctx  drift, backup, copy, compile, import, tests, restart, health
    rollout.py undo LIVE --service bobctx          go back to the tree before the last deployment

Standard library only, so that it runs before anything is installed. Exit codes: 0 done; 1 refused, nothing was changed;
2 a gate failed and everything is as before; 3 the undo failed as well: the last lines say where things stand.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MANIFEST = ".bobctx-manifest.json"
IGNORED = frozenset({"__pycache__", ".git", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
TESTS = f"{sys.executable} -m pytest -q -x -p no:cacheprovider tests/unit tests/meta"
IMPORTS = ("bobctx", "bobctx.cli.frame", "bobctx.runtime", "bobctx.compactor.worker", "bobctx.hooks.run")
DONE, REFUSED, UNDONE, BROKEN = range(4)


class GateFailed(Exception):
    """A gate did not let the deployment through; its text says why."""


@dataclass(slots=True, kw_only=True)
class Plan:
    """One deployment."""

    stage: Path
    live: Path
    backups: Path
    service: str
    manager: Sequence[str]
    health: Sequence[str]
    tests: Sequence[str]
    database: Path | None = None
    patience_s: float = 60.0
    first: bool = False
    """There is no live tree yet."""
    swapped: bool = False
    restarted: bool = False
    saved: Path | None = None
    """The tree as it was."""
    copied: Path | None = None
    """The database as it was."""
    log: list[str] = field(default_factory=list)


# -- what is in a tree -----------------------------------------------------------------


def files_of(tree: Path) -> Iterator[Path]:
    """Every file that counts, in order; links are not followed."""
    for folder, names, files in os.walk(tree):
        names[:] = sorted(n for n in names if n not in IGNORED)
        for name in sorted(files):
            if name != MANIFEST and not name.endswith(".pyc"):
                yield Path(folder, name)


def hashes_of(tree: Path) -> dict[str, str]:
    """Path in the tree -> SHA-256."""
    return {path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files_of(tree)}


def seal(tree: Path) -> int:
    """Note what the tree holds now; how many files."""
    found = hashes_of(tree)
    (tree / MANIFEST).write_text(json.dumps({"sealed": time.time(), "files": found}, indent=1) + "\n")
    return len(found)


def drift(tree: Path) -> list[str]:
    """What is not as it was sealed. Raises `GateFailed` for a tree that never was."""
    try:
        known = json.loads((tree / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise GateFailed(f"{tree} was never sealed; run its tests, then: rollout.py seal {tree}") from None
    found = hashes_of(tree)
    changed = sorted(name for name in known.keys() & found.keys() if known[name] != found[name])
    return [
        *(f"changed {name}" for name in changed),
        *(f"missing {name}" for name in sorted(known.keys() - found.keys())),
        *(f"added {name}" for name in sorted(found.keys() - known.keys())),
    ]


# -- the gates, in order ---------------------------------------------------------------


def check_drift(plan: Plan) -> None:
    """The stage is what was tested, and nobody changed the live tree by hand since the last deployment."""
    for tree in (plan.stage, *(() if plan.first else (plan.live,))):
        found = drift(tree)
        if found:
            raise GateFailed(f"{tree} drifted: {'; '.join(found[:5])}{' …' if len(found) > 5 else ''}")


def back_up(plan: Plan) -> None:
    """The live tree and the database, beside each other under one name."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    place = plan.backups / stamp
    place.mkdir(parents=True, mode=0o700)
    if not plan.first:
        plan.saved = place / "tree"
        shutil.copytree(plan.live, plan.saved, symlinks=True)
        if hashes_of(plan.saved) != hashes_of(plan.live):
            raise GateFailed(f"the copy in {plan.saved} is not what {plan.live} holds")
    if plan.database is not None and plan.database.exists():
        plan.copied = place / plan.database.name
        copy_database(plan.database, plan.copied)


def copy(plan: Plan) -> None:
    """The stage beside the live tree, then in its place in one step."""
    new = plan.live.with_name(plan.live.name + ".new")
    if new.exists():
        shutil.rmtree(new)
    shutil.copytree(plan.stage, new, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
    if drift(new):
        raise GateFailed(f"the copy of {plan.stage} is not complete")
    plan.swapped = True
    _put_in_place(new, plan.live)


def compile_all(plan: Plan) -> None:
    """Every file of the package is Python."""
    _run([sys.executable, "-m", "compileall", "-q", "-f", str(plan.live / "bobctx")], plan, "compile")


def import_all(plan: Plan) -> None:
    """The entry points import, from the live tree and from nowhere else."""
    code = f"import importlib, bobctx\nfor n in {IMPORTS!r}: importlib.import_module(n)\nprint(bobctx.__file__)"
    found = Path(_run([sys.executable, "-c", code], plan, "import").strip().splitlines()[-1])
    if plan.live.resolve() not in found.resolve().parents:
        raise GateFailed(f"import: bobctx comes from {found}, not from {plan.live}")


def test(plan: Plan) -> None:
    """The tests, from the live tree, before anything is restarted."""
    _run(plan.tests, plan, "tests")


def restart(plan: Plan) -> None:
    """The service, with the new tree."""
    plan.restarted = True
    _manage(plan, "restart")


def check_health(plan: Plan) -> None:
    """The service answers and is ready, within the patience."""
    until = time.monotonic() + plan.patience_s
    while True:
        done = subprocess.run(plan.health, capture_output=True, text=True, check=False)  # noqa: S603 - the operator's own
        if done.returncode == 0:
            return
        if time.monotonic() >= until:
            raise GateFailed(f"health: {_last_line(done) or f'exit {done.returncode}'}")
        time.sleep(min(0.5, plan.patience_s))


GATES = (check_drift, back_up, copy, compile_all, import_all, test, restart, check_health)


# -- undo ----------------------------------------------------------------------------


def undo(plan: Plan) -> None:
    """Everything as before: the tree, the database where the new program changed its schema, the service."""
    if plan.restarted:
        _manage(plan, "stop")
    if plan.swapped:
        if plan.saved is None:
            shutil.rmtree(plan.live, ignore_errors=True)
        else:
            again = plan.live.with_name(plan.live.name + ".new")
            if again.exists():
                shutil.rmtree(again)
            shutil.copytree(plan.saved, again, symlinks=True)
            _put_in_place(again, plan.live)
    if plan.restarted:
        _restore_schema(plan)
        _manage(plan, "start")
        check_health(plan)


def _restore_schema(plan: Plan) -> None:
    """A program does not open a newer schema: then the copy comes back, and the newer file is kept beside it."""
    if plan.database is None or plan.copied is None or _schema(plan.database) == _schema(plan.copied):
        return
    kept = plan.copied.with_name(plan.copied.name + ".newer")
    copy_database(plan.database, kept)
    for suffix in ("-wal", "-shm"):
        plan.database.with_name(plan.database.name + suffix).unlink(missing_ok=True)
    shutil.copyfile(plan.copied, plan.database)
    say(f"the database is again the copy from before; what was recorded since is in {kept}")


def _schema(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def copy_database(source: Path, target: Path) -> None:
    """A checked copy, taken while others write. Raises `GateFailed`."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=30)) as given,
            contextlib.closing(sqlite3.connect(target)) as made,
        ):
            given.backup(made)
            result = made.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise GateFailed(f"{source} cannot be copied: {error}") from error
    if result != "ok":
        raise GateFailed(f"the copy of {source} is damaged: {result}")


# -- small things ----------------------------------------------------------------------


def _put_in_place(new: Path, live: Path) -> None:
    old = live.with_name(live.name + ".old")
    if old.exists():
        shutil.rmtree(old)
    if live.exists():
        live.rename(old)
    new.rename(live)
    if old.exists():
        shutil.rmtree(old)


def _run(command: Sequence[str], plan: Plan, gate: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(plan.live), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=plan.live, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise GateFailed(f"{gate}: {_last_line(done) or f'exit {done.returncode}'}")
    return done.stdout


def _manage(plan: Plan, verb: str) -> None:
    done = subprocess.run([*plan.manager, verb, plan.service], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise GateFailed(f"{verb} {plan.service}: {_last_line(done) or f'exit {done.returncode}'}")


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else ""


def say(text: str) -> None:
    """One line for the operator and for the log."""
    print(f"rollout: {text}", flush=True)


def deploy(plan: Plan) -> int:
    """All gates in order; whatever ends them early, also Ctrl-C, is undone."""
    for gate in GATES:
        try:
            gate(plan)
        except BaseException as error:  # noqa: BLE001 - Ctrl-C and SIGTERM are undone like any other failure
            why = str(error) or type(error).__name__
            say(f"{gate.__name__} FAILED: {why}")
            if not plan.swapped:
                return REFUSED
            return _undone(plan)
        say(f"{gate.__name__} passed")
    say(f"{plan.live} is now {plan.stage}; to go back: rollout.py undo {plan.live} --service {plan.service}")
    (plan.backups / "last.json").write_text(json.dumps({"saved": str(plan.saved), "copied": str(plan.copied)}))
    return DONE


def _undone(plan: Plan) -> int:
    try:
        undo(plan)
    except (GateFailed, OSError, sqlite3.Error) as error:
        say(f"the undo FAILED: {error}")
        say(f"the tree before is in {plan.saved}, the database before in {plan.copied}; service: {plan.service}")
        return BROKEN
    say("undone: tree and service are as before")
    return UNDONE


def _undo_last(plan: Plan) -> int:
    try:
        last = json.loads((plan.backups / "last.json").read_bytes())
    except (OSError, ValueError):
        say(f"no deployment is noted in {plan.backups}")
        return REFUSED
    plan.saved = None if last["saved"] == "None" else Path(last["saved"])
    plan.copied = None if last["copied"] == "None" else Path(last["copied"])
    plan.swapped = plan.restarted = True
    return _undone(plan)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("seal").add_argument("stage", type=Path)
    for name in ("deploy", "undo"):
        sub = commands.add_parser(name)
        if name == "deploy":
            sub.add_argument("stage", type=Path)
            sub.add_argument("--first", action="store_true", help="there is no live tree yet")
            sub.add_argument("--tests", default=TESTS, help="run from the live tree")
        sub.add_argument("live", type=Path)
        sub.add_argument("--service", required=True)
        sub.add_argument("--manager", default="systemctl", help="called with restart, stop, start and the service")
        sub.add_argument("--health", help="exit 0 means ready; else `bobctx status` of the live tree")
        sub.add_argument("--database", type=Path, help="copied before, and brought back where its schema changed")
        sub.add_argument("--backups", type=Path, help="else LIVE.backups")
        sub.add_argument("--patience", type=float, default=60.0, help="seconds for the service to be ready")
    return parser


def _status(live: Path, database: Path | None) -> list[str]:
    """`bobctx status` of the live tree, about the deployed lane and not about the operator's own."""
    lane = [] if database is None else [f"BOBCTX_DB={database.absolute()}"]
    return ["env", f"PYTHONPATH={live}", *lane, sys.executable, "-m", "bobctx.cli", "status"]


def main(args: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    given = _arguments().parse_args(args)
    if given.command == "seal":
        say(f"{given.stage} sealed: {seal(given.stage)} files")
        return DONE
    live = given.live.absolute()
    plan = Plan(
        stage=getattr(given, "stage", live).absolute(),
        live=live,
        backups=(given.backups or live.with_name(live.name + ".backups")).absolute(),
        service=given.service,
        manager=shlex.split(given.manager),
        health=shlex.split(given.health) if given.health else _status(live, given.database),
        tests=shlex.split(getattr(given, "tests", TESTS)),
        database=given.database,
        patience_s=given.patience,
        first=getattr(given, "first", False),
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped by SIGTERM"))
    return deploy(plan) if given.command == "deploy" else _undo_last(plan)


if __name__ == "__main__":
    sys.exit(main())
