"""Figures of a replay: what is new, repeated, over, and what it costs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from bobctx.replay.figures import Price, Prompt, Result, Tally, TurnFigures
from bobctx.replay.plot import plot
from bobctx.replay.session import asks_of


def count(text: str) -> int:
    return len(text.split())


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user" if i % 2 == 0 else "assistant", "content": t} for i, t in enumerate(texts)]


def tally(dialect: str = "openai") -> Tally:
    return Tally(dialect=dialect, count=count, price=Price())


def prompt(messages: list[dict[str, Any]], *ids: str, budget: int = 10_000, **more: Any) -> Prompt:
    held = [(ident, count(m["content"]) + 4) for ident, m in zip(ids, messages, strict=False)]
    return Prompt(system=None, messages=messages, held=held, budget=budget, **more)


def turn(number: int = 1) -> TurnFigures:
    return TurnFigures(turn=number, conversation=1, messages=1)


def test_only_the_unbroken_beginning_of_the_last_prompt_is_cached() -> None:
    found = tally()
    first = found.add(prompt(said("one two", "three", "four"), "a", "b", "c"), turn())
    assert (first.prompt_tokens, first.new_tokens, first.cached_tokens) == (16, 16, 0)
    again = found.add(prompt(said("one two", "other", "four"), "a", "x", "c"), turn(2))
    assert again.cached_tokens == 6, "what follows a changed message is sent again"
    assert again.new_tokens == 5, "a message that an earlier prompt held is not new"


def test_system_text_outside_the_list_is_part_of_the_prompt_but_not_of_the_history() -> None:
    found = tally("anthropic")
    one = Prompt(system="you are terse", messages=said("hi"), held=[("p", 7), ("a", 5)], budget=5)
    result = found.add(one, turn())
    assert result.prompt_tokens == 12
    assert result.overruns == 0
    assert found.add(one, turn(2)).cached_tokens == 12


def test_overruns_and_violations_are_counted_on_the_list_itself() -> None:
    found = tally()
    over = found.add(prompt(said("one two three four"), "a", budget=3), turn())
    assert over.overruns == 1
    assert over.problems[0].startswith("over_budget")
    orphan = [{"role": "tool", "tool_call_id": "x", "content": "lost"}, *said("hi")]
    assert found.add(prompt(orphan, "a"), turn()).violations == 1
    block = found.add(prompt(said("hi"), "a", block=20, block_cap=10), turn())
    assert block.overruns == 1


def test_a_short_prompt_is_never_cached_by_a_provider() -> None:
    price = Price(plain=1, write=2, cached=0.1, out=5)
    assert price.of(1_000, 900, 10) == pytest.approx((1_000 + 50) / 1e6)
    assert price.of(2_000, 1_500, 0) == pytest.approx((500 * 2 + 150) / 1e6)


@pytest.mark.parametrize("text", ["1,2,3", "1,2,3,x", "1,-2,3,4", "1,nan,3,4"])
def test_a_price_is_four_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        Price.parse(text)


def test_the_share_is_of_what_could_have_been_cached() -> None:
    turns = (
        TurnFigures(turn=1, conversation=1, messages=1, prompt_tokens=100, new_tokens=100),
        TurnFigures(turn=2, conversation=1, messages=2, prompt_tokens=100, new_tokens=20, cached_tokens=40),
    )
    total = Result(turns=turns, seconds=0).total
    assert total.prefix_share == 0.5
    assert total.ceiling == pytest.approx(0.4)
    assert Result(turns=(), seconds=0).total.prefix_share is None


def test_the_plot_is_one_well_formed_svg_with_a_mark_at_a_bad_turn() -> None:
    turns = [
        TurnFigures(turn=i, conversation=1, messages=i, prompt_tokens=100 * i, new_tokens=10, violations=int(i == 3))
        for i in range(1, 6)
    ]
    root = ET.fromstring(plot(turns, "a <b> & c"))
    assert len([e for e in root if e.tag.endswith("circle")]) == 1


# -- where a model is asked -----------------------------------------------------------


def roles(*names: str) -> list[dict[str, Any]]:
    return [{"role": r, "content": "x"} for r in names]


def test_an_ask_stands_before_each_answer_and_where_one_is_due() -> None:
    found = list(asks_of(roles("system", "user", "assistant", "tool", "assistant", "user")))
    assert [(a.start, a.end, a.answered) for a in found] == [(0, 2, True), (2, 4, True), (4, 6, False)]


def test_one_answer_in_two_messages_is_one_ask() -> None:
    assert [a.end for a in asks_of(roles("user", "assistant", "assistant", "user", "assistant"))] == [1, 4]


def test_among_people_every_message_may_be_answered() -> None:
    assert [a.end for a in asks_of(roles("user", "user", "user"))] == [1, 2, 3]


def test_a_preamble_alone_asks_nothing() -> None:
    assert list(asks_of(roles("system"))) == []
