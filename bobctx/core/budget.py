"""Windows, budgets, triggers and clamps: how many tokens of history a request may carry. Pure.

All figures are tokens of the lane's reference counter unless they say otherwise (design, section 4).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

DEFAULT_WINDOW = 32_768
HISTORY_MAX = 200_000
SHARES: Mapping[str, float] = {"default": 0.5, "long": 0.75}
SHARE_LIMITS = (0.05, 0.9)
BLOCK_SHARE = 0.15
"""Of the history budget: hard cap of the claims block, and of a shrunk opening."""
MARKER_ALLOWANCE = 192
"""Tokens kept free for the gap marker, whatever it says."""
TRIGGERS: Mapping[str, float] = {"default": 0.25, "long": 0.7}
TRIGGER_MAX = 200_000
TAIL_SHARE, TAIL_MIN, TAIL_MAX = 0.1, 8_000, 120_000
BYTE_CAP = 20_000_000
"""Bytes of a whole request body; providers refuse at about 30 MB."""
STEP = 0.6
"""Of the tail room: chosen from the curve in docs/design/0002-anchor.md."""
SIXTEENTHS = 16
MIN_HISTORY = 64
"""A degenerate limit never leaves less than this many tokens, or the window where that is smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """How much one model reads, and who says so."""

    tokens: int
    source: str
    """`setting`, `learned`, `table`, `catalog`, `family` or `default`; `+backend` where a backend caps it."""
    char_cap: int | None = None
    """Characters for the whole prompt, where a command line carries it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one assembled history may cost, and the parts it is divided into."""

    window: int
    history: int
    """Everything between preamble and answer: opening, block, marker and tail."""
    reserved: int
    """Preamble, tools and output, rounded up to a sixteenth of the window."""
    block_cap: int
    """Of the claims block: at most 15 % of `history`, on a lattice of the window, so that a budget
    that jitters does not re-pack the block."""
    opening_cap: int
    """An opening over this is shrunk in place."""
    marker_allowance: int
    tail_room: int
    """Room for opening and tail together; the tail gets `tail_room` minus the opening."""
    step_tokens: int
    """The lattice the anchor moves on."""
    step: float = STEP
    """Its size as a share of the tail room."""
    phase_tokens: int = 0
    """Where the lattice begins: so that the first omission takes a whole step, from window and settings alone."""
    byte_cap: int = BYTE_CAP
    char_cap: int | None = None
    window_source: str = "default"
    budget_source: str = "share"
    warnings: tuple[str, ...] = ()

    def room_after(self, opening_tokens: int) -> int:
        """T: tokens for the tail, with an opening of this size (shrunk to `opening_cap`)."""
        return max(0, self.tail_room - min(opening_tokens, self.opening_cap))

    def step_for(self, room: int) -> int:
        """g, halved until it leaves a tail worth having where a call shrinks the room far below the window's."""
        step = self.step_tokens
        while step > 1 and step > 0.8 * room:
            step = (step + 1) // 2
        return step


