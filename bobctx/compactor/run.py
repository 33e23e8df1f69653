"""Compacts one region: stored reply or seat, decide, commit in one transaction that checks every byte again.

At most `MAX_CALLS` paid calls for a region in all; first ask, retry with reasons, pieces and re-ask share
them, what is left goes to the extractor, and what even that cannot do becomes an `empty` link
(design, section 5).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bobctx.compactor.asking import Answer, Ask, Asking, Stretch
from bobctx.compactor.report import Outcome, RegionReport
from bobctx.compactor.seating import EXTRACTIVE, EXTRACTOR, SeatInfo
from bobctx.compactor.wire import report_to_json
from bobctx.compactor.work import Work, as_links, divided, halves
from bobctx.core.chain import Link, new_link, refill, region_prefix
from bobctx.core.claims import LOST, ClaimView, merge, overruling, priors_for
from bobctx.core.identity import CHAIN_START
from bobctx.core.policy import MAX_CALLS, Attempt, NextStep, after_result
from bobctx.core.prices import tokens_of
from bobctx.core.secrets import redact_prior, redact_region
from bobctx.core.segments import Flag, Spine
from bobctx.core.types import Compaction, EgressClass, Json, Message, PriorClaim, Region
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.errors import NotFound
from bobctx.ports import Clock, JobResult, Snapshot, Store

CITED_LOADED = 400
"""Newest cited messages of earlier claims whose text goes along for checks that compare subjects."""

DIRECTIVE_KINDS = frozenset({"prohibition", "directive", "constraint", "decision"})
"""Kinds of `report.uncovered` that are worth one more ask."""


@dataclass(slots=True, kw_only=True)
class _Piece:
    """One stretch while it is decided."""

    start: int
    end: int
    ask: Ask
    seat: SeatInfo
    reasons: tuple[str, ...] = ()
    kept: Answer | None = None
    """A good answer that a re-ask may improve."""


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What a region has used up, over all of its pieces."""

    calls: int = 0
    cost_usd: float = 0.0
    tokens_read: int = 0
    tokens_written: int = 0
    retried: bool = False
    reasked: bool = False
    died: bool = False
    capped: str | None = None
    """The spend cap for which the extractor did the work."""
    rows: list[Compaction] = field(default_factory=list)
    reports: list[RegionReport] = field(default_factory=list)


