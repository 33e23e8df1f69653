"""One ask of a seat for one stretch: a stored reply where there is one, else a paid call whose reply is kept at once.

A stored reply is never paid for again, and a paid one is saved before anything else is done with it
(design, sections 3 and 5).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import regex

from bobctx.compactor.seat_window import SeatWindow
from bobctx.compactor.seating import EXTRACTOR, SeatInfo
from bobctx.compactor.spending import Booking, Spending
from bobctx.core import identity
from bobctx.core.policy import SMALL_PASS_WAITS
from bobctx.core.types import Json, PriorClaim, Region, Scope
from bobctx.core.versions import PROMPT_VERSION
from bobctx.ports import Clock, Dispatcher, Job, JobResult, Store, StoredReply

Ask = Literal["first", "retry", "piece", "re-ask"]

UNANSWERED = frozenset({"timeout", "worker_died", "worker_failed", "unknown_seat", "egress", "stopping", "too_large"})
"""Errors after which there is no reply to keep."""
_ALIAS = regex.compile(r"\bm[0-9]{1,10}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What is asked about: messages, the claims before them, and who asks."""

    scope: Scope
    region: Region
    prior: tuple[PriorClaim, ...]
    prior_messages: tuple[str, ...]
    """Ids of the messages that the prior claims cite."""
    prefix: str
    admins: tuple[str, ...] = ()
    may_read: tuple[str, ...] = ()
    """Providers and seats that may read this conversation."""

    @property
    def hashes(self) -> tuple[str, ...]:
        """Content hashes in order."""
        return tuple(m.sha256 for m in self.region.messages)

    @property
    def prior_sha256(self) -> str:
        """Hash of the active claims shown."""
        return identity.prior_sha256(c.id for c in self.prior if c.active)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A result, the name of its stored reply, and whether a call was made for it."""

    result: JobResult
    reply_key: str | None
    called: bool


class Asking:
    """Asks through the dispatcher, with the store's replies in between."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        spending: Spending,
        *,
        window: SeatWindow,
        timeout_s: float,
    ) -> None:
        """`window` is what the seat's model reads; `timeout_s` bounds one reply, in seconds."""
        self._window = window
        self._store = store
        self._spending = spending
        self._dispatcher = dispatcher
        self._clock = clock
        self._timeout_s = timeout_s

    async def stored(self, stretch: Stretch, seat: SeatInfo, ask: Ask, reasons: Sequence[str]) -> Answer | None:
        """The answer of a stored reply, validated again: also one from a fork, before an edit, or under other ids."""
        key = _key(stretch, seat, ask, reasons)
        reply = (await self._store.replies(stretch.scope, [key])).get(key)
        if (reply is None or reply.status != "answered") and seat.name != EXTRACTOR:
            found = await self._store.replies_for(stretch.scope, stretch.hashes, prompt_version=PROMPT_VERSION)
            wanted = _reasons_sha256(stretch, reasons)
            reply = next((r for r in found if r.seat == seat.name and _answers(r, ask, wanted)), None)
        if reply is None or reply.status != "answered":
            return None
        result = await self.reread(stretch, reply)
        return None if result.error is not None else Answer(result=result, reply_key=reply.reply_key, called=False)

    async def named(self, stretch: Stretch, reply_key: str) -> Answer | None:
        """The answer of one stored reply, validated again; None where it is gone or cannot be read any more."""
        reply = (await self._store.replies(stretch.scope, [reply_key])).get(reply_key)
        if reply is None or reply.status != "answered":
            return None
        result = await self.reread(stretch, reply)
        return None if result.error is not None else Answer(result=result, reply_key=reply_key, called=False)

    async def reread(self, stretch: Stretch, reply: StoredReply) -> JobResult:
        """A stored reply under today's validator, names and priors, without a seat call."""
        return await self._dispatcher.dispatch(
            self._job(stretch, reply.seat, "first", (), raw=reply.raw, aliases=reply.aliases)
        )

    async def book(self, stretch: Stretch, seat: SeatInfo) -> Booking:
        """Book one ask before it is made; `refused` where a cap forbids it."""
        if seat.name == EXTRACTOR or seat.egress == "local":
            return Booking()
        prior = sum(len(claim.text) for claim in stretch.prior if claim.active)
        return await self._spending.book(stretch.scope, seat.name, stretch.region.tokens + prior)

    async def ask(
        self,
        stretch: Stretch,
        seat: SeatInfo,
        ask: Ask,
        reasons: Sequence[str],
        booking: Booking,
        *,
        kept: Answer | None = None,
    ) -> Answer:
        """One call; whatever came back is stored before it is returned. Raises `NotFound` where a message is gone.

        `kept` is the good answer that a re-ask may improve.
        """
        job = self._job(stretch, seat.name, ask, reasons)
        if seat.small:
            said = "" if kept is None else _said(kept, stretch.region)
            job = replace(job, timeout_s=self._timeout_s * SMALL_PASS_WAITS, kept=said)
        if seat.name != EXTRACTOR:
            job = replace(job, window=self._window.lowered)
        result = await self._dispatcher.dispatch(job)
        if result.window is not None:
            await self._window.lower(result.window)
        result = replace(result, cost_usd=await self._spending.settle(booking, result))
        key = _key(stretch, seat, ask, reasons)
        answered = result.error is None
        if answered or result.error not in UNANSWERED:
            await self._store.save_reply(
                stretch.scope,
                self._reply(stretch, seat, ask, reasons, key, result),
                message_ids=[*(m.id for m in stretch.region.messages), *stretch.prior_messages],
            )
        return Answer(result=result, reply_key=key if answered else None, called=seat.name != EXTRACTOR)

    def _job(
        self,
        stretch: Stretch,
        seat: str,
        ask: Ask,
        reasons: Sequence[str],
        *,
        raw: str | None = None,
        aliases: Mapping[str, Json] | None = None,
    ) -> Job:
        return Job(
            scope=stretch.scope,
            region=stretch.region,
            prior=stretch.prior,
            prefix=stretch.prefix,
            seat=seat,
            ask=ask,
            reasons=tuple(reasons),
            raw=raw,
            aliases=aliases,
            admins=stretch.admins,
            may_read=stretch.may_read,
            timeout_s=self._timeout_s,
        )

    def _reply(
        self, stretch: Stretch, seat: SeatInfo, ask: Ask, reasons: Sequence[str], key: str, result: JobResult
    ) -> StoredReply:
        return StoredReply(
            reply_key=key,
            region_hashes=stretch.hashes,
            prior_sha256=stretch.prior_sha256,
            ask=ask,
            reasons_sha256=_reasons_sha256(stretch, reasons),
            aliases=result.aliases,
            seat=seat.name,
            provider=result.provider,
            host=result.host,
            prompt_version=PROMPT_VERSION,
            raw=result.raw,
            usage=result.usage,
            cost_usd=result.cost_usd,
            elapsed_ms=result.elapsed_ms,
            status="answered" if result.error is None else "failed",
            error=result.error,
            created_ts=self._clock.now(),
        )


