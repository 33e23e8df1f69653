"""What providers report about their models: tokens for each of ours, and windows smaller than we thought.

A ratio is learned from differences between two reports of one conversation, so that what a host adds to every
request (tools, its own system prompt) drops out. What changes a budget is kept in the store's books, so that a
restarted daemon knows it; what only leads there (prompts, last reports) is not. A `user` key teaches only about its
own user; a gateway's reports count for all (design, sections 4 and 9).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bobctx.core.overflow import reported_window
from bobctx.core.ratio import USED_SAMPLES, Ratio, learn_ratio, resolve_ratio
from bobctx.core.records import LearnedModel
from bobctx.core.types import Scope

REMEMBERED = 4_096
"""Prompts whose report may still come, conversations with a last report, and models."""
EVERYONE = ""
"""Owner of what a gateway reports."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Newest(Generic[K, V]):
    """A dict of bounded size; the oldest entries go first."""

    def __init__(self) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        return self._entries.get(key)

    def put(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > REMEMBERED:
            self._entries.popitem(last=False)

    def drop(self, gone: Callable[[K], bool]) -> None:
        for key in [key for key in self._entries if gone(key)]:
            del self._entries[key]

    def items(self) -> list[tuple[K, V]]:
        return list(self._entries.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One assembled prompt."""

    scope: Scope
    model: str | None
    tokens: int
    """By the reference counter, preamble of the request included."""
    reserved: int
    """What the host said it adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    tokens: int
    sent: Sent


class Learned:
    """Ratios and windows by model."""

    def __init__(self) -> None:
        self._changed: set[tuple[str, str]] = set()
        """(owner, model) whose entry in the books is older than what is known."""
        self._sent: _Newest[str, Sent] = _Newest()
        self._last: _Newest[tuple[Scope, str], _Report] = _Newest()
        self._samples: _Newest[tuple[str, str], deque[tuple[int, int]]] = _Newest()
        self._windows: _Newest[tuple[str, str], int] = _Newest()

    def sent(self, trace_id: str, sent: Sent) -> None:
        """Remember a prompt until its report comes."""
        self._sent.put(trace_id, sent)

    def reported(self, scope: Scope, trace_id: str | None, prompt_tokens: int | None, *, owner: str = EVERYONE) -> None:
        """A provider's count of one of our prompts; reports about prompts of another conversation say nothing."""
        known = self._sent.get(trace_id) if trace_id else None
        if known is None or known.scope != scope or not known.model or not prompt_tokens:
            return
        place = (scope, known.model)
        before = self._last.get(place)
        self._last.put(place, _Report(tokens=prompt_tokens, sent=known))
        if before is None or before.sent.reserved != known.reserved:
            return
        more, ours = prompt_tokens - before.tokens, known.tokens - before.sent.tokens
        if more * ours <= 0:
            return
        samples = self._samples.get((owner, known.model)) or deque(maxlen=USED_SAMPLES)
        earlier = learn_ratio(samples)
        samples.append((abs(more), abs(ours)))
        self._samples.put((owner, known.model), samples)
        if learn_ratio(samples) != earlier:
            self._changed.add((owner, known.model))

    def failed(self, model: str | None, error: str, *, owner: str = EVERYONE) -> int | None:
        """A provider's context-length error: the window it states, which from now on is the model's at most."""
        window = reported_window(error) if model else None
        if window is None or model is None:
            return None
        known = self._windows.get((owner, model))
        if known is None or window < known:
            self._windows.put((owner, model), window)
            self._changed.add((owner, model))
        return window

    # -- over a restart ------------------------------------------------------------------

    def restore(self, known: Iterable[LearnedModel]) -> None:
        """Take over what the books hold about models of prompts."""
        for entry in known:
            if entry.used_as != "target":
                continue
            place = (entry.user_id, entry.model)
            if entry.window is not None:
                self._windows.put(place, entry.window)
            if entry.samples:
                self._samples.put(place, deque(entry.samples, maxlen=USED_SAMPLES))

    def take_changed(self) -> list[LearnedModel]:
        """What the books should hold by now, once."""
        changed, self._changed = sorted(self._changed), set()
        return [
            LearnedModel(
                used_as="target",
                user_id=owner,
                model=model,
                window=self._windows.get((owner, model)),
                samples=tuple(self._samples.get((owner, model)) or ()),
            )
            for owner, model in changed
        ]

    def forget(self, user_id: str) -> None:
        """Nothing that one user's own reports taught stays."""
        for entries in (self._samples, self._windows):
            entries.drop(lambda place: place[0] == user_id)
        self._last.drop(lambda place: place[0].user_id == user_id)
        self._changed = {place for place in self._changed if place[0] != user_id}

    # -- what is known -------------------------------------------------------------------

    def model_of(self, scope: Scope, trace_id: str | None) -> str | None:
        """The model that a prompt of this conversation was made for."""
        known = self._sent.get(trace_id) if trace_id else None
        return known.model if known is not None and known.scope == scope else None

    def ratio(self, model: str | None, user: str) -> Ratio:
        """Model tokens for each reference token."""
        learned = None
        for owner in (user, EVERYONE):
            samples = self._samples.get((owner, model)) if model else None
            learned = learn_ratio(samples) if samples and learned is None else learned
        return resolve_ratio(model, learned=learned)

    def window(self, model: str | None, user: str) -> int | None:
        """The smallest window that an error stated."""
        if not model:
            return None
        found = [w for owner in (user, EVERYONE) if (w := self._windows.get((owner, model))) is not None]
        return min(found, default=None)

    def lowered(self) -> dict[str, int]:
        """Models whose window an error lowered for all, with that window: for `status`."""
        return {model: window for (owner, model), window in self._windows.items() if owner == EVERYONE}
