"""What the routes work with: the adapters and values of one lane, put together by `runtime`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from bobctx.api.assemble import Assembler
from bobctx.api.body import Limits
from bobctx.api.counting import Counting
from bobctx.api.idempotency import Idempotency
from bobctx.api.metrics import Metrics
from bobctx.api.record import Recorder
from bobctx.core.types import Mode, Scope
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
    idempotency: Idempotency
    mode: Mode = "live"
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)
    started: float = 0.0
    """Monotonic seconds."""
    stopping: bool = False
    """Set on stop: `/readyz` says so, so that nothing new is sent here."""

    def forget_all(self) -> None:
        """Everything of a user was erased."""
        self.assembler.forget(None)
        self.counting.forget()

    def forget(self, scope: Scope) -> None:
        """Something of a conversation was deleted: nothing of it stays in memory."""
        self.assembler.forget(scope)
        self.counting.forget()


def lane_of(request: Request) -> Lane:
    """The lane of the app that got this request."""
    return cast(Lane, request.app.state.lane)
