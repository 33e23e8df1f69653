"""The seat that settings name: as the daemon knows it, what it may cost, and as the worker process builds it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from bobctx.compactor.scheduler import RUN_DEADLINE_S
from bobctx.compactor.seating import EXTRACTIVE, SeatInfo, Seating
from bobctx.compactor.spending import Caps, caps_for
from bobctx.core.budget import resolve_window
from bobctx.core.policy import SMALL_PASS_WAITS
from bobctx.model_data import dearest_price, listed_price, window_catalog
from bobctx.ports import Seat
from bobctx.seats.choice import SeatChoice, allow_table, build, choose
from bobctx.seats.provider_keys import VARIABLES, missing
from bobctx.settings import Settings


def _choice(settings: Settings) -> SeatChoice:
    return choose(
        settings.compactor_model,
        base_url=settings.compactor_base_url,
        place=settings.compactor_place,
        profile=settings.seat_profile,
    )


def _seat_window(settings: Settings) -> int:
    known = resolve_window(settings.compactor_model, setting=settings.compactor_window, catalog=window_catalog())
    return known.tokens


def seating(settings: Settings) -> Seating:
    """The configured seat as the daemon knows it, without loading it."""
    choice = _choice(settings)
    if choice.kind == "extractive":
        return Seating()
    if choice.kind == "scripted":
        return Seating(seat=SeatInfo(name=choice.name, small=choice.small))
    seat = SeatInfo(
        name=choice.name,
        egress=choice.egress,
        provider=choice.provider,
        window=_seat_window(settings),
        small=choice.small,
    )
    return Seating(seat=seat, allow=allow_table(settings.compactor_allow), missing_key=_missing_key(settings, choice))


def _missing_key(settings: Settings, choice: SeatChoice) -> str | None:
    """The variable that holds no key, for the seat or one of its fallbacks; providers that are not known need none."""
    if choice.egress == "local" or settings.compactor_api_key:
        return None
    if choice.kind == "http":  # no other variable is read for an address
        return "BOBCTX_COMPACTOR_API_KEY" if choice.provider in VARIABLES else None
    return missing((choice.name, *settings.compactor_fallbacks), os.environ)


def caps(settings: Settings) -> Caps:
    """What seats may cost, with the price of the configured one."""
    choice = _choice(settings)
    models = (choice.name, *(settings.compactor_fallbacks if choice.kind == "litellm" else ()))
    return caps_for(
        models if choice.egress != "local" else (),
        day_usd=settings.max_usd_per_day,
        hour_usd=settings.max_usd_per_conversation_hour,
        given=settings.compactor_price,
        listed=listed_price,
        dearest=dearest_price,
        bound=settings.unknown_price,
    )


def run_deadline_s(settings: Settings) -> float:
    """The longest run, in seconds: a small seat takes many requests for each of its regions."""
    if not _choice(settings).small:
        return RUN_DEADLINE_S
    return max(RUN_DEADLINE_S, settings.seat_timeout_s * SMALL_PASS_WAITS * settings.regions_per_run)


def seats(settings: Settings) -> Mapping[str, Seat]:
    """The seats of a worker process."""
    from bobctx.seats.extractive import ExtractiveSeat

    found: dict[str, Seat] = {EXTRACTIVE.name: ExtractiveSeat()}
    choice = _choice(settings)
    if choice.kind != "extractive":
        found[choice.name] = build(
            choice,
            window=0 if choice.kind == "scripted" else _seat_window(settings),
            api_key=settings.compactor_api_key,
            fallbacks=settings.compactor_fallbacks,
            allow=sorted({seat for row in allow_table(settings.compactor_allow).values() for seat in row}),
        )
    return found


def work(settings: Settings) -> None:
    """The worker process: serve jobs over stdin and stdout until stdin ends."""
    from bobctx.compactor.worker import run_worker

    run_worker(seats(settings), sys.stdin.buffer, sys.stdout.buffer)


def worker_command() -> tuple[str, ...]:
    """How the daemon starts its worker; settings reach it by the environment."""
    return (sys.executable, "-m", "bobctx.cli", "worker")


def worker_environment(settings: Settings) -> dict[str, str]:
    """The worker's environment: ours, with settings that came from arguments."""
    return {**os.environ, "BOBCTX_COMPACTOR_MODEL": settings.compactor_model}
