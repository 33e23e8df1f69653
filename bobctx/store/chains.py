"""The chain of the active spine inside a write: added to, replaced, re-linked, with `claims` derived beside it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from bobctx.core import chain as core_chain
from bobctx.core.chain import Chain
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Scope
from bobctx.store import claims, compactions
from bobctx.store.compactions import Compactions
from bobctx.store.driver import Conn
from bobctx.store.rows import row_of
from bobctx.store.spines import Conversation, Spines, find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

VERIFIED_KEPT = 64
"""Conversations whose checked hashes are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The prompt and validator whose compactions are trusted now."""

    prompt: str
    validator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a change of messages did to the chain."""

    changed: bool
    emptied: int = 0
    """Regions that lost their claims."""


@dataclass(frozen=True, slots=True)
class Before:
    """The chain as it was before the messages changed."""

    chain: Chain
    spine: Spine


class Chains:
    """Chain work of the writer, over caches that only hold what is committed."""

    def __init__(self, spines: Spines, held: Compactions, versions: Versions) -> None:
        self._spines = spines
        self._held = held
        self._verified: OrderedDict[int, core_chain.Verified] = OrderedDict()
        self.versions = versions

    def drop(self, conv: int) -> None:
        """Forget a conversation; on the writer's thread, like all that is done here."""
        self._verified.pop(conv, None)

    def spine(self, conn: Conn, conversation: Conversation) -> Spine:
        """The active spine as this transaction sees it."""
        return self._spines.get(conn, conversation, conversation.leaf, keep=False)

    def current(
        self, conn: Conn, scope: Scope, conversation: Conversation, spine: Spine, versions: Versions | None = None
    ) -> Chain:
        """The trusted chain on `spine`, as this transaction sees it."""
        rows = self._held.live(conn, conversation.conv, keep=False)
        return self._trusted(conversation.conv, spine, rows, scope, versions or self.versions)

    def _trusted(self, conv: int, spine: Spine, rows: Sequence[Compaction], scope: Scope, versions: Versions) -> Chain:
        """The trusted chain of `rows`; what was hashed for this conversation last time is not hashed again."""
        verified = core_chain.Verified(self._verified.pop(conv, None))
        chain = core_chain.trusted_chain(
            spine,
            rows,
            prompt_version=versions.prompt,
            validator_version=versions.validator,
            scope=scope,
            verified=verified,
        )
        self._verified[conv] = verified
        if len(self._verified) > VERIFIED_KEPT:
            self._verified.popitem(last=False)
        return chain

    # -- messages changed ------------------------------------------------------------------

    def before_change(self, conn: Conn, scope: Scope, conversation: Conversation) -> Before | None:
        """The chain before an edit or deletion; None where nothing was ever compacted."""
        if conn.execute(SQL["compaction_exists"], (conversation.conv,)).fetchone() is None:
            return None
        spine = self.spine(conn, conversation)
        return Before(self.current(conn, scope, conversation, spine), spine)

    def after_change(
        self, tx: Transaction, scope: Scope, conversation: Conversation, before: Before | None, now: float
    ) -> Change:
        """Re-link what still stands on the active spine and derive its claims; `before` after an edit or deletion."""
        conn, conv = tx.conn, conversation.conv
        if before is None and conn.execute(SQL["compaction_exists"], (conv,)).fetchone() is None:
            claims.derive(conn, conv, Spine(), Chain(links=(), start=0))
            return Change(changed=False)
        spine = self.spine(conn, conversation)
        if before is not None:
            old = [link.compaction for link in before.chain.links]
        else:
            old = _strays(spine, self.current(conn, scope, conversation, spine), self.versions)
        emptied = self._relink(conn, scope, conv, spine, old, now) if old else 0
        if before is not None:
            # An edit may also take the active spine to another branch, with links of its own.
            strays = _strays(spine, self.current(conn, scope, conversation, spine), self.versions)
            if strays:
                self._relink(conn, scope, conv, spine, strays, now)
        self.derive(conn, scope, conversation, spine)
        return Change(changed=True, emptied=emptied)

    def _relink(self, conn: Conn, scope: Scope, conv: int, spine: Spine, old: Sequence[Compaction], now: float) -> int:
        new = core_chain.relink(scope, spine, old, now)
        kept = {id(row) for row in new}
        gone = [row for row in old if id(row) not in kept]
        moved = {(row.reply_key, row.input_sha256) for row in new if row.reply_key is not None}
        for row in gone:
            # A row that only moved along lives on in its copy; one that lost its region is kept for the record.
            again = (row.reply_key, row.input_sha256) in moved
            conn.execute(SQL["compaction_forget" if again else "compaction_retire"], (conv, row.compaction_id))
        known = {id(row) for row in old}
        self._insert_links(conn, conv, spine, [row for row in new if id(row) not in known])
        had = sum(row.status == "shadow_ok" for row in old)
        return max(0, had - sum(row.status == "shadow_ok" for row in new))

    def _insert_links(self, conn: Conn, conv: int, spine: Spine, links: Sequence[Compaction]) -> None:
        for link in links:
            first, last = _ends(conv, spine, link)
            compactions.insert(conn, conv, link, first=first, last=last)

    def derive(self, conn: Conn, scope: Scope, conversation: Conversation, spine: Spine) -> None:
        """Make `claims` what the trusted chain says."""
        claims.derive(conn, conversation.conv, spine, self.current(conn, scope, conversation, spine))

    # -- the compactor's results --------------------------------------------------------------

    def commit(self, tx: Transaction, scope: Scope, link: Compaction, region_hashes: Sequence[str]) -> bool:
        """Add one link to the end of the chain, if its place and every message are still what it was made from."""
        conn = tx.conn
        conversation = find_conversation(conn, scope)
        if conversation is None:
            return False
        spine = self.spine(conn, conversation)
        start = spine.index_of(link.first_id)
        if start is None or not _stands(spine, link, start, region_hashes):
            return False
        if link.status == "shadow_rejected":
            self._insert_links(conn, conversation.conv, spine, [link])
            return True
        versions = self.versions
        if link.status == "shadow_ok":
            versions = Versions(prompt=link.prompt_version, validator=link.validator_version)
        candidates = self._held.live(conn, conversation.conv, keep=False)
        conv = conversation.conv
        chain = self._trusted(conv, spine, candidates, scope, versions)
        if any(known.compaction.compaction_id == link.compaction_id for known in chain.links):
            return True
        if chain.covered_end != start or chain.head_sha256 != link.prev_chain_sha256:
            return False
        grown = self._trusted(conv, spine, (*candidates, link), scope, versions)
        if not _ends_with(grown, [link]):
            return False
        self._store(conn, scope, conversation, spine, [link], grown if versions == self.versions else None)
        return True

    def replace_suffix(
        self, tx: Transaction, scope: Scope, from_compaction_id: str, links: Sequence[Compaction]
    ) -> bool:
        """Retire the chain from one link on and put `links` there, if they hold on the active spine."""
        conn = tx.conn
        conversation = find_conversation(conn, scope)
        if conversation is None or not links:
            return False
        spine = self.spine(conn, conversation)
        candidates = self._held.live(conn, conversation.conv, keep=False)
        first = next((row for row in candidates if row.compaction_id == from_compaction_id), None)
        if first is None or links[0].prev_chain_sha256 != first.prev_chain_sha256:
            return False
        suffix = _followers(candidates, first)
        left = tuple(row for row in candidates if row.compaction_id not in suffix)
        versions = _versions_of(links, self.versions)
        grown = self._trusted(conversation.conv, spine, (*left, *links), scope, versions)
        if not _ends_with(grown, links):
            return False
        for compaction_id in suffix:
            conn.execute(SQL["compaction_retire"], (conversation.conv, compaction_id))
        self._store(conn, scope, conversation, spine, links, grown if versions == self.versions else None)
        return True

    def _store(
        self,
        conn: Conn,
        scope: Scope,
        conversation: Conversation,
        spine: Spine,
        links: Sequence[Compaction],
        grown: Chain | None,
    ) -> None:
        """`grown` is the chain with `links` in it; None where the present versions do not trust them."""
        self._insert_links(conn, conversation.conv, spine, links)
        if grown is None:
            grown = self.current(conn, scope, conversation, spine)
        claims.derive(conn, conversation.conv, spine, grown)
        conn.execute(SQL["conversation_touch"], (conversation.conv,))


