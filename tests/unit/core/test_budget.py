from __future__ import annotations

import pytest

from bobctx.core.budget import (
    DEFAULT_WINDOW,
    Window,
    plan_budget,
    protected_tail,
    resolve_window,
    round_ratio,
    trigger_tokens,
)

CATALOG = {"acme/model-x": 50_000, "model-y": 70_000}


@pytest.mark.parametrize(
    ("model", "options", "tokens", "source"),
    [
        ("gpt-4o", {"setting": 9_000}, 9_000, "setting"),
        ("openai/gpt-4o", {}, 128_000, "table"),
        ("acme/model-x", {"catalog": CATALOG}, 50_000, "catalog"),
        ("other/model-y", {"catalog": CATALOG}, 70_000, "catalog"),
        ("claude-next-1", {}, 200_000, "family"),
        ("nobody-knows", {"catalog": CATALOG}, DEFAULT_WINDOW, "default"),
        (None, {}, DEFAULT_WINDOW, "default"),
        ("gpt-4o", {"setting": 0}, 128_000, "table"),
        ("gpt-4o", {"learned": 100_000}, 100_000, "learned"),
        ("gpt-4o", {"learned": 900_000}, 128_000, "table"),
        ("gemini-2.5-pro", {"backend": "ollama"}, 131_072, "table+backend"),
    ],
)
def test_where_a_window_comes_from(model: str | None, options: dict[str, object], tokens: int, source: str) -> None:
    window = resolve_window(model, **options)  # type: ignore[arg-type]  # a table of keyword arguments
    assert (window.tokens, window.source) == (tokens, source)


def test_a_command_line_carries_only_so_many_characters() -> None:
    assert resolve_window("gpt-4o", backend="argv").char_cap == 100_000


@pytest.mark.parametrize(("profile", "history"), [("default", 16_384), ("long", 24_576), ("unknown", 16_384)])
def test_history_is_a_share_of_the_window(profile: str, history: int) -> None:
    assert plan_budget(32_768, profile=profile).history == history


def test_shares_are_clamped_and_the_history_is_capped() -> None:
    assert plan_budget(100_000, share=0.99).history == 90_000
    assert plan_budget(100_000, share=0.0).history == 5_000
    assert plan_budget(1_000_000).history == 200_000


def test_small_changes_of_what_is_reserved_move_nothing() -> None:
    assert plan_budget(32_768, reserved=20_000) == plan_budget(32_768, reserved=20_300)
    assert plan_budget(32_768, reserved=20_000).history == 32_768 - 20_480


@pytest.mark.parametrize("window", [-5, 0, 1, 1_000, 32_768, 2_000_000])
@pytest.mark.parametrize("reserved", [-1, 0, 29_000, 10**9])
@pytest.mark.parametrize("asked", [None, -3, 0, 1, 500, 10**9])
def test_degenerate_limits_give_a_sane_budget(window: int, reserved: int, asked: int | None) -> None:
    budget = plan_budget(window, reserved=reserved, budget_tokens=asked)
    assert 1 <= budget.history <= 200_000
    assert 0 <= budget.tail_room <= budget.history
    assert budget.block_cap <= 0.15 * budget.history
    assert budget.step_tokens >= 1
    if window < 1 or (asked is not None and asked < 1):
        assert budget.warnings


def test_an_output_larger_than_the_window_is_warned_about() -> None:
    assert plan_budget(32_768, reserved=40_000).warnings == ("reserved_over_window",)


def test_the_step_comes_from_the_window_alone() -> None:
    steps = {plan_budget(32_768, reserved=r, budget_tokens=b).step_tokens for r in (0, 9_000) for b in (None, 15_900)}
    assert len(steps) == 1


def test_caps_stand_still_under_budget_jitter() -> None:
    caps = {plan_budget(32_768, budget_tokens=int(16_384 * j)).block_cap for j in (0.97, 0.99, 1.0, 1.03)}
    assert len(caps) == 1


def test_without_claims_the_tail_gets_the_blocks_share() -> None:
    live, fit = plan_budget(32_768), plan_budget(32_768, live=False)
    assert fit.tail_room == live.tail_room + live.block_cap


@pytest.mark.parametrize(("ratio", "steps"), [(1.0, 1.0), (1.01, 1.0625), (9.0, 4.0), (0.1, 0.5), (float("nan"), 1.0)])
def test_ratios_move_in_sixteenths(ratio: float, steps: float) -> None:
    assert round_ratio(ratio) == steps
    assert plan_budget(32_768, ratio=ratio).history == int(16_384 / steps)


def test_triggers_and_protected_tails() -> None:
    assert trigger_tokens(32_768) == 8_192
    assert trigger_tokens(4_000_000) == 200_000
    assert trigger_tokens(100_000, "long") == 70_000
    assert protected_tail(200_000, 100_000) == 20_000
    assert protected_tail(32_768, 30_000) == 8_000
    assert protected_tail(32_768, 10_000) == 4_000
    assert protected_tail(32_768, 10_000, step=0.75) == 2_500
    assert protected_tail(32_768, 10_000, step=0.3) == 5_000
    assert protected_tail(32_768, 10_000, step=1.0) == 0


def test_a_window_value_keeps_its_source() -> None:
    assert plan_budget(Window(tokens=8_192, source="learned")).window_source == "learned"
