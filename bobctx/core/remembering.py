"""Bounded memories of functions over texts, which can all be emptied when a text is deleted. Pure.

With or without them every answer is the same. A memory of tables and patterns alone needs none of this: it holds
nothing that anybody said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import TypeVar

T = TypeVar("T")

MEMORIES: list[_lru_cache_wrapper[object]] = []
"""Every memory of this process."""


def remembered(most: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Decorator: remember the last `most` answers of a pure function that is given texts."""

    def keep(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        memory = lru_cache(maxsize=most)(function)
        MEMORIES.append(memory)
        return memory

    return keep


def forget_texts() -> None:
    """Empty all of them (design, invariant I13)."""
    for memory in MEMORIES:
        memory.cache_clear()
