"""A repeated call gets the first answer; a key never serves two bodies, callers or paths."""

from __future__ import annotations

import asyncio

import pytest

from bobctx.api import idempotency
from bobctx.api.idempotency import Idempotency, InFlight, KeyReused
from bobctx.errors import InvalidInput


class Clock:
    """Monotonic seconds by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


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
def kept(clock: Clock) -> Idempotency:
    return Idempotency(ttl_s=86_400, monotonic=clock)


NAME = ("key-1", "POST", "/v1/x", "u", "c")


async def test_the_same_call_runs_once(kept: Idempotency) -> None:
    work = Work()
    assert await kept.once("k", NAME, b"body", work) == (b"1", False)
    assert await kept.once("k", NAME, b"body", work) == (b"1", True)


async def test_without_a_key_every_call_runs(kept: Idempotency) -> None:
    work = Work()
    await kept.once(None, NAME, b"", work)
    await kept.once(None, NAME, b"", work)
    assert work.runs == 2


async def test_another_body_is_refused(kept: Idempotency) -> None:
    await kept.once("k", NAME, b"body", Work())
    with pytest.raises(KeyReused) as caught:
        await kept.once("k", NAME, b"other", Work())
    assert caught.value.status == 422


@pytest.mark.parametrize("place", range(len(NAME)))
async def test_principal_method_path_and_scope_separate_keys(kept: Idempotency, place: int) -> None:
    """Fails if any part of the name is left out of the lookup."""
    work = Work()
    other = (*NAME[:place], "other", *NAME[place + 1 :])
    await kept.once("k", NAME, b"body", work)
    assert await kept.once("k", other, b"other body", work) == (b"2", False)


async def test_a_second_call_while_the_first_runs_is_409(kept: Idempotency) -> None:
    begin, finish = asyncio.Event(), asyncio.Event()

    async def slow() -> bytes:
        begin.set()
        await finish.wait()
        return b"done"

    first = asyncio.create_task(kept.once("k", NAME, b"body", slow))
    await begin.wait()
    with pytest.raises(InFlight) as caught:
        await kept.once("k", NAME, b"body", slow)
    assert caught.value.status == 409
    finish.set()
    assert await first == (b"done", False)


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
async def test_a_call_that_failed_may_be_tried_again(kept: Idempotency, error: type[BaseException]) -> None:
    async def fails() -> bytes:
        raise error

    with pytest.raises(error):
        await kept.once("k", NAME, b"body", fails)
    assert await kept.once("k", NAME, b"body", Work()) == (b"1", False)


async def test_a_day_later_the_key_is_new(kept: Idempotency, clock: Clock) -> None:
    work = Work()
    await kept.once("k", NAME, b"body", work)
    clock.at = 86_401
    assert await kept.once("k", NAME, b"other", work) == (b"2", False)


async def test_memory_is_bounded(kept: Idempotency, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "MAX_ENTRIES", 3)
    work = Work()
    for number in range(8):
        await kept.once(f"k{number}", NAME, b"", work)
    assert await kept.once("k7", NAME, b"", work) == (b"8", True)
    assert await kept.once("k0", NAME, b"", work) == (b"9", False)


@pytest.mark.parametrize("key", ["", "a\nb", "x" * 256])
async def test_a_key_is_short_and_printable(kept: Idempotency, key: str) -> None:
    with pytest.raises(InvalidInput):
        await kept.once(key, NAME, b"", Work())


@pytest.mark.parametrize(
    ("user", "conversation", "kept_after"),
    [("u", "c", False), ("u", None, False), ("u", "other", True), ("other", None, True)],
)
async def test_answers_of_what_was_deleted_are_dropped(
    kept: Idempotency, user: str, conversation: str | None, kept_after: bool
) -> None:
    work = Work()
    await kept.once("k", NAME, b"body", work)
    kept.forget(user, conversation)
    assert (await kept.once("k", NAME, b"body", work))[1] is kept_after


async def test_a_deletion_that_forgets_itself_keeps_the_count_of_bytes_right(kept: Idempotency) -> None:
    async def deletes() -> bytes:
        kept.forget("u", "c")
        return b"done"

    assert await kept.once("k", NAME, b"body", deletes) == (b"done", False)
    assert await kept.once("k", NAME, b"body", deletes) == (b"done", True)
    kept.forget("u")
    assert kept._bytes == 0
