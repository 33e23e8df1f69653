"""Real transcripts through the whole loop: imported, compacted with claims, assembled, verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx.cli.importing import record_all
from bobctx.core.types import Scope
from bobctx.importers import read
from evals.datasets import DATASETS, write_jsonl
from evals.loop import lane, loop

ALL_OPENING = {"claude_incr_simple_turn1", "claude_incr_subagents_turn1"}
"""Sessions that are nothing but their opening: there is nothing to compact."""

pytestmark = [pytest.mark.shared, pytest.mark.slow]


async def test_every_native_session(shared: Path, tmp_path: Path) -> None:
    """Fails when a list is invalid or over budget, a message unaccounted for, a claim not borne out."""
    async with lane(tmp_path) as access:
        for path in sorted((shared / "data" / "native_sessions").glob("*")):
            outcome = await loop(access, path.stem, read(path))
            assert outcome.problems == [], path.name
            assert outcome.claims > 0 or path.stem in ALL_OPENING, path.name
            claims, covered, announced = outcome.shown[8_192]
            assert claims > 0 or covered + announced == 0, path.name


@pytest.mark.parametrize("name", DATASETS)
async def test_a_few_conversations_of_each_data_set(shared: Path, tmp_path: Path, name: str) -> None:
    async with lane(tmp_path) as access:
        for ident, messages in DATASETS[name](shared / "data")[:2]:
            outcome = await loop(access, ident, read(write_jsonl(ident, messages, tmp_path / "jsonl")))
            assert outcome.problems == [], ident
            assert outcome.claims > 0, ident


async def test_a_session_that_grew_is_recorded_on_top_of_what_it_was(shared: Path, tmp_path: Path) -> None:
    """Fails when a second import of the same session makes new messages of the old ones, or a branch."""
    folder = shared / "data" / "native_sessions"
    before, after = (read(folder / f"claude_incr_simple_turn{n}.jsonl").messages for n in (1, 2))
    scope = Scope(conversation_id="grown", user_id="u")
    async with lane(tmp_path) as access:
        for messages, known in ((before, 0), (after, len(before)), (after, len(after))):
            answers = [answer async for answer in record_all(access, scope, messages, backend=None)]
            assert sum(a["unchanged"] for a in answers) == known
            assert sum(a["updated"] for a in answers) == 0
        assert list((await access.store.snapshot(scope)).spine.ids) == [m["id"] for m in after]
