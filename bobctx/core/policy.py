"""When to compact and what to do with a result: every outcome is named, `now` is passed in. Pure.

Times are Unix seconds, sizes are reference tokens (design, section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bobctx.core.budget import Budget, trigger_tokens
from bobctx.core.fit import compactable_tail, fit
from bobctx.core.region import REGION_CAP, eligible_end
from bobctx.core.segments import Spine
from bobctx.core.types import Rejection, ValidationReport

COOLDOWN_S = 300.0
"""After a failed region, per conversation: a seat that is down is not asked on every turn."""
QUIET_S = 30.0
"""After an edit: edits come in bursts, and each one may undo the last run."""
MAX_CALLS = 3
"""Paid calls for one region in all: first ask, retry, pieces and re-ask share them."""
MAX_REGIONS = 4
"""Regions a run extends the chain by before others get their turn."""
SMALL_REGION_TOKENS = 3_000
"""Reference tokens of a small seat's region: about a minute and a half on two cores, and little is lost if it fails."""
SMALL_PASS_WAITS = 6
"""One pass of a small seat may take so many times the wait for a single reply, and each of its windows that wait."""
MAX_FAILED_RUNS = 3
"""Runs in a row whose seat could not be reached; then the extractor, so that nothing waits for ever."""
MAX_SILENT_RUNS = 2 * MAX_FAILED_RUNS
"""Runs in a row that ended without an answer of the extractor either; then a link that covers nothing."""

