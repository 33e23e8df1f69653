"""Which conversation a request belongs to, with what the store and the last requests say: the I/O around `naming`."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from bobctx.api.proxy import naming
from bobctx.api.proxy.asked import Asked
from bobctx.api.proxy.naming import Habit, Place
from bobctx.core.types import Scope, UserScope

if TYPE_CHECKING:
    from bobctx.api.lane import Lane

K = TypeVar("K")
V = TypeVar("V")

REMEMBERED = 4_096
"""Newest answers whose conversation is known without asking the store, and conversations whose habits are."""
Settled = Callable[[Callable[[Scope], bool]], Awaitable[bool]]


class Whereabouts:
    """Where the requests of one lane belong. What it remembers is a short cut: the store knows the same."""

    def __init__(self, lane: Lane, settled: Settled) -> None:
        """`settled` waits for turns of some scopes that are being recorded, and says whether there were any."""
        self._lane = lane
        self._settled = settled
        self._answers: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._habits: OrderedDict[Scope, Habit] = OrderedDict()

    def learn(self, scope: Scope, answer_id: str) -> None:
        """An answer was given in a conversation, though it may not be stored yet."""
        _remember(self._answers, (scope.user_id, answer_id), scope.conversation_id)

    def forget(self) -> None:
        """As after a restart."""
        self._answers.clear()
        self._habits.clear()

    def is_side_call(self, scope: Scope, asked: Asked, place: Place) -> bool:
        """Whether a request is about the conversation; one that is part of it tells what its calls look like."""
        habit = Habit(system=asked.system, tools=bool(asked.tools))
        if naming.is_side_call(self._habits.get(scope), habit, continues=place.continues):
            return True
        _remember(self._habits, scope, habit)
        return False

    async def place(self, user: str, headers: Mapping[str, str], asked: Asked, ids: Sequence[str]) -> Place:
        """The conversation: a name that the request brings, else the longest stored prefix, else a new one."""
        owner, answers = UserScope(user_id=user), naming.answered(asked.messages, ids)
        name = naming.session(headers, asked.body, ids[0])
        if name is not None:
            name = self._lane.resolve(name, user).conversation_id
        elif answers:
            name = await self._known(owner, answers)
            if name is None and await self._settled(lambda scope: scope.user_id == user):
                name = await self._known(owner, answers)
        if name is None:
            return Place(conversation_id=naming.NEW + os.urandom(12).hex())
        here = Scope(conversation_id=name, user_id=user)
        await self._settled(lambda scope: scope == here)
        newest = ids[-naming.LOOK_BACK :]
        holders = await self._lane.ledger.holders(owner, newest, within=name)
        return naming.place_in(name, holders, newest, answers)

    async def _known(self, owner: UserScope, answers: Sequence[str]) -> str | None:
        """The conversation that holds the newest of these answers, from memory or from the store."""
        held = self._answers.get((owner.user_id, answers[0]))
        return held or naming.found_at(await self._lane.ledger.holders(owner, answers), answers)


def _remember(known: OrderedDict[K, V], key: K, value: V) -> None:
    known[key] = value
    known.move_to_end(key)
    while len(known) > REMEMBERED:
        known.popitem(last=False)