def _said(answer: Answer, region: Region) -> str:
    """The accepted claims of an answer as a reply under today's names."""
    claims = [
        {"type": c.type, "text": c.text, "cites": [region.messages[p].alias for p in c.cites]}
        for c in answer.result.claims
    ]
    return json.dumps({"claims": claims}, ensure_ascii=False)


def _reasons_sha256(stretch: Stretch, reasons: Sequence[str]) -> str:
    """Hash of the reasons with messages named by their place, so that it stays under other ids and on a fork."""
    places = {message.alias: f"#{place}" for place, message in enumerate(stretch.region.messages)}
    return identity.digest("reasons", [_ALIAS.sub(lambda m: places.get(m[0], m[0]), reason) for reason in reasons])


def _answers(reply: StoredReply, ask: Ask, reasons_sha256: str) -> bool:
    """Whether a reply about the same messages answers this ask; one to a re-ask holds only what was missing."""
    if ask in ("first", "piece"):
        return reply.ask != "re-ask"
    return reply.ask == ask and reply.reasons_sha256 == reasons_sha256


def _key(stretch: Stretch, seat: SeatInfo, ask: Ask, reasons: Sequence[str]) -> str:
    return identity.reply_key(
        stretch.scope,
        prompt_version=PROMPT_VERSION,
        seat=seat.name,
        region_hashes=stretch.hashes,
        prior=stretch.prior_sha256,
        ask=ask,
        reasons_sha256=_reasons_sha256(stretch, reasons),
    )
