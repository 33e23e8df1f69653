"""The assemble service: the messages of the next model request, whatever happens to the store.

One of the two boundaries that catch everything (design, section 2): a failing or slow store costs the
claims, never the turn; the request's own messages are then fitted as they are, and the decision says
so. The caller's own mistakes (an unknown leaf, what cannot fit) are errors.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal

from bobctx import logs
from bobctx.api.counting import Counting
from bobctx.api.learning import Learned, Sent
from bobctx.api.metrics import Metrics
from bobctx.api.relevance import RelevanceCache
from bobctx.api.traces import Traces
from bobctx.core.assembly import AssemblyMemo, AssemblyPlan, AssemblyRequest, finish_assembly, plain_fit, plan_assembly
from bobctx.core.budget import BYTE_CAP, HISTORY_MAX, STEP, resolve_window
from bobctx.core.feedback import asked_sha256
from bobctx.core.holdout import held_out
from bobctx.core.legacy import last_messages
from bobctx.core.packing import DEFAULT_POLICY, Policy
from bobctx.core.plan import Assembled
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.types import Json, Message, Mode, Scope, ToolSet
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.errors import BobctxError, CannotFit, NotFound
from bobctx.ports import Clock, Snapshot, Store

VERSIONS = (PROMPT_VERSION, VALIDATOR_VERSION)
MEMOS = 256
"""Conversations whose chain and block are remembered; the least recently used go first."""
INLINE_CHARS = 400_000
"""Of all messages at hand: a list is made from these in a few milliseconds."""
NEWEST = 200
"""Stored messages that a plain fit starts from when the whole history could not be read in time."""
NEWEST_SHARE = 0.25
"""Of the deadline, for reading those: a caller waits little longer than the deadline itself."""
TOLD = ("regions", "importance_floor", "claims_shown", "tokens", "messages_covered", "messages_uncovered")
"""Of a decision, in the log."""
ORDER: tuple[Mode, ...] = ("off", "fit", "shadow", "live")
"""From the mildest mode to the strongest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblerConfig:
    """What the lane's settings decide."""

    mode: Mode = "live"
    claims_in_prompt: bool = True
    fit_enabled: bool = True
    """False: the module is off, the last messages are given as of old."""
    window: int | None = None
    profile: str = "default"
    history_max: int = HISTORY_MAX
    byte_cap: int = BYTE_CAP
    share: float | None = None
    step: float = STEP
    policy: Policy = DEFAULT_POLICY
    recall: bool = False
    style: Style = DEFAULT_STYLE
    holdout: float = 0.0
    """Share of conversations that stay in `shadow` where `live` is only the lane's or the key's mode."""
    deadline_s: float = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembleCall:
    """One checked request."""

    model: str | None = None
    backend: str | None = None
    profile: str | None = None
    messages: tuple[Message, ...] | None = None
    """The host's own history; None reads the stored one."""
    append: tuple[Message, ...] = ()
    leaf_id: str | None = None
    window: int | None = None
    reserved_tokens: int = 0
    budget_tokens: int | None = None
    dialect: str = "openai"
    tools: ToolSet = field(default_factory=ToolSet)
    policy: Policy | None = None
    query: str | None = None
    """Instead of the newest user message, for `ranked` and the recall block."""
    recall: bool | None = None
    mode: Mode | None = None
    """Asked for by the request: only ever milder."""
    key_mode: Mode | None = None
    """Of the caller's key."""
    answer: Literal["messages", "plan"] = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the route, the CLI and the bench get."""

    assembled: Assembled
    trace_id: str
    reason: str | None = None
    """Why it is a plain fit; None where nothing went wrong."""
    seconds: float = 0.0
    """That it took."""

    def as_json(self) -> dict[str, Any]:
        """The API's object."""
        found = self.assembled
        decision: dict[str, Json] = {**found.decision}
        if self.reason is not None:
            decision["reason"] = self.reason
        answer: dict[str, Any] = {
            "messages": found.messages,
            "plan": [item.as_json() for item in found.plan],
            "decision": decision,
            "budget": dict(found.budget),
            "warnings": list(found.warnings),
            "trace_id": self.trace_id,
        }
        if found.system is not None:
            answer["system"] = found.system
        return answer


