"""The store as the other layers see it: `ports.Store` over one SQLite file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from bobctx.core.types import Compaction, EgressClass, Json, Message, Mode, Pin, Scope, UserScope
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.errors import NotFound
from bobctx.ports import (
    ConversationSummary,
    Expanded,
    Incoming,
    MessageFate,
    RecordResult,
    SearchHit,
    Snapshot,
    StoredReply,
    StoreHealth,
)
from bobctx.store import compactions, deletion, export, messages, recount, runs, search
from bobctx.store.catching_up import CatchingUp
from bobctx.store.chains import Chains, Versions
from bobctx.store.database import Database
from bobctx.store.driver import Conn
from bobctx.store.egress import set_egress
from bobctx.store.ledger import Ledger
from bobctx.store.messages import Reads
from bobctx.store.own_texts import split_own
from bobctx.store.recording import Call, record
from bobctx.store.removal import Removal
from bobctx.store.repeats import Repeats
from bobctx.store.rows import prepare
from bobctx.store.selection import Selection
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

T = TypeVar("T")

LARGE = 100_000
"""Code points of a call from which its columns are made off the event loop."""


class SqliteStore(Selection):
    """The one database of a lane. Make one with `open`."""

    def __init__(self, database: Database, *, versions: Versions) -> None:
        self._database = database
        self._reads = Reads()
        self._chains = Chains(self._reads.spines, self._reads.compactions, versions)
        self.ledger = Ledger(database)
        self.repeats = Repeats(database)
        self._removal = Removal(database, self._reads, self._chains, self.repeats)
        self._catching_up = CatchingUp(database)
        self._purging: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        path: Path | str,
        *,
        readonly: bool = False,
        tolerate: bool = False,
        synchronous: str = "NORMAL",
        note: Mapping[str, Json] | None = None,
        prompt_version: str = PROMPT_VERSION,
        validator_version: str = VALIDATOR_VERSION,
    ) -> SqliteStore:
        """Open the database at `path`, made and migrated if need be; `readonly` neither writes nor locks.

        `note` is left in the lock file for other processes (see `place.holder`). Raises `StoreRefused` for a
        place or file that must not be used and `StoreUnavailable` where it cannot be; with `tolerate` the latter
        is kept as a state instead: calls raise it, `health` reports it, and opening is tried again.
        """
        database = Database(Path(path), readonly=readonly, synchronous=synchronous, note=note or {})
        await database.start(tolerate=tolerate)
        store = cls(database, versions=Versions(prompt=prompt_version, validator=validator_version))
        if not readonly:
            store._resume()
        return store

    async def close(self) -> None:
        """Write what waits and close; safe to call twice."""
        tasks = [task for task in (self._catching_up.task, self._purging) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._database.close()

    async def __aenter__(self) -> SqliteStore:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def _read(self, fn: Callable[[Conn], T]) -> T:
        return await self._database.read(fn)

    async def _write(self, fn: Callable[[Transaction], T]) -> T:
        return await self._database.write(fn)

    # -- messages --------------------------------------------------------------------------

    async def record(
        self, scope: Scope, messages: Sequence[Incoming], *, backend: str | None, truncate_after: str | None, now: float
    ) -> RecordResult:
        """See `ports.Store.record`."""
        key = await self.secret()

        def columns() -> Call:
            kept, ignored = split_own(messages, key)
            items = [prepare(item, searchable=searchable) for item, searchable in kept]
            return Call(
                scope=scope, items=items, backend=backend, truncate_after=truncate_after, now=now, ignored=ignored
            )

        size = sum(len(item.message.text) for item in messages)
        call = await asyncio.to_thread(columns) if size > LARGE else columns()
        result = await self._write(lambda tx: record(tx, call, self._chains))
        if result.indexed or result.updated:
            self._catching_up.start()
        return result

    async def snapshot(self, scope: Scope, leaf_id: str | None = None) -> Snapshot:
        """See `ports.Store.snapshot`."""
        return await self._read(lambda conn: self._reads.snapshot(conn, scope, leaf_id)[1])

    async def plan(
        self, scope: Scope, leaf_id: str | None, planner: Callable[[Snapshot], tuple[T, Sequence[int]]]
    ) -> tuple[T, list[Message]]:
        """See `ports.Store.plan`. `planner` runs on a reader's thread; the messages are shared: never change them."""
        return await self._read(lambda conn: self._reads.plan(conn, scope, leaf_id, planner))

    async def path(self, scope: Scope) -> Sequence[tuple[str, str]]:
        """See `ports.Store.path`."""
        return await self._read(lambda conn: self._reads.path(conn, scope))

    async def newest(self, scope: Scope, leaf_id: str | None, *, limit: int) -> list[Message]:
        """See `ports.Store.newest`."""
        return await self._read(lambda conn: self._reads.newest(conn, scope, leaf_id, limit))

    async def load(self, scope: Scope, ids: Sequence[str]) -> list[Message]:
        """See `ports.Store.load`."""
        return await self._read(lambda conn: self._reads.load(conn, scope, ids))

    async def expand(
        self, scope: Scope, refs: Sequence[str], *, offset: int, max_messages: int, max_chars: int
    ) -> tuple[list[Expanded], int, int | None]:
        """See `ports.Store.expand`."""
        return await self._read(
            lambda conn: self._reads.expand(
                conn, scope, refs, offset=offset, max_messages=max_messages, max_chars=max_chars
            )
        )

    async def search(self, scope: Scope, query: str, *, limit: int, egress: EgressClass = "local") -> list[SearchHit]:
        """See `ports.Store.search`."""

        def work(conn: Conn) -> list[SearchHit]:
            conversation = find_conversation(conn, scope)
            if conversation is None:
                return []
            return search.search(conn, conversation, query, limit=limit, cache=self._reads.bodies, egress=egress)

        return await self._read(work)

    async def fate(self, scope: Scope, ref: str) -> MessageFate:
        """See `ports.Store.fate`."""
        return await self._read(lambda conn: messages.fate(conn, scope, ref))

    async def missing(self, scope: Scope, items: Sequence[tuple[str, str]]) -> list[str]:
        """See `ports.Store.missing`."""
        return await self._read(lambda conn: messages.missing(conn, scope, items))

    # -- compactions -----------------------------------------------------------------------

    async def replies(self, scope: Scope, keys: Sequence[str]) -> dict[str, StoredReply]:
        """See `ports.Store.replies`."""
        return dict(await self._read(lambda conn: compactions.replies_by_key(conn, scope, keys)))

    async def replies_for(
        self, scope: Scope, region_hashes: Sequence[str], *, prompt_version: str
    ) -> list[StoredReply]:
        """See `ports.Store.replies_for`."""
        return await self._read(lambda conn: compactions.replies_by_region(conn, scope, region_hashes, prompt_version))

    async def save_reply(self, scope: Scope, reply: StoredReply, *, message_ids: Sequence[str]) -> None:
        """See `ports.Store.save_reply`. Nothing is kept where a message of the prompt was deleted meanwhile."""
        await self._write(lambda tx: compactions.save_reply(tx, scope, reply, message_ids))

    async def commit_compaction(self, scope: Scope, link: Compaction, *, region_hashes: Sequence[str]) -> bool:
        """See `ports.Store.commit_compaction`."""
        return await self._write(lambda tx: self._chains.commit(tx, scope, link, region_hashes))

    async def replace_suffix(self, scope: Scope, from_compaction_id: str, links: Sequence[Compaction]) -> bool:
        """See `ports.Store.replace_suffix`."""
        return await self._write(lambda tx: self._chains.replace_suffix(tx, scope, from_compaction_id, links))

    async def compactions(self, scope: Scope, *, include_rejected: bool = False) -> list[Compaction]:
        """See `ports.Store.compactions`."""

        def work(conn: Conn) -> list[Compaction]:
            conversation = find_conversation(conn, scope)
            if conversation is None:
                return []
            found = conn.execute(SQL["compactions_of_scope"], (conversation.conv, int(include_rejected)))
            return [compactions.compaction_of(row) for row in found]

        return await self._read(work)

    # -- listing and settings ----------------------------------------------------------------

    async def conversations(
        self, owner: UserScope, *, limit: int = 1000, egress: EgressClass = "local"
    ) -> list[ConversationSummary]:
        """See `ports.Store.conversations`."""
        return await self._read(lambda conn: messages.conversations(conn, owner, limit, egress))

    async def scopes(self) -> list[Scope]:
        """See `ports.Store.scopes`."""
        return await self._read(
            lambda conn: [Scope(conversation_id=row[0], user_id=row[1]) for row in conn.execute(SQL["scopes"])]
        )

    async def set_mode(self, scope: Scope, *, mode: Mode | None = None, paused: bool | None = None) -> None:
        """See `ports.Store.set_mode`. Raises `NotFound`; what is None stays as it is."""

        def work(tx: Transaction) -> None:
            conversation = find_conversation(tx.conn, scope)
            if conversation is None:
                raise NotFound()
            new_mode = mode if mode is not None else conversation.mode
            new_paused = paused if paused is not None else conversation.paused
            tx.conn.execute(SQL["conversation_mode"], (new_mode, int(new_paused), conversation.conv))

        await self._write(work)

    async def add_pin(self, scope: Scope, pin: Pin) -> None:
        """See `ports.Store.add_pin`. Raises `NotFound` for an unknown conversation."""

        def work(tx: Transaction) -> None:
            conversation = find_conversation(tx.conn, scope)
            if conversation is None:
                raise NotFound()
            values = (conversation.conv, pin.pin_id, pin.text, pin.by, pin.claim_id, pin.created_ts)
            tx.conn.execute(SQL["pin_insert"], values)
            tx.conn.execute(SQL["conversation_touch"], (conversation.conv,))

        await self._write(work)

    async def remove_pin(self, scope: Scope, pin_id: str) -> bool:
        """See `ports.Store.remove_pin`."""

        def work(tx: Transaction) -> bool:
            conversation = find_conversation(tx.conn, scope)
            if conversation is None:
                return False
            if not tx.conn.execute(SQL["pin_delete"], (conversation.conv, pin_id)).rowcount:
                return False
            tx.conn.execute(SQL["conversation_touch"], (conversation.conv,))
            self.repeats.drop(tx, scope)  # the answer to its making holds its text
            return True

        return await self._write(work)

    async def add_run(self, scope: Scope, run: Mapping[str, Json]) -> None:
        """See `ports.Store.add_run`."""
        await self._write(lambda tx: runs.add_run(tx, scope, run))

    async def run(self, scope: Scope, trace_id: str) -> Mapping[str, Json] | None:
        """One stored trace."""
        return await self._read(lambda conn: runs.get_run(conn, scope, trace_id))

    # -- deletion ----------------------------------------------------------------------------

    async def delete_message(self, scope: Scope, message_id: str, *, now: float) -> Mapping[str, int]:
        """See `ports.Store.delete_message`. The receipt's `residue` counts pieces of the text still found on disk."""
        return await self._removal.delete([scope], deletion.one(message_id), now)

    async def delete_conversation(self, scope: Scope, *, now: float) -> Mapping[str, int]:
        """See `ports.Store.delete_conversation`."""
        return await self._removal.delete([scope], deletion.everything, now)

    async def delete_speaker(self, scope: Scope | UserScope, speaker: str, *, now: float) -> Mapping[str, int]:
        """Delete what one speaker said, in one conversation or in all of a user's."""
        scopes = [scope] if isinstance(scope, Scope) else await self._scopes_of(scope)
        return await self._removal.delete(scopes, deletion.said_by(speaker), now)

    async def erase(self, owner: UserScope, *, now: float) -> Mapping[str, int]:
        """Delete everything of one user; tombstones stay, so that re-sent histories do not bring it back."""
        scopes = await self._write(lambda tx: export.scopes_of(tx.conn, owner))  # behind every write that began before
        receipt = await self._removal.delete(scopes, deletion.everything, now)
        await self.set_retention(owner, max_age_s=None)
        await self._write(lambda tx: tx.conn.execute(SQL["learned_forget"], (owner.user_id,)).rowcount)
        return receipt

    async def set_retention(self, owner: UserScope, *, max_age_s: float | None) -> None:
        """How long a user's messages are kept, in seconds; None for ever."""

        def work(tx: Transaction) -> None:
            if max_age_s is None:
                tx.conn.execute(SQL["retention_drop"], (owner.user_id,))
            else:
                tx.conn.execute(SQL["retention_set"], (owner.user_id, max_age_s))

        await self._write(work)

    async def retentions(self) -> Mapping[str, float]:
        """See `ports.Store.retentions`."""
        return await self._read(lambda conn: dict(conn.execute(SQL["retention_all"]).fetchall()))

    async def set_egress(
        self, scope: Scope, ids: Sequence[str] | None, egress: EgressClass, *, now: float
    ) -> list[str]:
        """See `ports.Store.set_egress`."""
        return await self._write(lambda tx: set_egress(tx, scope, ids, egress, self._chains, now))

    async def apply_retention(self, owner: UserScope, *, now: float) -> Mapping[str, int]:
        """Delete what is older than the user's limit; to be called now and then."""
        max_age_s = (await self.retentions()).get(owner.user_id)
        if max_age_s is None:
            return {}
        scopes = await self._scopes_of(owner)
        return await self._removal.delete(scopes, deletion.older_than(now - max_age_s), now)

    async def export(self, owner: UserScope) -> AsyncIterator[Mapping[str, Json]]:
        """Everything stored for one user, one JSON object at a time, tombstones included."""
        for scope in await self._scopes_of(owner):
            yield {"kind": "conversation", "conversation_id": scope.conversation_id, "user_id": scope.user_id}
            after: int | None = 0
            while after is not None:
                start = after
                page, after = await self._read(partial(export.message_page, scope=scope, after=start))
                for message in page:
                    yield {"kind": "message", "conversation_id": scope.conversation_id, **message}
            for item in await self._read(partial(export.rest, scope=scope)):
                yield {"conversation_id": scope.conversation_id, **item}
        for item in await self._read(partial(export.of_user, owner=owner)):
            yield item

    async def _scopes_of(self, owner: UserScope) -> list[Scope]:
        return await self._read(lambda conn: export.scopes_of(conn, owner))

    async def stale_counts(self, counter_id: str) -> list[Scope]:
        """Conversations that hold token counts of another counter; for a start with a new one."""
        return await self._read(lambda conn: recount.stale_scopes(conn, counter_id))

    async def recount(self, scope: Scope, counter_id: str, measure: Callable[[Message], int], *, now: float) -> int:
        """Count a conversation's messages again with `measure`, all in one transaction; how many there were."""
        rows = await self._read(lambda conn: recount.stale_rows(conn, scope, counter_id))
        counts: dict[int, tuple[str, int]] = {}
        for start in range(0, len(rows), recount.PAGE):
            page = await self._read(partial(recount.read_page, rows=rows[start : start + recount.PAGE]))
            for row, message in page.items():
                counts[row] = (message.sha256, await asyncio.to_thread(measure, message))
        return await self._write(lambda tx: recount.write_counts(tx, scope, counter_id, counts, self._chains, now))

    # -- the database itself ------------------------------------------------------------------

    async def secret(self) -> bytes:
        """See `ports.Store.secret`."""
        return await self._database.secret()

    def announce(self, note: Mapping[str, Json]) -> None:
        """Replace what other processes find in the lock file (`holder`), such as the daemon's address."""
        self._database.note(note)

    async def health(self) -> StoreHealth:
        """See `ports.Store.health`: a read, and a write where this process may write."""
        return await self._database.health()

    async def index_lag(self) -> int:
        """See `ports.Store.index_lag`."""
        return await self._read(lambda conn: int(conn.execute(SQL["queue_length"]).fetchone()[0]))

    def _resume(self) -> None:
        """Go on with what a killed process left: a purge, and the substring index."""
        self._purging = asyncio.create_task(self._removal.resume(), name="bobctx-store-purge")
        self._catching_up.start()
