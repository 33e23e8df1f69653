"""A repeated call gets the first answer; a key never serves two bodies, callers or paths."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bobctx.api.idempotency import Idempotency, InFlight, KeyReused
from bobctx.core.records import CallName, KeptAnswer
from bobctx.core.types import Scope
from bobctx.errors import InvalidInput, StoreUnavailable


class Clock:
    """Seconds by hand."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


class Kept:
    """`ports.Repeats` in memory, with a count of what was asked."""

    def __init__(self) -> None:
        self.rows: dict[bytes, tuple[KeptAnswer, float]] = {}
        self.asked = 0
        self.stamp = 0
        self.full = False

    async def find(self, name: CallName, *, kept_after: float) -> tuple[KeptAnswer | None, int]:
        self.asked += 1
        kept, at = self.rows.get(name.digest, (None, 0.0))
        return (kept if at > kept_after else None), self.stamp

    async def keep(self, name: CallName, kept: KeptAnswer, *, stamp: int | None, kept_after: float, now: float) -> bool:
        if self.full:
            raise StoreUnavailable("no room", reason="disk_full")
        if stamp is not None and stamp != self.stamp:
            return False
        self.rows[name.digest] = (kept, now)
        return True

    async def trim(self, *, kept_after: float) -> int:
        old = [digest for digest, (_, at) in self.rows.items() if at <= kept_after]
        for digest in old:
            del self.rows[digest]
        return len(old)


class Work:
    """Counts how often it ran."""

    def __init__(self) -> None:
        self.runs = 0

    async def __call__(self) -> bytes:
        self.runs += 1
        return str(self.runs).encode()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rows() -> Kept:
    return Kept()


@pytest.fixture
def kept(rows: Kept, clock: Clock) -> Idempotency:
    return Idempotency(rows, clock, ttl_s=86_400)


NAME = CallName(principal="key-1", method="POST", path="/v1/x", scope=Scope(conversation_id="c", user_id="u"), key="k")


async def test_the_same_call_runs_once(kept: Idempotency) -> None:
    work = Work()
    assert await kept.once(NAME, b"body", work) == (b"1", False)
    assert await kept.once(NAME, b"body", work) == (b"1", True)


async def test_another_process_gives_the_first_answer_too(kept: Idempotency, rows: Kept, clock: Clock) -> None:
    """Fails if answers are held in memory only."""
    work = Work()
    await kept.once(NAME, b"body", work)
    later = Idempotency(rows, clock, ttl_s=86_400)
    assert await later.once(NAME, b"body", work) == (b"1", True)
    with pytest.raises(KeyReused):
        await later.once(NAME, b"other", work)


async def test_without_a_key_every_call_runs_and_nothing_is_looked_up(kept: Idempotency, rows: Kept) -> None:
    work = Work()
    for _ in range(2):
        await kept.once(replace(NAME, key=None), b"", work)
    assert (work.runs, rows.asked, rows.rows) == (2, 0, {})


async def test_another_body_is_refused(kept: Idempotency) -> None:
    await kept.once(NAME, b"body", Work())
    with pytest.raises(KeyReused) as caught:
        await kept.once(NAME, b"other", Work())
    assert caught.value.status == 422


@pytest.mark.parametrize(
    "change",
    [
        {"principal": "other"},
        {"method": "DELETE"},
        {"path": "/v1/y"},
        {"key": "other"},
        {"scope": Scope(conversation_id="other", user_id="u")},
        {"scope": Scope(conversation_id="c", user_id="other")},
        {"scope": Scope(conversation_id="u", user_id="c")},
    ],
)
async def test_principal_method_path_and_scope_separate_keys(kept: Idempotency, change: dict[str, Any]) -> None:
    """Fails if any part of the name is left out of the lookup."""
    work = Work()
    await kept.once(NAME, b"body", work)
    assert await kept.once(replace(NAME, **change), b"other body", work) == (b"2", False)


async def test_a_second_call_while_the_first_runs_is_409(kept: Idempotency) -> None:
    begin, finish = asyncio.Event(), asyncio.Event()

    async def slow() -> bytes:
        begin.set()
        await finish.wait()
        return b"done"

    first = asyncio.create_task(kept.once(NAME, b"body", slow))
    await begin.wait()
    with pytest.raises(InFlight) as caught:
        await kept.once(NAME, b"body", slow)
    assert caught.value.status == 409
    with pytest.raises(KeyReused):
        await kept.once(NAME, b"other", slow)
    finish.set()
    assert await first == (b"done", False)


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
async def test_a_call_that_failed_may_be_tried_again(kept: Idempotency, error: type[BaseException]) -> None:
    async def fails() -> bytes:
        raise error

    with pytest.raises(error):
        await kept.once(NAME, b"body", fails)
    assert await kept.once(NAME, b"body", Work()) == (b"1", False)


async def test_a_day_later_the_key_is_new(kept: Idempotency, clock: Clock) -> None:
    work = Work()
    await kept.once(NAME, b"body", work)
    clock.at += 86_401
    assert await kept.once(NAME, b"other", work) == (b"2", False)


async def test_old_keys_are_forgotten(kept: Idempotency, rows: Kept, clock: Clock) -> None:
    await kept.once(NAME, b"body", Work())
    assert await kept.trim() == 0
    clock.at += 86_401
    assert await kept.trim() == 1
    assert not rows.rows


async def test_work_that_is_done_is_answered_even_where_the_answer_cannot_be_kept(
    kept: Idempotency, rows: Kept
) -> None:
    rows.full = True
    assert await kept.once(NAME, b"body", Work()) == (b"1", False)


@pytest.mark.parametrize("key", ["", "a\nb", "x" * 256])
async def test_a_key_is_short_and_printable(kept: Idempotency, key: str) -> None:
    with pytest.raises(InvalidInput):
        await kept.once(replace(NAME, key=key), b"", Work())


@pytest.mark.parametrize(("method", "again"), [("POST", False), ("DELETE", True)])
async def test_an_answer_made_while_something_was_deleted_is_not_kept_but_a_receipt_is(
    kept: Idempotency, rows: Kept, method: str, again: bool
) -> None:
    async def meanwhile() -> bytes:
        rows.stamp += 1
        return b"done"

    name = replace(NAME, method=method)
    assert await kept.once(name, b"body", meanwhile) == (b"done", False)
    assert await kept.once(name, b"body", meanwhile) == (b"done", again)