DueReason = Literal[
    "disabled",
    "paused",
    "cooldown",
    "quiet_after_edit",
    "relinked",
    "eligible_tokens",
    "omitting_uncovered",
    "forced",
    "below_trigger",
    "nothing_eligible",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Whether a conversation has work now, and why or why not."""

    due: bool
    reason: DueReason
    eligible: int = 0
    """Uncompacted reference tokens that a region may take."""
    retry_at: float | None = None
    """When to look again, if only time is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known about a conversation's compaction besides its spine."""

    covered_end: int
    """Spine position after the last trusted link."""
    relinked: bool = False
    """An `empty` link that an edit or a deletion left waits to be compacted again."""
    last_failure: float | None = None
    last_edit: float = 0.0
    enabled: bool = True
    paused: bool = False
    cooldown_s: float = COOLDOWN_S
    quiet_s: float = QUIET_S


def due(
    spine: Spine,
    standing: Standing,
    budget: Budget,
    *,
    now: float,
    profile: str = "default",
    region_cap: int = REGION_CAP,
    force: bool = False,
) -> Due:
    """The due rule. `budget` is the one the conversation's next request is expected to have.

    `force` (an operator's call) overrides pause, cooldown, quiet and triggers, and ignores the protected tail.
    """
    tail = 0 if force else compactable_tail(spine, budget)
    end = eligible_end(spine, protected_tail=tail)
    start = max(standing.covered_end, spine.opening_end)
    eligible = spine.tokens_between(start, end)
    has_segment = start < end and spine.next_cut(start) <= end
    if force:
        ready = standing.relinked or has_segment
        return Due(due=ready, reason="forced" if ready else "nothing_eligible", eligible=eligible)
    blocked = _blocked(standing, now, eligible)
    if blocked is not None:
        return blocked
    if standing.relinked:
        return Due(due=True, reason="relinked", eligible=eligible)
    if not has_segment:
        return Due(due=False, reason="nothing_eligible", eligible=eligible)
    reason = _trigger(spine, budget, start, eligible, profile, region_cap)
    return Due(due=reason != "below_trigger", reason=reason, eligible=eligible)


def _blocked(standing: Standing, now: float, eligible: int) -> Due | None:
    if not standing.enabled:
        return Due(due=False, reason="disabled", eligible=eligible)
    if standing.paused:
        return Due(due=False, reason="paused", eligible=eligible)
    failed = _waiting(standing.last_failure, standing.cooldown_s, now)
    if failed is not None:
        return Due(due=False, reason="cooldown", eligible=eligible, retry_at=failed)
    edited = _waiting(standing.last_edit or None, standing.quiet_s, now)
    if edited is not None:
        return Due(due=False, reason="quiet_after_edit", eligible=eligible, retry_at=edited)
    return None


def _waiting(since: float | None, span: float, now: float) -> float | None:
    """When `span` seconds since a moment are over, if they are not.

    A moment that lies further ahead than that was taken by a clock that has been set back since: nothing waits for it.
    """
    if since is None or not 0 < since + span - now <= 2 * span:
        return None
    return since + span


def _trigger(
    spine: Spine, budget: Budget, start: int, eligible: int, profile: str, region_cap: int
) -> Literal["eligible_tokens", "omitting_uncovered", "below_trigger"]:
    """Enough tokens for a region worth asking about, or the next fit would leave something uncovered out."""
    plan = fit(spine, budget)
    enough = trigger_tokens(budget.window, profile)
    if plan.omitting:
        if plan.gap[1] > start:
            return "omitting_uncovered"
        enough = min(enough, spine.tokens_between(*plan.gap))
    return "eligible_tokens" if eligible >= enough and eligible * 2 >= region_cap else "below_trigger"


# -- what a result leads to ---------------------------------------------------------------

Action = Literal["accept", "again", "retry", "re-ask", "halve", "extractor", "empty", "fail"]

TRANSPORT_ERRORS = frozenset(
    {
        "timeout",
        "worker_died",
        "worker_failed",
        "stopping",
        "seat_failed",
        "unreachable",
        "rate_limited",
        "provider_error",
    }
)
"""Errors that say nothing about the region: the seat did not answer."""
TOO_LONG = frozenset({"truncated", "length", "context_length", "too_large"})
"""Errors that a smaller region avoids and the same one repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One result and what went before it."""

    calls: int
    """Paid calls for this region so far, this one included; the extractor costs none."""
    report: ValidationReport | None = None
    error: str | None = None
    """Reason code where there is no validated reply."""
    error_detail: str = ""
    extractor: bool = False
    """The extractor wrote it."""
    small: bool = False
    """A seat that is asked in windows wrote it: asked the same again, it answers the same."""
    retried: bool = False
    """Reasons went back once already."""
    died: bool = False
    """A worker died on an ask of this region before this one."""
    reasked: bool = False
    divisible: bool = False
    """More than one exchange (or safe segment) is left to divide."""
    missing_directive: bool = False
    """A prohibition or decision cue of a user message is in no claim."""
    failed_runs: int = 0
    """Runs in a row, before this one, that ended in `fail`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What to do now, why, and what to tell the seat."""

    action: Action
    reason: str
    reasons: tuple[str, ...] = ()
    """Sentences for the seat (`retry`, `re-ask`)."""


def after_result(attempt: Attempt) -> NextStep:
    """The next step for a region: nothing blocks the chain for ever, nothing bad is accepted."""
    if attempt.extractor:
        return _after_extractor(attempt)
    if attempt.error is not None:
        return _after_error(attempt, attempt.error)
    report = attempt.report
    if report is None:
        return _after_error(attempt, "empty")
    if report.mostly_rejected:
        return _smaller_or_again(attempt, "mostly_rejected", feedback(report.rejections))
    if attempt.missing_directive and not attempt.reasked and attempt.calls < MAX_CALLS:
        return NextStep(action="re-ask", reason="directive_missing", reasons=_uncovered(report))
    return NextStep(action="accept", reason="no_claims" if report.accepted == 0 else "accepted")


def _after_extractor(attempt: Attempt) -> NextStep:
    error = attempt.error
    if error is not None and error in TRANSPORT_ERRORS and attempt.failed_runs + 1 < MAX_SILENT_RUNS:
        return NextStep(action="fail", reason=error)
    if error is not None or attempt.report is None:
        return NextStep(action="empty", reason=f"extractor_{error or 'empty'}")
    if attempt.report.mostly_rejected:
        return NextStep(action="empty", reason="extractor_rejected")
    return NextStep(action="accept", reason="no_claims" if attempt.report.accepted == 0 else "accepted")


def _after_error(attempt: Attempt, error: str) -> NextStep:
    if error == "worker_died" and not attempt.died and attempt.calls < MAX_CALLS:
        return NextStep(action="again", reason=error)
    if error in TRANSPORT_ERRORS:
        if attempt.failed_runs + 1 >= MAX_FAILED_RUNS:
            return NextStep(action="extractor", reason=error)
        return NextStep(action="fail", reason=error)
    if error in TOO_LONG:
        if attempt.divisible and attempt.calls < MAX_CALLS:
            return NextStep(action="halve", reason=error)
        return NextStep(action="extractor", reason=error)
    detail = f": {attempt.error_detail}" if attempt.error_detail else ""
    return _smaller_or_again(attempt, error, (f"The reply could not be used ({error}{detail}).",))


def _smaller_or_again(attempt: Attempt, reason: str, reasons: tuple[str, ...]) -> NextStep:
    """Reasons back once, then halves, then the extractor; a small seat makes nothing of reasons."""
    if attempt.small:
        return NextStep(action="extractor", reason=reason)
    if attempt.calls >= MAX_CALLS:
        return NextStep(action="extractor", reason=f"{reason}_calls_spent")
    if not attempt.retried:
        return NextStep(action="retry", reason=reason, reasons=reasons)
    return NextStep(action="halve" if attempt.divisible else "extractor", reason=reason)


def feedback(rejections: Sequence[Rejection], limit: int = 20) -> tuple[str, ...]:
    """Rejections as sentences for the seat, at most `limit`."""
    told = [f"{r.claim}: {r.message or r.code}" for r in rejections[:limit]]
    if len(rejections) > limit:
        told.append(f"... and {len(rejections) - limit} more")
    return tuple(told)


def _uncovered(report: ValidationReport, limit: int = 20) -> tuple[str, ...]:
    return tuple(f"{u.get('message')}: no claim carries {u.get('text')!r}" for u in report.uncovered[:limit])
