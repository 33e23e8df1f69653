from __future__ import annotations

from typing import Any

import pytest

from bobctx.core import parts
from bobctx.core.segments import OPENING_CAP, Entry, Flag, Spine, entry_of, split_preamble

KINDS = {
    "u": Flag.USER | Flag.GENUINE_USER,
    "i": Flag.USER | Flag.INJECTED,
    "a": Flag.ASSISTANT,
    "t": Flag.TOOL,
    "s": Flag.ASSISTANT | Flag.SIGNED,
}


def entries(shape: str, tokens: int = 10) -> list[Entry]:
    """`u a+1+2 t-1 t-2 a`: one letter a message, `+` calls, `-` results."""
    made = []
    for position, word in enumerate(shape.split()):
        kind, *signs = word.replace("+", " +").replace("-", " -").split()
        calls = tuple(s[1:] for s in signs if s[0] == "+")
        results = tuple(s[1:] for s in signs if s[0] == "-")
        flags = KINDS[kind] | (Flag.CALLS if calls else 0) | (Flag.RESULTS if results else 0)
        made.append(
            Entry(
                id=f"id{position}",
                seq=position + 1,
                role={"u": "user", "i": "user", "t": "tool"}.get(kind, "assistant"),
                sha256=f"{position:064x}",
                tokens=tokens,
                flags=int(flags),
                calls=calls,
                results=results,
            )
        )
    return made


@pytest.mark.parametrize(
    ("shape", "cuts"),
    [
        ("u a u a", [0, 1, 2, 3, 4]),
        ("u u u", [0, 1, 2, 3]),  # a meeting: every boundary
        ("u a+1 t-1 a", [0, 1, 3, 4]),
        ("u a+1+2 t-1 t-2 a", [0, 1, 4, 5]),  # a parallel batch stays whole
        ("u a+1 t-1 a+1 t-1 a", [0, 1, 3, 5, 6]),  # a reused id pairs with the nearest open call
        ("u a+1 a+1 t-1 t-1 a", [0, 1, 5, 6]),  # the later of two open calls is answered first
        ("u a+1 u t-1 a", [0, 1, 2, 3, 4, 5]),  # a user message aborts; the late result is an orphan
        ("u a+1 i t-1 a", [0, 1, 4, 5]),  # injected text aborts nothing
        ("u a+1+2 t-1 u a", [0, 1, 3, 4, 5]),  # half a batch answered, then aborted
        ("u t-9 a", [0, 1, 2, 3]),  # an orphan holds nothing together
        ("u s a a", [0, 1, 3, 4]),  # unfinished thinking stays with its continuation
        ("u s u a", [0, 1, 2, 3, 4]),
        ("u a+1 t-1 t-1 a", [0, 1, 3, 4, 5]),  # a second result of one call is an orphan
        ("u a+1 u-1 a", [0, 1, 3, 4]),  # results and words in one user message start no segment
    ],
)
def test_safe_cuts(shape: str, cuts: list[int]) -> None:
    assert list(Spine.build(entries(shape)).cuts) == cuts


@pytest.mark.parametrize("shape", ["u a+1+2 t-1 a t-2 a u s a+3 t-3 u a+4 u t-4", "a+1 t-1 i u a", "s a s u s"])
def test_growing_one_by_one_equals_building_at_once(shape: str) -> None:
    made = entries(shape)
    grown = Spine.build([])
    for count, entry in enumerate(made, 1):
        grown = grown.extended([entry])
        whole = Spine.build(made[:count])
        for name in ("cuts", "users", "cum", "ids", "opening_end", "open_calls", "newest_user", "settled_end"):
            assert getattr(grown, name) == getattr(whole, name), (name, count)


def test_a_reader_keeps_its_own_prefix_while_two_others_grow() -> None:
    made = entries("u a+1 t-1 u a")
    base = Spine.build(made[:2])
    one, two = base.extended(made[2:]), base.extended(made[3:])
    assert list(base.cuts) == [0, 1, 2]
    assert list(one.cuts) == [0, 1, 3, 4, 5]
    assert list(two.ids) == ["id0", "id1", "id3", "id4"]
    assert list(two.cuts) == [0, 1, 2, 3, 4]
    assert one.prefix(2).cuts == base.cuts


def test_an_open_call_unsettles_only_what_follows_it() -> None:
    spine = Spine.build(entries("u a u a+1 a"))
    assert spine.settled_end == 3
    assert list(spine.cuts) == [0, 1, 2, 3, 4, 5]
    assert spine.open_calls == ((3, "1"),)


def test_index_of_knows_only_its_own_messages() -> None:
    made = entries("u a u a")
    base = Spine.build(made[:2])
    base.extended(made[2:])
    assert base.index_of("id1") == 1
    assert base.index_of("id3") is None


def test_the_opening_is_the_first_exchange() -> None:
    assert Spine.build(entries("u a a u a")).opening_end == 3


def test_a_long_first_exchange_is_protected_up_to_the_cap_at_a_cut() -> None:
    spine = Spine.build(entries("u a+1 t-1 a+2 t-2 a", tokens=OPENING_CAP // 4))
    assert spine.opening_end == 3


def test_a_giant_first_message_is_the_whole_opening() -> None:
    assert Spine.build(entries("u a u a", tokens=OPENING_CAP + 1)).opening_end == 1


def test_injected_messages_do_not_anchor_the_opening() -> None:
    assert Spine.build(entries("i i u a u a", tokens=1500)).opening_end == 4


def test_the_opening_does_not_move_as_messages_come() -> None:
    made = entries("u a a a a a a a u a", tokens=700)
    ends = {Spine.build(made[:n]).opening_end for n in range(6, 11)}
    assert ends == {5}


@pytest.mark.parametrize(
    ("shape", "closed"), [("u a", True), ("u", False), ("u a+1", False), ("u a+1 t-1", False), ("u a+1 t-1 a", True)]
)
def test_an_exchange_is_closed_when_answered(shape: str, closed: bool) -> None:
    assert Spine.build(entries(shape)).is_closed(0) is closed


def test_an_exchange_is_closed_when_a_later_user_message_exists() -> None:
    spine = Spine.build(entries("u a+1 u"))
    assert spine.is_closed(1)
    assert (spine.exchange_start(1), spine.exchange_end(1)) == (0, 2)


def message(role: str, content: Any, **fields: Any) -> Any:
    return parts.read_message({"role": role, "content": content, **fields}, id="x", tokens=5)


def test_tool_results_in_a_user_message_are_no_genuine_user_message() -> None:
    entry = entry_of(message("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]))
    assert not entry.flags & Flag.GENUINE_USER
    assert entry.results == ("t1",)


def test_a_server_tool_answers_itself() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ]
    entry = entry_of(message("assistant", blocks))
    assert (entry.calls, entry.results) == ((), ())


def test_a_thought_alone_is_unfinished_and_with_words_is_not() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert entry_of(message("assistant", [thought])).flags & Flag.SIGNED
    assert not entry_of(message("assistant", [thought, {"type": "text", "text": "so"}])).flags & Flag.SIGNED


def test_blank_user_messages_are_not_genuine() -> None:
    assert not entry_of(message("user", " \n")).flags & Flag.GENUINE_USER


def test_the_preamble_ends_at_the_first_message_that_is_no_instruction() -> None:
    ms = [message("system", "a"), message("developer", "b"), message("user", "c"), message("system", "d")]
    preamble, rest = split_preamble(ms)
    assert [m.role for m in preamble] == ["system", "developer"]
    assert [m.role for m in rest] == ["user", "system"]
