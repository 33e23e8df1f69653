"""Reads of messages in one snapshot: snapshot, plan, load, expand, listing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, EgressClass, Message, Pin, Scope, UserScope
from bobctx.errors import NotFound, TooLarge
from bobctx.ports import ConversationSummary, Expanded, MessageFate, Snapshot
from bobctx.store.compactions import Compactions, overruled_of, pins_of
from bobctx.store.driver import Conn
from bobctx.store.recording import Known, find_message, find_named
from bobctx.store.rows import SEQ_BITS, MessageCache, bounds, load_names, load_rows, row_of, stored
from bobctx.store.spines import Conversation, Spines, branch_of, find_conversation, path_of
from bobctx.store.statements import SQL

T = TypeVar("T")

MADE_HELD = 2000
"""Conversations whose compactions and pins are held ready."""
MAX_RANGE = 100_000
"""Messages one range, and one call, may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """What was made from a conversation and decided about it."""

    compactions: tuple[Compaction, ...]
    pins: tuple[Pin, ...]
    overruled: frozenset[str]


class Reads:
    """What readers share: the caches. Every method runs whole in one snapshot."""

    def __init__(self) -> None:
        self.spines = Spines()
        self.compactions = Compactions()
        self.bodies = MessageCache()
        self._made: OrderedDict[int, tuple[int, _Made]] = OrderedDict()
        self._lock = threading.Lock()

    def drop(self, conv: int) -> None:
        """Forget a conversation."""
        self.spines.drop(conv)
        self.compactions.drop(conv)
        self.bodies.drop(conv)
        with self._lock:
            self._made.pop(conv, None)

    def _made_from(self, conn: Conn, conversation: Conversation, owner: str) -> _Made:
        """Compactions, pins and decisions, read again only when the chain revision moved."""
        held = self._made.get(conversation.conv)
        if held is not None and held[0] == conversation.chain:
            return held[1]
        made = _Made(
            compactions=self.compactions.live(conn, conversation.conv, keep=True),
            pins=pins_of(conn, conversation.conv),
            overruled=overruled_of(conn, conversation.conv, owner),
        )
        with self._lock:
            held = self._made.pop(conversation.conv, held)
            if held is None or held[0] < conversation.chain:
                held = (conversation.chain, made)
            self._made[conversation.conv] = held
            if len(self._made) > MADE_HELD:
                self._made.popitem(last=False)
        return made

    def snapshot(self, conn: Conn, scope: Scope, leaf_id: str | None) -> tuple[Conversation | None, Snapshot]:
        """The spine that ends in `leaf_id`, else in the leaf, and what goes with it; `NotFound` for a foreign one."""
        conversation = find_conversation(conn, scope)
        if conversation is None:
            if leaf_id is not None:
                raise NotFound(field="leaf_id")
            return None, Snapshot(scope=scope, revision=0, spine=Spine(), compactions=(), exists=False)
        leaf = conversation.leaf
        if leaf_id is not None:
            leaf = resolve(conn, conversation, leaf_id, field="leaf_id").row
        made = self._made_from(conn, conversation, scope.user_id)
        return conversation, Snapshot(
            scope=scope,
            revision=conversation.revision,
            spine=self.spines.get(conn, conversation, leaf),
            compactions=made.compactions,
            pins=made.pins,
            overruled=made.overruled,
            mode=conversation.mode,
            paused=conversation.paused,
            backend=conversation.backend,
            last_edit_ts=conversation.last_edit_ts,
            exists=conversation.messages > 0,
        )

    def plan(
        self,
        conn: Conn,
        scope: Scope,
        leaf_id: str | None,
        planner: Callable[[Snapshot], tuple[T, Sequence[int]]],
    ) -> tuple[T, list[Message]]:
        """Snapshot, planner, and the bodies at the positions it named."""
        conversation, snapshot = self.snapshot(conn, scope, leaf_id)
        result, positions = planner(snapshot)
        if conversation is None or not positions:
            return result, []
        seqs = snapshot.spine.seqs
        wanted = [row_of(conversation.conv, seqs[p] or 0) for p in positions]
        found = load_rows(conn, wanted, shape=conversation.shape, cache=self.bodies)
        return result, [found[row] for row in wanted]

    def path(self, conn: Conn, scope: Scope) -> list[tuple[str, str]]:
        """Ids and hashes along the active branch, tombstones too; nothing where nothing is deleted."""
        conversation = find_conversation(conn, scope)
        if conversation is None or conversation.leaf is None or conversation.messages == conversation.next_seq - 1:
            return []
        base, leaf = bounds(conversation.conv)[0], conversation.leaf
        limits = path_of(conn, conversation.conv, branch_of(conn, leaf), leaf)
        rows = conn.execute(SQL["path_rows"], (base, leaf))
        return [(ident, sha256) for row, branch, ident, sha256 in rows if row <= limits.get(branch, 0)]

    def newest(self, conn: Conn, scope: Scope, leaf_id: str | None, limit: int) -> list[Message]:
        """The last messages of a branch, oldest first, without reading its spine."""
        conversation = find_conversation(conn, scope)
        if conversation is None or conversation.leaf is None:
            return []
        leaf = conversation.leaf if leaf_id is None else resolve(conn, conversation, leaf_id, field="leaf_id").row
        base = bounds(conversation.conv)[0]
        limits = path_of(conn, conversation.conv, branch_of(conn, leaf), leaf)
        on_path = (
            row for row, branch in conn.execute(SQL["newest_rows"], (base, leaf)) if row <= limits.get(branch, 0)
        )
        wanted = list(islice(on_path, limit))[::-1]
        found = load_rows(conn, wanted, shape=conversation.shape, cache=self.bodies)
        return [found[row] for row in wanted]

    def load(self, conn: Conn, scope: Scope, ids: Sequence[str]) -> list[Message]:
        """Messages by id, in the order asked."""
        conversation = find_conversation(conn, scope)
        if conversation is None:
            return []
        return load_names(conn, conversation.conv, ids, shape=conversation.shape, cache=self.bodies)

    def expand(
        self, conn: Conn, scope: Scope, refs: Sequence[str], *, offset: int, max_messages: int, max_chars: int
    ) -> tuple[list[Expanded], int, int | None]:
        """A page of the messages that `refs` name: page, total, offset of the next page."""
        conversation = find_conversation(conn, scope)
        if conversation is None:
            raise NotFound(field="ids")
        named: list[int] = []
        for ref in refs:
            named += _rows_of(conn, conversation, ref)
            if len(named) > MAX_RANGE:
                raise TooLarge(f"The ids name more than {MAX_RANGE} messages.", field="ids")
        wanted = list(dict.fromkeys(named))
        page = wanted[offset : offset + max_messages]
        found = load_rows(conn, page, shape=conversation.shape, cache=self.bodies)
        expanded: list[Expanded] = []
        used = 0
        for place, row in enumerate(page, offset):
            message = found[row]
            used += len(message.text)
            if expanded and used > max_chars:
                break
            expanded.append(Expanded(message=message, offset=place))
        following = offset + len(expanded)
        return expanded, len(wanted), following if following < len(wanted) else None


