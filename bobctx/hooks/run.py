"""`bobctx hook HOST`: an event in on stdin, at most one JSON object out, in time, exit code 0 whatever happens."""

from __future__ import annotations

import itertools
import os
import sys
import time

from bobctx import places
from bobctx.hooks import HOSTS, LIMIT_S, json_text
from bobctx.hooks.environment import database_of, variable
from bobctx.hooks.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping, Sequence
    from typing import NoReturn
else:
    try:
        import _signal as signal  # `signal` itself makes enumerations of its numbers first
    except ImportError:
        import signal

LARGEST_INPUT = 64 * 1024 * 1024
"""Bytes of stdin; a prompt with pasted files may be long."""
HEAD = 256 * 1024
"""Bytes of a rollout's first line, which names its provider."""


def main() -> NoReturn:
    """The command line of an installed hook (`bobctx.hooks.install.leanest`): `hook HOST …`, nothing else."""
    args = sys.argv[1:]
    if is_event(args):
        run(args[1:])
    refuse_unknown(args)
    os._exit(1)


def run(args: Sequence[str]) -> NoReturn:
    """Handle one event and end the process: nothing that goes wrong in a hook is the host's business."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    told = b""
    try:
        told = answer(args, _stdin(), os.environ, deadline=time.monotonic() + LIMIT_S)
    except BaseException:  # noqa: BLE001 - boundary: an adapter fails open (design, section 2)
        told = b""
    try:  # noqa: SIM105 - contextlib costs more than this hook
        os.write(1, told)  # within the limit too: a host that does not read would be waited for without an end
    except OSError:
        pass  # the host has gone
    os._exit(0)


def _give_up(*_: object) -> NoReturn:
    os._exit(0)


def _stdin() -> bytes:
    parts, size = [], 0
    while size <= LARGEST_INPUT and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def answer(args: Sequence[str], given: bytes, environ: Mapping[str, str], *, deadline: float) -> bytes:
    """What goes to stdout: a JSON object, or nothing.

    Args:
        args: `HOST [--keep FILE]... [--db PATH] [--backend NAME]`; what is not known is passed over.
        given: The host's JSON.
        environ: Variables of the process.
        deadline: Monotonic seconds.
    """
    host, options = args[0], _options(args[1:])
    value = json_text.loads(given)
    if not isinstance(value, dict):
        return b""
    db = os.path.expanduser(options["db"][-1]) if options["db"] else database_of(environ)
    memory = Memory(places.hook_states(db))
    if value.get("hook_event_name") == "UserPromptSubmit" and not options["keep"] and not _waits(memory, value):
        return b""  # nearly every prompt: what follows is not even imported
    from bobctx.hooks.events import Hook, handle, read_event
    from bobctx.hooks.lane import Lane

    event = read_event(host, value)
    if event is None:
        return b""
    lane = Lane.find(environ, db=db, deadline=deadline)
    backend = options["backend"][-1] if options["backend"] else backend_of(host, environ, event.transcript)
    hook = Hook(lane=lane, memory=memory, keep=tuple(options["keep"]), backend=backend)
    found = handle(event, hook).as_json(event.name)
    return json_text.dumps(found, plain=True).encode("utf-8", "replace") + b"\n" if found else b""


def _waits(memory: Memory, value: Mapping[str, object]) -> bool:
    """Whether something is to be said with the next prompt."""
    session = value.get("session_id")
    known = memory.read(session) if isinstance(session, str) else None
    return known is not None and (bool(known.pending) or known.unfinished)


def _options(args: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"keep": [], "db": [], "backend": []}
    for name, value in itertools.pairwise(args):
        if name[:2] == "--" and name[2:] in found:
            found[name[2:]].append(value)
    return found


def backend_of(host: str, environ: Mapping[str, str], transcript: str) -> str | None:
    """Where the host's prompts go, as far as can be told; None is treated as local, so that nothing leaves here."""
    if host == "claude-code":
        elsewhere = ("ANTHROPIC_BASE_URL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX")
        return None if variable(environ, *elsewhere) else "anthropic"
    try:
        with open(transcript, "rb") as file:
            line = file.readline(HEAD)
        payload = json_text.loads(line).get("payload")
        return "openai" if payload.get("model_provider") == "openai" else None
    except (OSError, ValueError, AttributeError):
        return None


def is_event(args: Sequence[str]) -> bool:
    """Whether a command line is a host's call: `hook HOST …`, and no help is asked for."""
    return len(args) > 1 and args[0] == "hook" and args[1] in HOSTS and not {"-h", "--help"} & set(args)


def refuse_unknown(args: Sequence[str]) -> None:
    """End with 1 for a host that is not known: hosts read the usual 2 as a wish to stop what they are doing."""
    word = args[1] if len(args) > 1 else "--help"
    if word not in ("install", "uninstall") and not word.startswith("-"):
        os.write(2, f"bobctx: {word} is no host known here; one of {', '.join(HOSTS)}\n".encode())
        os._exit(1)