class Assembler:
    """Assembles prompts of one lane."""

    def __init__(
        self,
        store: Store,
        counting: Counting,
        clock: Clock,
        metrics: Metrics,
        config: AssemblerConfig,
        *,
        catalog: Callable[[], Mapping[str, int]] = dict,
        learned: Learned | None = None,
    ) -> None:
        """`catalog` gives windows by model; it may read a file once, so it is called on a thread.

        `learned` is what providers have reported about their models.
        """
        self.learned = learned or Learned()
        self._store = store
        self._counting = counting
        self._clock = clock
        self._metrics = metrics
        self._config = config
        self._load_catalog = catalog
        self._catalog: Mapping[str, int] | None = None
        self._memos: OrderedDict[tuple[Scope, str | None], AssemblyMemo] = OrderedDict()
        self.traces = Traces(store, metrics)
        self._relevance = RelevanceCache(store, clock)
        self._deletions = 0
        self._log = logs.get_logger()

    # -- life ----------------------------------------------------------------------

    async def warm(self) -> None:
        """Load what the first assembly needs: the windows by model, the encoding, what corrections are read with."""
        self._catalog = await asyncio.to_thread(self._load_catalog)
        await self._counting.counter()
        await asyncio.to_thread(lambda: import_module("bobctx.core.leaning").prepare())

    async def close(self) -> None:
        """Write the traces that wait, bounded, and stop."""
        await self._relevance.close()
        await self.traces.close()

    def forget(self, scope: Scope | None) -> None:
        """Drop what is remembered about a conversation, or (None) about all: something was deleted."""
        self._deletions += 1
        self._relevance.forget(scope)
        for key in [key for key in self._memos if scope is None or key[0] == scope]:
            del self._memos[key]

    # -- one assembly ----------------------------------------------------------------

    async def assemble(self, scope: Scope, call: AssembleCall) -> Answer:
        """The messages for one request, counted and traced. Raises as `made` does."""
        answer = await self.made(scope, call)
        self.note(scope, call, answer)
        return answer

    async def made(self, scope: Scope, call: AssembleCall) -> Answer:
        """The messages for one request; who asks twice about one gives only the last answer to `note`.

        Raises `NotFound`, `InvalidInput`, `CannotFit`; nothing else, ever.
        """
        started = self._clock.monotonic()
        request = await self._request(scope, call)
        trace_id = os.urandom(12).hex()
        reason: str | None = None
        try:
            async with asyncio.timeout(self._config.deadline_s):
                assembled = await self._full(scope, call, request)
        except BobctxError as exc:
            if exc.status < 500:
                raise
            reason = str(exc.data.get("reason", exc.code))
        except TimeoutError:
            reason = "deadline"
        except Exception as exc:  # noqa: BLE001 - boundary (design, section 2): a prompt is always answered
            reason = f"internal:{type(exc).__name__}"
            self._log.error(logs.PLAIN_FIT, reason=reason, exc_info=exc, **_ids(scope))
        if reason is not None:
            assembled = await self._plainly(scope, call, request, reason)
        if assembled.cannot_fit:
            raise CannotFit()
        return Answer(
            assembled=self._shown(scope, call, assembled),
            trace_id=trace_id,
            reason=reason,
            seconds=self._clock.monotonic() - started,
        )

    async def _full(self, scope: Scope, call: AssembleCall, request: AssemblyRequest) -> Assembled:
        if not self._config.fit_enabled:
            return await self._legacy(scope, call, request)
        key = await self._store.secret()
        memo_key = (scope, call.leaf_id)
        memo = self._memos.get(memo_key)
        deletions = self._deletions
        wanted = replace(request, key=key)
        relevance = None
        if request.recall or request.policy == "ranked":
            relevance = await self._relevance.of(
                scope, query=call.query, messages=call.messages, append=call.append, leaf_id=call.leaf_id,
                deadline_s=self._config.deadline_s,
            )  # fmt: skip
            wanted = replace(wanted, scores=relevance.scores, recalled=relevance.chosen)

        def planner(snapshot: Snapshot) -> tuple[AssemblyPlan, Sequence[int]]:
            if not snapshot.exists and call.messages is None and not call.append:
                raise NotFound()
            plan = plan_assembly(
                snapshot, replace(wanted, mode=self.mode_of(scope, snapshot.mode, call.key_mode, call.mode)), memo
            )
            return plan, plan.positions

        plan, bodies = await self._store.plan(scope, call.leaf_id, planner)
        if deletions == self._deletions:  # else it may hold what was deleted meanwhile
            self._remember(memo_key, plan.memo)
        found = await _aside([*bodies, *(call.messages or ()), *call.append], lambda: finish_assembly(plan, bodies))
        if relevance is not None and relevance.chosen is None and found.recalled:
            relevance.chosen = found.recalled
        return found.with_warning("recall_late") if relevance is not None and relevance.late else found

    async def _plainly(self, scope: Scope, call: AssembleCall, request: AssemblyRequest, reason: str) -> Assembled:
        """The messages at hand, fitted without chain and claims. What only the store has may be missing; it says so."""
        self._metrics.plain_fits.labels(reason.split(":", 1)[0]).inc()
        self._log.warning(logs.PLAIN_FIT, reason=reason, stored=call.messages is None, **_ids(scope))
        own = call.messages if call.messages is not None else await self._newest(scope, call)
        found = await _aside([*own, *call.append], lambda: plain_fit(own, request))
        return found if call.messages is not None else found.unread("history_partial" if own else "history_unavailable")

    async def _newest(self, scope: Scope, call: AssembleCall) -> tuple[Message, ...]:
        """The end of the stored history, if the store can give at least that in time."""
        try:
            async with asyncio.timeout(self._config.deadline_s * NEWEST_SHARE):
                return tuple(await self._store.newest(scope, call.leaf_id, limit=NEWEST))
        except Exception:  # noqa: BLE001 - still the boundary: the second failure of one store is no news
            return ()

    async def _legacy(self, scope: Scope, call: AssembleCall, request: AssemblyRequest) -> Assembled:
        """The module is off: the last messages, as before there was one."""
        own = call.messages
        if own is None:

            def newest(snapshot: Snapshot) -> tuple[int, Sequence[int]]:
                n = snapshot.spine.n
                return n, range(max(0, n - 20), n)

            _, stored = await self._store.plan(scope, call.leaf_id, newest)
            own = (*stored, *call.append)
        return last_messages(own, request)

    # -- what a request becomes --------------------------------------------------------

    async def _request(self, scope: Scope, call: AssembleCall) -> AssemblyRequest:
        config = self._config
        counter = await self._counting.counter()
        if self._catalog is None:
            self._catalog = await asyncio.to_thread(self._load_catalog)
        window = resolve_window(
            call.model,
            setting=call.window or config.window,
            catalog=self._catalog,
            learned=self.learned.window(call.model, scope.user_id),
            backend=call.backend,
        )
        return AssemblyRequest(
            window=window,
            count=counter.count,
            counter_id=counter.counter_id,
            versions=VERSIONS,
            messages=call.messages,
            append=call.append,
            mode=self.mode_of(scope, None, call.key_mode, call.mode),
            profile=call.profile or config.profile,
            reserved_tokens=call.reserved_tokens,
            budget_tokens=call.budget_tokens,
            history_max=config.history_max,
            byte_cap=config.byte_cap,
            ratio=self.learned.ratio(call.model, scope.user_id).value,
            share=config.share,
            step=config.step,
            dialect=call.dialect,
            tools=call.tools,
            policy=call.policy or config.policy,
            recall=config.recall if call.recall is None else call.recall,
            style=config.style,
            answer=call.answer,
        )

    def arm_of(self, scope: Scope) -> str:
        """Which side of the comparison a conversation is on: `main` or `holdout`."""
        return "holdout" if held_out(scope, self._config.holdout) else "main"

    def mode_of(self, scope: Scope, own: Mode | None, key: Mode | None, asked: Mode | None = None) -> Mode:
        """The conversation's own mode, else its key's, else the lane's; a request may ask for a milder one."""
        mode = own or key or self._config.mode
        if own is None and mode == "live" and held_out(scope, self._config.holdout):
            mode = "shadow"
        if asked is not None:
            mode = min(mode, asked, key=ORDER.index)
        return "shadow" if mode == "live" and not self._config.claims_in_prompt else mode

    def _remember(self, key: tuple[Scope, str | None], memo: AssemblyMemo) -> None:
        self._memos[key] = memo
        self._memos.move_to_end(key)
        while len(self._memos) > MEMOS:
            self._memos.popitem(last=False)

    # -- what is left of it --------------------------------------------------------------

    def _shown(self, scope: Scope, call: AssembleCall, found: Assembled) -> Assembled:
        """The answer with the ratio that scaled its budget."""
        ratio = self.learned.ratio(call.model, scope.user_id)
        return replace(found, budget={**found.budget, "ratio": ratio.value, "ratio_source": ratio.source})

    def note(self, scope: Scope, call: AssembleCall, answer: Answer) -> None:
        """Count, log and trace one answer; none of it may hold it up."""
        decision = answer.assembled.decision
        if call.answer == "messages":
            used = int(answer.assembled.budget.get("used") or 0)
            preamble = sum(item.tokens for item in answer.assembled.plan if item.kind == "preamble")
            sent = Sent(scope=scope, model=call.model, tokens=used + preamble, reserved=call.reserved_tokens)
            self.learned.sent(answer.trace_id, sent)
        mode = "plain_fit" if answer.reason is not None else str(decision.get("mode"))
        self._metrics.assembled.labels(mode).inc()
        broken = (decision.get("chain") or {}).get("break")
        if broken:
            self._metrics.chain_breaks.labels(str(broken.get("code"))).inc()
        self._metrics.assemble_seconds.observe(answer.seconds)
        if decision.get("claims_shown"):
            self._log.info(
                logs.CLAIMS_IN_PROMPT,
                **{name: decision.get(name) for name in TOLD},
                trace_id=answer.trace_id,
                **_ids(scope),
            )
        run: dict[str, Json] = {
            "trace_id": answer.trace_id,
            "kind": "assemble",
            "created_ts": self._clock.now(),
            "elapsed_ms": round(answer.seconds * 1000, 3),
            "model": call.model,
            "backend": call.backend,
            "dialect": call.dialect,
            "decision": dict(decision),
            "budget": dict(answer.assembled.budget),
            "reason": answer.reason,
            "ids": [item.id for item in answer.assembled.plan],
            "items": [{"claim_id": c} for c in (*answer.assembled.claims, *answer.assembled.recalled)],
            "regions": answer.assembled.regions,
            "leaf_id": call.leaf_id,
            "task_sha256": asked_sha256(call.query, answer.assembled.asked),
        }
        if answer.reason is None:
            self.traces.put(scope, run)


async def _aside(messages: Sequence[Message], work: Callable[[], Assembled]) -> Assembled:
    """Do `work` here, or on a thread where the texts are long enough to hold up every other request."""
    if sum(len(m.text) for m in messages) > INLINE_CHARS:
        return await asyncio.to_thread(work)
    return work()


def _ids(scope: Scope) -> dict[str, str]:
    return {"conversation": scope.conversation_id, "user": scope.user_id}
