"""The proxy of one lane: what becomes of a request before it goes on, and of its answer afterwards.

A boundary that catches everything (design, section 9): whatever fails inside bobctx, the request goes to
the provider with the bytes it came with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bobctx import logs
from bobctx.api.assemble import ORDER, AssembleCall
from bobctx.api.body import INLINE_BYTES, Limits, dump
from bobctx.api.learning import Sent
from bobctx.api.posted import are_long
from bobctx.api.proxy import asked as requests
from bobctx.api.proxy import naming
from bobctx.api.proxy.asked import Asked, Untouched, Wire
from bobctx.api.proxy.encoding import decoded
from bobctx.api.proxy.flights import Flight, Flights, concerns
from bobctx.api.proxy.naming import Place
from bobctx.api.proxy.outgoing import may_change, outgoing
from bobctx.api.proxy.turns import Said, Tee, Turn, answer_of, messages_of, posted_of, text_message
from bobctx.api.proxy.upstream import Upstream, UpstreamUnset
from bobctx.api.proxy.whereabouts import Whereabouts
from bobctx.core.injected import mark_injected
from bobctx.core.tools import names_of
from bobctx.core.types import Json, Message, Mode, Scope, ToolSet, UserScope
from bobctx.errors import BobctxError
from bobctx.keys import Principal

if TYPE_CHECKING:
    from bobctx.api.lane import Lane

MODE_HEADER = "x-bobctx-mode"
PREPARE_S = 1.0
"""Longest that a request is held up for bobctx's sake, seconds; an assembly alone has a shorter deadline."""
SETTLE_S = 0.25
"""Longest wait for the recording of the turn before, seconds."""
CLOSE_S = 5.0
OUTPUT_RESERVE = 4_096
"""Tokens kept for the answer where a request sets no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyConfig:
    """What the lane's settings decide."""

    openai: str | None = None
    """Address of the upstream; None: off."""
    anthropic: str | None = None
    mode: Mode = "shadow"
    prepare_s: float = PREPARE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One request as it came."""

    wire: Wire
    owner: str
    """Of the authenticated key, never of the body."""
    principal: Principal
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What goes on to the provider."""

    content: bytes
    changed: bool = False
    report: Mapping[str, str] = field(default_factory=dict)
    """Headers for the client, without their prefix."""
    tee: Tee | None = None


