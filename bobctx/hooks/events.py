"""What each event of a host leads to: record, compact, compare, and say again what is missing.

Before a compaction everything is recorded and compacted, without a protected tail. After it the host's summary is
compared with the claims; what it lacks comes back with the next text that a hook may add.
"""

from __future__ import annotations

import os
import time

from bobctx.hooks import HOSTS
from bobctx.hooks.lane import DaemonRefused, DaemonSilent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from bobctx.hooks.lane import Lane
    from bobctx.hooks.memory import Memory

LIMIT_BYTES = 2_000
"""Of claims and pins that one event adds."""
COMPARE_S = 0.8
"""Seconds that are left for the comparison when a compaction is waited for."""
WAITED = 5
"""Prompts that look whether the daemon's own compaction has ended; each waits for it a moment."""
MOMENT_S = 0.3
PENDING = 200
"""Most ids that wait for the next prompt."""


class Event:
    """One call of a hook."""

    def __init__(
        self, *, host: str, name: str, session: str, transcript: str, source: str = "", summary: str | None = None
    ) -> None:
        """What the host sent; `source` belongs to `SessionStart`, `summary` to `PostCompact`."""
        self.host, self.name, self.session, self.transcript = host, name, session, transcript
        self.source, self.summary = source, summary


class Answer:
    """What the host is told."""

    def __init__(self) -> None:
        """Nothing to say yet."""
        self.context: list[str] = []
        """Texts for the model."""
        self.notes: list[str] = []
        """Sentences for the user."""

    def as_json(self, event: str) -> dict[str, Any]:
        """In the form of both hosts; empty where there is nothing to say."""
        found: dict[str, Any] = {}
        if self.context:
            found["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": "\n\n".join(self.context)}
        if self.notes:
            found["systemMessage"] = "bobctx: " + "; ".join(self.notes)
        return found


class Hook:
    """What an event is handled with."""

    def __init__(self, *, lane: Lane, memory: Memory, keep: tuple[str, ...] = (), backend: str | None = None) -> None:
        """`keep`: rules files; `backend`: where the host's prompts go."""
        self.lane, self.memory, self.keep, self.backend = lane, memory, keep, backend


def read_event(host: str, given: Mapping[str, Any]) -> Event | None:
    """The event on stdin; None where it names no session."""
    fields = {name: given.get(name) for name in ("hook_event_name", "session_id", "transcript_path", "source")}
    texts = {name: value if isinstance(value, str) else "" for name, value in fields.items()}
    summary = given.get("compact_summary")
    if not texts["session_id"] or host not in HOSTS:
        return None
    return Event(
        host=host,
        name=texts["hook_event_name"],
        session=texts["session_id"],
        transcript=os.path.expanduser(texts["transcript_path"]),
        source=texts["source"],
        summary=summary if isinstance(summary, str) and summary.strip() else None,
    )


def handle(event: Event, hook: Hook) -> Answer:
    """Do what the event asks for. A daemon that is silent or refuses costs the claims, nothing else."""
    answer = Answer()
    handler = HANDLERS.get(event.name)
    if handler is not None:
        try:
            handler(event, hook, answer)
        except (DaemonSilent, DaemonRefused) as error:
            if isinstance(error, DaemonRefused):
                answer.notes.append(f"the daemon refused ({error}); see `bobctx doctor`")
    return answer


# -- recording ---------------------------------------------------------------------


def _record(event: Event, hook: Hook, answer: Answer) -> None:
    if not event.transcript:
        return
    from bobctx.hooks.recording import record

    done = record(
        hook.lane,
        hook.memory,
        event.session,
        event.transcript,
        format=HOSTS[event.host],
        backend=hook.backend,
    )
    if done.refused is not None:
        answer.notes.append(f"part of the transcript could not be recorded ({done.refused})")


def _before_compaction(event: Event, hook: Hook, answer: Answer) -> None:
    hook.memory.change(
        event.session,
        compacted_from=_size(event.transcript),
        unfinished=True,
        waited=0,
        compared=False,
        pending=(),
        shown=(),
        kept={},
    )
    _record(event, hook, answer)
    _compact(event, hook)


def _compact(event: Event, hook: Hook, most_s: float | None = None) -> None:
    """Every closed segment, whatever the triggers; where it outlasts the wait it goes on in the daemon."""
    found = hook.lane.post(event.session, "compact", {"force": True}, most_s=most_s)
    if found.get("state") != "running":
        hook.memory.change(event.session, unfinished=False)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


# -- what the next prompt is told ------------------------------------------------------