@cache
def window_table() -> Mapping[str, Any]:
    """Our own dated table of windows, families and backend caps."""
    text = files("bobctx.core").joinpath("data/windows.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


def _model_names(model: str) -> list[str]:
    """Names under which a model may be listed: as given, then without provider prefixes."""
    name = model.strip().lower()
    names = [name]
    while "/" in name:
        name = name.split("/", 1)[1]
        names.append(name)
    return names


def _listed(model: str, catalog: Mapping[str, int] | None) -> tuple[int, str] | None:
    table = window_table()
    names = _model_names(model)
    for name in names:
        if name in table["models"]:
            return int(table["models"][name]), "table"
    for name in (model.strip(), *names):
        found = (catalog or {}).get(name)
        if isinstance(found, int) and found > 0:
            return found, "catalog"
    for name in names:
        family = max((f for f in table["families"] if name.startswith(f)), key=len, default=None)
        if family is not None:
            return int(table["families"][family]), "family"
    return None


def resolve_window(
    model: str | None,
    *,
    setting: int | None = None,
    catalog: Mapping[str, int] | None = None,
    learned: int | None = None,
    backend: str | None = None,
) -> Window:
    """The window of a model in tokens: setting, own table, litellm's catalog, family, then the default.

    `learned` (from a reported context-length error) only ever lowers it; so do the caps of local and
    command-line backends. Values that are no positive number count as not given.
    """
    if _positive(setting):
        tokens, source = int(setting or 0), "setting"
    else:
        tokens, source = (_listed(model, catalog) if model else None) or (DEFAULT_WINDOW, "default")
    if _positive(learned) and int(learned or 0) < tokens:
        tokens, source = int(learned or 0), "learned"
    caps = window_table()["backends"].get((backend or "").strip().lower(), {})
    char_cap = caps.get("chars")
    if _positive(caps.get("tokens")) and int(caps["tokens"]) < tokens and source != "setting":
        tokens, source = int(caps["tokens"]), f"{source}+backend"
    return Window(tokens=tokens, source=source, char_cap=char_cap)


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 1


def round_ratio(ratio: float) -> float:
    """A learned tokens-per-reference-token ratio in steps of 1/16, upward, between 1/2 and 4."""
    if not math.isfinite(ratio) or ratio <= 0:
        return 1.0
    return min(4.0, max(0.5, math.ceil(round(ratio * SIXTEENTHS, 6)) / SIXTEENTHS))


def plan_budget(
    window: Window | int,
    *,
    profile: str = "default",
    reserved: int = 0,
    budget_tokens: int | None = None,
    history_max: int = HISTORY_MAX,
    live: bool = True,
    ratio: float = 1.0,
    share: float | None = None,
    step: float = STEP,
    byte_cap: int = BYTE_CAP,
) -> Budget:
    """Divide a window (design, section 4, Budget, Tail room, Anchor).

    Args:
        window: The model's window in its own tokens.
        profile: `default` (half of the window) or `long` (three quarters).
        reserved: Tokens of preamble, tools and output.
        budget_tokens: A caller's own cap on the history, in its model's tokens.
        history_max: Absolute cap on the history.
        live: Whether a claims block may be shown: its full share is kept free even before one exists.
        ratio: Model tokens per reference token.
        share: Overrides the profile's share of the window.
        step: Lattice step as a share of the tail room that an empty request has.
        byte_cap: Most bytes of the list, whatever its tokens are.

    Never raises: a degenerate limit gives a sane budget and a warning.
    """
    warnings: list[str] = []
    known = window if isinstance(window, Window) else Window(tokens=int(window), source="setting")
    size = known.tokens
    if size < 1:
        size = DEFAULT_WINDOW
        warnings.append("window_not_positive")
    ratio = round_ratio(ratio)
    low, high = SHARE_LIMITS
    part = min(high, max(low, SHARES.get(profile, SHARES["default"]) if share is None else share))
    least = min(MIN_HISTORY, size)
    full = max(least, min(int(size * part), history_max if history_max >= 1 else HISTORY_MAX))
    unit = max(1, size // SIXTEENTHS)
    kept = -(-max(0, reserved) // unit) * unit
    history, source = full, "share"
    if kept > size - history:
        history, source = size - kept, "reserved"
    if budget_tokens is not None:
        if budget_tokens < 1:
            warnings.append("budget_not_positive")
        elif budget_tokens < history:
            history, source = budget_tokens, "request"
    floor = max(least, size // SIXTEENTHS)
    if history < floor and source == "reserved":
        history = min(floor, full)
        warnings.append("reserved_over_window")
    history, full = max(1, int(history / ratio)), max(1, int(full / ratio))
    block_cap = _stable_cap(full, history)
    marker = _marker(history)
    return Budget(
        window=size,
        history=history,
        reserved=kept,
        block_cap=block_cap,
        opening_cap=block_cap,
        marker_allowance=marker,
        tail_room=max(0, _steady(full, history, ROOM_LATTICE) - marker - (block_cap if live else 0)),
        step_tokens=_step_tokens(full, live, step),
        step=step,
        phase_tokens=_marker(full) + (_stable_cap(full, full) if live else 0),
        byte_cap=byte_cap,
        char_cap=known.char_cap,
        window_source=known.source,
        budget_source=source,
        warnings=tuple(warnings),
    )


CAP_LATTICE = (0.9, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.09, 0.06)
"""Shares of the full history at which block and opening caps stand still."""


ROOM_LATTICE = (0.96, 0.84, 0.74, 0.65, 0.57, 0.5, 0.44, 0.39, 0.34, 0.3, 0.26, 0.23, 0.2)
"""The same for the tail's room: a budget that moves by 3 % around the full share moves no anchor."""


def _steady(full: int, history: int, lattice: Sequence[float]) -> int:
    """The history, rounded down to a lattice that only the window and settings make."""
    return next((int(full * p) for p in lattice if full * p <= history), history)


def _stable_cap(full: int, history: int) -> int:
    """15 % of the steady history."""
    return int(_steady(full, history, CAP_LATTICE) * BLOCK_SHARE)


def _marker(history: int) -> int:
    return min(MARKER_ALLOWANCE, max(96, history // 8))


def _step_tokens(full: int, live: bool, step: float) -> int:
    """g: from window and settings alone, so that no request moves the lattice."""
    cap = _stable_cap(full, full)
    room = full - _marker(full) - cap - (cap if live else 0)
    return max(1, int(max(1, room) * min(1.0, max(0.01, step))))


def trigger_tokens(window: int, profile: str = "default") -> int:
    """Eligible uncompacted tokens at which background compaction starts (design, section 5)."""
    return max(1, min(TRIGGER_MAX, int(window * TRIGGERS.get(profile, TRIGGERS["default"]))))


def protected_tail(window: int, tail_room: int, step: float = STEP) -> int:
    """Newest tokens that are never compacted: 10 % of the window, 8K..120K, at most half of the tail room.

    Nor more than the smallest tail that the anchor leaves, or what it omits could not be covered yet.
    """
    least = int(tail_room * max(0.0, min(0.5, 1 - step)))
    return max(0, min(TAIL_MAX, max(TAIL_MIN, int(window * TAIL_SHARE)), least))
