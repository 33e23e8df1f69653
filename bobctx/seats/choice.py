"""From a model's name to a seat: what the daemon has to know about it, and the seat itself for the worker.

The daemon only describes; nothing here imports a model library before the worker asks (design, section 2).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bobctx.core.egress import provider_of
from bobctx.core.types import EgressClass
from bobctx.errors import ConfigurationError
from bobctx.ports import Seat

EXTRACTIVE = "extractive"
SCRIPTED = "scripted:"
LOCAL_NAMES = frozenset({"localhost", "host.docker.internal"})

Place = Literal["auto", "local", "cloud"]
Profile = Literal["standard", "small"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatChoice:
    """Which seat, where its text goes, and how much it reads."""

    kind: Literal["extractive", "scripted", "http", "litellm"]
    name: str
    egress: EgressClass = "local"
    provider: str = "local"
    target: str = ""
    """Script file or endpoint."""
    small: bool = False
    """Asked in windows of a few messages."""


def choose(
    model: str, *, base_url: str | None = None, place: Place = "auto", profile: Profile = "standard"
) -> SeatChoice:
    """The seat that a setting names.

    Args:
        model: `extractive`, `scripted:FILE`, a model of `base_url`, or a model as litellm names it.
        base_url: An OpenAI-compatible endpoint, asked without any SDK.
        place: Whether the seat runs on this machine; `auto`: where the endpoint's address is a loopback one.
        profile: `small` for local models of a few billion parameters; the extractor has none.

    Raises `ConfigurationError`.
    """
    choice = _named(model.strip(), base_url, place)
    if profile == "standard" or choice.kind == "extractive":
        return choice
    if choice.egress != "local":
        raise ConfigurationError(
            "BOBCTX_SEAT_PROFILE: `small` makes many requests for one region and is for seats on this machine only; "
            "use `standard`, or say BOBCTX_COMPACTOR_PLACE=local where it is one",
            field="seat_profile",
        )
    return replace(choice, small=True)


def _named(name: str, base_url: str | None, place: Place) -> SeatChoice:
    """The seat without its profile."""
    if name == EXTRACTIVE:
        return SeatChoice(kind="extractive", name=name)
    if name.startswith(SCRIPTED):
        return SeatChoice(kind="scripted", name="scripted", target=name.removeprefix(SCRIPTED))
    if not name:
        raise ConfigurationError("BOBCTX_COMPACTOR_MODEL: no model is named", field="compactor_model")
    if base_url and urlsplit(base_url).scheme not in ("http", "https"):
        raise ConfigurationError("BOBCTX_COMPACTOR_BASE_URL: not an http address", field="compactor_base_url")
    here = place == "local" or (place == "auto" and base_url is not None and is_loopback(base_url))
    egress: EgressClass = "local" if here else "cloud_ok"
    if base_url:
        # the address says who reads the text; a model's name does not (a broker lists those of every provider)
        provider = "local" if here else _provider_of_host(base_url)
        return SeatChoice(kind="http", name=name, egress=egress, provider=provider, target=base_url)
    if "/" not in name:
        raise ConfigurationError(
            f"BOBCTX_COMPACTOR_MODEL: no seat {name!r}; name a provider too (`deepseek/deepseek-chat`), "
            "set BOBCTX_COMPACTOR_BASE_URL, or use `extractive`, which needs no model",
            field="compactor_model",
        )
    return SeatChoice(kind="litellm", name=name, egress=egress, provider="local" if here else provider_of(name))


def allow_table(rows: Sequence[str]) -> dict[str, list[str]]:
    """Rows `BACKEND=SEAT` as a table. Raises `ConfigurationError` for a line that is none."""
    table: dict[str, list[str]] = {}
    for row in rows:
        backend, equals, seat = (part.strip().lower() for part in row.partition("="))
        if not equals or not backend or not seat:
            raise ConfigurationError(f"BOBCTX_COMPACTOR_ALLOW: {row!r} is no BACKEND=SEAT", field="compactor_allow")
        table.setdefault(backend, []).append(seat)
    return table


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    if host in LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _provider_of_host(url: str) -> str:
    """`deepseek` for `https://api.deepseek.com/v1`."""
    parts = (urlsplit(url).hostname or "").split(".")
    return parts[-2] if len(parts) >= 2 else parts[0]


def build(
    choice: SeatChoice,
    *,
    window: int,
    api_key: str | None = None,
    fallbacks: Sequence[str] = (),
    allow: Sequence[str] = (),
) -> Seat:
    """The seat itself, in the worker; a small one behind the code that asks it in windows.

    Args:
        choice: As described to the daemon.
        window: Tokens the model reads.
        api_key: None: none, or the provider's own variable where litellm knows one.
        fallbacks: Further models, asked where a provider fails (litellm only).
        allow: Providers that fallbacks may belong to beside the first model's.
    """
    if choice.small:
        from bobctx.seats.small import SmallSeat

        plain = replace(choice, small=False)
        return SmallSeat(build(plain, window=window, api_key=api_key, fallbacks=fallbacks, allow=allow))
    if choice.kind == "scripted":
        from bobctx.seats.scripted import ScriptedSeat

        return ScriptedSeat.from_file(Path(choice.target))
    if choice.kind == "http":
        from bobctx.seats.http_seat import Endpoint, HttpSeat

        return HttpSeat(
            Endpoint(
                base_url=choice.target,
                model=choice.name,
                api_key=api_key,
                egress=choice.egress,
                provider=choice.provider,
                window=window,
                extra={"cache_prompt": False} if choice.egress == "local" else {},
            )
        )
    if choice.kind == "litellm":
        from bobctx.seats.litellm_seat import LitellmModels, LitellmSeat

        models = (choice.name, *fallbacks)
        return LitellmSeat(
            LitellmModels(models=models, egress=choice.egress, api_key=api_key, window=window, allow=tuple(allow))
        )
    from bobctx.seats.extractive import ExtractiveSeat

    return ExtractiveSeat()
