"""A block that came back stands only while every line of it would be shown today."""

from __future__ import annotations

import pytest

from bobctx.core.chain import trusted_chain
from bobctx.core.claims import ClaimView, view_of
from bobctx.core.cover import Cover
from bobctx.core.render import BlockParts, Style, gap_marker, render_block, run_of
from bobctx.core.sentinel import is_ours
from bobctx.core.standing import standing_cover
from bobctx.core.tokens import estimate
from bobctx.core.types import Claim, Pin, ToolSet
from tests.chains import BOTH, KEY, VERSIONS, claim, rows_of, spine_of, talk

SPINE = spine_of(talk(20))
IDS = list(SPINE.ids)
PORT = claim("The port is 8443.", IDS[2:8], [1], importance=3)
FRIDAY = claim("Deploys run on Friday.", IDS[2:8], [2], label="c2")
MOVED = claim("The port is 9443.", IDS[8:12], supersedes=PORT)
PIN = Pin(pin_id="p", text="Answer in French.\nAlways.", by="user")


def view(*regions: tuple[int, int, list[Claim]]) -> ClaimView:
    chain = trusted_chain(SPINE, rows_of(SPINE, regions), prompt_version=VERSIONS[0], validator_version=VERSIONS[1])
    return view_of(chain)


BEFORE = view((2, 8, [PORT, FRIDAY]))


def text(style: Style = "seed") -> str:
    parts = BlockParts(
        shown=frozenset(["r1.c1", "r1.c2"]), covered=[0], hidden={0: 1}, pins=[PIN], narrative={"goal": "Ship it."}
    )
    block = render_block(BEFORE, parts, SPINE, style=style, tools=BOTH)
    return f"{block}\n{gap_marker([run_of(SPINE, 8, 12)], BOTH)}"


def stands(
    now: ClaimView, *, style: Style = "seed", pins: tuple[Pin, ...] = (PIN,), tools: ToolSet = BOTH
) -> Cover | None:
    lines = [line for line in text(style).splitlines() if "summary" not in line and "goal:" not in line]
    return standing_cover("\n".join(lines), now, SPINE, pins=pins, tools=tools, key=KEY, count=estimate)


@pytest.mark.parametrize("style", ["seed", "compact"])
def test_an_unchanged_block_stands_and_is_counted(style: Style) -> None:
    found = stands(BEFORE, style=style)
    assert found is not None
    assert is_ours(found.text, KEY)
    assert [c.alias for c in found.pack.claims] == ["r1.c1", "r1.c2"]
    assert (found.covered, found.uncovered) == (6, 4)
    assert found.tokens == estimate(found.text) + 4


def test_a_block_with_a_replaced_claim_does_not_stand() -> None:
    assert stands(view((2, 8, [PORT, FRIDAY]), (8, 12, [MOVED]))) is None


def test_a_block_with_a_claim_that_is_gone_does_not_stand() -> None:
    assert stands(view((2, 8, [PORT]))) is None


def test_a_block_with_a_removed_pin_does_not_stand() -> None:
    assert stands(BEFORE, pins=()) is None


def test_a_block_for_other_tools_does_not_stand() -> None:
    assert stands(BEFORE, tools=ToolSet()) is None


def test_a_narrative_that_is_not_of_the_chain_does_not_stand() -> None:
    assert standing_cover(text(), BEFORE, SPINE, pins=(PIN,), tools=BOTH, key=KEY, count=estimate) is None


def test_a_marker_alone_stands() -> None:
    marker = gap_marker([run_of(SPINE, 8, 12)], BOTH)
    found = standing_cover(marker, view(), SPINE, pins=(), tools=BOTH, key=KEY, count=estimate)
    assert found is not None
    assert (found.uncovered, found.pack.text) == (4, "")
