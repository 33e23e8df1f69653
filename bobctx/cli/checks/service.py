"""What a daemon starts with, by this shell's environment: keys, settings, seat, vectors, worker."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bobctx.cli.checks.finding import Finding
from bobctx.cli.output import several

if TYPE_CHECKING:
    from bobctx.settings import Settings

WORKER_TIMEOUT_S = 60.0


def key_file(settings: Settings) -> Iterator[Finding]:
    """Valid, private, and with the key that local clients send."""
    from bobctx import keys
    from bobctx.errors import ConfigurationError

    path = settings.keys_path
    if not path.exists():
        yield Finding(
            check="key file", state="note", found=f"none yet at {path}", do="made by the first `bobctx serve`"
        )
        return
    try:
        principals = keys.read(path)
        default = settings.key or keys.default_key(path)
    except ConfigurationError as error:
        yield Finding(
            check="key file", state="problem", found=error.message, do="fix it; the daemon does not start on it"
        )
        return
    except OSError as error:
        yield Finding(
            check="key file", state="problem", found=f"{path}: {error.strerror}", do="give this account access"
        )
        return
    if default is None or keys.hash_of(default) not in principals:
        yield Finding(
            check="key file",
            state="problem",
            found="the key that local clients send is not in it",
            do="set BOBCTX_KEY, or remove both files while no daemon runs",
        )
        return
    yield Finding(check="key file", state="ok", found=f"{path}, {several(len(principals), 'key')}, mode 0600")


def switches(settings: Settings) -> Iterator[Finding]:
    """Names that are no settings, the mode, and what is switched off."""
    from bobctx.settings import unknown_variables

    odd = unknown_variables()
    if odd:
        yield Finding(
            check="settings",
            state="note",
            found=f"unknown: {', '.join(odd)}",
            do="check the spelling in docs/settings.md",
        )
    off = [
        name for name in ("compactor_enabled", "claims_in_prompt", "context_fit_enabled") if not getattr(settings, name)
    ]
    detail = f", switched off: {', '.join(off)}" if off else ""
    yield Finding(check="mode", state="note" if off or settings.mode != "live" else "ok", found=settings.mode + detail)


def seat(settings: Settings) -> Iterator[Finding]:
    """Who compacts."""
    from bobctx.errors import ConfigurationError
    from bobctx.runtime import seating
    from bobctx.store import holder

    try:
        found = seating(settings)
    except ConfigurationError as error:
        yield Finding(check="seat", state="problem", found=error.message, do="set BOBCTX_COMPACTOR_MODEL or unset it")
        return
    if found.missing_key is not None:
        yield Finding(
            check="seat",
            state="problem" if holder(settings.db_path) is None else "note",  # a daemon has its own, and says so
            found=f"{found.seat.name}: {found.missing_key} is not set in this shell",
            do="set it where the daemon starts (its environment file); BOBCTX_COMPACTOR_API_KEY does for any provider",
        )
        return
    local = found.seat.name == "extractive"
    detail = "the model-free extractor, no key needed, nothing leaves this machine" if local else found.reason
    detail += ", asked in windows of a few messages" if found.seat.small else ""
    yield Finding(check="seat", state="ok", found=f"{found.seat.name}: {detail}")


def vectors(settings: Settings) -> Iterator[Finding]:
    """The packages of the extra, where it is asked for."""
    from bobctx.integrations.vectors import INSTALL, missing

    if not settings.vectors:
        return
    absent = missing()
    found = f"not installed: {', '.join(absent)}; claims are found by words alone" if absent else "installed"
    yield Finding(check="vectors", state="problem" if absent else "ok", found=found, do=INSTALL if absent else "")


def worker(settings: Settings) -> Iterator[Finding]:
    """Starts and answers?"""
    import asyncio

    from bobctx.compactor.supervisor import Supervisor
    from bobctx.core.parts import read_message
    from bobctx.core.records import Job
    from bobctx.core.types import Region, Scope

    said = {"role": "user", "content": "Never delete the backups in /var/backups."}
    job = Job(
        scope=Scope(conversation_id="doctor", user_id="doctor"),
        region=Region(messages=(read_message(said, id="m1", seq=1, tokens=12),)),
        prior=(),
        prefix="r1",
        seat="extractive",
        timeout_s=WORKER_TIMEOUT_S,
    )

    async def once() -> str | None:
        supervisor = Supervisor([sys.executable, "-m", "bobctx.cli", "worker"])
        try:
            result = await supervisor.dispatch(job)
        finally:
            await supervisor.close()
        return f"{result.error}: {result.error_detail}" if result.error else None

    started = time.monotonic()
    problem = asyncio.run(once())
    took = time.monotonic() - started
    if problem is None:
        yield Finding(check="worker", state="ok", found=f"started and answered in {took:.1f} s")
    else:
        yield Finding(check="worker", state="problem", found=problem, do="run `python -m bobctx.cli worker </dev/null`")