def _start(event: Event, hook: Hook, answer: Answer) -> None:
    if event.source == "compact":
        _after_compaction(event, hook, answer)
        return
    if event.source != "resume":
        hook.memory.change(event.session, kept={}, pending=(), shown=())
        hook.memory.tidy(time.time())
    _bring_files(event, hook, answer)


def _after_compaction(event: Event, hook: Hook, answer: Answer) -> None:
    """The context was replaced: the host's summary is in the transcript already, or comes with the next event."""
    from bobctx.hooks.summaries import newest_summary

    known = hook.memory.read(event.session)
    summary = newest_summary(event.transcript, HOSTS[event.host], known.compacted_from)
    _bring_files(event, hook, answer, context=summary or "")
    found = _compare(event, hook, answer, summary)
    if found.get("block"):
        answer.context.insert(0, found["block"])
    hook.memory.change(event.session, shown=known.shown + _ids(found, "shown"), pending=())


def _compacted(event: Event, hook: Hook, answer: Answer) -> None:
    """The summary itself: this event can add nothing, so what is missing waits for the next prompt."""
    from bobctx.hooks.summaries import newest_summary

    known = hook.memory.read(event.session)
    summary = event.summary or newest_summary(event.transcript, HOSTS[event.host], known.compacted_from)
    if summary is not None and not known.compared:
        found = _compare(event, hook, answer, summary)
        hook.memory.change(event.session, pending=_missing(found, known.shown))


def _prompt(event: Event, hook: Hook, answer: Answer) -> None:
    _bring_files(event, hook, answer)
    known = hook.memory.read(event.session)
    pending, summary = known.pending, None
    if pending or known.unfinished:
        from bobctx.hooks.summaries import newest_summary

        summary = newest_summary(event.transcript, HOSTS[event.host], known.compacted_from)
    if known.unfinished and not known.compared:
        pending = _missing(_compare(event, hook, answer, summary), known.shown)
    found: Mapping[str, Any] = {}
    if pending:
        asked = {"summary": summary, "only": pending, "limit_bytes": LIMIT_BYTES}
        found = hook.lane.post(event.session, "compare", asked)
    if found.get("block"):
        answer.context.insert(0, found["block"])
    waited = known.waited + 1
    goes_on = known.unfinished and hook.memory.read(event.session).unfinished and waited < WAITED
    shown = known.shown + _ids(found, "shown")
    hook.memory.change(event.session, pending=(), unfinished=goes_on, waited=waited, shown=shown)


def _compare(event: Event, hook: Hook, answer: Answer, summary: str | None) -> dict[str, Any]:
    """Compare with what is known by now; reported once, when all claims are there."""
    known = hook.memory.read(event.session)
    if known.unfinished:
        most_s = hook.lane.left() - COMPARE_S
        try:  # noqa: SIM105 - contextlib costs more than this hook
            _compact(event, hook, most_s=min(MOMENT_S, most_s) if known.waited else most_s)
        except DaemonSilent:
            pass  # it goes on, and the next prompt looks again
        known = hook.memory.read(event.session)
    found = hook.lane.post(event.session, "compare", {"summary": summary, "limit_bytes": LIMIT_BYTES})
    last = not known.unfinished or known.waited + 1 >= WAITED
    if summary is not None and last and not known.compared:
        answer.notes.append(report(found))
        hook.memory.change(event.session, compared=True)
    return found


def _missing(found: Mapping[str, Any], shown: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(item["id"]) for item in found.get("missing") or () if item["id"] not in shown)[:PENDING]


def _bring_files(event: Event, hook: Hook, answer: Answer, context: str = "") -> None:
    if not hook.keep:
        return
    from bobctx.hooks.keeping import files_to_bring

    known = hook.memory.read(event.session).kept
    found = files_to_bring(hook.keep, known, context)
    answer.context += found.texts
    answer.notes += found.problems
    if found.hashes != known:
        hook.memory.change(event.session, kept=dict(found.hashes))


def report(found: Mapping[str, Any]) -> str:
    """One sentence about a comparison."""
    return (
        f"the summary dropped {found.get('dropped')}, contradicted {found.get('contradicted')} of "
        f"{found.get('known')} claims (dropped: not found verbatim)"
    )


def _ids(found: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(str(item) for item in found.get(name) or ())


HANDLERS: Mapping[str, Callable[[Event, Hook, Answer], None]] = {
    "SessionStart": _start,
    "UserPromptSubmit": _prompt,
    "Stop": _record,
    "SessionEnd": _record,
    "PreCompact": _before_compaction,
    "PostCompact": _compacted,
}
