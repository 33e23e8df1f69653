from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.dialect import DIALECTS, OUTSIDE_SYSTEM, check, repair, system_text, to_dialect
from bobctx.core.repair import STUB_RESULT

Body = dict[str, Any]


def user(text: Any = "hello") -> Body:
    return {"role": "user", "content": text}


def said(text: Any = "hi") -> Body:
    return {"role": "assistant", "content": text}


def calls(*ids: str, arguments: str = '{"path": "a.py"}') -> Body:
    made = [{"id": i, "type": "function", "function": {"name": "read", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(call_id: str, text: str = "done") -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def use(call_id: str, **fields: Any) -> Body:
    return {"type": "tool_use", "id": call_id, "name": "read", "input": {"path": "a.py"}, **fields}


def found(call_id: str, content: Any = "done") -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def codes(messages: list[Body], dialect: str) -> list[str]:
    return [v.code for v in check(messages, dialect)]


# -- what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user(), calls("a"), result("a"), said()], []),
        ([user(), calls("a", "b"), result("b"), result("a")], []),
        ([user(), calls("a"), result("a"), calls("a"), result("a")], []),  # an id may come again
        ([user(), result("a")], ["orphan_result"]),
        ([user(), calls("a"), said()], ["unanswered_call"]),
        ([user(), calls("a", "b"), result("a"), user()], ["unanswered_call"]),
        ([user(), calls("a"), user(), result("a")], ["unanswered_call", "orphan_result"]),
        ([user(), calls("a"), result("a"), result("a")], ["orphan_result"]),
        ([user(), calls("a", "a"), result("a")], ["duplicate_call_id"]),
        ([user(), said(None)], ["empty_content"]),
        ([user("  ")], ["empty_content"]),
        ([said()], ["no_user_message"]),
        ([user(), {"role": "narrator", "content": "x"}], ["unknown_role"]),
        ([], ["no_user_message"]),
    ],
)
def test_what_openai_refuses(messages: list[Body], expected: list[str]) -> None:
    assert codes(messages, "openai") == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user(), said([use("a")]), user([found("a")])], []),
        ([user(), said([THOUGHT, use("a")]), user([found("a"), {"type": "text", "text": "go on"}])], []),
        ([user(), said([use("a")]), user([{"type": "text", "text": "so"}, found("a")])], ["result_not_first"]),
        ([user(), said([use("a")]), user("go on")], ["unanswered_call"]),
        ([user(), said([use("a"), use("b")]), user([found("a")])], ["unanswered_call"]),
        ([user([found("a")])], ["orphan_result"]),
        ([user(), said([use("a")]), user([found("a")]), said([use("a")]), user([found("a")])], ["duplicate_call_id"]),
        ([user(), said([use("a|b")]), user([found("a|b")])], ["bad_call_id"]),
        ([said(), user()], ["first_not_user"]),
        ([user(), user()], ["alternation"]),
        ([user(), said([{"type": "thinking", "thinking": "hm"}, use("a")]), user([found("a")])], ["thinking"]),
        ([user(), said([THOUGHT])], ["thinking"]),
        ([user(), said("so ")], ["trailing_space"]),
        ([user(), said([{"type": "text", "text": " "}, use("a")]), user([found("a")])], ["empty_content"]),
        ([{"role": "system", "content": "x"}, user()], ["unknown_role", "first_not_user"]),
        ([user(), said([{"type": "server_tool_use", "id": "s", "name": "w", "input": {}}])], ["unanswered_call"]),
    ],
)
def test_what_anthropic_refuses(messages: list[Body], expected: list[str]) -> None:
    assert codes(messages, "anthropic") == expected


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"role": "system", "content": "x"}, user(), said(), user()], []),
        ([user(), user()], ["alternation"]),
        ([said(), user()], ["first_not_user"]),
        ([user(), calls("a"), result("a")], ["calls_not_supported", "empty_content", "unknown_role"]),
    ],
)
def test_what_strict_templates_refuse(messages: list[Body], expected: list[str]) -> None:
    assert codes(messages, "strict") == expected


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
ASKED = {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}
ANSWERED = {"type": "function_call_output", "call_id": "a", "output": "done"}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user(), REASONING, ASKED, ANSWERED, said()], []),
        ([user(), ANSWERED], ["orphan_result"]),
        ([user(), ASKED], ["unanswered_call"]),
        ([user(), ASKED, ASKED, ANSWERED], ["duplicate_call_id"]),
        ([user(), REASONING, user()], ["thinking"]),
        ([user(), {"type": "message", "role": "assistant", "content": []}], ["empty_content"]),
    ],
)
def test_what_the_responses_api_refuses(messages: list[Body], expected: list[str]) -> None:
    assert codes(messages, "responses") == expected


