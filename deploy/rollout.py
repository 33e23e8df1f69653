"""Puts a tested tree of bobctx in place of the running one, gate by gate, and undoes itself where a gate fails.

    rollout.py seal STAGE                          after the tests passed there: note what was tested
    rollout.py deploy STAGE LIVE --service bobctx  drift, backup, copy, compile, import, tests, restart, health
    rollout.py undo LIVE --service bobctx          go back behind the last deployment, or one that was cut off

Standard library only, with `rollout_files.py` beside it, so that it runs before anything is installed. Exit codes: 0
done; 1 refused, nothing was changed; 2 a gate failed and everything is as before; 3 the undo failed as well: the last
lines say where things stand.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import itertools
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

from rollout_files import (
    IGNORED,
    GateFailed,
    copy_database,
    drift,
    hashes_of,
    read_only,
    schema_of,
    seal,
)

TESTS = f"{sys.executable} -m pytest -q -x -p no:cacheprovider tests/unit tests/meta"
IMPORTS = ("bobctx", "bobctx.cli.frame", "bobctx.runtime", "bobctx.compactor.worker", "bobctx.hooks.run")
DONE, REFUSED, UNDONE, BROKEN = range(4)
LAST, UNFINISHED = "last.json", "unfinished.json"
"""Among the backups: what the last deployment replaced, and what one that has not ended yet does."""
STARTS = 3
"""Times that the undo tries to start the service."""


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


# -- the gates, in order ---------------------------------------------------------------


def check_drift(plan: Plan) -> None:
    """The stage is what was tested, and nobody changed the live tree by hand since the last deployment."""
    for tree in (plan.stage, *(() if plan.first else (plan.live,))):
        found = drift(tree)
        if found:
            raise GateFailed(f"{tree} drifted: {'; '.join(found[:5])}{' …' if len(found) > 5 else ''}")


def back_up(plan: Plan) -> None:
    """The live tree and the database, beside each other under one name; half a backup is none and goes away."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    names = itertools.chain([stamp], (f"{stamp}-{number}" for number in itertools.count(2)))
    place = next(path for name in names if not (path := plan.backups / name).exists())
    place.mkdir(parents=True, mode=0o700)
    try:
        if not plan.first:
            plan.saved = place / "tree"
            shutil.copytree(plan.live, plan.saved, symlinks=True)
            if hashes_of(plan.saved) != hashes_of(plan.live):
                raise GateFailed(f"the copy in {plan.saved} is not what {plan.live} holds")
        if plan.database is not None and plan.database.exists():
            plan.copied = place / plan.database.name
            copy_database(plan.database, plan.copied)
        _note(plan, UNFINISHED)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


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
    check_backup(plan)
    stopped = not plan.restarted or _manage(plan, "stop", must=False)
    if plan.swapped:
        if plan.saved is None:
            shutil.rmtree(plan.live, ignore_errors=True)
        else:
            again = plan.live.with_name(plan.live.name + ".new")
            if again.exists():
                shutil.rmtree(again)
            shutil.copytree(plan.saved, again, symlinks=True)
            _put_in_place(again, plan.live)
    if not plan.restarted:
        return
    if not stopped and _schema_changed(plan):
        raise GateFailed(f"{plan.service} does not stop, so its database was left as it is; the tree is as before")
    if stopped:
        _restore_schema(plan)
    for left in range(STARTS - 1, -1, -1):  # what made the restart fail may be over in a moment
        if _manage(plan, "start" if stopped else "restart", must=not left):
            break
        time.sleep(min(1.0, plan.patience_s))
    check_health(plan)


def check_backup(plan: Plan) -> None:
    """What would be put back is whole. Before anything is touched: half a tree is worse than the new one."""
    if plan.swapped and plan.saved is not None:
        try:
            found = drift(plan.saved)
        except GateFailed:
            found = ["no manifest"]
        if found:
            raise GateFailed(f"the backup in {plan.saved} is not whole ({'; '.join(found[:5])}); nothing was touched")
    if plan.restarted and plan.copied is not None:
        try:
            with contextlib.closing(read_only(plan.copied)) as copied:
                result = copied.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            result = str(error)
        if result != "ok":
            raise GateFailed(f"the backup in {plan.copied} cannot be used ({result}); nothing was touched")


def _schema_changed(plan: Plan) -> bool:
    if plan.database is None or plan.copied is None:
        return False
    return schema_of(plan.database) != schema_of(plan.copied)


