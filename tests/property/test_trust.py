"""Whatever was recorded, compacted and edited: what is shown as a claim is current and its bytes are unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bobctx.core.assembly import Assembled, AssemblyMemo, AssemblyPlan, finish_assembly, plan_assembly
from bobctx.core.chain import Chain, relink, trusted_chain
from bobctx.core.claims import view_of
from bobctx.core.dialect import DIALECTS, check, list_tokens
from bobctx.core.final import CHAT
from bobctx.core.packing import POLICIES
from bobctx.core.parts import read_message
from bobctx.core.render import STYLES
from bobctx.core.segments import Spine, entry_of
from bobctx.core.sentinel import sealed_in
from bobctx.core.tokens import estimate, message_tokens
from bobctx.core.types import Message, ToolSet
from tests.chains import KEY, SCOPE, VERSIONS, request, snapshot
from tests.property.chained import Chained, chained
from tests.property.test_fitted_lists import aliases

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
ASKS = st.fixed_dictionaries(
    {
        "window": st.sampled_from([1_000, 2_000, 2_600, 4_096, 8_192, 32_768, 131_072, 1_000_000]),
        "dialect": st.sampled_from(DIALECTS),
        "policy": st.sampled_from(POLICIES),
        "style": st.sampled_from(STYLES),
        "tools": st.builds(ToolSet, expand=st.booleans(), search=st.booleans()),
    }
)


def run(
    given_: Chained,
    ask: dict[str, Any],
    messages: Sequence[Message] | None = None,
    memo: AssemblyMemo | None = None,
    **more: Any,
) -> tuple[AssemblyPlan, Assembled]:
    stored = given_.messages if messages is None else messages
    taken = snapshot(Spine.build(map(entry_of, stored)), given_.rows, pins=given_.pins)
    plan = plan_assembly(taken, request(**ask, **more), memo)
    return plan, finish_assembly(plan, [stored[p] for p in plan.positions])


def trusted(spine: Spine, rows: Sequence[Any]) -> Chain:
    return trusted_chain(spine, rows, prompt_version=VERSIONS[0], validator_version=VERSIONS[1], scope=SCOPE)


def changed(message: Message, text: str) -> Message:
    body = {"role": message.role, "content": text} | ({"tool_call_id": "c"} if message.role == "tool" else {})
    new = read_message(body, id=message.id, seq=message.seq)
    return replace(new, tokens=message_tokens(new.parts, estimate))


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_prompt_and_block_never_exceed_their_budgets(case: Chained, ask: dict[str, Any]) -> None:
    """I3, I5: fails if seal, marker or a repair is left out of a count."""
    assume(case.messages)
    plan, answer = run(case, ask)
    if answer.cannot_fit:
        return
    assert list_tokens(answer.messages, ask["dialect"], estimate) <= answer.budget["history"]
    assert check(answer.messages, ask["dialect"]) == []
    block = next((item for item in answer.plan if item.kind == "block"), None)
    if block is not None and answer.decision["claims_shown"]:
        assert block.tokens * 100 <= 15 * plan.budget.history
        assert plan.budget.block_cap >= 128


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_every_message_is_raw_covered_or_announced(case: Chained, ask: dict[str, Any]) -> None:
    """I4: fails if a region between two covered ones, or what the ladder drops, is forgotten."""
    assume(case.messages)
    _, answer = run(case, ask)
    if answer.cannot_fit:
        return
    raw = {item.id for item in answer.plan if item.id is not None}
    named = aliases(json.dumps(answer.messages, ensure_ascii=False))
    for message in case.messages:
        assert message.id in raw or message.seq in named
    omitted = len(case.messages) - len(raw)
    assert answer.decision["messages_covered"] + answer.decision["messages_uncovered"] == omitted


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_no_replaced_claim_is_shown_and_nothing_is_forged(case: Chained, ask: dict[str, Any]) -> None:
    """I11: the replacing claim counts wherever its region is, also while that is raw."""
    assume(case.messages)
    plan, _ = run(case, ask)
    replaced = {c.supersedes for row in case.rows for c in row.claims}
    assert not [c for c in plan.cover.pack.claims if c.claim.id in replaced]
    if plan.cover.text:
        assert [s.end for s in sealed_in(plan.cover.text, KEY)] == [len(plan.cover.text)]
        claim_lines = [line for line in plan.cover.text.splitlines() if line.startswith(("- ", "* "))]
        pins = len(plan.cover.pack.pins) + bool(plan.cover.pack.pins_overflow and plan.cover.pack.text)
        assert len(claim_lines) == len(plan.cover.pack.claims) + pins


@SETTINGS
@given(case=chained(), ask=ASKS, data=st.data())
def test_no_claim_is_shown_whose_bytes_changed(case: Chained, ask: dict[str, Any], data: st.DataObject) -> None:
    """I1: in the store before re-linking, and in a request the store knows nothing of."""
    assume(case.rows)
    at = data.draw(st.integers(0, len(case.messages) - 1))
    edited = [changed(m, "something else") if i == at else m for i, m in enumerate(case.messages)]
    assume(edited[at].sha256 != case.messages[at].sha256)
    touched = {c.id for (a, b), row in zip(case.spans, case.rows, strict=True) if a <= at < b for c in row.claims}
    if at < case.spine.opening_end:
        touched = set()
    for plan, _ in (
        run(case, ask, edited),
        run(case, ask, messages=case.messages, memo=None, **{}),
        _sent(case, ask, edited),
    ):
        shown = {c.claim.id for c in plan.cover.pack.claims}
        if plan.source.spine.hashes[at] == edited[at].sha256:
            assert not shown & touched


def _sent(case: Chained, ask: dict[str, Any], edited: Sequence[Message]) -> tuple[AssemblyPlan, Assembled]:
    taken = snapshot(case.spine, case.rows, pins=case.pins)
    plan = plan_assembly(taken, request(**ask, messages=edited))
    return plan, finish_assembly(plan, [case.messages[p] for p in plan.positions])


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_same_input_same_output_with_and_without_a_memo(case: Chained, ask: dict[str, Any]) -> None:
    """I9: fails if a memo keeps something its key does not name."""
    assume(case.messages)
    memo: AssemblyMemo | None = None
    for count in (max(1, len(case.messages) - 2), len(case.messages)):
        part = replace(case, messages=case.messages[:count])
        plan, warm = run(part, ask, memo=memo)
        _, cold = run(part, ask)
        assert warm == cold
        memo = plan.memo
    other = {**ask, "window": 4_096, "tools": ToolSet()}
    assert run(case, other, memo=memo)[1] == run(case, other)[1]


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_a_request_of_the_stored_bytes_is_assembled_as_the_store_is(case: Chained, ask: dict[str, Any]) -> None:
    assume(case.messages)
    _, stored = run(case, ask)
    anonymous = [replace(m, id=f"h{i}", seq=None) for i, m in enumerate(case.messages)]
    plan = plan_assembly(snapshot(case.spine, case.rows, pins=case.pins), request(**ask, messages=anonymous))
    assert finish_assembly(plan, []).messages == stored.messages


@SETTINGS
@given(case=chained(), ask=ASKS)
def test_assembling_what_was_assembled_gives_the_same(case: Chained, ask: dict[str, Any]) -> None:
    """Fails if our block is taken for the user's words, or is lost where its neighbours were cut or converted.

    A stub that answers an open call comes back as one more message of the conversation, and may cost it an older one.
    """
    assume(case.messages and ask["dialect"] in CHAT)
    _, once = run(case, ask)
    assume(not once.cannot_fit and "unanswered_call_stubbed" not in once.warnings)
    again = [read_message(body, id=f"h{i}") for i, body in enumerate(once.messages)]
    plan = plan_assembly(snapshot(case.spine, case.rows, pins=case.pins), request(**ask, messages=again))
    twice = finish_assembly(plan, [case.messages[p] for p in plan.positions])
    assert _worded(twice.messages) == _worded(once.messages)


def _worded(messages: Sequence[dict[str, Any]]) -> str:
    """The list as text, white space aside: what was blank on the way out is no words of anybody."""
    return "".join(json.dumps(messages, ensure_ascii=False).replace("\\n", "").split())


EDITS = st.sampled_from(["edit", "delete", "insert", "truncate", "branch", "rename"])


def edit(case: Chained, kind: str, at: int) -> list[Message]:
    messages = list(case.messages)
    new = changed(messages[at], "something else")
    fresh = [replace(new, id=f"new{i}", seq=1_000 + i) for i in range(3)]
    if kind == "edit":
        return [*messages[:at], new, *messages[at + 1 :]]
    if kind == "delete":
        return [*messages[:at], *messages[at + 1 :]]
    if kind == "insert":
        return [*messages[:at], fresh[0], *messages[at:]]
    if kind == "truncate":
        return messages[: at + 1]
    if kind == "branch":
        return [*messages[: at + 1], *fresh]
    return [
        *messages[:at],
        fresh[0],
        *(replace(m, id=f"r{m.id}", seq=2_000 + i) for i, m in enumerate(messages[at + 1 :])),
    ]


@SETTINGS
@given(case=chained(), kind=EDITS, data=st.data())
def test_relinking_loses_no_unchanged_region_and_shows_nothing_replaced(
    case: Chained, kind: str, data: st.DataObject
) -> None:
    """Fails if a kept region is dropped, the new chain breaks, or a lost correction brings its old value back."""
    assume(case.rows)
    at = data.draw(st.integers(0, len(case.messages) - 1))
    messages = edit(case, kind, at)
    spine = Spine.build(map(entry_of, messages))
    rows = relink(SCOPE, spine, case.rows, now=1.0)
    chain = trusted(spine, rows)
    assert [link.compaction for link in chain.links] == list(rows)
    assert chain.break_ is None
    kept = {row.input_sha256 for row in rows if row.status == "shadow_ok"}
    for (start, end), row in zip(case.spans, case.rows, strict=True):
        if not _unchanged(case, kind, at, start, end, len(messages)):
            continue
        place = _new_place(kind, at, start)
        if place is not None and place >= spine.opening_end:
            assert row.input_sha256 in kept
    _assert_current(case, chain, kind)


def _unchanged(case: Chained, kind: str, at: int, start: int, end: int, n: int) -> bool:
    if kind in ("truncate", "branch"):
        return end <= at + 1
    if kind == "insert":
        return not start < at < end
    return not start <= at < end


def _new_place(kind: str, at: int, start: int) -> int | None:
    if start <= at and kind != "insert":
        return start
    if kind == "insert":
        return start + 1 if at <= start else start
    return start - 1 if kind == "delete" else start


def _assert_current(case: Chained, chain: Chain, kind: str) -> None:
    """What a claim had replaced is not current again, unless the claim was said only after the cut."""
    if kind not in ("edit", "insert"):
        return
    replaced = {c.supersedes for row in case.rows for c in row.claims if c.supersedes}
    assert not [c for c in view_of(chain).active if c.claim.id in replaced]


@SETTINGS
@given(case=chained(), data=st.data())
def test_relinking_twice_is_relinking_once(case: Chained, data: st.DataObject) -> None:
    assume(case.rows)
    at = data.draw(st.integers(0, len(case.messages) - 1))
    spine = Spine.build(map(entry_of, edit(case, "edit", at)))
    once = relink(SCOPE, spine, case.rows, now=1.0)
    assert relink(SCOPE, spine, once, now=2.0) == once
