"""How much work a call does, counted instead of timed: the same on every machine, however busy it is.

Lines of Python that run (loops and comprehensions count each round) and calls into C. What a pattern does inside one
call into C is not seen here: `python -m evals.bench.hostile` times that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from bobctx.core.remembering import forget_texts

LIMIT = 2.3
"""Most growth of the steps where the input doubles."""


def steps(work: Callable[[], object]) -> int:
    """Lines run and calls made by `work`."""
    count = 0

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return line

    def call(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal count
        if event == "c_call":
            count += 1

    traced, profiled = sys.gettrace(), sys.getprofile()
    sys.settrace(line)
    sys.setprofile(call)
    try:
        work()
    finally:
        sys.setprofile(profiled)
        sys.settrace(traced)
    return count


def growth(work: Callable[[str], object], make: Callable[[int], str], size: int) -> float:
    """Steps for a text of twice the size over the steps for one of `size`, nothing remembered of either.

    Calls that are not counted load what is loaded once.
    """
    small, large = make(size), make(2 * size)
    counted = []
    for text in (small, large):
        work(text)
        forget_texts()
        counted.append(steps(lambda text=text: work(text)))  # type: ignore[misc]
    return counted[1] / max(1, counted[0])
