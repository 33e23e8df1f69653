"""Puts the hooks into a host's settings and takes them out again: nothing else in the file is touched.

Claude Code reads them from `settings.json`, Codex from `hooks.json`, both in the same form; Codex also needs the
feature `hooks` in `config.toml`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bobctx.errors import InvalidInput
from bobctx.hooks import splicing
from bobctx.hooks.settings_file import SettingsFile

EVENTS: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "PostCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "PostCompact", "SessionEnd"),
}
TIMEOUT_S = 5
"""What the host is told; a hook ends by itself before that."""
AT_THE_END_S = 3
"""The same for `SessionEnd`: Codex allows no more, and warns of it."""
TRIED_S = 20.0
"""Seconds that a first try may take: nothing is compiled yet."""
SWITCH = "hooks = true # added by bobctx\n"
SECTION = "[features]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was done to one file."""

    path: Path
    done: str
    """`installed`, `updated`, `unchanged`, `removed`, `restored`, `not_installed`."""
    copy: Path | None = None
    """What the file was before."""
    note: str = ""


def default_settings(host: str, environ: Mapping[str, str]) -> Path:
    """The host's own file for all projects of this account."""
    if host == "codex":
        return Path(environ.get("CODEX_HOME") or "~/.codex").expanduser() / "hooks.json"
    return Path(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser() / "settings.json"


def is_ours(command: object, host: str) -> bool:
    """Whether a command line in a settings file is this hook."""
    if not isinstance(command, str) or "bobctx" not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any(a == "hook" and b == host for a, b in itertools.pairwise(words))


def commands_in(settings: Path, host: str) -> dict[str, str]:
    """Event -> our command line, as the file has them. Raises `InvalidInput` for a file that cannot be read."""
    text = SettingsFile(settings).read()
    _parsed(text or "{}", settings)
    return _ours(text, host)


def _ours(text: str | None, host: str) -> dict[str, str]:
    hooks = splicing.read(text).get("hooks") if text and text.strip() else None
    found = {}
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            for entry in _entries(group):
                if is_ours(entry.get("command"), host):
                    found[event] = str(entry["command"])
    return found


def install(host: str, settings: Path, command: str) -> list[Change]:
    """Add the hooks, or bring them up to date; safe to repeat.

    Args:
        host: A key of `EVENTS`.
        settings: The host's file; made where there is none.
        command: The command line of the hook.

    Raises `InvalidInput`: a file that is not what the host writes is left as it is.
    """
    file = SettingsFile(settings)
    before = file.read()
    text = before if before and before.strip() else "{}\n"
    hooks = _hooks(_parsed(text, file.path), file.path)
    had = commands_in(settings, host)
    if had == dict.fromkeys(EVENTS[host], command):
        change = Change(path=file.path, done="unchanged")
    else:
        file.write(_installed(text, host, command), instead_of=before, copy=not had)  # with hooks it is no "before"
        copy = file.copy if file.copy.exists() else None
        change = Change(path=file.path, done="updated" if had and hooks else "installed", copy=copy)
    return [change, *([_switch_on(file.path.with_name("config.toml"))] if host == "codex" else [])]


def uninstall(host: str, settings: Path) -> list[Change]:
    """Take the hooks out; where nothing else changed meanwhile the file is again what it was, byte for byte."""
    file = SettingsFile(settings)
    before = file.read()
    if before is None or not commands_in(settings, host):
        change = Change(path=file.path, done="not_installed")
    else:
        bare = _without(before, host)
        copied = file.copied()
        if copied is not None and _has_ours(copied, host):
            copied = None  # of a file that an installation had made
        restored = copied is not None and (_same(copied, bare) or _leads_to(copied, before, host))
        if copied is None and _parsed(bare, file.path) == {}:
            file.path.unlink()  # it was made by the installation and holds nothing else
        else:
            file.write(copied if restored and copied is not None else bare, instead_of=before)
        file.forget_copy()
        change = Change(path=file.path, done="restored" if restored else "removed")
    return [change, *([_switch_off(file.path.with_name("config.toml"))] if host == "codex" else [])]


# -- the JSON file -------------------------------------------------------------------


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return splicing.read(text)
    except (ValueError, RecursionError) as error:
        why = str(error) or "it is nested too deep"
        raise InvalidInput(f"{path} is not valid: {why}; nothing was changed", field="settings") from error


def _hooks(value: dict[str, Any], path: Path) -> dict[str, Any]:
    hooks = value.get("hooks", {})
    wrong = "`hooks` is no object" if not isinstance(hooks, dict) else ""
    for event, groups in hooks.items() if not wrong else ():
        if not isinstance(groups, list):
            wrong = f"`hooks.{event}` is no list"
    if wrong:
        raise InvalidInput(f"{path}: {wrong}, so the host itself cannot read it; nothing was changed", field="settings")
    return dict(hooks)


def _entries(group: Any) -> Iterable[dict[str, Any]]:
    entries = group.get("hooks") if isinstance(group, dict) else None
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _installed(text: str, host: str, command: str) -> str:
    """The text with our hooks, whatever of ours it had."""
    text = _without(text, host)
    for event in EVENTS[host]:
        seconds = AT_THE_END_S if event == "SessionEnd" else TIMEOUT_S
        text = _with(text, event, {"hooks": [{"type": "command", "command": command, "timeout": seconds}]})
    return text


def _has_ours(text: str, host: str) -> bool:
    try:
        return bool(_ours(text, host))
    except (ValueError, RecursionError):
        return False


def _leads_to(copied: str, now: str, host: str) -> bool:
    """Whether nothing but the installation lies between two texts: it fills lists that stood empty."""
    found = _ours(now, host)
    try:
        return len(set(found.values())) == 1 and _same(_installed(copied, host, next(iter(found.values()))), now)
    except (ValueError, RecursionError, IndexError):
        return False


def _with(text: str, event: str, group: dict[str, Any]) -> str:
    """The text with one more group under an event."""
    root = splicing.container(text)
    hooks = root.get("hooks")
    if hooks is None:
        return splicing.added(text, root, {event: [group]}, "hooks")
    inside = splicing.container(text, hooks.value)
    groups = inside.get(event)
    if groups is None:
        return splicing.added(text, inside, [group], event)
    return splicing.added(text, splicing.container(text, groups.value), group)


def _without(text: str, host: str) -> str:
    """The text without our commands, and without what they leave empty."""
    while (shorter := _one_less(text, host)) != text:
        text = shorter
    return text


def _one_less(text: str, host: str) -> str:
    root = splicing.container(text)
    hooks = root.get("hooks")
    if hooks is None:
        return text
    events = splicing.container(text, hooks.value)
    for event in events.parts:
        groups = splicing.container(text, event.value)
        for group in groups.parts:
            value = json.loads(text[group.value : group.end])
            ours = [is_ours(entry.get("command"), host) for entry in _entries(value)]
            if not any(ours):
                continue
            if len(value["hooks"]) > 1:
                listed = splicing.container(text, group.value).get("hooks")
                if listed is not None:
                    entries = splicing.container(text, listed.value)
                    mine = next(p for p in entries.parts if is_ours(_command(text, p), host))
                    return splicing.removed(text, entries, mine)
            if len(groups.parts) > 1:
                return splicing.removed(text, groups, group)
            if len(events.parts) > 1:
                return splicing.removed(text, events, event)
            return splicing.removed(text, root, hooks)
    return text


def _command(text: str, part: splicing.Part) -> object:
    value = json.loads(text[part.value : part.end])
    return value.get("command") if isinstance(value, dict) else None


def _same(first: str, second: str) -> bool:
    """Whether two texts hold the same values in the same order."""
    try:
        return json.dumps(splicing.read(first or "{}")) == json.dumps(splicing.read(second))
    except ValueError:
        return False


# -- Codex' feature switch -------------------------------------------------------------


def _switch_on(path: Path) -> Change:
    """`features.hooks = true`, as one line of our own."""
    file = SettingsFile(path)
    before = file.read()
    text = before or ""
    features = _toml(text, path).get("features", {})
    if not isinstance(features, dict):
        raise InvalidInput(f"{path}: `features` is no table; nothing was changed", field="settings")
    if features.get("hooks") is True:
        return Change(path=path, done="unchanged")
    if "hooks" in features:
        return Change(
            path=path, done="unchanged", note=f"hooks are switched off in {path}; set `features.hooks` to true there"
        )
    section = re.search(r"^\[features\][ \t]*(#.*)?\n", text, re.M)
    if section is not None:
        new = text[: section.end()] + SWITCH + text[section.end() :]
    else:
        new = text + ("" if not text or text.endswith("\n") else "\n") + f"{SECTION} # added by bobctx\n{SWITCH}"
    if _toml(new, path).get("features", {}).get("hooks") is not True:
        raise InvalidInput(f"{path}: add `hooks = true` to `features` by hand; nothing was changed", field="settings")
    file.write(new, instead_of=before)
    return Change(path=path, done="installed", copy=file.copy if before is not None else None)


def _switch_off(path: Path) -> Change:
    """Without the lines that the installation added."""
    file = SettingsFile(path)
    before = file.read()
    if before is None or SWITCH not in before:
        return Change(path=path, done="not_installed")
    new = before.replace(f"{SECTION} # added by bobctx\n{SWITCH}", "").replace(SWITCH, "")
    _toml(new, path)
    copied = file.copied()
    if copied is None and not new.strip():
        file.path.unlink()
    else:
        file.write(copied if copied is not None and copied.rstrip("\n") == new.rstrip("\n") else new, instead_of=before)
    file.forget_copy()
    return Change(path=path, done="removed")


def _toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}; nothing was changed", field="settings") from error


def leanest(python: str) -> list[str]:
    """The words that start a hook without what Python does for other programs: no `site`, no user packages.

    A text and no script: of a script that is gone Python makes exit code 2, by which hosts stop what they were about to
    do; of a module that is gone it makes 1.
    """
    root = str(Path(__file__).resolve().parents[2])
    code = f"import sys; sys.path.append({root!r}); from bobctx.hooks.run import main; main()"
    return [python, "-I", "-S", "-c", code]


def works(program: Iterable[str], host: str) -> bool:
    """Whether a hook starts this way: it ends with 0 and says nothing of an event that names no session."""
    try:
        done = subprocess.run(  # noqa: S603 - our own command line
            [*program, "hook", host],
            input=b'{"hook_event_name": "Stop"}',
            capture_output=True,
            timeout=TRIED_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def command_line(program: Iterable[str], host: str, *, db: Path | None, keep: Iterable[Path]) -> str:
    """The command line that the host will run."""
    words = [*program, "hook", host]
    if db is not None:
        words += ["--db", os.path.abspath(db.expanduser())]
    for path in keep:
        words += ["--keep", os.path.abspath(path.expanduser())]
    return shlex.join(words)
