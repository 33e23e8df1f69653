"""The composition root: settings in, one lane out; opened and closed in order (design, section 2).

`open` gives the parts for any use (the CLI in this process, tests, the bench); `serve` is the daemon.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bobctx import keys, logs
from bobctx.api.app import create_app
from bobctx.api.assemble import ORDER, Assembler, AssemblerConfig
from bobctx.api.body import Limits
from bobctx.api.compacting import Compacting
from bobctx.api.compile import Compiler, CompilerConfig
from bobctx.api.counting import Counting
from bobctx.api.idempotency import Idempotency
from bobctx.api.lane import Lane
from bobctx.api.metrics import Metrics
from bobctx.api.proxy.service import Proxy, ProxyConfig
from bobctx.api.record import Recorder
from bobctx.api.upkeep import Upkeep
from bobctx.clock import SystemClock
from bobctx.compactor.scheduler import Scheduler, SchedulerConfig
from bobctx.compactor.supervisor import Supervisor
from bobctx.core.budget import Budget, plan_budget, resolve_window
from bobctx.core.records import TranscriptPiece
from bobctx.core.speakers import counted_tokens
from bobctx.core.types import Mode
from bobctx.errors import StoreUnavailable
from bobctx.integrations import vectors
from bobctx.integrations.mcp_http import McpEndpoint
from bobctx.model_data import reference_counter, window_catalog
from bobctx.ports import Dispatcher, VectorSearch
from bobctx.runtime.seat import caps, run_deadline_s, seating, seats, work, worker_command, worker_environment
from bobctx.settings import Settings, unknown_variables
from bobctx.store import SqliteStore, holder, in_use

__all__ = [
    "Runtime",
    "SystemClock",
    "budget_for",
    "caps",
    "daemon_of",
    "effective_mode",
    "open",
    "seating",
    "seats",
    "serve",
    "work",
    "worker_command",
    "worker_environment",
]

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from bobctx.client import Daemon


@dataclass(slots=True, kw_only=True)
class Runtime:
    """The open parts of one lane."""

    settings: Settings
    store: SqliteStore
    compactor: Scheduler
    lane: Lane
    app: ASGIApp

    @property
    def local_app(self) -> ASGIApp:
        """The app for callers in this process: they may read the database file, so they need no key."""
        app = self.app

        async def local(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "server": ("in-process", None)}, receive, send)

        return local


def effective_mode(settings: Settings) -> Mode:
    """The lane's mode under the switches that override any mode."""
    return "shadow" if settings.mode == "live" and not settings.claims_in_prompt else settings.mode


def budget_for(settings: Settings) -> Callable[[str | None], Budget]:
    """The budget a conversation with some backend is expected to have next."""

    def of(backend: str | None) -> Budget:
        window = resolve_window(None, setting=settings.window, backend=backend)
        return plan_budget(
            window,
            profile=settings.profile,
            history_max=settings.history_max_tokens,
            share=settings.history_share,
            step=settings.anchor_step,
        )

    return of


def daemon_of(settings: Settings) -> Daemon:
    """Where this lane's daemon is, for the client library: `Client(daemon_of(settings.load()))`."""
    from bobctx.client import Daemon

    return Daemon.find(
        url=settings.base_url,
        key=settings.key,
        key_file=settings.keys_path,
        socket=None if settings.socket is None else settings.socket.expanduser(),
        timeout_s=settings.client_timeout_ms / 1000,
        window=settings.window,
        injected_prefixes=settings.injected_prefixes,
    )


def _assembler_config(settings: Settings) -> AssemblerConfig:
    return AssemblerConfig(
        mode=effective_mode(settings),
        claims_in_prompt=settings.claims_in_prompt,
        fit_enabled=settings.context_fit_enabled,
        window=settings.window,
        profile=settings.profile,
        history_max=settings.history_max_tokens,
        byte_cap=settings.max_prompt_bytes,
        share=settings.history_share,
        step=settings.anchor_step,
        policy=settings.policy,
        recall=settings.recall,
        style=settings.style,
        holdout=settings.holdout,
        deadline_s=settings.assemble_deadline_ms / 1000,
    )


def _vectors(store: SqliteStore) -> VectorSearch:
    return vectors.ClaimVectors(store, vectors.MiniLm())