class RegionRun:
    """Compacts the region of one `Work` on one snapshot."""

    def __init__(
        self,
        store: Store,
        asking: Asking,
        clock: Clock,
        snapshot: Snapshot,
        work: Work,
        seat: SeatInfo,
        *,
        cap: int,
        secret: bytes,
        admins: tuple[str, ...] = (),
        failed_runs: int = 0,
        may_read: tuple[str, ...] = (),
    ) -> None:
        """Args:
        store: Where messages are read and links committed.
        asking: Asks seats.
        clock: Now.
        snapshot: The conversation as the work was found.
        work: The region.
        seat: Who is asked.
        cap: Reference tokens of a piece.
        secret: The database's key for placeholders of secrets.
        admins: Speakers whose directives bind others.
        failed_runs: Runs in a row, before this one, whose seat could not be reached.
        may_read: Providers and seats that may read this conversation.
        """
        self._store = store
        self._asking = asking
        self._clock = clock
        self._snapshot = snapshot
        self._work = work
        self._seat = seat
        self._cap = cap
        self._secret = secret
        self._admins = admins
        self._failed_runs = failed_runs
        self._may_read = may_read
        self._tally = _Tally()

    @property
    def calls(self) -> int:
        """Paid calls so far."""
        return self._tally.calls

    @property
    def capped(self) -> str | None:
        """The spend cap that was met, if any."""
        return self._tally.capped

    @property
    def cost_usd(self) -> float:
        """What they cost."""
        return self._tally.cost_usd

    @property
    def tokens(self) -> tuple[int, int]:
        """What they read and wrote, as the seat reported it."""
        return self._tally.tokens_read, self._tally.tokens_written

    async def run(self) -> list[RegionReport]:
        """Reports of the links that were made, or one `failed` or `stale` report after them."""
        work = self._work
        stretches = divided(self._snapshot.spine, work.start, work.end, self._cap) if work.kind == "refill" else []
        todo = list(reversed(stretches or [(work.start, work.end)]))
        try:
            while todo:
                start, end = todo.pop()
                piece = _Piece(start=start, end=end, ask="first", seat=self._seat)
                split = await self._decide(piece)
                if split is None:
                    continue
                if split < 0:
                    return self._tally.reports
                todo += [(split, end), (start, split)]
            if work.kind == "refill" and not await self._refill():
                self._stale()
        except NotFound:
            self._stale()
        return self._tally.reports

    # -- deciding ------------------------------------------------------------------

    async def _decide(self, piece: _Piece) -> int | None:
        """Asks until the stretch is settled: None when its link is made, a cut when it is halved, -1 when it failed."""
        stretch = await self._stretch(piece.start, piece.end)
        divisible = halves(self._snapshot.spine, piece.start, piece.end)
        while True:
            answer = await self._answer(stretch, piece)
            step = after_result(self._attempt(piece, answer, divisible is not None))
            if piece.kept is not None and step.action != "accept":
                answer, step = piece.kept, NextStep(action="accept", reason="re-ask_no_better")
            if step.action == "accept":
                return await self._close(stretch, piece, answer, step, "shadow_ok")
            if step.action == "empty":
                return await self._close(stretch, piece, answer, step, "empty")
            if step.action == "fail":
                self._report(stretch, answer, "failed", (step.reason, answer.result.error_detail))
                return -1
            if step.action == "halve" and divisible is not None:
                return divisible
            await self._again(stretch, piece, answer, step)

    async def _answer(self, stretch: Stretch, piece: _Piece) -> Answer:
        """From a stored reply, else from the seat, else (calls spent) from the extractor."""
        named = self._work.link.reply_key if self._work.kind == "reread" and self._work.link is not None else None
        if named is not None and piece.ask == "first" and not self._tally.calls:
            again = await self._asking.named(stretch, named)
            if again is not None:
                return again
        if self._tally.calls and piece.ask == "first":
            piece.ask = "piece"
        stored = await self._asking.stored(stretch, piece.seat, piece.ask, piece.reasons)
        if stored is not None:
            return stored
        if piece.seat.name != EXTRACTOR and self._tally.calls >= MAX_CALLS:
            piece.seat, piece.ask, piece.reasons = EXTRACTIVE, "first", ()
        booking = await self._asking.book(stretch, piece.seat)
        if booking.refused is not None:
            self._tally.capped = booking.refused
            if piece.kept is not None:
                return piece.kept
            piece.seat, piece.ask, piece.reasons = EXTRACTIVE, "first", ()
        answer = await self._asking.ask(stretch, piece.seat, piece.ask, piece.reasons, booking, kept=piece.kept)
        self._tally.calls += answer.called
        self._tally.cost_usd += answer.result.cost_usd or 0.0
        read, written = tokens_of(answer.result.usage)
        self._tally.tokens_read += read
        self._tally.tokens_written += written
        return answer

    def _attempt(self, piece: _Piece, answer: Answer, divisible: bool) -> Attempt:
        result = answer.result
        return Attempt(
            calls=self._tally.calls,
            report=result.report if result.error is None else None,
            error=result.error,
            error_detail=result.error_detail,
            extractor=piece.seat.name == EXTRACTOR,
            small=piece.seat.small,
            retried=self._tally.retried,
            died=self._tally.died,
            reasked=self._tally.reasked,
            divisible=divisible,
            missing_directive=any(u.get("kind") in DIRECTIVE_KINDS for u in result.report.uncovered),
            failed_runs=self._failed_runs,
        )

    async def _again(self, stretch: Stretch, piece: _Piece, answer: Answer, step: NextStep) -> None:
        """Prepare the next ask of the same stretch; each one is booked as a call of its own."""
        if step.action == "again":
            self._tally.died = True
        elif step.action == "retry":
            self._tally.retried = True
            piece.ask, piece.reasons = "retry", step.reasons
        elif step.action == "re-ask":
            self._tally.reasked = True
            piece.ask, piece.reasons, piece.kept = "re-ask", step.reasons, answer
        else:
            await self._keep_rejected(stretch, answer, step)
            piece.seat, piece.ask, piece.reasons = EXTRACTIVE, "first", ()

    # -- reading -------------------------------------------------------------------

    async def _stretch(self, start: int, end: int) -> Stretch:
        """The messages of a stretch and the claims before it."""
        spine = self._snapshot.spine
        messages = await self._load(spine.ids[start:end])
        # On threads: a long conversation has thousands of claims, and turns go on meanwhile.
        view = await asyncio.to_thread(self._view)
        active = sorted({p for c in view.claims if c.active for p in c.cites})
        texts = await self._texts(active[-CITED_LOADED:])
        region, prior = await asyncio.to_thread(self._shown, Region(messages=tuple(messages), start=start), view, texts)
        return Stretch(
            scope=self._snapshot.scope,
            region=region,
            prior=prior,
            prior_messages=tuple(spine.ids[p] for p in active),
            prefix=region_prefix(len(self._before())),
            admins=self._admins,
            may_read=self._may_read,
        )

    def _view(self) -> ClaimView:
        """The claims so far. One that an operator decided against is not current: saying its value again counts."""
        return overruling(merge(self._before()), self._snapshot.overruled)

    def _shown(
        self, region: Region, view: ClaimView, texts: Mapping[int, str]
    ) -> tuple[Region, tuple[PriorClaim, ...]]:
        """What seats and the validator see: known secrets are placeholders, the same ones everywhere.

        A cloud seat sees no claim that rests on local text, as little as the text itself.
        """
        priors = priors_for(view, self._snapshot.spine, texts=texts)
        if self._seat.egress != "local":
            priors = tuple(claim for claim in priors if claim.egress != "local")
        return redact_region(region, self._secret), tuple(redact_prior(claim, self._secret) for claim in priors)

    async def _load(self, ids: Sequence[str]) -> list[Message]:
        messages = await self._store.load(self._snapshot.scope, ids)
        if len(messages) != len(ids):
            raise NotFound("a message of the region is gone")
        return messages

    def _before(self) -> tuple[Link, ...]:
        """All links before the next piece: the trusted ones, and those of this run."""
        return (*self._work.before, *as_links(self._tally.rows, self._work.start))

    async def _texts(self, wanted: Sequence[int]) -> dict[int, str]:
        """Texts of messages by spine position, of those that are still there."""
        spine = self._snapshot.spine
        loaded = await self._store.load(self._snapshot.scope, [spine.ids[p] for p in wanted])
        texts = {m.id: m.text for m in loaded}
        return {p: texts[spine.ids[p]] for p in wanted if spine.ids[p] in texts}

    # -- writing -------------------------------------------------------------------

    async def _close(
        self, stretch: Stretch, piece: _Piece, answer: Answer, step: NextStep, status: Literal["shadow_ok", "empty"]
    ) -> int | None:
        """Make the link; commit it at once unless it is part of a refill. -1 where the data moved on."""
        row = self._row(stretch, answer, step, status)
        if self._work.kind != "refill" and not await self._commit(stretch, row):
            self._stale()
            return -1
        self._tally.rows.append(row)
        self._report(stretch, answer, status, (step.reason,))
        return None

    async def _commit(self, stretch: Stretch, row: Compaction) -> bool:
        return await self._store.commit_compaction(self._snapshot.scope, row, region_hashes=stretch.hashes)

    async def _keep_rejected(self, stretch: Stretch, answer: Answer, step: NextStep) -> None:
        """Keep what the validator refused, for the report; it is never part of the chain."""
        if answer.result.error is None and self._work.kind != "refill":
            await self._commit(stretch, self._row(stretch, answer, step, "shadow_rejected"))

    async def _refill(self) -> bool:
        """Put the new rows in the place of a lost link, with the later links re-linked."""
        work = self._work
        assert work.link is not None
        links = [link.compaction for link in (*work.before, *work.after)]
        links.insert(work.index, work.link)
        rows = refill(
            self._snapshot.scope, self._snapshot.spine, links, work.index, self._tally.rows, self._clock.now()
        )
        return await self._store.replace_suffix(self._snapshot.scope, work.link.compaction_id, rows)

    def _row(
        self,
        stretch: Stretch,
        answer: Answer,
        step: NextStep,
        status: Literal["shadow_ok", "empty", "shadow_rejected"],
    ) -> Compaction:
        before = self._before()
        result = answer.result
        full = status == "shadow_ok"
        return new_link(
            self._snapshot.scope,
            previous=before[-1].compaction.chain_sha256 if before else CHAIN_START,
            index=len(before),
            ids=[m.id for m in stretch.region.messages],
            hashes=stretch.hashes,
            status=status,
            claims=result.claims if full else (),
            narrative=result.narrative if full else {},
            reply_key=answer.reply_key,
            prior_sha256=stretch.prior_sha256,
            backend=result.seat if status != "empty" else "none",
            prompt_version=PROMPT_VERSION,
            validator_version=VALIDATOR_VERSION,
            attempts=self._tally.calls,
            validation=self._validation(result, step, status),
            tokens_in=stretch.region.tokens,
            tokens_out=_output_tokens(result),
            elapsed_ms=result.elapsed_ms,
            error=result.error,
            now=self._clock.now(),
        )

    def _validation(self, result: JobResult, step: NextStep, status: str) -> Mapping[str, Json]:
        report = {**report_to_json(result.report), "reason": step.reason}
        lost = self._work.link.validation.get(LOST) if self._work.link is not None else None
        if status == "empty" and lost:
            report[LOST] = lost
        return report

    # -- reporting -----------------------------------------------------------------

    def _report(self, stretch: Stretch, answer: Answer, status: Outcome, reasons: Sequence[str]) -> None:
        result = answer.result
        codes = sorted({r.code for r in result.report.rejections})
        self._tally.reports.append(
            RegionReport(
                prefix=stretch.prefix,
                status=status,
                claims=len(result.claims) if status == "shadow_ok" else 0,
                rejected=len(result.report.rejections),
                reasons=tuple(dict.fromkeys(r for r in (*reasons, self._tally.capped, *codes) if r)),
                seat=result.seat,
                calls=self._tally.calls,
                cost_usd=self._tally.cost_usd,
                messages=len(stretch.region.messages),
                tokens=stretch.region.tokens,
                rejections=Counter(r.code for r in result.report.rejections),
            )
        )

    def _stale(self) -> None:
        """The conversation changed meanwhile: what was asked is stored, what is due is found again."""
        if self._work.kind == "refill":
            self._tally.reports = [replace(r, status="stale", claims=0) for r in self._tally.reports]
        self._tally.reports.append(
            RegionReport(prefix=region_prefix(self._work.index), status="stale", reasons=("conversation_changed",))
        )


def region_class(spine: Spine, start: int, end: int) -> EgressClass:
    """The strictest class of the messages."""
    return "local" if any(f & Flag.LOCAL for f in spine.flags[start:end]) else "cloud_ok"


def _output_tokens(result: JobResult) -> int:
    reported = result.usage.get("completion_tokens")
    return reported if isinstance(reported, int) else len(result.raw) // 4
