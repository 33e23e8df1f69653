"""The rules of recording: what a call of messages does to a conversation, in one transaction (design, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import regex

from bobctx.core import identity
from bobctx.core.segments import Flag
from bobctx.core.types import PREAMBLE_ROLES, Scope
from bobctx.errors import InvalidInput, UnknownParent
from bobctx.ports import RecordResult
from bobctx.store.chains import Before, Chains
from bobctx.store.driver import Conn
from bobctx.store.rows import MAX_SEQ, Prepared, bounds, call_list, decode, row_of, text_of_row
from bobctx.store.spines import Conversation, find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

_ALIAS = regex.compile(r"m([0-9]{1,10})")
LOOK_BACK = 64
"""Newest messages that are asked whether their host names parents."""


@dataclass(frozen=True, slots=True)
class Known:
    """What recording needs of a stored message."""

    row: int
    seq: int
    branch: int
    deleted: int
    sha256: str
    flags: int
    egress: str
    tokens: int
    indexed: int
    name: str


def find_message(conn: Conn, conv: int, message_id: str) -> Known | None:
    """A stored message or tombstone by its id."""
    row = conn.execute(SQL["message_by_name"], (conv, message_id)).fetchone()
    return Known(*row) if row is not None else None


def find_named(conn: Conn, conv: int, ref: str) -> Known | None:
    """A stored message or tombstone by its id, else by its alias; no number leads outside the conversation."""
    known = find_message(conn, conv, ref)
    if known is not None:
        return known
    match = _ALIAS.fullmatch(ref)
    seq = int(match[1]) if match else 0
    if not 0 < seq <= MAX_SEQ:
        return None
    row = conn.execute(SQL["message_by_row"], (row_of(conv, seq),)).fetchone()
    return Known(*row) if row is not None else None


def _changed(stored: Known, item: Prepared) -> bool:
    """Whether a posted message is an edit: other content, or now known to be put there by the host.

    The mark is never taken back by a call that leaves it out.
    """
    marked = item.message.injected and not stored.flags & Flag.INJECTED
    return not stored.deleted and (stored.sha256 != item.message.sha256 or marked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One recording: what was posted, when, and for which backend."""

    scope: Scope
    items: Sequence[Prepared]
    backend: str | None
    truncate_after: str | None
    now: float
    ignored: int = 0
    """Own blocks that were left out already."""


def record(tx: Transaction, call: Call, chains: Chains) -> RecordResult:
    """Store what is new, edit what changed, move the leaf, and keep chain and claims in step.

    Raises `UnknownParent` and `InvalidInput`; then nothing of the call is stored.
    """
    conn = tx.conn
    conversation = find_conversation(conn, call.scope)
    if conversation is None:
        if call.truncate_after is not None and all(i.message.id != call.truncate_after for i in call.items):
            raise UnknownParent(field="truncate_after", id=call.truncate_after)
        if not call.items:
            return RecordResult(
                indexed=0, updated=0, unchanged=0, ignored=call.ignored, leaf_id=None, revision=0, seqs={}
            )
        conn.execute(SQL["conversation_insert"], (call.scope.user_id, call.scope.conversation_id, call.now))
        conversation = find_conversation(conn, call.scope)
        assert conversation is not None
    return _Recording(tx, call, conversation, chains).run()


