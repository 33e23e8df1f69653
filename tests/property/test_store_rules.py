"""Recording, editing, branching, truncating and deleting in any order agree with a model in plain Python.

Two users share every conversation and message id: no read of one ever shows a byte of the other
(invariant I6), what was recorded last is what comes back (I2), what was deleted is nowhere (I13),
and claims are those of the trusted chain (I1). Fails, for one, when a cache outlives an edit.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bobctx.core.claims import view_of
from bobctx.core.types import Scope
from bobctx.errors import NotFound, UnknownParent
from bobctx.store import SqliteStore
from tests.integration.store.making import PROMPT, VALIDATOR, chain_of, compact, posted, put

T = TypeVar("T")

USERS = ("ana", "bo")
NAMES = [f"x{i}" for i in range(12)]
ROOT = ""
"""An empty list of parents: a new beginning, where parents are named at all."""
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


class Model:
    """One conversation as a tree: what the rules say, in the simplest words."""

    def __init__(self) -> None:
        self.text: dict[str, str | None] = {}
        self.parent: dict[str, str | None] = {}
        self.order: list[str] = []
        self.leaf: str | None = None
        self.names_parents = False
        self.said: dict[str, list[str]] = {}
        """Every text a message ever had: all of them go with it."""

    def path(self, leaf: str | None) -> list[str]:
        found = []
        while leaf is not None:
            found.append(leaf)
            leaf = self.parent[leaf]
        return found[::-1]

    def spine(self, leaf: str | None) -> list[str]:
        return [m for m in self.path(leaf) if self.text[m] is not None]

    def record(self, items: list[tuple[str, str]], parent: str | None, truncate_after: str | None) -> None:
        if truncate_after is not None:
            self.leaf = truncate_after
        previous = None
        for name, text in items:
            if name not in self.text or self.text[name] is not None:
                self.said.setdefault(name, []).append(text)
        for place, (name, text) in enumerate(items):
            if name not in self.text:
                named = parent if place == 0 else None
                root = named == ROOT and self.names_parents
                self.parent[name] = None if root else (named or previous or self.leaf)
                self.names_parents = self.names_parents or bool(named)
                self.text[name] = text
                self.order.append(name)
                self.leaf = name
            elif self.text[name] is not None:
                self.text[name] = text
            previous = name


class StoreRules(RuleBasedStateMachine):
    """Every step goes to the store and to the model of one of two users."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.models = {user: Model() for user in USERS}
        self.steps = 0

    def do(self, work: Awaitable[T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize()
    def start(self) -> None:
        """A store in which both users have said a little already."""
        self.open()
        for user in USERS:
            for name in NAMES[:6]:
                self.record(user, [name], "alpha", same=False, under=None, cut=None)

    def open(self) -> None:
        self.store = self.do(SqliteStore.open(self.folder / "x.db", prompt_version=PROMPT, validator_version=VALIDATOR))

    def scope(self, user: str) -> Scope:
        return Scope(conversation_id="shared", user_id=user)

    def words(self, user: str, word: str) -> str:
        self.steps += 1
        return f"{user}only {word} {self.steps}."

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(NAMES[:8]), word=st.sampled_from(WORDS))
    def edit(self, user: str, name: str, word: str) -> None:
        self.record(user, [name], word, same=False, under=None, cut=None)

    @rule(
        user=st.sampled_from(USERS),
        names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True),
        word=st.sampled_from(WORDS),
        same=st.booleans(),
        under=st.one_of(st.none(), st.just(ROOT), st.sampled_from(NAMES)),
        cut=st.one_of(st.none(), st.none(), st.sampled_from(NAMES)),
    )
    def say(self, user: str, names: list[str], word: str, same: bool, under: str | None, cut: str | None) -> None:
        self.record(user, names, word, same=same, under=under, cut=cut)

    def record(self, user: str, names: list[str], word: str, *, same: bool, under: str | None, cut: str | None) -> None:
        model = self.models[user]
        items = [(n, (model.text.get(n) if same else None) or self.words(user, word)) for n in names]
        messages = [
            posted(n, "user" if int(n[1:]) % 2 == 0 else "assistant", text, tokens=2100,
                   **({"parents": [under] if under else []} if under is not None and place == 0 else {}))
            for place, (n, text) in enumerate(items)
        ]  # fmt: skip
        unknown_parent = bool(under) and under not in model.text and names[0] not in model.text
        unknown_cut = cut is not None and cut not in model.text
        if unknown_cut and cut in names and not unknown_parent:
            return  # a cut at a message of the same call: shown by an example test
        try:
            self.do(put(self.store, messages, scope=self.scope(user), truncate_after=cut, now=float(self.steps)))
            assert not unknown_parent
            assert not unknown_cut
            model.record(items, under, cut)
        except UnknownParent:
            assert unknown_parent or unknown_cut

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(NAMES))
    def delete(self, user: str, name: str) -> None:
        model = self.models[user]
        try:
            self.do(self.store.delete_message(self.scope(user), name, now=float(self.steps)))
            assert model.text.get(name) is not None
            model.text[name] = None
        except NotFound:
            assert model.text.get(name) is None

    @rule(user=st.sampled_from(USERS), counts=st.lists(st.integers(1, 3), min_size=1, max_size=4))
    def compact(self, user: str, counts: list[int]) -> None:
        for count in counts:
            self.compact_once(user, count)

    def compact_once(self, user: str, count: int) -> None:
        snapshot = self.do(self.store.snapshot(self.scope(user)))
        chain = chain_of(snapshot)
        if snapshot.spine.n - chain.covered_end < count:
            return
        claims = [("c1", f"{user} region {self.steps} {len(chain.links)}", 0)]
        _, taken = self.do(compact(self.store, count, claims, scope=self.scope(user), reply_key=f"r{self.steps}"))
        self.steps += 1
        assert taken

    @rule()
    def reopen(self) -> None:
        self.do(self.store.close())
        self.open()

    # -- what always holds ---------------------------------------------------------------------

    @invariant()
    def spines_texts_and_numbers_agree(self) -> None:
        if not hasattr(self, "store"):
            return
        for user, model in self.models.items():
            scope = self.scope(user)
            assert list(self.do(self.store.snapshot(scope)).spine.ids) == model.spine(model.leaf)
            alive = [name for name in model.order if model.text[name] is not None]
            loaded = self.do(self.store.load(scope, alive))
            assert [m.text for m in loaded] == [model.text[name] for name in alive]
            assert [m.seq for m in loaded] == [model.order.index(name) + 1 for name in alive]
            for leaf in alive[-2:]:
                other = self.do(self.store.snapshot(scope, leaf))
                assert list(other.spine.ids) == model.spine(leaf)
                assert other.spine.hashes[-1] == loaded[alive.index(leaf)].sha256

    @invariant()
    def nothing_crosses_from_one_user_to_the_other(self) -> None:
        if not hasattr(self, "store"):
            return
        for user, model in self.models.items():
            stranger = next(u for u in USERS if u != user)
            hits = self.do(self.store.search(self.scope(user), " ".join(WORDS), limit=50))
            expected = {name for name, text in model.text.items() if text is not None}
            assert {hit.message.id for hit in hits} == expected
            assert all(f"{stranger}only" not in hit.message.text for hit in hits)
            assert self.do(self.store.search(self.scope(user), f"{stranger}only", limit=5)) == []

    @invariant()
    def claims_are_those_of_the_trusted_chain(self) -> None:
        if not hasattr(self, "store"):
            return
        for user in USERS:
            scope = self.scope(user)
            snapshot = self.do(self.store.snapshot(scope))
            view = view_of(chain_of(snapshot))
            stored = self.do(_claims(self.store, scope))
            assert stored == [(c.alias, c.claim.text, int(c.active)) for c in view.claims]
            for claim in view.claims:
                assert claim.claim.text.startswith(f"{user} region")

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.do(self.store.close())
        self.loop.close()
        data = b"".join(file.read_bytes() for file in self.folder.iterdir())
        shutil.rmtree(self.folder)
        for model in self.models.values():
            gone = [said for name, text in model.text.items() if text is None for said in model.said[name]]
            assert [text for text in gone if text.encode() in data] == []


async def _claims(store: SqliteStore, scope: Scope) -> list[Any]:
    """The `claims` rows of a scope, in alias order of the chain."""
    query = (
        "SELECT alias, text, active FROM claims JOIN conversations USING (conv)"
        " WHERE user_id = ? AND conversation_id = ?"
    )
    rows = await store._database.read(
        lambda conn: conn.execute(query, (scope.user_id, scope.conversation_id)).fetchall()
    )
    return sorted(rows, key=lambda row: [int(part) for part in row[0][1:].split(".c")])


TestStoreRules = StoreRules.TestCase
TestStoreRules.settings = settings(
    max_examples=25,
    stateful_step_count=14,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
