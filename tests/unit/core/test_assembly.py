"""From a snapshot and a request to a list that fits: what is raw, covered, announced, and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bobctx.core.assembly import Assembled, AssemblyMemo, AssemblyPlan, finish_assembly, plain_fit, plan_assembly
from bobctx.core.claims import merge
from bobctx.core.parts import read_message
from bobctx.core.records import Snapshot
from bobctx.core.sentinel import is_ours
from bobctx.core.tokens import estimate
from bobctx.core.types import Compaction, Message, Pin, ToolSet
from tests.chains import KEY, claim, message, request, rows_of, snapshot, spine_of, talk

MESSAGES = talk(400)
SPINE = spine_of(MESSAGES)
IDS = list(SPINE.ids)
SPANS = [(a, a + 40) for a in range(2, 362, 40)]


def rows(spans: Sequence[tuple[int, int]] = SPANS) -> tuple[Compaction, ...]:
    regions = []
    for number, (a, b) in enumerate(spans):
        claims = [
            claim(f"Setting {number}.{i} is {number * 10 + i}.", IDS[a:b], [i], label=f"c{i + 1}", importance=3 - i % 2)
            for i in range(3)
        ]
        regions.append((a, b, claims))
    return rows_of(SPINE, regions)


ROWS = rows()
SNAPSHOT = snapshot(SPINE, ROWS)


def run(
    taken: Snapshot, stored: Sequence[Message] = MESSAGES, memo: AssemblyMemo | None = None, **fields: Any
) -> tuple[AssemblyPlan, Assembled]:
    plan = plan_assembly(taken, request(**fields), memo)
    return plan, finish_assembly(plan, [stored[p] for p in plan.positions])


def kinds(answer: Assembled) -> list[str]:
    return [item.kind for item in answer.plan]


def test_opening_block_and_tail_in_this_order() -> None:
    plan, answer = run(SNAPSHOT)
    order = list(dict.fromkeys(kinds(answer)))
    assert order == ["opening", "block", "tail"]
    assert answer.messages[0]["content"] == MESSAGES[0].text
    assert answer.messages[-1]["content"] == MESSAGES[-1].text
    assert answer.messages[2]["role"] == "user"
    assert is_ours(answer.messages[2]["content"], KEY, kind="block")
    assert plan.cover.pack.covered


def test_the_decision_has_the_fields_of_the_design() -> None:
    _, answer = run(SNAPSHOT)
    assert set(answer.decision) >= {
        "mode", "regions", "importance_floor", "claims_shown", "tokens", "messages_covered", "messages_uncovered",
        "chain", "policy", "window_source", "budget_source", "prefix_sha256", "warnings",
    }  # fmt: skip
    omitted = SPINE.n - sum(1 for k in kinds(answer) if k != "block")
    assert answer.decision["messages_covered"] + answer.decision["messages_uncovered"] == omitted
    assert answer.decision["chain"] == {"trusted": len(ROWS), "break": None}
    assert answer.budget["used"] <= answer.budget["history"]


def test_only_shown_bodies_are_asked_for() -> None:
    plan, answer = run(SNAPSHOT)
    assert len(plan.positions) == len(answer.messages) - 1
    assert set(plan.positions) & set(range(*plan.fit.gap)) == set()


def test_everything_raw_while_it_fits() -> None:
    few = talk(6)
    _, answer = run(snapshot(spine_of(few)), few)
    assert "block" not in kinds(answer)
    assert [m["content"] for m in answer.messages] == [m.text for m in few]


@pytest.mark.parametrize("window", [4_096, 8_192, 16_384])
def test_the_whole_message_with_the_block_stays_within_its_share(window: int) -> None:
    plan, answer = run(SNAPSHOT, window=window)
    if not plan.cover.pack.text:
        pytest.skip("no room for a block")
    block = next(item for item in answer.plan if item.kind == "block")
    assert block.tokens <= answer.budget["history"] * 0.15
    assert estimate(plan.cover.text) + 4 == block.tokens


def test_a_share_under_128_tokens_holds_no_block() -> None:
    plan, answer = run(SNAPSHOT, window=1_600)
    assert plan.budget.block_cap < 128
    assert not plan.cover.pack.text
    assert answer.decision["claims_shown"] == 0
    assert "not shown: m3.." in plan.cover.text


def test_claims_of_regions_that_reach_into_the_tail_are_not_shown() -> None:
    plan, _ = run(SNAPSHOT, window=16_384)
    end = plan.fit.gap[1]
    assert any(b > end for _, b in SPANS)
    assert all(SPANS[r][1] <= end for r in plan.cover.pack.covered)


def test_a_correction_in_a_raw_region_still_replaces() -> None:
    """The newest region is raw in the tail, and yet what it corrects is not shown as current (I11)."""
    old = claim("The port is 8443.", IDS[2:42], [0], importance=3)
    new = claim("The port is 9443.", IDS[360:400], [30], type="correction", supersedes=old)
    stored = rows_of(SPINE, [(2, 42, [old]), (42, 360, []), (360, 400, [new])])
    plan, _ = run(snapshot(SPINE, stored))
    assert plan.chain.covered_end == 400
    assert plan.fit.gap[1] > 42
    assert "8443" not in plan.cover.text


def test_an_edit_in_the_request_ends_trust_from_there() -> None:
    """The store does not know of it yet; trust is computed on the request's bytes (I1)."""
    sent = [replace(message("edited", id=m.id, role=m.role)) if m.id == "id50" else m for m in MESSAGES]
    plan, answer = run(SNAPSHOT, messages=sent)
    assert answer.decision["chain"]["trusted"] == 1
    assert answer.decision["chain"]["break"]["code"] == "input_hash"
    assert plan.cover.pack.covered == (0,)
    assert "chain_break:input_hash" in answer.warnings


