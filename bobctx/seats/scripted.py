"""A seat that answers from a script: the double that ships with the package, for tests, demos and drills.

It keeps no state between asks, so a restarted worker answers the same (design, section 5, Seats).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bobctx.core.types import EgressClass, Json
from bobctx.errors import ConfigurationError, SeatFailed
from bobctx.ports import SeatReply, SeatRequest

Script: TypeAlias = Callable[[SeatRequest], SeatReply | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One line of a script: when it applies, and what is answered."""

    raw: str = '{"claims": []}'
    prefix: str | None = None
    """Only for this region, `r2`."""
    ask: str | None = None
    """Only for this kind of ask: `first`, `retry`, `piece`, `re-ask`."""
    contains: str | None = None
    """Only for a region in which this text stands."""
    finish_reason: str = "stop"
    delay_s: float = 0.0
    """Seconds to wait before the answer."""
    fails: str | None = None
    """Fail with this reason code instead of answering."""

    def applies(self, request: SeatRequest) -> bool:
        """Whether this line answers the request."""
        return (
            (self.prefix is None or self.prefix == request.prefix)
            and (self.ask is None or self.ask == request.ask)
            and (self.contains is None or any(self.contains in m.text for m in request.region.messages))
        )


class ScriptedSeat:
    """Answers with the first line of its script that applies, else with no claims."""

    window = 1_000_000_000

    def __init__(
        self,
        script: Script | Sequence[ScriptedReply] = (),
        *,
        name: str = "scripted",
        egress: EgressClass = "local",
    ) -> None:
        """`script` is a function of the request, or lines of which the first that applies is used."""
        self._script = script
        self._name = name
        self._egress: EgressClass = egress

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def egress(self) -> EgressClass:
        """As given; `local` by default."""
        return self._egress

    @classmethod
    def from_file(cls, path: Path, *, name: str = "scripted") -> ScriptedSeat:
        """A script from a JSON file: a list of objects with the fields of `ScriptedReply`; `reply` may stand for `raw`.

        Raises `ConfigurationError` where the file is not such a list.
        """
        try:
            lines = json.loads(path.read_text("utf-8"))
            return cls([_line(item) for item in lines], name=name)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise ConfigurationError(
                f"the seat script cannot be read: {type(error).__name__}", field="script"
            ) from error

    async def ask(self, request: SeatRequest) -> SeatReply:
        """The scripted answer. Raises `SeatFailed` where the script says so."""
        if callable(self._script):
            answer = self._script(request)
            return answer if isinstance(answer, SeatReply) else SeatReply(text=answer)
        for line in self._script:
            if line.applies(request):
                return await _answer(line)
        return SeatReply(text='{"claims": []}')


async def _answer(line: ScriptedReply) -> SeatReply:
    if line.delay_s:
        await asyncio.sleep(line.delay_s)
    if line.fails is not None:
        raise SeatFailed("the script fails here", reason=line.fails)
    return SeatReply(text=line.raw, finish_reason=line.finish_reason)


def _line(item: Mapping[str, Any]) -> ScriptedReply:
    fields: dict[str, Json] = dict(item)
    if "reply" in fields:
        fields["raw"] = json.dumps(fields.pop("reply"), ensure_ascii=False)
    return ScriptedReply(**fields)