class Proxy:
    """Prepares requests, records turns."""

    def __init__(self, lane: Lane, config: ProxyConfig) -> None:
        self._lane = lane
        self._config = config
        addresses: Mapping[Wire, str | None] = {"openai": config.openai, "anthropic": config.anthropic}
        self._upstreams = {wire: Upstream(wire, address) for wire, address in addresses.items() if address}
        self._recording: dict[asyncio.Task[None], Scope] = {}
        self._flights = Flights()
        lane.on_erase.append(self._erase)
        self._whereabouts = Whereabouts(lane, self._settled)
        self._log = logs.get_logger()

    def upstream(self, wire: Wire) -> Upstream:
        """The provider behind a route. Raises `UpstreamUnset`."""
        found = self._upstreams.get(wire)
        if found is None:
            raise UpstreamUnset(f"This proxy is off; set BOBCTX_{wire.upper()}_UPSTREAM and start the daemon again.")
        return found

    async def close(self) -> None:
        """Let recordings end, bounded, and close connections."""
        if self._recording:
            await asyncio.wait(self._recording, timeout=CLOSE_S)
        for upstream in self._upstreams.values():
            await upstream.close()

    # -- before ----------------------------------------------------------------------------

    async def prepare(self, incoming: Incoming) -> Prepared:
        """What to send: the original bytes, or in `live` a list that fits. Never raises, never takes long."""
        try:
            async with asyncio.timeout(self._config.prepare_s):
                found = await self._prepare(incoming)
        except TimeoutError:
            found = self._pass(incoming, "deadline")
        except Exception as exc:  # noqa: BLE001 - boundary: the user's request goes on whatever fails here
            self._log.error(logs.PROXY_FAILED, where="prepare", exc_info=exc)
            found = self._pass(incoming, f"failed-{type(exc).__name__}")
        outcome = found.report.get("reason") or found.report.get("mode") or "none"
        self._lane.metrics.proxied.labels(incoming.wire, outcome.partition("-")[0]).inc()
        return found

    async def _prepare(self, incoming: Incoming) -> Prepared:
        body = await _decoded(incoming, self._lane.limits)
        if isinstance(body, Untouched):
            return self._pass(incoming, body.reason)
        asked = requests.read(incoming.wire, body, most=self._lane.limits.messages)
        if isinstance(asked, Untouched):
            return self._pass(incoming, asked.reason)
        if "off" in (incoming.headers.get(MODE_HEADER), incoming.principal.mode or self._config.mode):
            return self._pass(incoming, None)
        flight = self._flights.begin(incoming.owner)
        ids, read = await _read(asked)
        messages = mark_injected(read, self._lane.recorder.injected)
        place = await self._whereabouts.place(incoming.owner, incoming.headers, asked, ids)
        scope = Scope(conversation_id=place.conversation_id, user_id=incoming.owner)
        flight.conversation = scope.conversation_id
        if self._whereabouts.is_side_call(scope, asked, place):
            return self._pass(incoming, "side_call")
        if not self._lane.counting.ready:
            return await self._early(
                incoming, Turn(scope=scope, asked=asked, messages=_spoken(asked, messages), flight=flight)
            )
        return await self._assembled(incoming, asked, scope, place, messages, flight)

    async def _early(self, incoming: Incoming, turn: Turn) -> Prepared:
        """The daemon has just started and cannot count yet: the request goes on at once, and is recorded."""
        self._lane.counting.start()
        found = self._pass(incoming, "starting")
        if (await self._lane.store.snapshot(turn.scope)).mode == "off":
            return found
        return replace(found, tee=self._tee(turn))

    def _pass(self, incoming: Incoming, reason: str | None) -> Prepared:
        report = {"mode": "off" if reason is None else "pass"}
        return Prepared(content=incoming.content, report=report if reason is None else {**report, "reason": reason})

    async def _assembled(
        self, incoming: Incoming, asked: Asked, scope: Scope, place: Place, read: Sequence[Message], flight: Flight
    ) -> Prepared:
        """Assemble for the place of a request, and decide what is sent."""
        *sizes, beside = await self._lane.counting.tokens([*read, text_message(dump(asked.beside).decode())])
        messages = [m.sized(t) for m, t in zip(read, sizes, strict=True)]
        reserved = beside + (asked.output_tokens or OUTPUT_RESERVE)
        call = AssembleCall(
            model=asked.model,
            backend=self.upstream(incoming.wire).backend,
            messages=tuple(messages),
            leaf_id=place.leaf_id,
            reserved_tokens=reserved,
            dialect=incoming.wire,
            tools=ToolSet.of(names_of(asked.tools)),
            mode=milder(incoming.headers.get(MODE_HEADER)),
            key_mode=incoming.principal.mode or self._config.mode,
            answer="plan",  # most requests go on as they came: their list need not be made
        )
        turn = Turn(scope=scope, asked=asked, messages=_spoken(asked, messages), flight=flight)
        assembler = self._lane.assembler
        try:
            answer = await assembler.made(scope, call)
            if may_change(asked, messages, answer, reserved=reserved):
                call = replace(call, answer="messages")
                answer = await assembler.made(scope, call)
        except BobctxError as exc:  # not even the newest message fits: the provider says so better than we do
            report = {**self._pass(incoming, exc.code).report, "conversation": scope.conversation_id}
            return Prepared(content=incoming.content, report=report, tee=self._tee(turn))
        if not flight.erased:
            assembler.note(scope, call, answer)
        found = outgoing(asked, messages, answer, reserved=reserved)
        if found.report["mode"] == "off":
            return self._pass(incoming, None)
        if found.counted:
            turn = replace(turn, trace_id=answer.trace_id)
            sent = Sent(scope=scope, model=asked.model, tokens=found.tokens, reserved=reserved)
            assembler.learned.sent(answer.trace_id, sent)
        return Prepared(
            content=incoming.content if found.body is None else dump(found.body),
            changed=found.body is not None,
            report={**found.report, "conversation": scope.conversation_id},
            tee=self._tee(turn),
        )

    # -- after -----------------------------------------------------------------------------

    async def _settled(self, concerns: Callable[[Scope], bool]) -> bool:
        """Wait, bounded, for turns that are being recorded; whether there were any."""
        tasks = [task for task, scope in self._recording.items() if concerns(scope)]
        if tasks:
            await asyncio.wait(tasks, timeout=SETTLE_S)
        return bool(tasks)

    def _tee(self, turn: Turn) -> Tee:
        return Tee(turn, self._said, lambda status, text: self._refused(turn, status, text))

    def _erase(self, erased: Scope | UserScope) -> None:
        """Nothing that was said until now in what goes may be recorded any more; a write that began goes before."""
        self._flights.erase(erased)
        for task, scope in self._recording.items():
            if concerns(erased, scope):
                task.cancel()

    def _said(self, said: Said) -> None:
        """An answer is complete: from now on a request that repeats it belongs to its conversation."""
        if said.turn.flight.erased:
            return
        scope = said.turn.scope
        self._whereabouts.learn(scope, said.id)
        task = asyncio.create_task(self._record(said), name="bobctx-proxy-record")
        self._recording[task] = scope
        task.add_done_callback(lambda done: self._recording.pop(done, None))

    async def _record(self, said: Said) -> None:
        """Record what of a turn is not stored yet. A failure costs this recording; the next turn brings it again."""
        turn, lane = said.turn, self._lane
        try:
            whole = [*turn.messages, answer_of(said)]
            missing = frozenset(await lane.store.missing(turn.scope, [(m.id, m.sha256) for m in whole]))
            first = next((i for i, m in enumerate(whole) if m.id in missing), len(whole))
            posted = posted_of(said, first, now=lane.clock.now())
            backend = self.upstream(turn.asked.wire).backend
            done = await lane.recorder.record(turn.scope, posted, backend=backend)
            lane.metrics.recorded.labels("indexed").inc(done.result.indexed)
            if said.reply.prompt_tokens is not None:
                lane.metrics.reported(
                    lane.assembler.arm_of(turn.scope),
                    prompt=said.reply.prompt_tokens,
                    cached=said.reply.cached_tokens or 0,
                    written=said.reply.written_tokens or 0,
                )
            lane.assembler.learned.reported(
                turn.scope, turn.trace_id, said.reply.prompt_tokens, owner=turn.scope.user_id
            )
            await lane.keep_learned()
        except Exception as exc:  # noqa: BLE001 - boundary: the answer has been given already
            self._log.error(logs.PROXY_FAILED, where="record", exc_info=exc, conversation=turn.scope.conversation_id)

    def _refused(self, turn: Turn, status: int, text: bytes) -> None:
        """A provider's refusal; a context-length error says what the model's window is (kept with the next turn)."""
        if status in (400, 413) and not turn.flight.erased:
            error = text.decode("utf-8", "replace")
            self._lane.assembler.learned.failed(turn.asked.model, error, owner=turn.scope.user_id)


def milder(asked: str | None) -> Mode | None:
    """The mode that one request asks for; only ever a milder one counts."""
    return next((mode for mode in ORDER if mode == asked), None)


async def _decoded(incoming: Incoming, limits: Limits) -> Json | Untouched:
    """The body; one that is large, or may become so, is read on a thread: other requests go on meanwhile."""
    encoding = incoming.headers.get("content-encoding")
    if encoding is None and len(incoming.content) <= INLINE_BYTES:
        return decoded(incoming.content, encoding, limits)
    return await asyncio.to_thread(decoded, incoming.content, encoding, limits)


async def _read(asked: Asked) -> tuple[list[str], tuple[Message, ...]]:
    """Ids, and the messages with the preamble first; long ones are read on a thread."""

    def read() -> tuple[list[str], tuple[Message, ...]]:
        ids = naming.node_ids(asked.messages)
        return ids, messages_of(asked, ids)

    return await asyncio.to_thread(read) if are_long([*asked.preamble, *asked.messages]) else read()


def _spoken(asked: Asked, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without the preamble."""
    return tuple(messages[len(asked.preamble) :])