@dataclass(slots=True)
class _Recording:
    tx: Transaction
    call: Call
    at: Conversation
    chains: Chains
    previous: Known | None = None
    """The message before the present one in the call, as a parent for it."""
    leaf: Known | None = None
    moved: bool = False
    """The active spine lost messages: a branch, a truncation, a switch."""
    indexed: int = 0
    updated: int = 0
    unchanged: int = 0
    ignored: int = 0
    deleted: list[str] = field(default_factory=list)
    seqs: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    tips: dict[int, int] = field(default_factory=dict)
    edited: list[int] = field(default_factory=list)
    restated: bool = False
    """A body changed in fields that are no part of what was said."""

    @property
    def conn(self) -> Conn:
        return self.tx.conn

    def run(self) -> RecordResult:
        call, at = self.call, self.at
        self.ignored = call.ignored
        if at.leaf is not None:
            self.leaf = Known(*self.conn.execute(SQL["message_by_row"], (at.leaf,)).fetchone())
        known = [find_message(self.conn, at.conv, item.message.id) for item in call.items]
        edits = any(k is not None and _changed(k, item) for k, item in zip(known, call.items, strict=True))
        before = self.chains.before_change(self.conn, call.scope, at) if edits else None
        waiting = self._truncate(first=True)
        for item, stored in zip(call.items, known, strict=True):
            self._one(item, stored)
        if waiting:
            self._truncate(first=False)
        return self._finish(before)

    def _truncate(self, *, first: bool) -> bool:
        """Move the leaf to the message named; True if it has to wait until the call's messages are stored."""
        target_id = self.call.truncate_after
        if target_id is None:
            return False
        target = find_message(self.conn, self.at.conv, target_id)
        if target is None:
            if first and any(item.message.id == target_id for item in self.call.items):
                return True
            raise UnknownParent(field="truncate_after", id=target_id)
        if self.leaf is None or target.row != self.leaf.row:
            self.leaf, self.moved = target, True
        return False

    def _one(self, item: Prepared, stored: Known | None) -> None:
        message = item.message
        seen = self.hashes.get(message.id)
        if seen is not None:
            if seen != message.sha256:
                raise InvalidInput("one id with different bytes in one call", field="messages", id=message.id)
            self.unchanged += 1
            return
        self.hashes[message.id] = message.sha256
        if stored is None:
            self._insert(item)
            return
        self.previous = stored
        if stored.deleted:
            self.ignored += 1
            self.deleted.append(message.id)
            return
        self.seqs[message.id] = stored.seq
        if _changed(stored, item):
            self._edit(item, stored)
        elif self._restated(item, stored):
            self.updated += 1
        else:
            self.unchanged += 1

    # -- new messages ------------------------------------------------------------------

    def _parent(self, item: Prepared) -> Known | None:
        named = item.incoming.parents
        if not named:
            if named is not None and self._host_names_parents():
                return None
            return self.previous if self.previous is not None else self.leaf
        parents = []
        for parent_id in named:
            found = find_message(self.conn, self.at.conv, parent_id)
            if found is None:
                raise UnknownParent(field="parents", id=parent_id, child=item.message.id)
            parents.append(found)
        leaf = self.leaf
        return next((p for p in parents if leaf is not None and p.row == leaf.row), parents[0])

    def _host_names_parents(self) -> bool:
        """Whether an empty list of parents means a new beginning: only where the host names parents elsewhere.

        A host whose messages all carry an empty list by default would lose its history to it.
        """
        if any(item.incoming.parents for item in self.call.items):
            return True
        newest = row_of(self.at.conv, self.at.next_seq)
        found = self.conn.execute(SQL["names_parents"], (max(bounds(self.at.conv)[0], newest - LOOK_BACK), newest))
        return found.fetchone() is not None

    def _branch_after(self, parent: Known | None) -> int:
        """The branch a new child of `parent` is on: its parent's own while that ends there, else a new one."""
        conv = self.at.conv
        if parent is None:
            branch = self.at.next_branch
            self.at.next_branch += 1
            self.conn.execute(SQL["branch_insert"], (conv, branch, None, None, 0))
            return branch
        tip = self.tips.get(parent.branch)
        if tip is None:
            tip = self.conn.execute(SQL["branch"], (conv, parent.branch)).fetchone()[2]
        if tip == parent.row:
            return parent.branch
        branch = self.at.next_branch
        self.at.next_branch += 1
        self.conn.execute(SQL["branch_insert"], (conv, branch, parent.branch, parent.row, 0))
        return branch

    def _insert(self, item: Prepared) -> None:
        at, message, entry = self.at, item.message, item.entry
        if at.next_seq > MAX_SEQ:
            raise InvalidInput("the conversation is full", field="messages")
        parent = self._parent(item)
        if self.leaf is not None and (parent is None or parent.row != self.leaf.row):
            self.moved = True
        branch = self._branch_after(parent)
        seq, flags = at.next_seq, entry.flags
        at.next_seq += 1
        if message.role in PREAMBLE_ROLES and (parent is None or parent.flags & Flag.PREAMBLE or at.messages == 0):
            flags |= int(Flag.PREAMBLE)
        row = row_of(at.conv, seq)
        searchable = int(item.words is not None)
        named = item.incoming.parents
        self.conn.execute(
            SQL["message_insert"],
            (
                row, at.conv, seq, branch, flags, message.tokens, message.role, message.id, message.sha256,
                call_list(entry.calls), call_list(entry.results), searchable, message.egress, int(message.injected),
                parent.row if parent is not None else None,
                orjson.dumps(list(named)).decode() if named else None,
                message.speaker, message.created_at, self.call.now, item.incoming.counter_id,
            ),
        )  # fmt: skip
        self.conn.execute(SQL["body_insert"], (row, item.exact, item.body_json, item.content))
        if searchable:
            self.tx.reindex(row, None, item.words)
        self.tips[branch] = row
        at.messages += 1
        at.tokens += message.tokens
        self.indexed += 1
        self.seqs[message.id] = seq
        self.leaf = self.previous = Known(
            row, seq, branch, 0, message.sha256, flags, message.egress, message.tokens, searchable, message.id
        )

    # -- edits ---------------------------------------------------------------------------

    def _restated(self, item: Prepared, stored: Known) -> bool:
        """Keep the body as last posted where only fields changed that no claim can rest on."""
        exact, body_json, _ = self.conn.execute(SQL["body"], (stored.row,)).fetchone()
        if body_json == item.body_json or identity.same_body(decode(body_json, exact), item.message.body):
            return False
        self.conn.execute(SQL["body_edit"], (item.exact, item.body_json, item.content, stored.row))
        self.restated = True
        return True

    def _edit(self, item: Prepared, stored: Known) -> None:
        message, entry = item.message, item.entry
        egress = "local" if "local" in (message.egress, stored.egress) else "cloud_ok"
        flags = entry.flags | (int(Flag.LOCAL) if egress == "local" else 0)
        if message.role in PREAMBLE_ROLES:
            flags |= stored.flags & int(Flag.PREAMBLE)
        searchable = int(item.words is not None)
        if searchable or stored.indexed:
            old = text_of_row(self.conn, stored.row) if stored.indexed else None
            self.tx.reindex(stored.row, old, item.words)
        values: tuple[Any, ...] = (
            flags, message.tokens, message.role, message.sha256, call_list(entry.calls), call_list(entry.results),
            searchable, egress, int(message.injected), message.speaker, message.created_at, item.incoming.counter_id,
            self.call.now, stored.row,
        )  # fmt: skip
        self.conn.execute(SQL["message_edit"], values)
        self.conn.execute(SQL["body_edit"], (item.exact, item.body_json, item.content, stored.row))
        self.at.tokens += message.tokens - stored.tokens
        self.updated += 1
        self.edited.append(stored.row)

    # -- the end -------------------------------------------------------------------------

    def _finish(self, before: Before | None) -> RecordResult:
        at, call = self.at, self.call
        leaf = self.leaf
        invalidated = 0
        if self.indexed or self.edited or self.restated or self.moved:
            for branch, tip in self.tips.items():
                self.conn.execute(SQL["branch_tip"], (tip, at.conv, branch))
            at.leaf = leaf.row if leaf is not None else None
            at.shape += bool(self.edited) or self.restated
            if self.edited:
                at.last_edit_ts = call.now
            if self.edited or self.moved:
                change = self.chains.after_change(self.tx, call.scope, at, before, call.now)
                at.chain += change.changed
                invalidated = change.emptied
            at.revision += 1
            self.conn.execute(
                SQL["conversation_update"],
                (
                    at.leaf, at.shape, at.chain, at.next_seq, at.next_branch, call.backend or at.backend,
                    at.last_edit_ts, call.now, at.messages, at.tokens, at.conv,
                ),
            )  # fmt: skip
        return RecordResult(
            indexed=self.indexed,
            updated=self.updated,
            unchanged=self.unchanged,
            ignored=self.ignored,
            leaf_id=leaf.name if leaf is not None else None,
            revision=at.revision,
            seqs=self.seqs,
            invalidated=invalidated,
            deleted=tuple(self.deleted),
        )
