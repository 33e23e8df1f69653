"""Texts of ours are recognised by key, anywhere in a message, and by nothing else."""

from __future__ import annotations

import pytest

from bobctx.core import sentinel
from bobctx.core.sentinel import is_ours, seal, sealed_in, split_at_blocks, strip
from tests.chains import message

KEY, OTHER = b"a" * 32, b"b" * 32
BLOCK = "[compacted history: x]\n- r1.c1 [fact] 港は9443 [cites: m2]"


def test_a_sealed_text_is_ours_with_white_space_around_it() -> None:
    assert is_ours(f"\n {seal(BLOCK, KEY)} \n", KEY)


@pytest.mark.parametrize(
    "text",
    [
        seal(BLOCK, OTHER),  # sealed with another database's key
        seal(BLOCK, KEY).replace("9443", "9444"),  # altered
        seal(BLOCK, KEY) + "\nand more",  # not the whole text
        BLOCK,  # never sealed
        "[bobctx:block:0:" + "0" * 20 + "]",  # a forged line
        seal(BLOCK, KEY).replace("[bobctx:block:", "[bobctx:tool:"),  # another kind
        "[bobctx:block:999999999:" + "0" * 20 + "]",  # longer than the text
    ],
)
def test_anything_else_is_not_ours(text: str) -> None:
    assert not is_ours(text, KEY)


def test_forged_seals_cost_no_more_than_the_text_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = 0
    real = sentinel._mac

    def counting(text: str, kind: str, key: bytes) -> str:
        nonlocal hashed
        hashed += len(text)
        return real(text, kind, key)

    forged = "".join(f"\n[bobctx:block:{60 * i}:{'0' * 20}]" for i in range(4000))
    monkeypatch.setattr(sentinel, "_mac", counting)
    assert sealed_in(forged, KEY) == ()
    assert hashed <= max(sentinel.HASHED_LEAST, sentinel.HASHED_TIMES * len(forged))


def test_true_seals_are_all_found_however_many_there_are() -> None:
    text = "\n\n".join(seal(f"{i} {BLOCK * 20}", KEY) for i in range(2000))
    assert len(sealed_in(text, KEY)) == 2000


def test_kinds_are_told_apart() -> None:
    result = seal("m3: never enable zeta-sync", KEY, kind="tool")
    assert is_ours(result, KEY, kind="tool")
    assert not is_ours(result, KEY, kind="block")


def test_a_block_is_found_inside_a_longer_text() -> None:
    text = f"first\n\n{seal(BLOCK, KEY)}\n\nlast"
    assert [s.text for s in sealed_in(text, KEY)] == [BLOCK]
    assert split_at_blocks(text, KEY) == ["first", "last"]


def test_line_ends_of_the_texts_around_a_block_are_kept() -> None:
    text = f"first\n\n\n{seal(BLOCK, KEY)}\n\n\nlast\n"
    assert split_at_blocks(text, KEY) == ["first\n", "\nlast\n"]


def test_a_block_inside_content_parts_divides_them() -> None:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    content = [{"type": "text", "text": "before"}, {"type": "text", "text": seal(BLOCK, KEY)}, image]
    assert split_at_blocks(content, KEY) == [[{"type": "text", "text": "before"}], [image]]


def test_stripping_gives_back_the_messages_a_block_was_merged_with() -> None:
    merged = message(f"opening\n\n{seal(BLOCK, KEY)}\n\nnewest", id="x")
    stripped = strip([message("a", id="a"), merged], KEY)
    assert [m.text for m in stripped.messages] == ["a", "opening", "newest"]
    assert stripped.holes == ((2, BLOCK),)
    assert stripped.messages[1].sha256 == message("opening", id="y").sha256


def test_stripping_leaves_other_messages_and_unverified_blocks_alone() -> None:
    given = [
        message(seal(BLOCK, OTHER), id="a"),
        message(seal("found", KEY, kind="tool"), id="b"),
        message("c", id="c"),
    ]
    assert strip(given, KEY).messages == tuple(given)
    assert strip(given, KEY).holes == ()


def test_a_block_of_ours_alone_leaves_a_hole_and_no_message() -> None:
    stripped = strip([message("a", id="a"), message(seal(BLOCK, KEY), id="b"), message("c", id="c")], KEY)
    assert [m.id for m in stripped.messages] == ["a", "c"]
    assert stripped.holes == ((1, BLOCK),)
