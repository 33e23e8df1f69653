"""Pending looks: the turns of a burst share one, which is not put off for ever."""

from __future__ import annotations

import pytest

from bobctx.compactor.waiting import SETTLE_MAX_S, SETTLE_S, Waiting
from bobctx.core.types import Scope

ONE, TWO = Scope(user_id="u1", conversation_id="c1"), Scope(user_id="u1", conversation_id="c2")


def test_a_turn_is_looked_at_once_it_has_settled() -> None:
    waiting = Waiting()
    assert waiting.turn(ONE, 10.0)
    assert waiting.take(10.0)[1] == pytest.approx(SETTLE_S)
    assert waiting.take(10.0 + SETTLE_S) == (ONE, 0.0)
    assert waiting.take(99.0) == (None, None)


def test_the_turns_of_a_burst_share_one_look_after_the_last() -> None:
    waiting = Waiting()
    looks = 0
    for step in range(10):
        assert waiting.turn(ONE, step * 0.1) is (step == 0)
        looks += waiting.take(step * 0.1)[0] is not None
    assert looks == 0
    assert waiting.take(0.9 + SETTLE_S) == (ONE, 0.0)


def test_a_burst_without_end_is_looked_at_all_the_same() -> None:
    waiting = Waiting()
    taken = []
    for step in range(200):
        waiting.turn(ONE, step * 0.1)
        if waiting.take(step * 0.1)[0] is not None:
            taken.append(step * 0.1)
    assert taken[0] == pytest.approx(SETTLE_MAX_S)
    assert len(taken) == 3


def test_an_earlier_look_is_kept_and_a_later_one_gives_way() -> None:
    waiting = Waiting()
    waiting.look(ONE, 5.0)
    waiting.look(ONE, 9.0)
    waiting.look(TWO, 700.0)
    assert waiting.take(5.0) == (ONE, 0.0)
    assert waiting.turn(TWO, 6.0)
    assert waiting.take(6.0 + SETTLE_S) == (TWO, 0.0)


def test_nothing_waits_after_clearing() -> None:
    waiting = Waiting()
    waiting.turn(ONE, 0.0)
    waiting.clear()
    assert len(waiting) == 0
    assert waiting.take(9.0) == (None, None)
    assert waiting.turn(ONE, 9.0), "a burst that was cleared is over"
