"""Claims of a stretch of messages, by the extractor and the validator alone: no seat, no database. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bobctx.core.chain import Link, new_link, region_prefix
from bobctx.core.claims import merge, priors_for
from bobctx.core.comparing import Stated
from bobctx.core.entries import entry_of
from bobctx.core.extract import extract
from bobctx.core.identity import CHAIN_START
from bobctx.core.parts import read_message
from bobctx.core.region import select_region
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.segments import Spine, split_preamble
from bobctx.core.tokens import Count, message_tokens
from bobctx.core.types import Json, Message, Region, Scope
from bobctx.core.validator import VALIDATOR_VERSION, validate_claims

SCOPE = Scope(conversation_id="audit", user_id="audit")
REGION_CAP = 12_000


@dataclass(slots=True)
class Extracting:
    """Grows with the transcript: what was read for one compaction is not read again for the next."""

    count: Count
    advance: Callable[[int], object] = int
    """Called with the messages read since the last call."""
    messages: list[Message] = field(default_factory=list)
    spine: Spine = field(default_factory=Spine)
    links: list[Link] = field(default_factory=list)

    def read(self, before: Sequence[dict[str, Json]]) -> list[Stated]:
        """The claims of `before` that nothing in it replaced."""
        read = _messages(before)
        if [m.sha256 for m in read[: len(self.messages)]] != [m.sha256 for m in self.messages]:
            self.messages, self.spine, self.links = [], Spine(), []
        # Counting is the dearest part of reading: what stood before the last compaction too is not counted again.
        fresh = [replace(m, tokens=message_tokens(m.parts, self.count)) for m in read[len(self.messages) :]]
        self.messages = [*self.messages, *fresh]
        self.spine = self.spine.extended(entry_of(m) for m in fresh)
        while self._next():
            pass
        return self._stated()

    def _next(self) -> bool:
        start = self.links[-1].end if self.links else 0
        if start >= self.spine.n:
            return False
        found = self._region(start)
        region = Region(messages=tuple(self.messages[found[0] : found[1]]), start=found[0])
        prior = priors_for(merge(self.links), self.spine)
        parsed = parse_reply(extract(region, prior))
        raw = parsed.claims if isinstance(parsed, ParsedReply) else ()
        claims, _ = validate_claims(raw, region, (), region_prefix(len(self.links)), scope=SCOPE, prior=prior)
        row = new_link(
            SCOPE,
            previous=self.links[-1].compaction.chain_sha256 if self.links else CHAIN_START,
            index=len(self.links),
            ids=[m.id for m in region.messages],
            hashes=[m.sha256 for m in region.messages],
            status="shadow_ok",
            claims=claims,
            validator_version=VALIDATOR_VERSION,
        )
        self.links.append(Link(start=found[0], end=found[1], compaction=row))
        self.advance(found[1] - found[0])
        return True

    def _region(self, start: int) -> tuple[int, int]:
        """The opening, then what compaction would choose, then whatever is left: an audit reads all of it."""
        if start == 0 and self.spine.opening_end:
            return 0, self.spine.opening_end
        found = select_region(self.spine, covered_end=start, protected_tail=0, cap=REGION_CAP)
        return (start, self.spine.n) if found is None else found

    def _stated(self) -> list[Stated]:
        return [
            Stated(
                claim=active.claim,
                importance=active.importance,
                cited=tuple(self.messages[position] for position in active.cites),
                after=self.messages[active.cites[-1] + 1 :] if active.cites else [],
            )
            for active in merge(self.links).active
        ]


def _messages(before: Sequence[dict[str, Json]]) -> list[Message]:
    """Without the preamble, not counted yet."""
    read = [read_message(m, id=str(m.get("id") or f"line {i}")) for i, m in enumerate(before)]
    spoken = split_preamble(read)[1]
    return [replace(m, seq=i) for i, m in enumerate(spoken, 1)]
