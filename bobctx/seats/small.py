"""A small local model behind the port of any seat: it is asked about windows, and its answers are one reply.

Keeps nothing between asks. What a single window costs (an answer that is cut, or is no JSON) is that window's alone;
an endpoint that does not answer ends the pass (design, section 5, Small seat).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace

from bobctx.core.overflow import window_after
from bobctx.core.policy import SMALL_PASS_WAITS
from bobctx.core.reply import ReplyError
from bobctx.core.small_prompts import (
    INSTRUCTION_TOKENS,
    MAX_WINDOWS,
    OUTPUT_TOKENS,
    concerns,
    halves,
    small_prompt,
    small_schema,
    windows_of,
)
from bobctx.core.small_replies import claims_of, joined
from bobctx.core.types import EgressClass, Json, RawClaim, Region
from bobctx.errors import SeatFailed
from bobctx.ports import Seat, SeatReply, SeatRequest

NO_ANSWER = frozenset({"timeout", "unreachable", "rate_limited", "provider_error"})
"""Reasons that say nothing about the window: the endpoint is asked once more, then the pass ends."""
TRIES = 2
DIVIDED = frozenset({"truncated", "context_length", "too_large"})
"""Reasons that half a window avoids."""


@dataclass(slots=True)
class _Pass:
    """What one pass has found and used up."""

    answers: list[tuple[RawClaim, ...]] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    """Windows of which something has no usable answer, by reason."""
    usage: Counter[str] = field(default_factory=Counter)
    last: SeatReply | None = None
    window: int | None = None
    """Tokens that the model reads, once a window was over it."""


class SmallSeat:
    """Asks `inner` about each window of a region and joins what it says."""

    def __init__(self, inner: Seat) -> None:
        """`inner` is any seat of a model."""
        self._inner = inner

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    @property
    def egress(self) -> EgressClass:
        """The model's."""
        return self._inner.egress

    @property
    def window(self) -> int:
        """The model's; a region of any size is divided for it."""
        return self._inner.window

    async def ask(self, request: SeatRequest) -> SeatReply:
        """One pass. Raises `SeatFailed`: the endpoint's own failures, `too_large`, or what most windows ended with."""
        kept = claims_of(request.kept, "stop") if request.kept else ()
        windows = windows_of(request.region, seat_window=request.window or self._inner.window)
        if request.kept:  # a re-ask: the windows that lack something, beside what was found
            windows = [w for w in windows if concerns(w, request.reasons)]
        if len(windows) > MAX_WINDOWS:
            raise SeatFailed(f"{len(windows)} windows, at most {MAX_WINDOWS} are asked in one pass", reason="too_large")
        done = _Pass()
        for window in windows:
            await self._window(request, window, done)
        if sum(done.lost.values()) * 2 > max(1, len(windows)):
            reason, count = done.lost.most_common(1)[0]
            told = f"{count} of {len(windows)} windows have no usable answer"
            raise SeatFailed(told, reason=reason, window=done.window)
        known = [] if isinstance(kept, ReplyError) else [kept]
        text = joined([*known, *done.answers], request.region, request.prior)
        usage: dict[str, Json] = {**done.usage, "windows": len(windows), "windows_lost": dict(done.lost)}
        last = done.last or SeatReply(text="")
        return replace(last, text=text, finish_reason="stop", usage=usage, window=done.window)

    async def _window(self, request: SeatRequest, window: Region, done: _Pass) -> None:
        """One window, in halves where its answer was too long."""
        waiting, lost = [window], ""
        while waiting:
            one = waiting.pop(0)
            found = await self._answer(request, one, done)
            if not isinstance(found, str):
                done.answers.append(found)
                continue
            smaller = halves(one) if found in DIVIDED else []
            lost = lost or ("" if smaller else found)
            waiting = smaller + waiting
        if lost:
            done.lost[lost] += 1

    async def _answer(self, request: SeatRequest, window: Region, done: _Pass) -> tuple[RawClaim, ...] | str:
        """The claims about one window, or why there are none."""
        try:
            reply = await self._reply(self._request(request, window), done)
        except SeatFailed as failure:
            reason = str(failure.data.get("reason", failure.code))
            if reason in NO_ANSWER:
                raise
            if reason == "context_length":
                sent = INSTRUCTION_TOKENS + sum(m.tokens for m in window.messages) + OUTPUT_TOKENS
                known = done.window or request.window or self._inner.window
                done.window = window_after(known, failure.data.get("window"), sent)
            return reason
        done.last = reply
        done.usage.update({k: v for k, v in reply.usage.items() if isinstance(v, int) and not isinstance(v, bool)})
        claims = claims_of(reply.text, reply.finish_reason)
        return claims.code if isinstance(claims, ReplyError) else claims

    async def _reply(self, request: SeatRequest, done: _Pass) -> SeatReply:
        """One answer; an endpoint that gave none is asked once more."""
        failure = SeatFailed("no answer in time", reason="timeout")
        for _ in range(TRIES):
            done.usage["requests"] += 1
            try:
                async with asyncio.timeout(request.timeout_s):
                    return await self._inner.ask(request)
            except TimeoutError:
                continue
            except SeatFailed as error:
                failure = error
                if error.data.get("reason") not in NO_ANSWER:
                    break
        raise failure

    def _request(self, request: SeatRequest, window: Region) -> SeatRequest:
        room = max(64, (request.window or self._inner.window) - INSTRUCTION_TOKENS)
        return replace(
            request,
            region=window,
            prior=(),
            prompt=tuple(small_prompt(window, request.reasons)),
            schema=small_schema(window),
            max_output_tokens=min(OUTPUT_TOKENS, room),
            timeout_s=request.timeout_s / SMALL_PASS_WAITS,
        )
