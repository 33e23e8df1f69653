"""Windows and counting: what the sizes of prompts rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bobctx.cli.checks.finding import Finding

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.settings import Settings


def windows(settings: Settings) -> Iterator[Finding]:
    """Known windows and the counter."""
    from bobctx import model_data
    from bobctx.core.budget import resolve_window

    catalog = model_data.window_catalog()
    window = resolve_window(None, setting=settings.window, catalog=catalog)
    yield Finding(
        check="windows",
        state="ok" if catalog else "note",
        found=f"{len(catalog):,} models known; an unknown one counts as {window.tokens:,} tokens ({window.source})",
        do="" if catalog else "litellm's model list was not found; set BOBCTX_WINDOW for models not in our own table",
    )
    counter = model_data.reference_counter()
    exact = "o200k" in counter.counter_id
    yield Finding(
        check="counting",
        state="ok" if exact else "note",
        found=counter.counter_id,
        do="" if exact else "the encoding file was not found; counts are estimates on the safe side",
    )


def learned(settings: Settings) -> Iterator[Finding]:
    """Windows that providers' errors lowered, as the daemon found them."""
    from bobctx.cli.access import run
    from bobctx.errors import BobctxError

    if not settings.db_path.exists():
        return

    async def work(access: Access) -> dict[str, Any]:
        status: dict[str, Any] = await access.call("GET", "/v1/status")
        return status

    try:
        found = run(settings, work, writing=False)
    except BobctxError:
        return  # said by the checks of database and settings
    seat = found["compactor"].get("seat_window")
    if seat and seat["source"] == "learned":
        yield Finding(
            check="seat window",
            state="note",
            found=f"{seat['tokens']:,} tokens by the model's own error, configured as {seat['configured']:,}",
            do=found["compactor"]["fixes"]["seat_window_learned"],
        )
    for model, window in found["windows"].items():
        yield Finding(check="window", state="note", found=f"{model} reads {window:,} tokens, by its provider's error")