def content(role: str, *parts: Body) -> Body:
    return {"role": role, "parts": list(parts)}


TEXT = {"text": "hello"}
CALL = {"functionCall": {"name": "read", "args": {}}}
RESPONSE = {"functionResponse": {"name": "read", "response": {"result": "done"}}}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([content("user", TEXT), content("model", CALL, CALL), content("user", RESPONSE, RESPONSE)], []),
        ([content("user", TEXT), content("model", CALL, CALL), content("user", RESPONSE)], ["unanswered_call"]),
        ([content("user", TEXT, RESPONSE)], ["orphan_result"]),
        ([content("model", TEXT), content("user", TEXT)], ["first_not_user"]),
        ([content("user", TEXT), content("model")], ["empty_content"]),
        ([content("user", TEXT), content("user", TEXT)], ["alternation"]),
    ],
)
def test_what_gemini_refuses(messages: list[Body], expected: list[str]) -> None:
    assert codes(messages, "gemini") == expected


# -- converting --------------------------------------------------------------------------

SESSION = [user("read a.py"), calls("c1", "c2"), result("c1", "one"), result("c2", "two"), said("both read")]


def test_openai_calls_become_anthropic_blocks() -> None:
    assert to_dialect(SESSION, "anthropic") == [
        user("read a.py"),
        said([use("c1"), use("c2")]),
        user([found("c1", "one"), found("c2", "two")]),
        said("both read"),
    ]


