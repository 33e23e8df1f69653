"""The public functions of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bobctx
from bobctx import render_claims_block, select_region
from bobctx.core.selection import read_messages
from tests.chains import claim, talk

DICTS = [{"role": m.role, "content": m.text, "id": m.id} for m in talk(400)]


def test_all_public_names_exist() -> None:
    assert {name for name in bobctx.__all__ if not hasattr(bobctx, name)} == set()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = bobctx.nothing_of_the_sort


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, bobctx; print(sorted(m for m in sys.modules if m.startswith('bobctx')))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['bobctx']"


def test_a_region_starts_after_the_opening_and_ends_at_an_exchange() -> None:
    region = select_region(DICTS)
    assert region is not None
    assert region.start == 2
    assert region.messages[0].role == "user"
    assert region.messages[-1].role == "assistant"
    assert region.tokens <= 12_000


def test_the_next_region_begins_where_the_last_one_ended() -> None:
    first = select_region(DICTS, region_tokens=3_000)
    assert first is not None
    second = select_region(DICTS, covered_end=first.end, region_tokens=3_000)
    assert second is not None
    assert second.start == first.end


def test_a_short_conversation_has_no_region() -> None:
    assert select_region(DICTS[:10]) is None
    assert select_region([]) is None


def test_leading_system_messages_are_no_part_of_it() -> None:
    region = select_region([{"role": "system", "content": "Be brief."}, *DICTS])
    assert region is not None
    assert (region.start, region.messages[0].id) == (2, "id2")


def test_messages_without_ids_get_stable_ones() -> None:
    plain = [{"role": m["role"], "content": m["content"]} for m in DICTS[:4]]
    assert [m.id for m in read_messages(plain)] == [m.id for m in read_messages(plain)]


def test_a_region_and_its_claims_render() -> None:
    region = select_region(DICTS)
    assert region is not None
    accepted = [claim("Turn 2 is alpha.", [m.id for m in region.messages], [0], importance=3)]
    text = render_claims_block([(region, accepted)])
    assert "- r1.c1 [fact] Turn 2 is alpha. [cites: m3]" in text