def test_a_request_of_the_same_bytes_gives_the_same_list_as_the_store() -> None:
    _, stored = run(SNAPSHOT)
    _, sent = run(SNAPSHOT, messages=[replace(m, id=f"h{i}", seq=None) for i, m in enumerate(MESSAGES)])
    assert sent.messages == stored.messages
    assert sent.plan == stored.plan


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "strict"])
def test_assembling_twice_gives_the_same(dialect: str) -> None:
    """The host sends the assembled list back: our block is taken out and what it stood for is seen again."""
    _, once = run(SNAPSHOT, dialect=dialect)
    again = [read_message(body, id=f"h{i}") for i, body in enumerate(once.messages)]
    _, twice = run(SNAPSHOT, messages=again, dialect=dialect)
    assert twice.messages == once.messages


def test_assembling_twice_keeps_the_block_where_the_opening_was_cut() -> None:
    long = [replace(message("goal " * 3_000, id="id0", seq=1)), *MESSAGES[1:]]
    stored = rows_of(spine_of(long), [(2, 42, [claim("The port is 9443.", IDS[2:42], importance=3)])])
    taken = snapshot(spine_of(long), stored)
    plan, once = run(taken, long)
    assert "head_truncated" in once.warnings
    assert plan.cover.pack.text
    again = [read_message(body, id=f"h{i}") for i, body in enumerate(once.messages)]
    _, twice = run(taken, long, messages=again)
    assert twice.messages == once.messages


def test_a_block_that_came_back_is_not_shown_once_a_claim_of_it_was_replaced() -> None:
    """The opening was cut, so the list cannot be matched again; the block is checked line by line (I11)."""
    long = [replace(message("goal " * 3_000, id="id0", seq=1)), *MESSAGES[1:]]
    spine = spine_of(long)
    old = claim("The port is 8443.", IDS[2:42], importance=3)
    _, once = run(snapshot(spine, rows_of(spine, [(2, 42, [old])])), long)
    new = claim("The port is 9443.", IDS[42:82], supersedes=old)
    again = [read_message(body, id=f"h{i}") for i, body in enumerate(once.messages)]
    _, twice = run(snapshot(spine, rows_of(spine, [(2, 42, [old]), (42, 82, [new])])), long, messages=again)
    assert "8443" in str(once.messages)
    assert "8443" not in str(twice.messages)
    assert "9443" in str(twice.messages)


def test_appended_messages_come_last_without_alias() -> None:
    new = message("what now?", id="new")
    _, answer = run(SNAPSHOT, append=[new])
    assert answer.messages[-1]["content"] == "what now?"
    assert answer.plan[-1].alias is None
    assert answer.plan[-2].alias == "m400"
    assert "no_pending_turn" not in answer.warnings


def test_appending_gives_the_list_that_recording_gives() -> None:
    new = message("what now?", id="new")
    _, appended = run(SNAPSHOT, append=[new])
    recorded = [*MESSAGES, replace(new, seq=401)]
    _, stored = run(snapshot(spine_of(recorded), ROWS), recorded)
    assert appended.messages == stored.messages


def test_a_stored_conversation_that_ends_answered_warns() -> None:
    assert "no_pending_turn" in run(SNAPSHOT)[1].warnings


