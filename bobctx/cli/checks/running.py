"""The running daemon against this shell: it has an environment of its own, and a seat that works or does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bobctx.cli.checks.finding import Finding

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.settings import Settings


def daemon(settings: Settings) -> Iterator[Finding]:
    """Running and ready? And where it is: with which settings, and how its seat does."""
    from bobctx.cli.access import daemon_status

    found, theirs = daemon_status(settings)
    if found is None:
        yield Finding(check="daemon", state="note", found="not running", do="start it with `bobctx serve`")
        return
    if not found.ready:
        yield Finding(
            check="daemon",
            state="problem",
            found=f"process {found.pid} holds the database but is not ready: {found.reason}",
            do="see its log; a command that writes may be running",
        )
        return
    yield Finding(check="daemon", state="ok", found=f"ready at {found.url} (pid {found.pid})")
    if theirs is None:
        yield Finding(check="its state", state="note", found=f"it does not say: {found.reason}", do="see above")
        return
    yield from differences(theirs, _ours(settings))
    yield from its_seat(theirs["compactor"])


def _ours(settings: Settings) -> Mapping[str, Any]:
    """What a daemon with this shell's environment would say of itself; empty where it would not start."""
    from bobctx.cli.access import run
    from bobctx.errors import BobctxError

    async def work(access: Access) -> dict[str, Any]:
        found: dict[str, Any] = await access.call("GET", "/v1/status")
        return found

    try:
        return run(settings, work, writing=False)
    except BobctxError:
        return {}  # said by the checks of database and settings


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Finding]:
    """Mode and seat, where the daemon's are not this shell's."""
    if not ours:
        return
    there, here = _settings_of(theirs), _settings_of(ours)
    odd = [f"{name} {there[name]} (here {here[name]})" for name in there if there[name] != here[name]]
    if odd:
        yield Finding(
            check="its settings",
            state="note",
            found=f"the daemon runs with other settings than this shell has: {', '.join(odd)}",
            do="what follows is about this shell: run `doctor` with the daemon's environment, or restart the daemon",
        )


def _settings_of(status: Mapping[str, Any]) -> dict[str, str]:
    compactor = status["compactor"]
    return {
        "mode": str(status["mode"]),
        "seat": str(compactor["seat"]),
        "seat profile": str(compactor["seat_profile"]),
        "compaction": "on" if compactor["enabled"] else "off",
    }


def its_seat(compactor: Mapping[str, Any]) -> Iterator[Finding]:
    """How the daemon's own seat does: what holds it up now, and what to do."""
    failed = compactor["last_failure_reason"] if compactor["cooling_down"] else None
    for reason, fix in compactor["fixes"].items():
        if reason == "seat_window_learned" or (reason == compactor["last_failure_reason"] and failed is None):
            continue  # said by another check; works again
        stands = reason in (failed, "key_missing")
        yield Finding(
            check="its seat",
            state="problem" if stands else "note",
            found=f"{compactor['seat']} ({compactor['seat_reason']}): {reason}",
            do=fix,
        )
    if failed is not None and failed not in compactor["fixes"]:
        yield Finding(check="its seat", state="problem", found=f"{compactor['seat']}: {failed}", do="see its log")
