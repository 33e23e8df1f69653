"""The answer of last resort never fails and always fits or says that it cannot."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bobctx.core import local_fit
from bobctx.core.sentinel import seal

HISTORY = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"turn {n} " + "word " * 300} for n in range(40)]


def test_a_history_is_fitted_and_the_newest_message_kept() -> None:
    found = local_fit.answer({"messages": HISTORY, "window": 8192}, reason="timeout")
    assert found["decision"]["mode"] == "local_fit"
    assert found["decision"]["reason"] == "timeout"
    assert found["messages"][-1] == HISTORY[-1]
    assert len(found["messages"]) < len(HISTORY)
    assert found["budget"]["used"] <= found["budget"]["history"]


def test_a_short_history_is_unchanged() -> None:
    assert local_fit.answer({"messages": HISTORY[:3]}, reason="x")["messages"] == HISTORY[:3]


def test_stored_mode_has_only_this_turns_messages_and_says_so() -> None:
    found = local_fit.answer({"append": HISTORY[:1], "window": 8192}, reason="unreachable")
    assert found["messages"] == HISTORY[:1]
    assert "history_unavailable" in found["warnings"]


def test_what_the_stored_history_holds_is_not_said_without_the_daemon() -> None:
    assert local_fit.answer({"window": 8192}, reason="unreachable")["warnings"] == ["history_unavailable"]


def test_the_window_comes_from_the_call_the_caller_or_the_catalogue() -> None:
    body = {"messages": HISTORY, "model": "some-model"}
    windows = [
        local_fit.answer({**body, "window": 9_000}, reason="x", window=8_000)["budget"]["window"],
        local_fit.answer(body, reason="x", window=8_000)["budget"]["window"],
        local_fit.answer(body, reason="x", catalog={"some-model": 7_000})["budget"]["window"],
    ]
    assert windows == [9_000, 8_000, 7_000]


def test_what_the_host_put_first_does_not_anchor_the_opening() -> None:
    """Fails if the daemon alone is told what injected texts begin with: a rules file would take the opening's room."""
    rules = {"role": "user", "content": "# Repository rules " + "use no tabs " * 300}
    first = {"role": "user", "content": "Fix the login test first."}
    body = {"messages": [rules, first, *HISTORY[1:]], "window": 8192}
    assert first in local_fit.answer(body, reason="x", injected=("# Repository rules",))["messages"]
    assert first not in local_fit.answer(body, reason="x")["messages"]


def test_what_cannot_be_read_comes_back_unchanged() -> None:
    odd = [{"role": "robot"}, 7]
    found = local_fit.answer({"messages": odd}, reason="x")
    assert found["messages"] == odd
    assert found["warnings"] == ["unreadable_messages"]


def test_a_plan_has_no_contents() -> None:
    found = local_fit.answer({"messages": HISTORY, "window": 8192, "return": "plan"}, reason="x")
    assert found["messages"] == []
    assert found["plan"]


odd_values = (
    st.none() | st.booleans() | st.integers(-5, 10**9) | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system", "robot"])},
        optional={"content": odd_values, "id": odd_values, "tool_calls": odd_values, "tool_call_id": odd_values},
    ),
    max_size=6,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "messages": messages,
            "append": messages,
            **{k: odd_values for k in ("model", "backend", "window", "reserved_tokens", "budget_tokens", "dialect")},
            "tools": odd_values,
            "profile": odd_values,
        },
    )
)  # fmt: skip
def test_no_body_makes_it_fail(body: dict[str, Any]) -> None:
    """Fails if any field is used before it is looked at."""
    found = local_fit.answer(body, reason="x")
    assert found["decision"]["mode"] == "local_fit"


def test_an_assembled_list_that_comes_back_for_a_smaller_budget_keeps_its_block() -> None:
    block = seal("r1 m2..m9 (8 messages)\n- c1 constraint: never enable zeta-sync [m2]", b"key")
    posted: list[dict[str, Any]] = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": block},
    ]
    for number in range(40):
        posted += [
            {"role": "user", "content": f"question {number} " * 20},
            {"role": "assistant", "content": f"answer {number} " * 20},
        ]
    posted.append({"role": "user", "content": "and now?"})
    found = local_fit.answer({"messages": posted, "budget_tokens": 1_200, "window": 32_768}, reason="timeout")
    texts = [str(m["content"]) for m in found["messages"]]
    assert any("zeta-sync" in t for t in texts)
    assert texts[-1] == "and now?"
    assert found["budget"]["used"] <= 1_200
    assert "tail_dropped" in found["warnings"]