def test_unstored_messages_in_the_gap_are_announced_without_offer() -> None:
    sent = [replace(m, id=f"x{m.id}") for m in talk(400, words=42)]
    plan, _ = run(snapshot(spine_of([])), [], messages=sent)
    assert "that are not stored (" in plan.cover.text
    assert "conv_" not in plan.cover.text


def test_the_preamble_passes_through_and_is_charged() -> None:
    system = message("Be brief. " * 50, id="s", role="system")
    _, answer = run(SNAPSHOT, messages=[system, *MESSAGES])
    assert answer.messages[0] == {"role": "system", "content": system.text}
    assert answer.plan[0].kind == "preamble"
    _, anthropic = run(SNAPSHOT, messages=[system, *MESSAGES], dialect="anthropic")
    assert anthropic.system == system.text
    assert all(m["role"] != "system" for m in anthropic.messages)


def test_the_plan_answer_has_ids_and_the_blocks_text_but_no_contents() -> None:
    plan, answer = run(SNAPSHOT, answer="plan")
    assert answer.messages == ()
    block = next(item for item in answer.plan if item.kind == "block")
    assert block.as_json()["text"] == plan.cover.text
    assert [i.id for i in answer.plan if i.kind != "block"] == [IDS[p] for p in plan.positions]


def test_bobctx_fields_are_not_sent_and_a_speaker_is_named_where_the_dialect_has_a_field() -> None:
    spoken = [replace(m, body={**m.body, "speaker": "Ana"}, speaker="Ana") for m in talk(4)]
    _, answer = run(snapshot(spine_of(spoken)), spoken)
    assert all(set(m) == {"role", "content"} | ({"name"} if m["role"] == "user" else set()) for m in answer.messages)
    assert {m["name"] for m in answer.messages if m["role"] == "user"} == {"Ana"}


@pytest.mark.parametrize("mode", ["fit", "shadow"])
def test_modes_without_claims_show_none(mode: str) -> None:
    plan, answer = run(SNAPSHOT, mode=mode)
    assert not plan.cover.pack.text
    assert "r1.c1" not in str(answer.messages)
    assert (answer.decision.get("would") is not None) == (mode == "shadow")


def test_shadow_records_what_live_would_have_shown() -> None:
    _, shadow = run(SNAPSHOT, mode="shadow")
    _, live = run(SNAPSHOT)
    assert shadow.decision["would"]["claims_shown"] == live.decision["claims_shown"]


def test_mode_off_leaves_everything_as_it_came() -> None:
    _, answer = run(SNAPSHOT, mode="off")
    assert len(answer.messages) == 400
    assert answer.decision["messages_uncovered"] == 0


def test_without_tools_nothing_points_to_originals() -> None:
    plan, _ = run(SNAPSHOT, tools=ToolSet())
    assert plan.cover.pack.text
    assert "conv_" not in plan.cover.text
    assert "cites" not in plan.cover.text


def test_pins_that_do_not_fit_are_reported() -> None:
    pins = [Pin(pin_id="big", text="long " * 900, by="user"), Pin(pin_id="small", text="Use tabs.", by="user")]
    plan, answer = run(snapshot(SPINE, ROWS, pins=pins))
    assert "pins_overflow" in answer.warnings
    assert answer.decision["pins_overflow"] == ["big"]
    assert "- pinned by user: Use tabs." in plan.cover.text


def test_the_block_stays_byte_identical_while_turns_are_added() -> None:
    messages, spine, memo = list(MESSAGES), SPINE, None
    blocks, prefixes = set(), set()
    for turn in range(12):
        plan, answer = run(snapshot(spine, ROWS), messages, memo)
        memo = plan.memo
        blocks.add((plan.fit.gap, plan.cover.text))
        prefixes.add((plan.fit.gap, answer.decision["prefix_sha256"]))
        new = [
            message(f"more {turn}", id=f"q{turn}{r}", seq=len(messages) + 1 + r, role=("user", "assistant")[r])
            for r in (0, 1)
        ]
        messages += new
        spine = spine_of(messages)
    assert len({gap for gap, _ in blocks}) == len(blocks) == len(prefixes) < 12


def test_a_memo_changes_nothing_but_cost() -> None:
    first, cold = run(SNAPSHOT)
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return estimate(text)

    again, warm = run(SNAPSHOT, memo=first.memo, count=count)
    assert (warm, again.memo) == (cold, first.memo)
    assert counted == []


