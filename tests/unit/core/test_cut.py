from __future__ import annotations

from unittest.mock import patch

import pytest

from bobctx.core import cut as module
from bobctx.core.cut import cut_middle, safe_boundary
from bobctx.core.tokens import estimate

FAMILY = "👩‍👩‍👧‍👦"


def test_a_text_that_fits_is_not_touched() -> None:
    assert cut_middle("short", 50, estimate, "m1") == "short"


@pytest.mark.parametrize("limit", [60, 200, 1_000])
@pytest.mark.parametrize("word", ["some words here. ", "好的请把端口改成", FAMILY, "e\u0301\u0302", "x"])
def test_a_cut_text_fits_and_names_its_message(word: str, limit: int) -> None:
    cut = cut_middle(word * 8_000, limit, estimate, "m12")
    assert estimate(cut) <= limit
    assert "m12" in cut
    assert cut.startswith(word[:1]) or limit == 60


@pytest.mark.parametrize("cluster", [FAMILY, "e\u0301\u0302\u0303", "🇩🇪", "각", "👍🏽"])
@pytest.mark.parametrize("limit", [400, 411, 432, 443])
def test_clusters_are_not_divided(cluster: str, limit: int) -> None:
    cut = cut_middle(cluster * 3_001, limit, estimate, "m1")
    head, _, rest = cut.partition("\n[...")
    tail = rest.partition("...]\n")[2]
    assert head == cluster * (len(head) // len(cluster))
    assert tail == cluster * (len(tail) // len(cluster))


def test_words_and_numbers_are_not_divided() -> None:
    cut = cut_middle("port 9443 is open " * 2_000, 100, estimate, "m1")
    kept = set(cut.partition("\n[...")[0].split())
    assert kept <= {"port", "9443", "is", "open"}


def test_an_opened_fence_is_closed_and_opened_again() -> None:
    text = "before\n```python\n" + "x = 1\n" * 4_000 + "```\nafter"
    cut = cut_middle(text, 200, estimate, "m1")
    head, _, rest = cut.partition("[...")
    assert head.count("```") == 2
    assert rest.count("```") == 2
    assert cut.endswith("after")


def test_the_ends_are_kept() -> None:
    cut = cut_middle("first line\n" + "middle\n" * 5_000 + "last line", 100, estimate, "m1")
    assert cut.startswith("first line")
    assert cut.endswith("last line")


@pytest.mark.parametrize("limit", [0, 5, 20])
def test_the_smallest_cut_is_the_note_alone(limit: int) -> None:
    assert cut_middle("words " * 1_000, limit, estimate, "m1").startswith("[... about")


@pytest.mark.parametrize("at", [-1, 0, 3, 500, 10_000])
def test_boundaries_stay_inside_the_text(at: int) -> None:
    text = "ab\u0301" * 200
    assert 0 <= safe_boundary(text, at) <= len(text)
    assert 0 <= safe_boundary(text, at, forward=True) <= len(text)


def test_the_cut_is_a_function_of_its_arguments() -> None:
    assert cut_middle("words " * 900, 80, estimate, "m1") == cut_middle("words " * 900, 80, estimate, "m1")


def test_only_so_much_before_a_cut_is_read_for_fences() -> None:
    """Fails if a text of nothing but fences is read from its start for every try at a cut."""
    with patch.object(module, "_FENCE", wraps=module._FENCE) as fence:
        cut_middle("```\n" * 300_000, 200, len, "m1", tokens=1_200_000)
    assert fence.finditer.call_count
    assert all(len(call.args[0]) <= module.FENCE_REACH for call in fence.finditer.call_args_list)