def _ends_with(chain: Chain, links: Sequence[Compaction]) -> bool:
    """Whether `links` are the newest of the chain."""
    names = [link.compaction.compaction_id for link in chain.links]
    return names[-len(links) :] == [link.compaction_id for link in links]


def _followers(rows: Sequence[Compaction], first: Compaction) -> list[str]:
    """`first` and every row that is chained to it, through others or not."""
    heads, found = {first.chain_sha256}, [first.compaction_id]
    grown = True
    while grown:
        grown = False
        for row in rows:
            if row.prev_chain_sha256 in heads and row.compaction_id not in found:
                heads.add(row.chain_sha256)
                found.append(row.compaction_id)
                grown = True
    return found


def _versions_of(links: Sequence[Compaction], default: Versions) -> Versions:
    first = next((link for link in links if link.status == "shadow_ok"), None)
    if first is None:
        return default
    return Versions(prompt=first.prompt_version, validator=first.validator_version)


def _ends(conv: int, spine: Spine, link: Compaction) -> tuple[int, int]:
    """Rows of the first and last message of a link on `spine`."""
    found = []
    for message_id in (link.first_id, link.last_id):
        position = spine.index_of(message_id)
        seq = spine.seqs[position] if position is not None else None
        assert seq is not None, "a stored link names stored messages"
        found.append(row_of(conv, seq))
    return found[0], found[1]


def _stands(spine: Spine, link: Compaction, start: int, region_hashes: Sequence[str]) -> bool:
    end = start + link.count
    return (
        0 < link.count == len(region_hashes)
        and end <= spine.n
        and spine.ids[end - 1] == link.last_id
        and spine.hashes[start:end] == list(region_hashes)
    )


def _strays(spine: Spine, chain: Chain, versions: Versions) -> list[Compaction]:
    """The chain with rows that lost their place in it through a change made on another branch, in spine order.

    Empty where there are none. Rows that only overlap the end of this branch wait for their own branch.
    """
    held = {(link.compaction.input_sha256, link.start) for link in chain.links}
    found: list[tuple[int, Compaction]] = []
    for row in chain.untrusted:
        first, last = spine.index_of(row.first_id), spine.index_of(row.last_id)
        if first is None or last is None or last - first + 1 != row.count or (row.input_sha256, first) in held:
            continue
        if (row.prompt_version, row.validator_version) == (versions.prompt, versions.validator):
            found.append((first, row))
    if not found:
        return []
    found.sort(key=lambda item: item[0])
    return [*(link.compaction for link in chain.links), *(row for _, row in found)]
