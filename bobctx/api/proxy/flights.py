"""Requests on their way to a provider, so that an erasure reaches what they would have recorded."""

from __future__ import annotations

from weakref import WeakSet

from bobctx.core.types import Scope, UserScope


class Flight:
    """One request, from its arrival until nobody holds its answer any more."""

    __slots__ = ("__weakref__", "conversation", "erased", "owner")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.conversation: str | None = None
        """None until it is known."""
        self.erased = False
        """Nothing of this request may be kept."""


class Flights:
    """All of a lane's."""

    def __init__(self) -> None:
        self._open: WeakSet[Flight] = WeakSet()

    def begin(self, owner: str) -> Flight:
        """A request came."""
        flight = Flight(owner)
        self._open.add(flight)
        return flight

    def erase(self, erased: Scope | UserScope) -> None:
        """Everything of a user or of a conversation goes: also what is still being said there."""
        for flight in list(self._open):
            same = not isinstance(erased, Scope) or flight.conversation == erased.conversation_id
            if same and flight.owner == erased.user_id:
                flight.erased = True


def concerns(erased: Scope | UserScope, scope: Scope) -> bool:
    """Whether an erasure takes in a conversation."""
    return scope == erased if isinstance(erased, Scope) else scope.user_id == erased.user_id
