"""Deletion: text, hashes and everything made from them go in one transaction; a tombstone stays (design, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import orjson

from bobctx.core.types import Scope, UserScope
from bobctx.errors import NotFound
from bobctx.store.chains import Before, Chains
from bobctx.store.driver import Conn
from bobctx.store.recording import Known, find_named
from bobctx.store.rows import bounds, text_of_row
from bobctx.store.shortlist import conflict_ids
from bobctx.store.spines import Conversation, branch_of, find_conversation, path_of
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

Select = Callable[[Conn, Conversation], Sequence[Known]]
"""Which live messages of a conversation go."""

STEP = 5000
"""Messages deleted in one transaction; more are taken in several, each complete in itself."""
FRAGMENTS = 12
FRAGMENT_CHARS = 40
"""Pieces of deleted text that the file is searched for afterwards."""


@dataclass(slots=True)
class Deleted:
    """The receipt: counts by table, and pieces of the text for the check of the file."""

    counts: Counter[str] = field(default_factory=Counter)
    fragments: list[str] = field(default_factory=list)
    more: bool = False
    """Whether there is more to delete than one transaction takes."""

    def add(self, other: Deleted) -> None:
        """Take in another receipt."""
        self.counts.update(other.counts)
        self.fragments.extend(other.fragments[: FRAGMENTS - len(self.fragments)])


def everything(conn: Conn, conversation: Conversation) -> Sequence[Known]:
    """All live messages."""
    first, last = bounds(conversation.conv)
    return [Known(*row) for row in conn.execute(SQL["rows_of_conversation"], (first, last))]


def said_by(speaker: str) -> Select:
    """The messages of one speaker."""

    def select(conn: Conn, conversation: Conversation) -> Sequence[Known]:
        first, last = bounds(conversation.conv)
        return [Known(*row) for row in conn.execute(SQL["rows_of_speaker"], (first, last, speaker))]

    return select


def older_than(timestamp: float) -> Select:
    """The messages made before a time (Unix seconds); where a host gave none, first seen before it."""

    def select(conn: Conn, conversation: Conversation) -> Sequence[Known]:
        first, last = bounds(conversation.conv)
        return [Known(*row) for row in conn.execute(SQL["rows_older"], (first, last, timestamp))]

    return select


def delete(
    tx: Transaction, scope: Scope, select: Select, chains: Chains, now: float, *, forget: Callable[[int], None]
) -> Deleted:
    """Delete the messages that `select` names. `forget` drops a conversation from caches once it is on disk.

    Raises `NotFound` for an unknown conversation.
    """
    conversation = find_conversation(tx.conn, scope)
    if conversation is None:
        raise NotFound()
    targets = list(select(tx.conn, conversation))
    if not targets:
        return Deleted()
    work = _Deletion(tx, scope, conversation, targets[:STEP], all_go=len(targets) == conversation.messages)
    work.run(chains, now)
    work.done.more = len(targets) > STEP
    tx.conn.execute(SQL["meta_set"], ("purge_pending", 1))
    tx.after.append(lambda: forget(conversation.conv))
    return work.done


@dataclass(slots=True)
class _Deletion:
    tx: Transaction
    scope: Scope
    at: Conversation
    targets: Sequence[Known]
    all_go: bool
    """The whole conversation goes, if not in this transaction: what was made from it goes in the first."""
    done: Deleted = field(default_factory=Deleted)
    claim_ids: set[str] = field(default_factory=set)
    """Claims that go: those of regions that held a target."""
    reply_keys: set[str] = field(default_factory=set)
    """Replies that go."""

    @property
    def conn(self) -> Conn:
        return self.tx.conn

    def run(self, chains: Chains, now: float) -> None:
        at, conn = self.at, self.conn
        before = None if self.all_go else chains.before_change(conn, self.scope, at)
        if not self.all_go:
            gone = self._regions()
            self._replies()
            self._other_regions(gone, before)
        self._messages()
        at.shape += 1
        at.revision += 1
        at.last_edit_ts = now
        if self.all_go:
            before = None
            self._all_regions()
        elif before is not None:
            before = self._stripped(before)
        at.chain += chains.after_change(self.tx, self.scope, at, before, now).changed
        self._surroundings()
        conn.execute(
            SQL["conversation_update"],
            (
                at.leaf, at.shape, at.chain + 1, at.next_seq, at.next_branch, at.backend, at.last_edit_ts, now,
                at.messages, at.tokens, at.conv,
            ),
        )  # fmt: skip
        if at.messages == 0:
            conn.execute(SQL["conversation_forget"], (at.conv,))

    # -- what was made from the messages ------------------------------------------------------

    def _regions(self) -> set[int]:
        """Delete every compaction, also retired and refused ones, whose region holds a target."""
        rows = {t.row for t in self.targets}
        gone: set[int] = set()
        for key, _, first, last, count, _, claims_json in self.conn.execute(SQL["regions"], (self.at.conv,)).fetchall():
            inside = [row for row in rows if first <= row <= last]
            if not inside:
                continue
            members = self._members(first, last)
            places = {i for i, row in enumerate(members) if row in rows}
            if not places:
                continue
            exact = len(members) == count
            for claim in orjson.loads(claims_json):
                if not exact or places.intersection(claim["cites"]):
                    self.claim_ids.add(claim["id"])
            gone.add(key)
        for key in gone:
            self.conn.execute(SQL["compaction_delete"], (key,))
        self.done.counts["compactions"] += len(gone)
        self.done.counts["claims"] += len(self.claim_ids)
        return gone

    def _members(self, first: int, last: int) -> list[int]:
        """The rows of a region: those between its ends on the branch of its last message."""
        path = path_of(self.conn, self.at.conv, branch_of(self.conn, last), last)
        found = self.conn.execute(SQL["region_rows"], (first, last)).fetchall()
        return [row for row, branch in found if row <= path.get(branch, 0)]

    def _replies(self) -> None:
        """Delete replies whose prompt held a target or a claim that cites one."""
        seqs = {t.seq for t in self.targets}
        for key, reply_key, held, aliases in self.conn.execute(SQL["prompts"], (self.at.conv,)).fetchall():
            priors = (orjson.loads(aliases) or {}).get("priors") or {}
            if seqs.isdisjoint(orjson.loads(held)) and self.claim_ids.isdisjoint(priors.values()):
                continue
            self.reply_keys.add(reply_key)
            self.conn.execute(SQL["reply_delete"], (key,))
            self.done.counts["replies"] += 1

    def _other_regions(self, gone: set[int], before: Before | None) -> None:
        """Delete rows outside the active chain that were read from a deleted reply: their notes may quote it."""
        active = {link.compaction.compaction_id for link in before.chain.links} if before is not None else set()
        for key, name, _, _, _, reply_key, _ in self.conn.execute(SQL["regions"], (self.at.conv,)).fetchall():
            if key not in gone and reply_key in self.reply_keys and name not in active:
                self.conn.execute(SQL["compaction_delete"], (key,))
                self.done.counts["compactions"] += 1

    def _all_regions(self) -> None:
        self.done.counts["claims"] += len(self.conn.execute(SQL["claims_held"], (self.at.conv,)).fetchall())
        for key, *_, claims_json in self.conn.execute(SQL["regions"], (self.at.conv,)).fetchall():
            self.claim_ids.update(claim["id"] for claim in orjson.loads(claims_json))
            self.conn.execute(SQL["compaction_delete"], (key,))
            self.done.counts["compactions"] += 1
        for key, *_ in self.conn.execute(SQL["prompts"], (self.at.conv,)).fetchall():
            self.conn.execute(SQL["reply_delete"], (key,))
            self.done.counts["replies"] += 1

    def _stripped(self, before: Before) -> Before:
        """The old chain, with rows that were read from a deleted reply reduced to their checked claims."""
        links = []
        for link in before.chain.links:
            row = link.compaction
            if row.reply_key in self.reply_keys:
                self.conn.execute(SQL["compaction_forget"], (self.at.conv, row.compaction_id))
                # Without its former place the row is written anew, with hashes that fit what is left of it.
                row = replace(row, narrative={}, validation={}, prev_chain_sha256="")
            links.append(replace(link, compaction=row))
        return replace(before, chain=replace(before.chain, links=tuple(links)))

    def _surroundings(self) -> None:
        """Traces may name or quote anything: those of the conversation go. Pins and votes on lost claims go too."""
        conv, counts = self.at.conv, self.done.counts
        counts["runs"] += self.conn.execute(SQL["runs_delete"], (conv,)).rowcount
        counts["runs"] += self.conn.execute(SQL["contexts_delete"], (conv, conv)).rowcount
        if self.all_go:
            counts["pins"] += self.conn.execute(SQL["pins_delete_all"], (conv,)).rowcount
            counts["feedback"] += self.conn.execute(SQL["feedback_delete_all"], (conv, conv)).rowcount
            self._decisions()
            return
        self._decisions()
        for claim_id in self.claim_ids:
            counts["pins"] += self.conn.execute(SQL["pins_of_claim_delete"], (conv, claim_id)).rowcount
            counts["feedback"] += self.conn.execute(SQL["feedback_delete"], (conv, claim_id)).rowcount

    def _decisions(self) -> None:
        """What was decided against claims of other conversations stays: they would hold again."""
        conn, user, gone = self.conn, self.scope.user_id, self.claim_ids
        for conflict, conv, keep, lost_json in conn.execute(SQL["resolutions_kept"], (user,)).fetchall():
            before = orjson.loads(lost_json)
            lost = [claim for claim in before if claim not in gone]
            if not lost and not before and self.all_go and conv == self.at.conv:
                self._anchored_elsewhere(conflict)
            elif not lost and before:
                conn.execute(SQL["resolution_delete"], (user, conflict))
            elif lost != before or keep in gone:
                kept = None if keep in gone else keep
                conn.execute(SQL["resolution_change"], (kept, orjson.dumps(lost).decode(), user, conflict))

    def _anchored_elsewhere(self, conflict: str) -> None:
        """That all sides hold goes on while others still say them; else nothing of it is left."""
        user = UserScope(user_id=self.scope.user_id)
        claim = conflict_ids(self.conn, user).get(conflict)
        if claim is None:
            self.conn.execute(SQL["resolution_delete"], (user.user_id, conflict))
            return
        (conv,) = self.conn.execute(SQL["conv_of_claim"], (user.user_id, claim)).fetchone()
        self.conn.execute(SQL["resolution_anchor"], (conv, user.user_id, conflict))

    # -- the messages ---------------------------------------------------------------------------

    def _messages(self) -> None:
        for target in self.targets:
            text = text_of_row(self.conn, target.row)
            if target.indexed:
                self.tx.reindex(target.row, text, None)
            self._remember(text)
            self.conn.execute(SQL["body_delete"], (target.row,))
            self.conn.execute(SQL["tombstone"], (target.row,))
            self.at.messages -= 1
            self.at.tokens -= target.tokens
        self.done.counts["messages"] += len(self.targets)

    def _remember(self, text: str) -> None:
        for start in (0, len(text) // 2, max(0, len(text) - FRAGMENT_CHARS)):
            piece = text[start : start + FRAGMENT_CHARS]
            if len(piece) >= FRAGMENT_CHARS // 2 and len(self.done.fragments) < FRAGMENTS:
                self.done.fragments.append(orjson.dumps(piece).decode()[1:-1])


def one(message_id: str) -> Select:
    """One message by its id or alias; `NotFound` where there is none that lives."""

    def select(conn: Conn, conversation: Conversation) -> Sequence[Known]:
        known = find_named(conn, conversation.conv, message_id)
        if known is None or known.deleted:
            raise NotFound(field="id", id=message_id)
        return [known]

    return select
