"""Grows a conversation message by message and asks for a prompt wherever its model was asked."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bobctx.api import posted
from bobctx.api.assemble import AssembleCall
from bobctx.core.budget import STEP, Budget, plan_budget
from bobctx.core.dialect import OUTSIDE_SYSTEM, system_text, to_dialect
from bobctx.core.packing import DEFAULT_POLICY, Policy
from bobctx.core.parts import read_message
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.segments import split_preamble
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import Count, message_tokens
from bobctx.core.types import Json, Message, Mode, Scope, ToolSet
from bobctx.errors import CannotFit
from bobctx.replay.figures import DEFAULT_PRICE, Price, Prompt, Result, Tally, TurnFigures
from bobctx.replay.lane import LaneConfig, ReplayLane, open_lane
from bobctx.replay.window import newest, windowed

Arm = Literal["window", "head_tail", "claims"]
ARMS: Mapping[Arm, Mode] = {"window": "off", "head_tail": "fit", "claims": "live"}
"""How the history is cut: the newest messages only, opening and tail, or with a claims block between them."""
BLOCK_SHARE = 0.15
Posted = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One replay."""

    window: int
    profile: str = "default"
    dialects: tuple[str, ...] = ("openai",)
    arm: Arm = "claims"
    price: Price = DEFAULT_PRICE
    jitter: float = 0.0
    """The budget moves by this share, up and down, from turn to turn."""
    seed: int = 7
    every: int = 1
    """Ask at every n-th turn only; what lies between is recorded and compacted with the next one asked."""
    tools: bool = True
    """The model can call `conv_expand` and `conv_search`."""
    share: float | None = None
    step: float = STEP
    policy: Policy = DEFAULT_POLICY
    recall: bool = False
    style: Style = DEFAULT_STYLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Where a model was asked: with the messages before `end`, answered by the one there, if any."""

    start: int
    end: int
    answered: bool


def sampled(asks: Sequence[Ask], every: int) -> Iterator[tuple[int, Ask]]:
    """The first of every `every` asks and the last one, from 1, each with all messages since the one before."""
    start = 0
    for index, ask in enumerate(asks):
        if index % every == 0 or index == len(asks) - 1:
            yield index + 1, replace(ask, start=start)
            start = ask.end


def asks_of(messages: Sequence[Posted]) -> Iterator[Ask]:
    """Before every answer, and at the end where one is due; in talk among people, after every message."""
    spoken = [i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")]
    if not spoken:
        return
    start, first = 0, spoken[0]
    answers = {i for i, m in enumerate(messages) if m.get("role") == "assistant"}
    for end in range(first + 1, len(messages) + 1):
        answered = end in answers
        due = answered and end - 1 not in answers if answers else True
        if due or (end == len(messages) and end - 1 not in answers):
            yield Ask(start=start, end=end, answered=answered)
            start = end


@dataclass(slots=True, kw_only=True)
class _Run:
    """One conversation under way."""

    lane: ReplayLane
    options: Options
    number: int
    count: Count
    scope: Scope
    messages: Sequence[Posted]
    preamble: tuple[Message, ...]
    tallies: dict[str, Tally]
    rng: random.Random
    turns: dict[str, list[TurnFigures]] = field(default_factory=dict)

    @property
    def reserved(self) -> int:
        """Tokens of the preamble."""
        return sum(m.tokens for m in self.preamble)

    async def turn(self, number: int, ask: Ask) -> None:
        """Record what came, compact what is due, ask in every dialect."""
        options = self.options
        items = posted.check_all(list(self.messages[ask.start : ask.end]), "messages", at_most=1_000_000)
        await self.lane.recorder.record(self.scope, items)
        compactions = 0
        if options.arm == "claims":
            done = await self.lane.compactor.run_now(self.scope, force=False)
            compactions = sum(r["status"] in ("shadow_ok", "empty") for r in done["regions"])
        moved = 1 + self.rng.uniform(-options.jitter, options.jitter)
        for dialect in options.dialects:
            turn = TurnFigures(
                turn=number,
                conversation=self.number,
                messages=ask.end,
                compactions=compactions,
                output_tokens=self._answer_tokens(ask),
            )
            self.turns.setdefault(dialect, []).append(await self._ask(dialect, turn, moved))

    def _answer_tokens(self, ask: Ask) -> int:
        if not ask.answered or not self.options.price.out:
            return 0
        answer = read_message(self.messages[ask.end], id="answer")
        return message_tokens(answer.parts, self.count)

    def _budget(self, moved: float) -> tuple[int | None, Budget]:
        options = self.options
        full = plan_budget(
            options.window, profile=options.profile, reserved=self.reserved, share=options.share, live=False
        )
        if not options.jitter:
            return None, full
        asked = max(1, int(full.history * moved))
        return asked, plan_budget(
            options.window,
            profile=options.profile,
            reserved=self.reserved,
            share=options.share,
            budget_tokens=asked,
            live=False,
        )

    async def _ask(self, dialect: str, turn: TurnFigures, moved: float) -> TurnFigures:
        asked, budget = self._budget(moved)
        if self.options.arm == "window":
            return await self._windowed(dialect, turn, budget)
        call = AssembleCall(
            window=self.options.window,
            reserved_tokens=self.reserved,
            budget_tokens=asked,
            dialect=dialect,
            tools=ToolSet(expand=self.options.tools, search=self.options.tools),
        )
        try:
            answer = await self.lane.assembler.assemble(self.scope, call)
        except CannotFit:
            return replace(turn, cannot_fit=True, problems=("cannot_fit",))
        found, decision = answer.assembled, answer.assembled.decision
        prompt = self._prompt(dialect, found.messages, [(i.id, i.tokens) for i in found.plan if i.id], budget.history)
        covered, announced = int(decision["messages_covered"]), int(decision["messages_uncovered"])
        failed = (f"plain_fit:{answer.reason}",) if answer.reason is not None else ()
        turn = replace(
            turn,
            omitting=covered + announced > 0,
            claims=int(decision["claims_shown"]),
            covered=covered,
            announced=announced,
            violations=len(failed),
            problems=failed,
        )
        block = int(decision["tokens"])
        sized = replace(prompt, block=block, block_cap=int(budget.history * BLOCK_SHARE))
        return self.tallies[dialect].add(sized, turn)

    async def _windowed(self, dialect: str, turn: TurnFigures, budget: Budget) -> TurnFigures:
        start, bodies = await self.lane.store.plan(self.scope, None, lambda s: newest(s, budget))
        messages, shown = windowed(bodies, budget.history, dialect, self.count)
        prompt = self._prompt(dialect, messages, [(m.id, m.tokens) for m in shown], budget.history)
        return self.tallies[dialect].add(prompt, replace(turn, omitting=start > 0, announced=0))

    def _prompt(
        self, dialect: str, messages: Sequence[Mapping[str, Any]], held: Sequence[tuple[str, int]], budget: int
    ) -> Prompt:
        """The list as it is sent: the preamble in front, or outside where the dialect has it there."""
        outside = dialect in OUTSIDE_SYSTEM
        front = [] if outside or not self.preamble else to_dialect(self.preamble, dialect)
        return Prompt(
            system=system_text(self.preamble) if outside and self.preamble else None,
            messages=[*front, *messages],
            held=[*((m.id, m.tokens) for m in self.preamble), *held],
            budget=budget,
            preamble=len(front),
        )


async def play(
    conversations: Sequence[Sequence[Posted]],
    options: Options,
    *,
    advance: Callable[[int], object] = int,
) -> dict[str, Result]:
    """Play conversations in order; one result for each dialect.

    Args:
        conversations: Messages of each as the recording call takes them, ids set.
        options: What is played.
        advance: Called with the number of turns done since the last call.
    """
    started = time.monotonic()
    turns: dict[str, list[TurnFigures]] = {dialect: [] for dialect in options.dialects}
    config = LaneConfig(
        window=options.window,
        profile=options.profile,
        mode="fit" if options.arm == "window" else ARMS[options.arm],
        share=options.share,
        step=options.step,
        policy=options.policy,
        recall=options.recall,
        style=options.style,
    )
    async with open_lane(config) as lane:
        count = (await lane.counting.counter()).count
        for number, messages in enumerate(conversations, 1):
            run = _run(lane, options, number, count, messages)
            done = 0
            for index, ask in sampled(list(asks_of(messages)), options.every):
                await run.turn(index, ask)
                advance(index - done)
                done = index
            for dialect, found in run.turns.items():
                turns[dialect] += found
    seconds = time.monotonic() - started
    return {dialect: Result(turns=tuple(found), seconds=seconds) for dialect, found in turns.items()}


def _run(lane: ReplayLane, options: Options, number: int, count: Count, messages: Sequence[Posted]) -> _Run:
    read = [read_message(m, id=str(m.get("id") or f"p{i}")) for i, m in enumerate(messages)]
    preamble = tuple(_with_tokens(m, count) for m in split_preamble(read)[0])
    return _Run(
        lane=lane,
        options=options,
        number=number,
        count=count,
        scope=Scope(conversation_id=f"replay-{number}", user_id="replay"),
        messages=messages,
        preamble=preamble,
        tallies={d: Tally(dialect=d, count=count, price=options.price) for d in options.dialects},
        rng=random.Random(options.seed),  # noqa: S311 - a jitter that repeats, no secret
    )


def _with_tokens(message: Message, count: Count) -> Message:
    return replace(message, tokens=counted_tokens(message, count))
