"""A request's messages against the stored spine: which ones are stored, and with what bytes. Pure.

By id where the host gives one, else by the sequence of content hashes (which bind the role).
A message that is not stored with exactly these bytes gets no alias and no offer to expand
(design, section 7).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bobctx.core.segments import Entry, Spine, entry_of
from bobctx.core.speakers import counted_tokens
from bobctx.core.types import Message

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The spine that one request is assembled from, and where each body is."""

    spine: Spine
    base: Spine
    """The stored spine."""
    messages: tuple[Message, ...] = ()
    """Bodies that the request brought; tokens are set on those that are not stored."""
    offset: int = 0
    """Spine position of `messages[0]`, where `places` is None."""
    places: tuple[int, ...] | None = None
    """For each spine position an index into `messages`, or `-1 - p` for the stored position `p`."""
    exact: bool = True
    """Every message before the new ones is stored with these bytes, and every hole was filled between them."""

    @property
    def trusted_base(self) -> bool:
        """The spine begins with the whole stored spine, byte for byte: what holds there holds here."""
        return self.places is None

    def stored_position(self, position: int) -> int | None:
        """Where the store has a body that the request did not bring; None if the request brought it."""
        if self.places is None:
            return position if position < self.offset else None
        place = self.places[position]
        return -1 - place if place < 0 else None

    def body(self, position: int) -> Message:
        """A body that the request brought, under the id, number and size of its entry on the spine."""
        place = position - self.offset if self.places is None else self.places[position]
        message = self.messages[place]
        spine = self.spine
        ident, seq, tokens = spine.ids[position], spine.seqs[position], spine.tokens[position]
        if (message.id, message.seq, message.tokens) == (ident, seq, tokens):
            return message
        return message.placed(id=ident, seq=seq, tokens=tokens)


def from_store(base: Spine, append: Sequence[Message], count: Count) -> Source:
    """The stored spine and then this turn's messages that are not recorded yet."""
    fresh = tuple(counted(m, count) for m in append if not _is_stored(base, m))
    return Source(spine=base.draft(map(entry_of, fresh)), base=base, messages=fresh, offset=base.n)


def _is_stored(base: Spine, message: Message) -> bool:
    at = base.index_of(message.id)
    return at is not None and base.hashes[at] == message.sha256


def counted(message: Message, count: Count) -> Message:
    """`message` as one that is not stored, with its tokens."""
    return replace(message, seq=None, tokens=message.tokens or counted_tokens(message, count))


def from_request(base: Spine, messages: Sequence[Message], holes: Sequence[Hole], count: Count) -> Source:
    """The request's own messages; where a block of ours stood (`holes`), what it stood for is filled in.

    `messages` come without preamble and without our blocks.
    """
    if len(messages) >= base.n and base.hashes[: base.n] == [m.sha256 for m in messages[: base.n]]:
        fresh = tuple(counted(m, count) for m in messages[base.n :])
        spine = base.draft(map(entry_of, fresh)) if base.n else Spine.build(map(entry_of, fresh))
        return Source(spine=spine, base=base, messages=(*messages[: base.n], *fresh))
    where = _positions(base)
    blocks = [(hole, _named(base, span)) for hole, span in holes]
    found = align(base, messages, where, [(hole, stood) for hole, stood in blocks if stood])
    filled = _fillable(found, blocks)
    entries: list[Entry] = []
    own: list[Message] = []
    places: list[int] = []
    same = [p is not None and base.hashes[p] == m.sha256 for m, p in zip(messages, found, strict=True)]
    for index, (message, place) in enumerate(zip(messages, found, strict=True)):
        for position in filled.get(index, ()):
            entries.append(base.entry(position))
            places.append(-1 - position)
        if place is not None and same[index]:
            entries.append(base.entry(place))
            own.append(message)
        else:
            sized = counted(message, count)
            own.append(sized if place is None else replace(sized, id=base.ids[place]))
            entries.append(entry_of(own[-1]))
        places.append(index)
    known = max((i for i, stored in enumerate(same) if stored), default=-1)
    exact = all(same[: known + 1]) and all(
        hole <= known and hole in filled and _is_back(stood, found, filled) for hole, stood in blocks
    )
    if blocks and known >= 0 and known + 1 < len(messages) and (found[known] or 0) + 1 < base.n:
        exact = False  # stored messages and unknown ones at the end: what we had converted came back
    return Source(spine=Spine.build(entries), base=base, messages=tuple(own), places=tuple(places), exact=exact)


Hole = tuple[int, tuple[int, int] | None]
"""A place among the request's messages where a block of ours stood, and the arrival numbers that it named."""