def test_a_memo_of_other_rows_or_another_spine_is_not_used() -> None:
    first, _ = run(SNAPSHOT)
    tampered = (replace(ROWS[0], claims=()), *ROWS[1:])
    _, answer = run(snapshot(SPINE, tampered), memo=first.memo)
    assert answer.decision["chain"]["trusted"] == 0
    edited = [replace(message("edited", id=m.id, seq=m.seq, role=m.role)) if m.id == "id50" else m for m in MESSAGES]
    plan, _ = run(snapshot(spine_of(edited), ROWS), edited, first.memo)
    assert plan.cover.pack.covered == (0,)


def test_the_newest_user_message_of_a_long_exchange_stays() -> None:
    rest = [message(f"step {i} " + "alpha " * 60, id=f"a{i}", seq=10 + i, role="assistant") for i in range(200)]
    messages = [*talk(2), message("do it all", id="u", seq=3), *rest]
    _, answer = run(snapshot(spine_of(messages)), messages)
    assert "kept" in kinds(answer)
    assert {"role": "user", "content": "do it all"} in answer.messages


def test_one_message_larger_than_the_budget_is_cut_and_said() -> None:
    messages = [*talk(4), message("line of text\n" * 20_000, id="big", seq=5)]
    _, answer = run(snapshot(spine_of(messages)), messages)
    assert answer.budget["used"] <= answer.budget["history"]
    assert "texts_cut" in answer.warnings
    assert "m5" in answer.messages[-1]["content"]


def test_what_the_ladder_drops_is_announced_too() -> None:
    results = [message("x " * 3_000, id=f"t{i}", seq=5 + i, role="assistant") for i in range(12)]
    messages = [*talk(4), *results, message("go on", id="u", seq=17)]
    plan, answer = run(snapshot(spine_of(messages)), messages, window=4_096)
    shown = {item.id for item in answer.plan}
    assert not answer.cannot_fit
    for m in messages:
        assert m.id in shown or "not shown" in str(answer.messages)
    assert answer.decision["messages_uncovered"] == len(messages) - len(answer.messages) + 1
    assert plan.budget.history >= answer.budget["used"]


def test_a_budget_too_small_for_anything_is_said() -> None:
    _, answer = run(SNAPSHOT, budget_tokens=20)
    assert answer.cannot_fit
    assert answer.messages == ()
    assert "cannot_fit" in answer.warnings


def in_bytes(answer: Assembled) -> int:
    return sum(len(str(m["content"]).encode()) for m in answer.messages)


@pytest.mark.parametrize("cap", [10_000, 20_000, 60_000])
def test_a_list_stays_within_its_bytes_whatever_its_tokens_are(cap: int) -> None:
    """Fails if only tokens are looked at: in Cyrillic and emoji a token has many bytes."""
    text = "Проверка 🙂 гавани. " * 40
    messages = [message(f"{n}: {text}", id=f"i{n}", seq=n + 1, role=("user", "assistant")[n % 2]) for n in range(101)]
    _, free = run(snapshot(spine_of(messages)), messages, window=400_000)
    assert in_bytes(free) > 60_000
    _, answer = run(snapshot(spine_of(messages)), messages, window=400_000, byte_cap=cap)
    assert not answer.cannot_fit
    assert cap / 4 < in_bytes(answer) <= cap
    assert answer.messages[-1]["content"].startswith("100: ")
    shown = sum(item.id is not None for item in answer.plan)
    assert shown + answer.decision["messages_uncovered"] == 101


def test_media_goes_before_text_where_bytes_are_short() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 50_000}}
    old = read_message({"role": "user", "content": [{"type": "text", "text": "see"}, image]}, id="a", seq=1, tokens=900)
    messages = [old, message("ok", id="b", seq=2, role="assistant"), message("and now?", id="c", seq=3)]
    _, answer = run(snapshot(spine_of(messages)), messages, byte_cap=10_000)
    assert [item.id for item in answer.plan if item.id is not None][-2:] == ["b", "c"]
    assert in_bytes(answer) < 10_000


def test_the_fallback_fits_the_requests_own_messages() -> None:
    asked = request(messages=[], tools=ToolSet(expand=True))
    answer = plain_fit(MESSAGES, asked)
    assert answer.budget["used"] <= answer.budget["history"]
    assert answer.decision["mode"] == "fit"
    assert len(answer.messages) < 400
    assert answer.messages[-1]["content"] == MESSAGES[-1].text


def test_an_empty_conversation_is_an_empty_list() -> None:
    _, answer = run(snapshot(spine_of([])), [])
    assert answer.messages == ()
    assert "empty_conversation" in answer.warnings


def test_the_view_of_the_plan_is_that_of_the_chain() -> None:
    plan, _ = run(SNAPSHOT)
    assert plan.cover_request.view == merge(plan.chain.links)
