"""Replay runs the real pipeline: recording, the extractor, assembly, every dialect."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.dialect import DIALECTS
from bobctx.replay import Options, Result, play


def session(exchanges: int, *, words: int = 120) -> list[dict[str, Any]]:
    """An agent session: a rule, then tool calls with long results."""
    out: list[dict[str, Any]] = [
        {"id": "s", "role": "system", "content": "You are a careful engineer."},
        {"id": "u0", "role": "user", "content": "Never enable zeta-sync on the billing cluster. Start with svc-0."},
    ]
    for n in range(exchanges):
        call = {"id": f"call_{n % 3}", "type": "function", "function": {"name": "read", "arguments": f'{{"n":{n}}}'}}
        filler = " ".join(f"row{n}-{i}" for i in range(words))
        out += [
            {"id": f"c{n}", "role": "assistant", "content": None, "tool_calls": [call]},
            {"id": f"r{n}", "role": "tool", "tool_call_id": f"call_{n % 3}", "content": f"port {7000 + n} {filler}"},
            {"id": f"a{n}", "role": "assistant", "content": f"Service svc-{n} listens on port {7000 + n}."},
            {"id": f"u{n + 1}", "role": "user", "content": f"Now svc-{n + 1}; keep it in zone z{n}."},
        ]
    return out


async def run(messages: list[dict[str, Any]], **options: Any) -> dict[str, Result]:
    return await play([messages], Options(**{"window": 8_192, **options}))


async def test_every_dialect_is_valid_and_within_its_budget_while_messages_are_left_out() -> None:
    found = await run(session(16), dialects=DIALECTS, jitter=0.03)
    assert set(found) == set(DIALECTS)
    for dialect, result in found.items():
        total = result.total
        assert (total.violations, total.overruns, total.cannot_fit) == (0, 0, 0), (dialect, result.turns[-1].problems)
        assert total.turns == 33
        assert total.omitting_turns > 5
        assert total.compactions > 0
        assert result.turns[-1].claims > 0, dialect
        assert 0 < total.cached_tokens <= total.prompt_tokens - total.new_tokens


async def test_the_anchor_repeats_more_of_a_prompt_than_a_sliding_window_and_costs_less() -> None:
    claims = (await run(session(16)))["openai"].total
    window = (await run(session(16), arm="window"))["openai"].total
    assert window.compactions == 0
    assert (window.violations, window.overruns) == (0, 0)
    assert claims.prefix_share is not None
    assert window.prefix_share is not None
    assert claims.prefix_share > window.prefix_share
    assert claims.cost < window.cost


async def test_head_tail_shows_no_claims() -> None:
    result = (await run(session(16), arm="head_tail"))["openai"]
    assert result.total.omitting_turns > 0
    assert {t.claims for t in result.turns} == {0}
    assert result.total.compactions == 0


async def test_what_fits_is_repeated_whole() -> None:
    result = (await run(session(3), window=131_072))["openai"]
    assert result.total.omitting_turns == 0
    assert result.total.prefix_share == 1.0


async def test_sampled_turns_are_recorded_all_the_same() -> None:
    result = (await run(session(8), every=4))["openai"]
    assert [t.turn for t in result.turns] == [1, 5, 9, 13, 17]  # the last one is always asked
    assert result.turns[-1].messages == 34


@pytest.mark.parametrize("arm", ["window", "claims"])
async def test_a_message_larger_than_the_window_is_cut_in_place(arm: Any) -> None:
    giant = [*session(2), {"id": "g", "role": "user", "content": "Read this: " + "lorem ipsum dolor " * 9_000}]
    total = (await run(giant, arm=arm, dialects=("openai", "anthropic")))["anthropic"].total
    assert (total.violations, total.overruns, total.cannot_fit) == (0, 0, 0)


async def test_conversations_of_one_file_are_kept_apart() -> None:
    found = (await play([session(1), session(2)], Options(window=8_192)))["openai"]
    assert [t.conversation for t in found.turns] == [1] * 3 + [2] * 5
    assert found.turns[3].cached_tokens == 0


async def test_a_block_made_for_each_message_repeats_less_than_one_that_stands() -> None:
    """Fails when a replay is played with another policy than it was asked for."""
    stands = (await run(session(24)))["openai"].total
    moves = (await run(session(24), policy="ranked"))["openai"].total
    assert (moves.violations, moves.overruns) == (0, 0)
    assert moves.cached_tokens < stands.cached_tokens


async def test_a_recall_block_is_played_too() -> None:
    plain = (await run(session(40, words=60), window=16_384, every=4))["openai"]
    recalled = (await run(session(40, words=60), window=16_384, every=4, recall=True))["openai"]
    assert (recalled.total.violations, recalled.total.overruns) == (0, 0)
    assert [t.prompt_tokens for t in recalled.turns] != [t.prompt_tokens for t in plain.turns]