def test_anthropic_blocks_become_openai_messages() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    given = [
        user([{"type": "text", "text": "look"}, image]),
        said([THOUGHT, {"type": "text", "text": "reading"}, use("c1")]),
        user([found("c1", "one"), {"type": "text", "text": "thanks"}]),
    ]
    made = to_dialect(given, "openai")
    assert made[0]["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert (made[1]["content"], made[1]["tool_calls"][0]["id"]) == ("reading", "c1")
    assert json.loads(made[1]["tool_calls"][0]["function"]["arguments"]) == {"path": "a.py"}
    assert made[2:] == [result("c1", "one"), user("thanks")]


def test_calls_become_response_items_and_gemini_parts() -> None:
    items = to_dialect(SESSION, "responses")
    assert [i.get("type", i.get("role")) for i in items] == [
        "user", "function_call", "function_call", "function_call_output", "function_call_output", "assistant",
    ]  # fmt: skip
    contents = to_dialect(SESSION, "gemini")
    assert [c["role"] for c in contents] == ["user", "model", "user", "model"]
    assert [p["functionResponse"]["name"] for p in contents[2]["parts"]] == ["read", "read"]


def test_strict_says_calls_in_words_and_alternates() -> None:
    made = to_dialect(SESSION, "strict")
    assert [m["role"] for m in made] == ["user", "assistant", "user", "assistant"]
    assert "[result of call c2]\ntwo" in made[2]["content"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_native_list_comes_through_as_it_is(dialect: str) -> None:
    native: dict[str, list[Body]] = {
        "openai": SESSION,
        "anthropic": [user(), said([THOUGHT, use("a")]), user([found("a"), {"type": "text", "text": "x"}]), said()],
        "strict": [user(), said(), user()],
        "responses": [user(), REASONING, ASKED, ANSWERED, said()],
        "gemini": [content("user", TEXT), content("model", CALL), content("user", RESPONSE), content("model", TEXT)],
    }
    assert to_dialect(native[dialect], dialect) == native[dialect]
    assert repair(native[dialect], dialect) == (native[dialect], [])


def test_bobctx_fields_are_never_sent() -> None:
    assert to_dialect([{**user(), "id": "m", "injected": True, "egress": "local"}], "openai") == [user()]
    assert "speaker" not in to_dialect([{**user(), "speaker": "Ann"}], "openai")[0]


def test_thoughts_do_not_cross_providers() -> None:
    given = [user(), said([THOUGHT, {"type": "text", "text": "so"}])]
    for dialect in set(DIALECTS) - {"anthropic"}:
        assert "c2ln" not in str(to_dialect(given, dialect))
        assert "hm" not in str(to_dialect(given, dialect))


def test_the_preamble_is_read_for_dialects_that_carry_it_outside() -> None:
    given = [{"role": "system", "content": "be brief"}, {"role": "developer", "content": "in French"}, user()]
    assert system_text(given) == "be brief\n\nin French"
    assert frozenset({"anthropic", "gemini"}) == OUTSIDE_SYSTEM


def test_a_later_system_message_is_kept_where_the_dialect_has_none() -> None:
    made, _ = repair(to_dialect([user(), said(), {"role": "system", "content": "new rule"}], "anthropic"), "anthropic")
    assert made[-1] == user("[system message]\nnew rule")


# -- repairing ---------------------------------------------------------------------------


def test_an_orphan_result_becomes_text_that_names_it() -> None:
    made, notes = repair([user(), result("gone", "port 9443"), said()], "openai")
    assert made == [user(), user("[result of call gone]\nport 9443"), said()]
    assert notes == ["orphan_result_in_words"]


def test_an_unanswered_call_gets_a_stub_right_behind_it() -> None:
    made, _ = repair([user(), calls("a", "b"), result("b"), user("go on")], "openai")
    assert [m.get("tool_call_id") for m in made] == [None, None, "b", "a", None]
    assert made[3]["content"] == STUB_RESULT


def test_a_late_result_moves_behind_its_call() -> None:
    made, _ = repair([user(), calls("a"), user("wait"), result("a", "late")], "openai")
    assert made == [user(), calls("a"), result("a", "late"), user("wait")]


def test_reused_ids_pair_with_the_nearest_call_and_are_told_apart() -> None:
    given = [user(), calls("call_0"), result("call_0", "one"), calls("call_0"), result("call_0", "two")]
    made, notes = repair(to_dialect(given, "anthropic"), "anthropic")
    assert [b["content"] for m in made if m["role"] == "user" for b in m["content"] if isinstance(b, dict)] == [
        "one",
        "two",
    ]
    assert made[1]["content"][0]["id"] == "call_0"
    assert made[3]["content"][0]["id"] == made[4]["content"][0]["tool_use_id"] == "call_0_2"
    assert notes == ["call_ids_changed"]


def test_signed_thinking_is_never_altered() -> None:
    given = [user(), said([THOUGHT, use("a")])]
    made, _ = repair(given, "anthropic")
    assert made[1]["content"][0] == THOUGHT


def test_a_husk_goes_and_an_empty_user_message_is_named() -> None:
    made, _ = repair([user(" "), said(None), said("x")], "openai")
    assert made == [user("[empty message]"), said("x")]


@pytest.mark.parametrize("content", ["", None, [], " ", [{"type": "text", "text": ""}]])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_user_message_is_named_and_not_taken_for_a_history_that_is_not_shown(
    content: Any, dialect: str
) -> None:
    made, _ = repair(to_dialect([user(content)], dialect), dialect)
    assert "[empty message]" in json.dumps(made)
    assert len(made) == 1


def asked(**function: Any) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}


def part(**fields: Any) -> Body:
    return {"role": "user", "parts": [{"text": "hello"}, fields]}


ODD: list[tuple[str, list[Body]]] = [
    ("openai", [asked(name=None, arguments="{}"), result("a")]),
    ("openai", [asked(name="", arguments="{}"), result("a")]),
    ("openai", [asked(name="read", arguments={"path": "a.py"}), result("a")]),
    ("openai", [asked(name="read"), result("a")]),
    ("openai", [user([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": None}])]),
    ("openai", [user([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {}}])]),
    ("openai", [user([{"type": "text", "text": "see"}, {"type": "text"}])]),
    ("openai", [user([{"type": "text", "text": "see"}, {"type": "text", "text": 7}])]),
    ("strict", [user([{"type": "text", "text": "see"}, {"type": "text"}])]),
    ("anthropic", [said([use("a")]), user([found("a", {"answer": 7})])]),
    ("anthropic", [said([use("a")]), user([found("a", [{"type": "text"}])])]),
    ("anthropic", [said([use("a", input="x")]), user([found("a")])]),
    ("anthropic", [said([use("a", name=None)]), user([found("a")])]),
    ("anthropic", [user([{"type": "text", "text": "see"}, {"type": "text"}])]),
    ("anthropic", [user([{"type": "text", "text": "see"}, {"type": "image"}])]),
    ("gemini", [part()]),
    ("gemini", [part(text=None)]),
    ("gemini", [part(functionResponse={"response": {}})]),
    ("gemini", [{"role": "user", "parts": ["hello", {"text": "there"}]}]),
    ("gemini", [{"role": "user", "parts": []}, user()]),
    ("responses", [{**ASKED, "name": None}, ANSWERED]),
    ("responses", [{**ASKED, "arguments": {"path": "a.py"}}, ANSWERED]),
    ("responses", [ASKED, {**ANSWERED, "output": {"answer": 7}}]),
    (
        "responses",
        [{"type": "message", "role": "user", "content": [{"type": "input_text"}, {"type": "input_text", "text": "x"}]}],
    ),
]
"""Messages of a dialect that lack what it needs."""


@pytest.mark.parametrize(("dialect", "odd"), ODD)
def test_a_message_without_what_its_dialect_needs_is_refused_and_made_one_that_is_taken(
    dialect: str, odd: list[Body]
) -> None:
    """Fails if it is passed on because its type is one of the dialect's."""
    first = user() if dialect != "gemini" else {"role": "user", "parts": [{"text": "hello"}]}
    for messages in (odd, [first, *odd]):
        assert check(messages, dialect)
        for made, _ in (repair(messages, dialect), repair(to_dialect(messages, dialect), dialect)):
            assert check(made, dialect) == []
            assert repair(made, dialect) == (made, [])


def test_what_an_odd_message_says_is_not_lost() -> None:
    for dialect in DIALECTS:
        messages = [user(), asked(name="read", arguments={"path": "a.py"}), result("a", "the answer")]
        made = json.dumps(repair(to_dialect(messages, dialect), dialect)[0])
        assert all(word in made for word in ("hello", "a.py", "the answer")), dialect
    odd_result, _ = repair([user(), said([use("a")]), user([found("a", {"answer": 7})])], "anthropic")
    assert odd_result[-1]["content"] == [{"type": "tool_result", "tool_use_id": "a", "content": '{"answer": 7}'}]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    mixed, _ = repair([user(), said([use("a")]), user([found("a", [image, {"type": "text"}])])], "anthropic")
    assert mixed[-1]["content"][0]["content"] == [image, {"type": "text", "text": '{"type": "text"}'}]
    empty, _ = repair([user(), asked(name="read", arguments=None), result("a")], "openai")
    assert empty[1]["tool_calls"][0]["function"] == {"name": "read", "arguments": "{}"}
    odd_call, _ = repair([user(), asked(name="read", arguments={"path": "a.py"}), result("a")], "openai")
    assert odd_call[1]["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"path": "a.py"}'}


def test_there_is_always_a_user_message_first_where_it_must_be() -> None:
    made, _ = repair([said("hi")], "anthropic")
    assert [m["role"] for m in made] == ["user", "assistant"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_blocks_whose_type_is_no_text_make_a_valid_list(dialect: str) -> None:
    from bobctx.core.parts import read_message

    strange: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": []}, {"type": {}}, {"type": 1}, 5, None, "x"]},
        {
            "role": "assistant",
            "content": [{"type": ["tool_use"], "id": []}],
            "tool_calls": [{"id": {}, "function": 5}, 7],
        },
        {"role": "user", "content": "hi"},
    ]
    found, _ = repair(to_dialect([read_message(m) for m in strange], dialect), dialect)
    assert check(found, dialect) == []


def test_a_result_without_a_call_keeps_its_place_among_what_was_said() -> None:
    """Fails if every result of a merged message goes first: what was said before it would stand behind it."""
    said = [{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "z", "content": "x"}]
    messages, _ = repair(to_dialect(said, "anthropic"), "anthropic")
    text = str(messages)
    assert text.index("'a'") < text.index("[result of call z]")
