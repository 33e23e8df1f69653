from __future__ import annotations

from itertools import pairwise

from bobctx.core.budget import plan_budget
from bobctx.core.fit import compactable_tail, fit
from bobctx.core.region import eligible_end
from bobctx.core.segments import Spine
from tests.unit.core.test_segments import entries

CHAT = " ".join(["u a"] * 400)


def test_nothing_is_omitted_while_everything_fits() -> None:
    plan = fit(Spine.build(entries("u a u a")), plan_budget(32_768))
    assert (plan.omitting, plan.gap, plan.positions) == (False, (2, 2), (0, 1, 2, 3))


def test_opening_and_tail_stay_within_the_room() -> None:
    budget = plan_budget(8_192)
    plan = fit(Spine.build(entries(CHAT, tokens=20)), budget)
    assert plan.omitting
    assert plan.opening_end == 2
    assert plan.tail_tokens <= plan.room
    assert plan.positions[-1] == 799


def test_the_tail_starts_at_a_user_message_where_one_is_near() -> None:
    spine = Spine.build(entries(CHAT, tokens=20))
    assert spine.is_user(fit(spine, plan_budget(8_192)).tail_start)


def test_the_anchor_stands_still_while_turns_are_added() -> None:
    made = entries(CHAT, tokens=20)
    starts = [fit(Spine.build(made[:n]), plan_budget(8_192)).tail_start for n in range(300, 800, 2)]
    assert starts == sorted(starts)
    moves = sum(1 for a, b in pairwise(starts) if a != b)
    assert moves <= 12


def test_the_anchor_stands_still_under_budget_jitter() -> None:
    spine = Spine.build(entries(CHAT, tokens=20))
    jitter = [0.97 + 0.003 * i for i in range(20)]
    starts = {fit(spine, plan_budget(8_192, budget_tokens=int(4_096 * j))).tail_start for j in jitter}
    assert len(starts) == 1


def test_the_first_omission_takes_a_whole_step() -> None:
    budget = plan_budget(8_192)
    made = entries(CHAT, tokens=20)
    first = next(n for n in range(2, 800, 2) if fit(Spine.build(made[:n]), budget).omitting)
    whole_step = (budget.step_tokens - budget.history // 20) // 20
    starts = {fit(Spine.build(made[:n]), budget).tail_start for n in range(first, first + whole_step, 2)}
    assert len(starts) == 1


def test_whatever_is_left_out_beside_a_large_opening_can_be_compacted() -> None:
    """Fails when the protected tail is reckoned without the opening: then some of it is neither raw nor covered."""
    budget = plan_budget(8_192)
    made = [*entries("u a", tokens=300), *entries(CHAT, tokens=20)[2:]]
    spines = [Spine.build(made[:n]) for n in range(2, 600, 2)]
    left_out = [(fit(s, budget).gap[1], eligible_end(s, protected_tail=compactable_tail(s, budget))) for s in spines]
    assert all(gap_end <= end for gap_end, end in left_out)
    assert len({gap_end for gap_end, _ in left_out}) > 3


def test_the_newest_message_is_never_dropped() -> None:
    made = entries("u a u a", tokens=10) + entries("u a", tokens=90_000)[1:]
    plan = fit(Spine.build(made), plan_budget(8_192))
    assert plan.positions[-1] == 4
    assert plan.over > 0


def test_the_newest_user_message_of_a_long_exchange_is_kept() -> None:
    shape = "u a u " + " ".join(f"a+{i} t-{i}" for i in range(200))
    plan = fit(Spine.build(entries(shape, tokens=50)), plan_budget(8_192))
    assert plan.kept == (2,)
    assert plan.tail_tokens + 50 <= plan.room


def test_a_batch_is_never_divided() -> None:
    shape = "u a u " + " ".join(f"a+{i}x+{i}y t-{i}x t-{i}y" for i in range(200))
    spine = Spine.build(entries(shape, tokens=17))
    assert spine.is_cut(fit(spine, plan_budget(8_192)).tail_start)


def test_a_long_opening_is_marked_for_shrinking() -> None:
    made = entries("u a", tokens=1_900) + entries(CHAT, tokens=20)[1:]
    plan = fit(Spine.build(made), plan_budget(8_192))
    assert plan.head_truncated
    assert plan.room == plan_budget(8_192).room_after(plan.opening_tokens)