def _scheduler_config(settings: Settings) -> SchedulerConfig:
    return SchedulerConfig(
        budget_for=budget_for(settings),
        seating=seating(settings),
        profile=settings.profile,
        enabled=settings.compactor_enabled
        and settings.context_fit_enabled
        and effective_mode(settings) in ("shadow", "live"),
        region_cap=settings.compactor_region_tokens,
        regions_per_run=settings.regions_per_run,
        run_deadline_s=run_deadline_s(settings),
        max_concurrent=settings.max_concurrent,
        cooldown_s=settings.cooldown_s,
        quiet_s=settings.quiet_s,
        seat_timeout_s=settings.seat_timeout_s,
        admins=settings.admins,
        caps=caps(settings),
    )


@asynccontextmanager
async def open(
    settings: Settings,
    *,
    readonly: bool = False,
    tolerate: bool = False,
    background: bool = True,
    note: Mapping[str, Any] | None = None,
    dispatcher: Dispatcher | None = None,
) -> AsyncIterator[Runtime]:
    """The parts of one lane, closed again in reverse order.

    Args:
        settings: The lane.
        readonly: Neither write nor lock: beside a running daemon.
        tolerate: A database that cannot be used is a state, not an error: prompts are still fitted.
        background: Compact on turns; else only when asked to.
        note: Left in the lock file for other processes, such as the daemon's address.
        dispatcher: Instead of a worker process, for tests.

    Raises `StoreRefused`, `StoreUnavailable`, `ConfigurationError`.
    """
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        store = await SqliteStore.open(
            settings.db_path, readonly=readonly, tolerate=tolerate, synchronous=settings.synchronous, note=note
        )
        stack.push_async_callback(store.close)
        if not readonly and keys.ensure(settings.keys_path):
            logs.get_logger().info(logs.KEYS_CREATED, path=str(settings.keys_path))
        counting = Counting(reference_counter)
        stack.callback(counting.close)
        dispatcher = dispatcher or Supervisor(worker_command(), env=worker_environment(settings))
        stack.push_async_callback(dispatcher.close)
        metrics = Metrics()
        config = _scheduler_config(settings)
        compactor = Scheduler(store, dispatcher, clock, config, ledger=store.ledger, observe=metrics.spend)
        stack.push_async_callback(compactor.drain, settings.drain_timeout_s)
        compacting = Compacting(compactor, wait_s=settings.compact_wait_s)
        stack.push_async_callback(compacting.close)
        assembler = Assembler(store, counting, clock, metrics, _assembler_config(settings), catalog=window_catalog)
        stack.push_async_callback(assembler.close)
        meaning = _vectors(store) if settings.vectors else None
        choosing = CompilerConfig(
            per_kind=settings.compile_per_kind,
            recall_max_distance=settings.recall_max_distance,
            cloud_backends=settings.cloud_backends,
        )
        compiler = Compiler(store, counting, clock, assembler.traces, choosing, vectors=meaning)
        lane = Lane(
            store=store,
            ledger=store.ledger,
            compactor=compactor,
            keyring=keys.Keyring(settings.keys_path, required=not readonly, told=_keys_unreadable),
            clock=clock,
            counting=counting,
            recorder=Recorder(
                store,
                counting,
                clock,
                compactor if background else None,
                cloud_backends=settings.cloud_backends,
                store_secrets=settings.store_secrets,
                injected=settings.injected_prefixes,
            ),
            assembler=assembler,
            compiler=compiler,
            compacting=compacting,
            idempotency=Idempotency(store.repeats, clock, ttl_s=settings.idempotency_ttl_s),
            mode=effective_mode(settings),
            limits=Limits(depth=settings.max_depth, messages=settings.max_messages, on_replaced=metrics.surrogates.inc),
            metrics=metrics,
            pin_room=lambda backend: budget_for(settings)(backend).block_cap * 2 // 5,
            spend=compactor.spending.standing,
            transcripts=_read_piece,
            started=clock.monotonic(),
        )
        with contextlib.suppress(StoreUnavailable):
            await lane.load_books()
            await compactor.seat_window.load()
        if background and not readonly:
            compactor.start()
            upkeep = Upkeep(lane, every_s=settings.retention_check_s)
            upkeep.start()
            stack.push_async_callback(upkeep.close)
        mode = min(settings.proxy_mode, lane.mode, key=ORDER.index)
        upstreams = ProxyConfig(openai=settings.openai_upstream, anthropic=settings.anthropic_upstream, mode=mode)
        proxy = Proxy(lane, upstreams)
        stack.push_async_callback(proxy.close)
        mcp = McpEndpoint()
        stack.push_async_callback(mcp.close)
        app = create_app(
            lane,
            proxy=proxy,
            mcp=mcp,
            proxy_user=settings.proxy_user,
            hosts=(settings.host, *settings.allowed_hosts),
            origins=settings.allowed_origins,
            max_body=settings.max_body_mb * 1024 * 1024,
        )
        mcp.api = app
        yield Runtime(settings=settings, store=store, compactor=compactor, lane=lane, app=app)