def _fillable(places: Sequence[int | None], blocks: Sequence[tuple[int, range | None]]) -> dict[int, range]:
    """Stored positions that stand before a message of the request, where our block stood for them.

    Known neighbours say it best; where they were cut or converted, the block's own words do. The
    newest user message may stand alone after the block, so the gap after it is ours too.
    """
    found: dict[int, range] = {}
    for hole, stood in blocks:
        for index in (hole, hole + 1):
            if not 0 < index < len(places):
                continue
            before, after = places[index - 1], places[index]
            if before is not None and after is not None:
                if after > before:
                    found[index] = range(before + 1, after)
            elif index == hole and stood is not None and _between(places, hole, stood):
                found[index] = stood
    return found


def _is_back(stood: range | None, places: Sequence[int | None], filled: Mapping[int, range]) -> bool:
    """Whether all that a block said it stood for is in the list again."""
    if stood is None:
        return True
    own = sum(1 for p in places if p is not None and p in stood)
    return own + sum(max(0, min(r.stop, stood.stop) - max(r.start, stood.start)) for r in filled.values()) >= len(stood)


def _named(base: Spine, span: tuple[int, int] | None) -> range | None:
    """Positions of arrival numbers on the stored spine."""
    if span is None:
        return None
    seqs = base.seqs
    first = bisect_left(seqs, span[0], key=lambda seq: seq or 0)
    last = bisect_left(seqs, span[1], key=lambda seq: seq or 0)
    if last < base.n and (seqs[first], seqs[last]) == span:
        return range(first, last + 1)
    return None


def _between(places: Sequence[int | None], hole: int, named: range) -> bool:
    """Whether everything known before the hole is stored before `named`, and everything after it, after."""
    before = all(p < named.start for p in places[:hole] if p is not None)
    return before and all(p >= named.stop for p in places[hole:] if p is not None)


Stood = tuple[int, range]
"""A place among the request's messages where a block of ours stood, and the stored positions that it stood for."""


def align(
    base: Spine, messages: Sequence[Message], where: Mapping[str, list[int]], blocks: Sequence[Stood] = ()
) -> list[int | None]:
    """Position of each message on the stored spine, ascending; None where it is not there.

    Anchors are known ids and hashes that occur once on both sides; between two anchors equal
    hashes are paired in order, on their side of what a block stood for.
    """
    places: list[int | None] = [None] * len(messages)
    for index, position in _anchors(base, messages, where):
        places[index] = position
    low, pending = 0, list[int]()
    for index, place in enumerate((*places, base.n)):
        if place is None:
            pending.append(index)
            continue
        for waiting, position in _pair_between(messages, pending, where, (low, place), blocks):
            places[waiting] = position
        low, pending = place + 1, []
    return places


def _positions(base: Spine) -> dict[str, list[int]]:
    where: dict[str, list[int]] = {}
    for position, sha in enumerate(base.hashes):
        where.setdefault(sha, []).append(position)
    return where


def _anchors(base: Spine, messages: Sequence[Message], where: Mapping[str, list[int]]) -> list[tuple[int, int]]:
    """(index, position) pairs that are sure, ascending in both: the longest such run."""
    seen: dict[str, int] = {}
    for message in messages:
        seen[message.sha256] = seen.get(message.sha256, 0) + 1
    sure: list[tuple[int, int]] = []
    for index, message in enumerate(messages):
        position = base.index_of(message.id)
        if position is None and seen[message.sha256] == 1:
            spots = where.get(message.sha256, ())
            position = spots[0] if len(spots) == 1 else None
        if position is not None:
            sure.append((index, position))
    return _ascending(sure)


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose positions ascend (patience sorting)."""
    tails: list[int] = []
    heads: list[int] = []
    before: list[int] = []
    for number, (_, position) in enumerate(pairs):
        pile = bisect_left(heads, position)
        before.append(tails[pile - 1] if pile else -1)
        if pile == len(heads):
            heads.append(position)
            tails.append(number)
        else:
            heads[pile] = position
            tails[pile] = number
    chosen: list[tuple[int, int]] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _pair_between(
    messages: Sequence[Message],
    pending: Sequence[int],
    where: Mapping[str, list[int]],
    bounds: tuple[int, int],
    blocks: Sequence[Stood],
) -> Iterator[tuple[int, int]]:
    """Equal hashes in order, positions from the first of `bounds` up to before the second.

    What follows a block is behind what it stood for; only if nothing is there, inside it: a user message kept raw.
    """
    low, high = bounds
    for index in pending:
        spots = where.get(messages[index].sha256)
        if not spots:
            continue
        end = min((stood.start for hole, stood in blocks if index < hole), default=high)
        behind = max((stood.stop for hole, stood in blocks if index >= hole), default=low)
        for start in (max(low, behind), low):
            at = bisect_left(spots, start)
            if at < len(spots) and spots[at] < min(high, end):
                yield index, spots[at]
                low = spots[at] + 1
                break
