"""What a replay measures: tokens new, repeated and paid for, turn by turn and in sum. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson

from bobctx.core.dialect import check, list_tokens
from bobctx.core.tokens import Count
from bobctx.core.types import Json

LEAST_CACHED = 1_024
"""Tokens below which providers keep no prompt."""
MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Per million tokens: plain input, input written to the provider's cache, input read from it, output."""

    plain: float = 1.0
    write: float = 1.25
    cached: float = 0.1
    out: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Price:
        """`in,write,cached,out`. Raises `ValueError`."""
        numbers = [float(part) for part in text.split(",")]
        if len(numbers) != 4 or any(not 0 <= n < 1e9 for n in numbers):
            raise ValueError("four prices that are not negative: in,write,cached,out")
        return cls(plain=numbers[0], write=numbers[1], cached=numbers[2], out=numbers[3])

    def of(self, prompt: int, cached: int, out: int) -> float:
        """One request: what is not read from the cache is written to it, unless the prompt is too short to keep."""
        if prompt < LEAST_CACHED:
            return (prompt * self.plain + out * self.out) / MILLION
        return ((prompt - cached) * self.write + cached * self.cached + out * self.out) / MILLION


DEFAULT_PRICE = Price()
"""In plain input tokens: writes 1.25, cached 0.1, output left out because every arm has the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFigures:
    """One request."""

    turn: int
    conversation: int
    messages: int
    """Recorded so far."""
    prompt_tokens: int = 0
    """The whole list, preamble included."""
    new_tokens: int = 0
    """Of messages that no earlier prompt held; our block never counts as new."""
    cached_tokens: int = 0
    """Of the longest beginning that equals the previous prompt's."""
    output_tokens: int = 0
    cost: float = 0.0
    violations: int = 0
    overruns: int = 0
    omitting: bool = False
    claims: int = 0
    covered: int = 0
    announced: int = 0
    compactions: int = 0
    cannot_fit: bool = False
    problems: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """As one row of `turns`."""
        return {**asdict(self), "cost": round(self.cost, 9), "problems": list(self.problems)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Sums over a replay."""

    turns: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    violations: int = 0
    overruns: int = 0
    omitting_turns: int = 0
    compactions: int = 0
    seconds: float = 0.0
    cannot_fit: int = 0

    @property
    def prefix_share(self) -> float | None:
        """Of the tokens that an earlier prompt held, those that were read from the cache; None without any."""
        old = self.prompt_tokens - self.new_tokens
        return self.cached_tokens / old if old > 0 else None

    @property
    def ceiling(self) -> float | None:
        """Share of all prompt tokens that a perfect prefix would reach."""
        return 1 - self.new_tokens / self.prompt_tokens if self.prompt_tokens else None

    def as_json(self) -> dict[str, Json]:
        """With the share and its ceiling."""
        rounded = {"cost": round(self.cost, 9), "seconds": round(self.seconds, 3)}
        share, ceiling = self.prefix_share, self.ceiling
        return {
            **asdict(self),
            **rounded,
            "prefix_share": None if share is None else round(share, 4),
            "ceiling": None if ceiling is None else round(ceiling, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All turns of one replay in one dialect."""

    turns: tuple[TurnFigures, ...]
    seconds: float

    @property
    def total(self) -> Total:
        """The sums."""
        turns = self.turns
        return Total(
            turns=len(turns),
            prompt_tokens=sum(t.prompt_tokens for t in turns),
            new_tokens=sum(t.new_tokens for t in turns),
            cached_tokens=sum(t.cached_tokens for t in turns),
            cost=sum(t.cost for t in turns),
            violations=sum(t.violations for t in turns),
            overruns=sum(t.overruns for t in turns),
            omitting_turns=sum(t.omitting for t in turns),
            compactions=sum(t.compactions for t in turns),
            seconds=self.seconds,
            cannot_fit=sum(t.cannot_fit for t in turns),
        )

    def as_json(self) -> dict[str, Json]:
        """`{turns, total}`."""
        return {"turns": [t.as_json() for t in self.turns], "total": self.total.as_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One final list and what it was made from."""

    system: str | None
    """Text that the dialect carries outside the list."""
    messages: Sequence[Mapping[str, Any]]
    held: Sequence[tuple[str, int]]
    """(message id, tokens) of every message in it, the block left out."""
    budget: int
    """Tokens that everything but the preamble may cost."""
    block: int = 0
    block_cap: int | None = None
    preamble: int = 0
    """Leading messages of the list that are the preamble."""


@dataclass(slots=True)
class Tally:
    """Compares each prompt of one conversation and dialect with those before it."""

    dialect: str
    count: Count
    price: Price
    before: list[tuple[str, int]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)

    def add(self, prompt: Prompt, turn: TurnFigures) -> TurnFigures:
        """`turn` with the figures of its prompt."""
        pieces = self._pieces(prompt)
        size = sum(tokens for _, tokens in pieces)
        cached = 0
        for old, now in zip(self.before, pieces, strict=False):
            if old != now:
                break
            cached += now[1]
        new = sum(tokens for ident, tokens in prompt.held if ident not in self.seen)
        self.before = pieces
        self.seen.update(ident for ident, _ in prompt.held)
        outside = int(prompt.system is not None)
        history = sum(tokens for _, tokens in pieces[outside + prompt.preamble :])
        if history > prompt.budget:  # where several items make one message, their sum has too many frames
            history = list_tokens(prompt.messages[prompt.preamble :], self.dialect, self.count)
        found = check(prompt.messages, self.dialect)
        problems = [f"{v.code}@{v.index}" for v in found]
        over = history > prompt.budget
        over_block = prompt.block_cap is not None and prompt.block > prompt.block_cap
        problems += [f"over_budget:{history}>{prompt.budget}"] * over
        problems += [f"over_block:{prompt.block}>{prompt.block_cap}"] * over_block
        return replace(
            turn,
            prompt_tokens=size,
            new_tokens=min(new, size - cached),
            cached_tokens=cached,
            cost=self.price.of(size, cached, turn.output_tokens),
            violations=turn.violations + len(found),
            overruns=turn.overruns + int(over or over_block),
            problems=(*turn.problems, *problems),
        )

    def _pieces(self, prompt: Prompt) -> list[tuple[str, int]]:
        """Each message as what identifies its bytes, and its tokens: the list is counted anew."""
        found: list[tuple[str, int]] = []
        if prompt.system is not None:
            found.append(self._sized({"role": "system", "content": prompt.system}, "openai"))
        found += [self._sized(message, self.dialect) for message in prompt.messages]
        return found

    def _sized(self, message: Mapping[str, Any], dialect: str) -> tuple[str, int]:
        ident = hashlib.blake2b(orjson.dumps(message, default=str), digest_size=16).hexdigest()
        if ident not in self.sizes:
            self.sizes[ident] = list_tokens([message], dialect, self.count)
        return ident, self.sizes[ident]
