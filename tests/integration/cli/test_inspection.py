"""What `status` and `verify` find in a real store that has something to find."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bobctx.cli.recheck import recheck
from bobctx.cli.standing import LATE_S, is_late, lane_standing
from bobctx.core.budget import plan_budget
from bobctx.core.chain import chain_of, new_link
from bobctx.core.identity import CHAIN_START, claim_id
from bobctx.core.parts import read_message
from bobctx.core.records import Incoming
from bobctx.core.types import Claim, Scope
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.store import SqliteStore

SCOPE = Scope(conversation_id="c", user_id="u")
NOW = 1_800_000_000.0
SAID = (
    ("user", "Hello, let us move the archive."),
    ("assistant", "Gladly."),
    ("user", "Never enable zeta-sync on any node, and keep the gateway on port 7448."),
    ("assistant", "Understood."),
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with await SqliteStore.open(tmp_path / "lane.db") as opened:
        yield opened


async def record(store: SqliteStore, said: tuple[tuple[str, str], ...], *, now: float, tokens: int = 20) -> None:
    incoming = [
        Incoming(message=read_message({"role": role, "content": text}, id=f"t{n}", tokens=tokens), counter_id="test")
        for n, (role, text) in enumerate(said)
    ]
    await store.record(SCOPE, incoming, backend=None, truncate_after=None, now=now)


async def commit(store: SqliteStore, text: str) -> None:
    """Store a claim that cites the third message, with an intact chain, whatever its text says."""
    snapshot = await store.snapshot(SCOPE)
    spine = snapshot.spine
    ids, hashes = list(spine.ids[2:4]), list(spine.hashes[2:4])
    claim = Claim(
        id=claim_id(SCOPE, "constraint", text, [ids[0]]),
        label="c1",
        type="constraint",
        importance=3,
        text=text,
        cites=(0,),
    )
    row = new_link(
        SCOPE,
        previous=CHAIN_START,
        index=0,
        ids=ids,
        hashes=hashes,
        status="shadow_ok",
        claims=[claim],
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
        now=NOW,
    )
    assert await store.commit_compaction(SCOPE, row, region_hashes=hashes)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Never enable zeta-sync on any node, and keep the gateway on port 7448.", []),
        ("Enable zeta-sync on any node.", ["negation_dropped"]),
        ("Keep the gateway on port 7449.", ["literal"]),
    ],
)
async def test_a_stored_claim_is_held_against_its_message_again(
    store: SqliteStore, text: str, codes: list[str]
) -> None:
    """Fails when `verify` trusts an intact chain instead of reading the message."""
    await record(store, SAID, now=NOW)
    await commit(store, text)
    snapshot = await store.snapshot(SCOPE)
    chain = chain_of(snapshot)
    assert chain.break_ is None
    found = await recheck(store, SCOPE, snapshot, chain)
    assert [f.claim for f in found] == ["r1.c1"] * len(codes)
    assert all(f.code.startswith(code) for f, code in zip(found, codes, strict=True)), found


@pytest.mark.parametrize(("age", "late"), [(LATE_S * 2, True), (LATE_S / 2, False)])
async def test_eligible_work_is_dated_by_the_turn_that_made_it_due(store: SqliteStore, age: float, late: bool) -> None:
    """A conversation that goes on must not hide that its compaction stands still."""
    talk = tuple((role, f"turn {n} about the archive") for n in range(40) for role in ("user", "assistant"))
    await record(store, talk, now=NOW - age, tokens=200)
    more = [
        Incoming(message=read_message({"role": "user", "content": "and now?"}, id="new", tokens=20), counter_id="test")
    ]
    await store.record(SCOPE, more, backend=None, truncate_after=None, now=NOW)
    found = await lane_standing(store, plan_budget(16_000), region_cap=2_000, profile="default", now=NOW)
    assert found["last_recorded_ts"] == NOW
    assert found["messages"] == 81
    (waiting,) = found["waiting"]
    assert waiting["age_s"] == pytest.approx(age)
    assert is_late(found) is late


async def test_nothing_waits_where_nothing_is_eligible(store: SqliteStore) -> None:
    await record(store, SAID, now=NOW - 10 * LATE_S)
    found = await lane_standing(store, plan_budget(16_000), region_cap=2_000, profile="default", now=NOW)
    assert found["waiting"] == []
    assert not is_late(found)
