"""Memories of functions over texts: the same answers with and without, and empty when told to be."""

from __future__ import annotations

import ast
import gc
from pathlib import Path

import bobctx
from bobctx.core import remembering
from bobctx.core.salience import stems
from bobctx.core.stemming import stem

PACKAGE = Path(bobctx.__file__).parent
WITHOUT_TEXT = {"_rendering", "_counter", "window_catalog", "window_table", "_named", "_without", "_verbs", "_own"}
WITHOUT_TEXT |= {"_patterns", "_pattern", "fold_char", "_opens", "_turned", "_table", "_irregular", "_deeds"}
WITHOUT_TEXT |= {"_load", "number_stems", "sign", "_stages", "participants", "_acts", "_asks", "_cut", "_words"}
WITHOUT_TEXT |= {"pattern", "_forms", "_lexicon"}
"""Functions with a memory of tables, patterns or single characters."""


def test_an_answer_is_computed_once_and_again_after_forgetting() -> None:
    calls: list[str] = []

    @remembering.remembered(4)
    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    assert [length("abc"), length("abc")] == [3, 3]
    assert calls == ["abc"]
    remembering.forget_texts()
    assert length("abc") == 3
    assert calls == ["abc", "abc"]
    remembering.MEMORIES.remove(length)


def test_nothing_that_was_read_stays() -> None:
    before = stems("the peregrine gateway was restarted", "en")
    assert stem("peregrines", "en")
    remembering.forget_texts()
    held = [
        item for memory in remembering.MEMORIES for item in gc.get_referents(memory) if isinstance(item, tuple | str)
    ]
    assert held == []
    assert stems("the peregrine gateway was restarted", "en") == before


def test_every_memory_of_a_text_can_be_emptied() -> None:
    """Fails if a function over texts is given a memory that `forget_texts` does not know."""
    kept = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
                if named & {"lru_cache", "cache", "functools.lru_cache", "functools.cache"}:
                    kept.add(node.name)
    assert kept == WITHOUT_TEXT
