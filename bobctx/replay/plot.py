"""A replay as one small SVG: what each prompt repeated, what it brought, and where the tail's start moved. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bobctx.replay.figures import TurnFigures

WIDTH, HEIGHT = 900, 320
LEFT, TOP, BOTTOM = 64, 34, 40
BANDS = (("cached", "#9fc5e8"), ("sent again", "#f6b26b"), ("new", "#6aa84f"))


def _bands(turn: TurnFigures) -> tuple[int, int, int]:
    """Tokens read from the cache, sent again without it, and new."""
    return turn.cached_tokens, turn.prompt_tokens - turn.cached_tokens - turn.new_tokens, turn.new_tokens


def _tick(most: int) -> int:
    """A round step that gives about five lines."""
    step = 1
    while step * 5 < most:
        step *= 2 if str(step)[0] in "15" else 5
        step = step if str(step)[0] in "125" else 10 ** len(str(step))
    return step


def plot(turns: Sequence[TurnFigures], title: str) -> str:
    """Stacked bars, one a turn; a red mark above a turn with a violation or an overrun."""
    most = max((t.prompt_tokens for t in turns), default=1) or 1
    inner, tall = WIDTH - LEFT - 16, HEIGHT - TOP - BOTTOM
    slot = inner / max(1, len(turns))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="13">{escape(title)}</text>',
    ]
    step = _tick(most)
    for value in range(0, most + 1, step):
        y = TOP + tall * (1 - value / most)
        out.append(f'<line x1="{LEFT}" x2="{LEFT + inner}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" font-size="11" text-anchor="end">{value:,}</text>')
    for index, turn in enumerate(turns):
        x, base = LEFT + index * slot, TOP + float(tall)
        for (_, colour), tokens in zip(BANDS, _bands(turn), strict=True):
            height = tall * tokens / most
            base -= height
            if height > 0:
                out.append(
                    f'<rect x="{x:.2f}" y="{base:.2f}" width="{max(0.4, slot * 0.9):.2f}" '
                    f'height="{height:.2f}" fill="{colour}"/>'
                )
        if turn.violations or turn.overruns or turn.cannot_fit:
            out.append(f'<circle cx="{x + slot / 2:.2f}" cy="{TOP - 4}" r="3" fill="#cc0000"/>')
    for number, (name, colour) in enumerate(BANDS):
        x = LEFT + number * 120
        out.append(f'<rect x="{x}" y="{HEIGHT - 18}" width="10" height="10" fill="{colour}"/>')
        out.append(f'<text x="{x + 15}" y="{HEIGHT - 9}" font-size="12">{name}</text>')
    label = f"tokens a turn, {len(turns)} turns"
    out.append(f'<text x="{LEFT + inner}" y="{HEIGHT - 9}" font-size="12" text-anchor="end">{label}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