def _restore_schema(plan: Plan) -> None:
    """A program does not open a newer schema: then the copy comes back, and the newer file is kept beside it."""
    if plan.database is None or plan.copied is None or not _schema_changed(plan):
        return
    kept = plan.copied.with_name(plan.copied.name + ".newer")
    kept.unlink(missing_ok=True)
    copy_database(plan.database, kept)
    before = plan.database.stat()
    new = plan.database.with_name(plan.database.name + ".rollout")
    shutil.copyfile(plan.copied, new)
    os.chown(new, before.st_uid, before.st_gid)  # the daemon opens no file of another account
    new.chmod(before.st_mode & 0o7777)
    for suffix in ("-wal", "-shm"):
        plan.database.with_name(plan.database.name + suffix).unlink(missing_ok=True)
    new.replace(plan.database)
    say(f"the database is again the copy from before; what was recorded since is in {kept}")


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


def _manage(plan: Plan, verb: str, *, must: bool = True) -> bool:
    done = subprocess.run([*plan.manager, verb, plan.service], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        why = f"{verb} {plan.service}: {_last_line(done) or f'exit {done.returncode}'}"
        if must:
            raise GateFailed(why)
        say(why)
    return done.returncode == 0


def _note(plan: Plan, name: str) -> None:
    """Write down what an undo puts back."""
    noted = {"saved": plan.saved, "copied": plan.copied}
    (plan.backups / name).write_text(json.dumps({k: None if v is None else str(v) for k, v in noted.items()}))


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else ""


def say(text: str) -> None:
    """One line for the operator and for the log."""
    print(f"rollout: {text}", flush=True)


def deploy(plan: Plan) -> int:
    """All gates in order; whatever ends them early, also Ctrl-C, is undone."""
    if (plan.backups / UNFINISHED).exists():
        say(f"a deployment of {plan.live} was cut off; first: rollout.py undo {plan.live} --service {plan.service}")
        return REFUSED
    for gate in GATES:
        try:
            gate(plan)
        except BaseException as error:  # noqa: BLE001 - Ctrl-C and SIGTERM are undone like any other failure
            why = str(error) or type(error).__name__
            say(f"{gate.__name__} FAILED: {why}")
            if not plan.swapped:
                with contextlib.suppress(OSError):
                    (plan.backups / UNFINISHED).unlink()
                return REFUSED
            return _undone(plan)
        say(f"{gate.__name__} passed")
    say(f"{plan.live} is now {plan.stage}; to go back: rollout.py undo {plan.live} --service {plan.service}")
    (plan.backups / UNFINISHED).replace(plan.backups / LAST)
    return DONE


def _undone(plan: Plan) -> int:
    try:
        undo(plan)
    except (GateFailed, OSError, sqlite3.Error) as error:
        say(f"the undo FAILED: {error}")
        say(f"the tree before is in {plan.saved}, the database before in {plan.copied}; service: {plan.service}")
        say(f"when that is mended: rollout.py undo {plan.live} --service {plan.service}")
        return BROKEN
    (plan.backups / UNFINISHED).unlink(missing_ok=True)
    say("undone: tree and service are as before")
    return UNDONE


def _undo_last(plan: Plan) -> int:
    """Go back to before the deployment that was cut off, else to before the last one that went through."""
    for name in (UNFINISHED, LAST):
        with contextlib.suppress(FileNotFoundError):
            try:
                last = json.loads((plan.backups / name).read_bytes())
                saved, copied = last["saved"], last["copied"]
            except (ValueError, KeyError, TypeError):
                say(f"{plan.backups / name} cannot be read")
                return REFUSED
            plan.saved = None if saved in (None, "None") else Path(saved)
            plan.copied = None if copied in (None, "None") else Path(copied)
            plan.swapped = plan.restarted = True
            return _undone(plan)
    say(f"no deployment is noted in {plan.backups}")
    return REFUSED


@contextlib.contextmanager
def alone(live: Path) -> Iterator[bool]:
    """Whether no other rollout is at work on this tree; it ends with the process, however that ends."""
    lock = os.open(live.with_name(f".{live.name}.rollout"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


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
    with alone(live) as mine:
        if not mine:
            say(f"another rollout is at work on {live}; nothing was changed")
            return REFUSED
        return deploy(plan) if given.command == "deploy" else _undo_last(plan)


if __name__ == "__main__":
    sys.exit(main())
