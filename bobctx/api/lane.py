"""What the routes work with: the adapters and values of one lane, put together by `runtime`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from bobctx.api.assemble import Assembler
from bobctx.api.body import Limits
from bobctx.api.compile import Compiler
from bobctx.api.counting import Counting
from bobctx.api.idempotency import Idempotency
from bobctx.api.metrics import Metrics
from bobctx.api.record import Recorder
from bobctx.core.types import Mode, Scope, UserScope
from bobctx.keys import Keyring
from bobctx.ports import Clock, Compactor, Store


@dataclass(slots=True, kw_only=True)
class Lane:
    """One deployment: one daemon, one database."""

    store: Store
    compactor: Compactor
    keyring: Keyring
    clock: Clock
    counting: Counting
    recorder: Recorder
    assembler: Assembler
    compiler: Compiler
    idempotency: Idempotency
    mode: Mode = "live"
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)
    started: float = 0.0
    """Monotonic seconds."""
    stopping: bool = False
    """Set on stop: `/readyz` says so, so that nothing new is sent here."""

    @contextmanager
    def forgetting(self, scope: Scope | UserScope) -> Iterator[None]:
        """A deletion in a conversation or of a user: whatever becomes of the call, nothing of it stays in memory."""
        try:
            yield
        finally:
            self._forget(scope)

    def _forget(self, scope: Scope | UserScope) -> None:
        conversation = scope if isinstance(scope, Scope) else None
        self.assembler.forget(conversation)
        self.counting.forget()
        self.compactor.forget(scope)
        self.idempotency.forget(scope.user_id, None if conversation is None else conversation.conversation_id)


def lane_of(request: Request) -> Lane:
    """The lane of the app that got this request."""
    return cast(Lane, request.app.state.lane)