def fate(conn: Conn, scope: Scope, ref: str) -> MessageFate:
    """What is known of a message, deleted or not, by its id or alias. Raises `NotFound`."""
    conversation = find_conversation(conn, scope)
    known = None if conversation is None else find_named(conn, conversation.conv, ref)
    if known is None:
        raise NotFound(field="message", id=ref)
    row = conn.execute(SQL["fate"], (known.row,)).fetchone()
    message_id, seq, role, deleted, created_at, first_seen_ts, edited_ts, tokens, injected = row
    return MessageFate(
        id=message_id,
        seq=seq,
        role=role,
        deleted=bool(deleted),
        created_at=created_at,
        first_seen_ts=first_seen_ts,
        edited_ts=edited_ts,
        tokens=tokens,
        injected=bool(injected),
    )


def resolve(conn: Conn, conversation: Conversation, ref: str, *, field: str = "ids") -> Known:
    """A live message by its id or its alias; an id that looks like an alias is tried as an id first."""
    known = find_named(conn, conversation.conv, ref)
    if known is None or known.deleted:
        raise NotFound(field=field, id=ref)
    return known


def _rows_of(conn: Conn, conversation: Conversation, ref: str) -> list[int]:
    """Rows of one reference: a single message, or every live one between two ends of one spine."""
    first_ref, dots, last_ref = ref.partition("..")
    if not dots or not first_ref or not last_ref or find_message(conn, conversation.conv, ref) is not None:
        return [resolve(conn, conversation, ref).row]
    first, last = resolve(conn, conversation, first_ref.strip()), resolve(conn, conversation, last_ref.strip())
    if last.row - first.row >= MAX_RANGE or last.row < first.row:
        raise NotFound(field="ids", id=ref)
    path = _path_with(conn, conversation, first, last)
    if path is None:
        raise NotFound(field="ids", id=ref)
    base = bounds(conversation.conv)[0]
    rows = conn.execute(SQL["live_seqs"], (first.row, last.row)).fetchall()
    return [base + seq for seq, branch in rows if base + seq <= path.get(branch, 0)]


def _path_with(conn: Conn, conversation: Conversation, first: Known, last: Known) -> dict[int, int] | None:
    """The spine that holds both ends: the active one where it does, else the one that ends in `last`."""
    for leaf in (conversation.leaf, last.row):
        if leaf is None:
            continue
        found = conn.execute(SQL["message_by_row"], (leaf,)).fetchone()
        path = path_of(conn, conversation.conv, found[2], leaf)
        if all(end.row <= path.get(end.branch, 0) for end in (first, last)):
            return path
    return None


def missing(conn: Conn, scope: Scope, items: Sequence[tuple[str, str]]) -> list[str]:
    """Of (id, sha256) pairs, the ids not stored with that hash; deleted ones are not wanted back."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return [item[0] for item in items]
    known = stored(conn, conversation.conv, [item[0] for item in items])
    wanted = []
    for message_id, sha256 in items:
        found = known.get(message_id)
        if found is None or (not found[2] and found[1] != sha256):
            wanted.append(message_id)
    return wanted


def conversations(conn: Conn, owner: UserScope, limit: int, egress: EgressClass) -> list[ConversationSummary]:
    """One user's conversations, newest first."""
    return [
        ConversationSummary(
            conversation_id=row[0],
            user_id=row[1],
            messages=row[2],
            tokens=row[3],
            leaf_id=row[4],
            last_recorded_ts=row[5],
            compactions=row[6],
            claims=row[7],
            mode=row[8],
            paused=bool(row[9]),
        )
        for row in conn.execute(
            SQL["conversations_of_user"],
            {"user": owner.user_id, "local": int(egress == "local"), "bits": SEQ_BITS, "limit": limit},
        )
    ]
