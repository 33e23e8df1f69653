"""How much the seat's model reads: as configured, until one of its context-length errors says less.

What was learned is kept in the books, so that a restarted daemon does not pay for the same error again. It goes with
the window it lowered: where the setting is changed, the new one is tried (design, section 4, Windows).
"""

from __future__ import annotations

from collections.abc import Mapping

from bobctx import logs
from bobctx.compactor.seating import EXTRACTOR, SeatInfo
from bobctx.core.types import Json
from bobctx.errors import BobctxError
from bobctx.ports import Clock, LearnedModel, Ledger


class SeatWindow:
    """Of the configured seat."""

    def __init__(self, seat: SeatInfo, ledger: Ledger | None, clock: Clock) -> None:
        """`ledger` None: what is learned is lost with the process."""
        self._seat = seat
        self._ledger = ledger
        self._clock = clock
        self._tokens: int | None = None
        self._log = logs.get_logger()

    @property
    def tokens(self) -> int:
        """Tokens that the model reads, as far as is known."""
        return self._seat.window if self._tokens is None else self._tokens

    @property
    def lowered(self) -> int | None:
        """The same where it is less than configured, else None."""
        return self._tokens

    async def load(self) -> None:
        """What an earlier process learned. Raises `StoreUnavailable`."""
        if self._ledger is None or self._seat.name == EXTRACTOR:
            return
        for known in await self._ledger.learned():
            if (known.used_as, known.model, known.was) == ("seat", self._seat.name, self._seat.window):
                self._tokens = known.window

    async def lower(self, window: int) -> None:
        """An error showed that the model reads only this many tokens; more than is known says nothing."""
        if window >= self.tokens:
            return
        self._tokens = window
        self._log.warning(logs.SEAT_WINDOW, seat=self._seat.name, window=window, configured=self._seat.window)
        if self._ledger is None:
            return
        known = LearnedModel(used_as="seat", model=self._seat.name, window=window, was=self._seat.window)
        try:
            await self._ledger.learn(known, now=self._clock.now())
        except BobctxError:
            return  # known to this process; the next one finds it out again

    def as_json(self) -> Mapping[str, Json] | None:
        """For `status`; None for the extractor, which reads everything."""
        if self._seat.name == EXTRACTOR:
            return None
        source = "configured" if self._tokens is None else "learned"
        return {"tokens": self.tokens, "configured": self._seat.window, "source": source}
