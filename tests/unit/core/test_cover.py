"""The message between opening and tail: within its share, every omitted message covered or announced, sealed."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.chain import trusted_chain
from bobctx.core.claims import view_of
from bobctx.core.cover import Cover, CoverRequest, cover, recover, usable_regions
from bobctx.core.sentinel import is_ours
from bobctx.core.tokens import MESSAGE_OVERHEAD, estimate
from tests.chains import BOTH, KEY, VERSIONS, claim, rows_of, spine_of, talk

SPINE = spine_of(talk(100))
IDS = list(SPINE.ids)
SPANS = [(a, a + 10) for a in range(2, 72, 10)]


def asked(**fields: Any) -> CoverRequest:
    regions = [
        (
            a,
            b,
            [claim(f"Value {a}.{i} is {a * 10 + i}.", IDS[a:b], [i], label=f"c{i + 1}") for i in range(4)]
            if a != 22
            else [],
        )
        for a, b in SPANS
    ]
    chain = trusted_chain(SPINE, rows_of(SPINE, regions), prompt_version=VERSIONS[0], validator_version=VERSIONS[1])
    values: dict[str, Any] = {
        "view": view_of(chain),
        "spine": SPINE,
        "gap": (2, 80),
        "cap": 2_000,
        "policy": "pinned",
        "style": "seed",
        "tools": BOTH,
        "pins": (),
        "key": KEY,
        "count": estimate,
        **fields,
    }
    return CoverRequest(**values)


def runs(found: Cover) -> list[tuple[int, int]]:
    return [(run.start, run.end) for run in found.announced]


def test_what_no_claim_covers_is_announced_run_by_run() -> None:
    found = cover(asked())
    assert runs(found) == [(22, 32), (72, 80)]
    assert (found.covered, found.uncovered, found.regions) == (60, 18, 7)
    assert "m23..m32 (10 messages" in found.text
    assert is_ours(found.text, KEY, kind="block")


def test_only_regions_that_end_before_the_tail_are_usable() -> None:
    request = asked(gap=(2, 41))
    assert usable_regions(request.view, 41) == 3
    assert max(cover(request).pack.covered) == 1
    assert runs(cover(request)) == [(22, 41)]


@pytest.mark.parametrize("policy", ["seed", "pinned"])
@pytest.mark.parametrize("cap", [0, 100, 127, 128, 150, 180, 220, 300, 400, 600, 1_000])
def test_the_whole_message_stays_within_its_cap(cap: int, policy: str) -> None:
    found = cover(asked(cap=cap, policy=policy))
    assert found.covered + found.uncovered == 78
    assert found.tokens == estimate(found.text) + MESSAGE_OVERHEAD
    if found.pack.text:
        assert cap >= 128
        assert found.tokens <= cap
    if cap < 128:
        assert not found.pack.text


def test_more_room_never_shows_less() -> None:
    shown = [len(cover(asked(cap=cap)).pack.claims) for cap in range(128, 1_200, 64)]
    assert shown[-1] == 24
    assert shown == sorted(shown)


def test_messages_shown_inside_the_gap_count_as_neither() -> None:
    found = cover(asked(shown=(25, 40)))
    assert found.covered + found.uncovered == 76


def test_nothing_omitted_is_no_message() -> None:
    assert cover(asked(gap=(2, 2))).text == ""


def test_what_is_dropped_later_is_announced_with_the_same_claims() -> None:
    found = cover(asked())
    more = recover(asked(), found, also=[(80, 85)], keep_block=True)
    assert more.pack == found.pack
    assert runs(more) == [(22, 32), (72, 85)]


def test_without_its_block_everything_is_announced() -> None:
    found = recover(asked(), cover(asked()), also=[], keep_block=False)
    assert runs(found) == [(2, 80)]
    assert "[compacted history" not in found.text


def test_without_a_key_there_is_no_seal() -> None:
    assert "[bobctx:" not in cover(asked(key=None)).text
