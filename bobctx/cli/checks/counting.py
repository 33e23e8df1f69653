"""Windows and counting: what the sizes of prompts rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bobctx.cli.checks.finding import Finding

if TYPE_CHECKING:
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
