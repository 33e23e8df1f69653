"""What the routes work with: the adapters and values of one lane, put together by `runtime`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from bobctx.api.assemble import Assembler
from bobctx.api.body import Limits
from bobctx.api.compacting import Compacting
from bobctx.api.compile import Compiler
from bobctx.api.counting import Counting
from bobctx.api.idempotency import Idempotency
from bobctx.api.metrics import Metrics
from bobctx.api.record import Recorder
from bobctx.core.records import TranscriptPiece
from bobctx.core.remembering import forget_texts
from bobctx.core.types import Json, Mode, Scope, UserScope
from bobctx.errors import BobctxError
from bobctx.keys import Keyring
from bobctx.ports import Clock, Compactor, Ledger, Store


@dataclass(slots=True, kw_only=True)
class Lane:
    """One deployment: one daemon, one database."""

    store: Store
    ledger: Ledger
    compactor: Compactor
    keyring: Keyring
    clock: Clock
    counting: Counting
    recorder: Recorder
    assembler: Assembler
    compiler: Compiler
    compacting: Compacting
    idempotency: Idempotency
    mode: Mode = "live"
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)
    """(user, further name) -> conversation id. This process is the only one that adds any."""
    pin_room: Callable[[str | None], int] = lambda _backend: 1_000
    """Tokens that the pins of a conversation with this backend may take."""
    spend: Callable[[], Awaitable[Mapping[str, Json]]] | None = None
    """What seats cost, for `status`."""
    transcripts: Callable[[str, str, str | None], TranscriptPiece] | None = None
    """Reads a stretch of a host's transcript: format, text, id of the message before it."""
    on_erase: list[Callable[[Scope | UserScope], None]] = field(default_factory=list)
    """Hear of a user's or a conversation's end: what is still being said there must not be recorded."""
    started: float = 0.0
    """Monotonic seconds."""
    stopping: bool = False
    """Set on stop: `/readyz` says so, so that nothing new is sent here."""

    async def load_aliases(self) -> None:
        """Read the further names; those of this process are among them."""
        self.aliases.update(await self.ledger.aliases())

    async def load_books(self) -> None:
        """Read the further names and what is known about models, once at start."""
        await self.load_aliases()
        self.assembler.learned.restore(await self.ledger.learned())

    async def keep_learned(self) -> None:
        """Write into the books what was found out about models; where that fails it is only lost by a restart."""
        with suppress(BobctxError):
            for entry in self.assembler.learned.take_changed():
                await self.ledger.learn(entry, now=self.clock.now())

    def resolve(self, conversation_id: str, user_id: str) -> Scope:
        """The scope that a name stands for."""
        return Scope(conversation_id=self.aliases.get((user_id, conversation_id), conversation_id), user_id=user_id)

    def names_of(self, user_id: str) -> dict[str, list[Json]]:
        """Further names of a user's conversations, by conversation, in order of the alphabet."""
        found: dict[str, list[Json]] = {}
        for (user, name), conversation in sorted(self.aliases.items()):
            if user == user_id:
                found.setdefault(conversation, []).append(name)
        return found

    @contextmanager
    def forgetting(self, scope: Scope | UserScope, *, whole: bool = False) -> Iterator[None]:
        """A deletion in a conversation or of a user: whatever becomes of the call, nothing of it stays in memory.

        `whole`: everything of the scope goes, also what came in and is not recorded yet, until the block ends.
        """
        try:
            self._erased(scope, whole)
            yield
        finally:
            self._erased(scope, whole)
            self._forget(scope)

    def _erased(self, scope: Scope | UserScope, whole: bool) -> None:
        for hear in self.on_erase if whole else ():
            hear(scope)

    def _forget(self, scope: Scope | UserScope) -> None:
        conversation = scope if isinstance(scope, Scope) else None
        self.assembler.forget(conversation)
        self.counting.forget()
        self.compactor.forget(scope)
        forget_texts()


def lane_of(request: Request) -> Lane:
    """The lane of the app that got this request."""
    return cast(Lane, request.app.state.lane)
