from __future__ import annotations

from dataclasses import replace

from bobctx.core.region import eligible_end, seat_room, select_region
from bobctx.core.segments import Flag, Spine
from tests.unit.core.test_segments import entries

ROUNDS = "u " + " ".join(f"a+{i} t-{i}" for i in range(60)) + " a"


def test_whole_exchanges_where_they_fit() -> None:
    spine = Spine.build(entries(" ".join(["u a a"] * 20), tokens=100))
    assert select_region(spine, covered_end=0, protected_tail=500, cap=1_000) == (3, 12)


def test_the_next_region_starts_where_the_covered_part_ends() -> None:
    spine = Spine.build(entries(" ".join(["u a a"] * 20), tokens=100))
    assert select_region(spine, covered_end=12, protected_tail=500, cap=1_000) == (12, 21)


def test_a_long_exchange_is_divided_at_safe_cuts() -> None:
    spine = Spine.build(entries("u a " + ROUNDS + " u a", tokens=100))
    region = select_region(spine, covered_end=2, protected_tail=100, cap=1_000)
    assert region is not None
    assert region[0] == 2
    assert spine.is_cut(region[1])
    assert spine.tokens_between(*region) <= 1_000


def test_one_segment_over_the_cap_is_taken_whole() -> None:
    made = entries("u a u a+1 t-1 a u a u a", tokens=100)
    made[4] = replace(made[4], tokens=50_000)
    assert select_region(Spine.build(made), covered_end=3, protected_tail=100, cap=1_000) == (3, 5)


def test_older_segments_of_an_open_exchange_are_eligible() -> None:
    spine = Spine.build(entries(ROUNDS, tokens=100))
    end = eligible_end(spine, protected_tail=2_000)
    assert spine.opening_end < end <= spine.n - 20
    assert select_region(spine, covered_end=0, protected_tail=2_000, cap=1_000) is not None


def test_the_protected_tail_is_never_compacted() -> None:
    spine = Spine.build(entries(" ".join(["u a"] * 20), tokens=100))
    end = eligible_end(spine, protected_tail=800)
    assert spine.tokens_between(end, spine.n) >= 800


def test_nothing_is_eligible_in_a_short_conversation() -> None:
    spine = Spine.build(entries("u a u a", tokens=100))
    assert select_region(spine, covered_end=0, protected_tail=8_000) is None


def test_a_growing_reply_is_not_eligible_even_without_protected_tail() -> None:
    assert eligible_end(Spine.build(entries("u a u a+1")), protected_tail=0) == 3
    assert eligible_end(Spine.build(entries("u a u a")), protected_tail=0) == 4


def test_regions_never_mix_egress_classes() -> None:
    made = entries(" ".join(["u a"] * 20), tokens=100)
    made = [replace(e, flags=e.flags | Flag.LOCAL) if i >= 7 else e for i, e in enumerate(made)]
    spine = Spine.build(made)
    first = select_region(spine, covered_end=2, protected_tail=100, cap=5_000)
    assert first == (2, 7)
    second = select_region(spine, covered_end=7, protected_tail=100, cap=5_000)
    assert second is not None
    assert all(made[p].flags & Flag.LOCAL for p in range(*second))


def test_a_place_that_is_no_safe_cut_starts_no_region() -> None:
    spine = Spine.build(entries("u a u a+1 t-1 a u a u a", tokens=100))
    assert select_region(spine, covered_end=4, protected_tail=100) is None


def test_a_small_window_has_room_for_a_third_of_it_and_a_large_one_for_all_but_the_overhead() -> None:
    assert seat_room(4_096, 12_000) == 1_365
    assert seat_room(8_192, 12_000) == 2_730
    assert seat_room(16_384, 12_000) == 4_384
    assert seat_room(128_000, 12_000) == 116_000