# -- the daemon -----------------------------------------------------------------------


def _refuse_second(settings: Settings) -> None:
    """One daemon for one database."""
    held = holder(settings.db_path)
    if held is not None:
        raise in_use(held)


def _keys_unreadable(problem: str) -> None:
    logs.get_logger().warning(logs.KEYS_UNREADABLE, problem=problem, do="the keys read before stay valid until it can")


def _read_piece(form: str, text: str, previous: str | None) -> TranscriptPiece:
    """A stretch of a host's transcript; the readers are loaded with the first one."""
    from bobctx.importers.pieces import read_piece

    return read_piece(form, text, previous)


_FIND_BY_URL = "make room, or let the folder be written, and restart; until then name the daemon by BOBCTX_URL"


@contextlib.contextmanager
def _announced(settings: Settings, where: Mapping[str, Any]) -> Iterator[None]:
    """The file beside the database that says where the daemon is, while it is there, if the disk lets us."""
    path = settings.daemon_path
    try:
        keys.write_private(path, json.dumps(dict(where)) + "\n")
    except OSError as exc:
        logs.get_logger().warning(logs.NOT_ANNOUNCED, path=str(path), reason=exc.strerror, do=_FIND_BY_URL)
        with contextlib.suppress(OSError):
            path.unlink()  # one that a killed daemon left leads elsewhere
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


async def _warm(runtime: Runtime) -> None:
    """Load the encoding, then count anew what another counter counted: one assembly never mixes two."""
    await runtime.lane.assembler.warm()
    counter = await runtime.lane.counting.counter()
    with contextlib.suppress(StoreUnavailable):
        for scope in await runtime.store.stale_counts(counter.counter_id):
            await runtime.store.recount(
                scope,
                counter.counter_id,
                lambda message: counted_tokens(message, counter.count),
                now=runtime.lane.clock.now(),
            )
            runtime.lane.assembler.forget(scope)


async def _serve(settings: Settings, ready: Callable[[str], object]) -> None:
    from bobctx.api import server

    _refuse_second(settings)
    path = None if settings.socket is None else settings.socket.expanduser()
    listener, url = server.listen(settings.host, settings.port, path)
    where = {"pid": os.getpid(), "url": url, "socket": None if path is None else str(path)}
    log = logs.get_logger()
    if unknown := unknown_variables():
        log.warning(logs.UNKNOWN_SETTINGS, names=unknown, do="check the spelling in docs/settings.md")
    if settings.vectors and (absent := vectors.missing()):
        log.warning(logs.VECTORS_MISSING, names=absent, do=vectors.INSTALL)
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open(settings, tolerate=True, note=where))

        def on_ready() -> None:
            stack.enter_context(_announced(settings, where))
            gc.collect()
            gc.freeze()  # what start-up made stays: later collections need not look at it
            # after the first answers, not before: loading an encoding takes the processor for a while
            warming = asyncio.create_task(_warm(runtime), name="bobctx-warm")
            stack.callback(warming.cancel)
            log.info(logs.DAEMON_READY, url=url, pid=os.getpid())
            ready(url)

        def on_stop() -> None:
            runtime.lane.stopping = True
            log.info(logs.DAEMON_STOPPING)

        await server.run(runtime.app, listener, drain_s=settings.drain_timeout_s, on_ready=on_ready, on_stop=on_stop)
    log.info(logs.DAEMON_STOPPED)


def serve(settings: Settings, *, ready: Callable[[str], object] = str) -> None:
    """Run the daemon until SIGTERM or SIGINT: stop intake, drain bounded, close.

    `ready` is called with the address once requests are answered. Raises `ConfigurationError`,
    `StoreRefused`, `StoreUnavailable` (reason `in_use`: one daemon for one database).
    """
    logs.configure(level=settings.log_level, format_=settings.log_format)
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, ready))
