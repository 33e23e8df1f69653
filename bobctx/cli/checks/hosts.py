"""Coding agents of this account: are our hooks in their settings, and who compacts first, they or we?"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bobctx.cli.checks.finding import Finding

if TYPE_CHECKING:
    from bobctx.settings import Settings

NAMES = {"claude-code": "Claude Code", "codex": "Codex"}
ASSUMED_WINDOW = 200_000
"""Tokens, where the host's settings name no window."""
ASSUMED_SHARE = 0.8
"""Of its window, at which a host compacts where its settings do not say; both hosts leave room for the answer."""


def hooks(settings: Settings) -> Iterator[Finding]:
    """For each host of this account."""
    from bobctx.errors import InvalidInput
    from bobctx.hooks.install import EVENTS, commands_in

    for host, path in _hosts():
        try:
            found = commands_in(path, host)
        except InvalidInput as error:
            yield Finding(
                check="hooks", state="problem", found=error.message, do=f"repair it; {NAMES[host]} reads it too"
            )
            continue
        missing = [event for event in EVENTS[host] if event not in found]
        if not found:
            yield Finding(
                check="hooks",
                state="note",
                found=f"{NAMES[host]} is here, without hooks: its compactions are not checked",
                do=f"run `bobctx hook install {host}`",
            )
        elif missing or (problem := _problem(host, found, settings)):
            what = f"no hook for {', '.join(missing)}" if missing else problem
            yield Finding(
                check="hooks",
                state="problem",
                found=f"{NAMES[host]}: {what}",
                do=f"run `bobctx hook install {host}` again",
            )
        else:
            yield Finding(check="hooks", state="ok", found=f"{NAMES[host]}: {len(found)} events in {path}")


def _problem(host: str, commands: Mapping[str, str], settings: Settings) -> str:
    """What is wrong with the installed command lines, if anything."""
    from bobctx.hooks.install import works

    for command in sorted(set(commands.values())):
        words = shlex.split(command)
        if shutil.which(words[0]) is None:
            return f"its hook runs {words[0]}, which is not there"
        if not works(words[: words.index("hook")], host):
            return f"its hook does not start ({words[0]} was replaced, or bobctx in it)"
        lane = Path(words[words.index("--db") + 1]) if "--db" in words[:-1] else _standard_lane()
        if os.path.realpath(lane) != os.path.realpath(settings.db_path):
            return f"its hook uses the lane {lane}, this command looks at {settings.db_path}"
    return ""


def _standard_lane() -> Path:
    from bobctx.hooks.environment import database_of

    return Path(database_of(os.environ))


def who_compacts_first(settings: Settings) -> Iterator[Finding]:
    """The host's threshold against ours: what it summarises first, we can only compare afterwards."""
    from bobctx.core.budget import trigger_tokens

    for host, path in _hosts():
        window, theirs, said = _threshold(host, path)
        ours = trigger_tokens(settings.window or window, settings.profile)
        if theirs is None:
            yield Finding(check="who first", state="ok", found=f"{NAMES[host]} does not compact by itself ({said})")
            continue
        they = f"{NAMES[host]} compacts at about {theirs:,} tokens ({said})"
        facts = f"{they}, bobctx from {ours:,} uncompacted ones"
        if not settings.compactor_enabled or settings.mode in ("off", "fit"):
            yield Finding(
                check="who first",
                state="note",
                found=f"{they}, bobctx only when a hook asks for it",
                do="set BOBCTX_MODE to shadow or live, and BOBCTX_COMPACTOR_ENABLED to true",
            )
        elif theirs <= ours:
            yield Finding(
                check="who first",
                state="note",
                found=f"{facts}: the host is first",
                do="the PreCompact hook compacts the rest; to be earlier set BOBCTX_WINDOW to the host's window",
            )
        else:
            yield Finding(check="who first", state="ok", found=f"{facts}: claims are there before its summary")


def _hosts() -> Iterator[tuple[str, Path]]:
    """The hosts whose folder is there, each with its settings file."""
    from bobctx.hooks import HOSTS
    from bobctx.hooks.install import default_settings

    for host in HOSTS:
        path = default_settings(host, os.environ)
        if path.parent.is_dir():
            yield host, path


def _threshold(host: str, path: Path) -> tuple[int, int | None, str]:
    """Window, tokens at which the host compacts (None: never by itself), and where that is from."""
    if host == "codex":
        config = _toml(path.with_name("config.toml"))
        window = _number(config.get("model_context_window")) or ASSUMED_WINDOW
        limit = _number(config.get("model_auto_compact_token_limit"))
        return window, limit or int(window * ASSUMED_SHARE), "its config.toml" if limit else "assumed"
    given = _json(path)
    own = given.get("env")
    environ = {**os.environ, **{k: str(v) for k, v in own.items()}} if isinstance(own, dict) else dict(os.environ)
    if given.get("autoCompactEnabled") is False or environ.get("DISABLE_AUTO_COMPACT") in ("1", "true"):
        return ASSUMED_WINDOW, None, "its settings"
    named = _number(environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW")) or _number(given.get("autoCompactWindow"))
    percent = _number(environ.get("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"))
    window = named or ASSUMED_WINDOW
    share = percent / 100 if percent and percent <= 100 else ASSUMED_SHARE
    return window, int(window * share), "its settings" if named or percent else "assumed"


def _number(value: Any) -> int | None:
    try:
        found = int(value)
    except (TypeError, ValueError):
        return None
    return found if found > 0 else None


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
