"""From a snapshot and a request to the message list a model gets, and the record of that decision. Pure.

Two phases, so that the omitted middle is never read: `plan_assembly` decides on columns inside the
store's read transaction and names the positions whose bodies it needs; `finish_assembly` makes the
list (design, section 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bobctx.core import alignment, refit
from bobctx.core.alignment import Source
from bobctx.core.budget import BLOCK_SHARE, Budget, plan_budget
from bobctx.core.cover import Cover, CoverRequest, cover, usable_regions
from bobctx.core.dialect import repair, to_dialect
from bobctx.core.final import finish_assembly, is_answered
from bobctx.core.fit import FitPlan, fit
from bobctx.core.memo import AssemblyMemo, LineSizes, trust
from bobctx.core.plan import EMPTY, Assembled, AssemblyPlan, AssemblyRequest, PlanItem
from bobctx.core.recall import Recall, RecallRequest, is_recall, recall, recall_room
from bobctx.core.records import Snapshot
from bobctx.core.render import omitted_span
from bobctx.core.segments import Spine, split_preamble
from bobctx.core.sentinel import strip, without_blocks
from bobctx.core.standing import standing_cover
from bobctx.core.tokens import MESSAGE_OVERHEAD
from bobctx.core.types import Message, Scope

__all__ = [
    "Assembled",
    "AssemblyMemo",
    "AssemblyPlan",
    "AssemblyRequest",
    "PlanItem",
    "finish_assembly",
    "plain_fit",
    "plan_assembly",
]

INJECTS = frozenset({"live"})
"""Modes that show a claims block; `shadow` fits like `fit` and records what `live` would have done."""


def plan_assembly(snapshot: Snapshot, request: AssemblyRequest, memo: AssemblyMemo | None = None) -> AssemblyPlan:
    """Decide what is raw, covered and announced: O(log n) plus what is shown, when `memo` is warm.

    `memo` is that of the last plan for the same scope and branch (`AssemblyPlan.memo`); it changes
    cost, never the result. Raises `KeyError` in the second phase for an unknown dialect.
    """
    request = _without_own(request)
    preamble, rest, holes = _taken_apart(request)
    base = snapshot.spine
    if request.messages is None:
        source = alignment.from_store(base, request.append, request.count)
    else:
        spans = [(place, omitted_span(text)) for place, text in holes]
        source = alignment.from_request(base, rest, spans, request.count)
    reserved = request.reserved_tokens + sum(m.tokens for m in preamble)
    live = request.mode in INJECTS
    budget = _budget(request, reserved, live=live)
    known, keep = trust(snapshot, source, request.versions, memo, counter_id=request.counter_id)
    fitted = _everything(source.spine) if request.mode == "off" else fit(source.spine, budget)
    spared = 0
    standing = None if source.exact or request.mode == "off" else _standing(snapshot, request, budget, rest, holes)
    if standing is not None:
        source, fitted, found, spared = standing
        asked = _cover_request(snapshot, request, source, known, fitted, None)
    else:
        asked = _cover_request(snapshot, request, source, known, fitted, budget if live else None)
        found, known = _cover(asked, source, known)
    recalled = _recall(asked, request, budget, found) if live and asked.cap else Recall()
    would = None
    if request.mode == "shadow":
        planned = _budget(request, reserved, live=True)
        trial = _cover_request(snapshot, request, source, known, fit(source.spine, planned), planned)
        would, known = _cover(trial, source, known)
    return AssemblyPlan(
        request=request,
        source=source,
        preamble=preamble,
        budget=budget,
        fit=fitted,
        chain=known.chain,
        cover_request=asked,
        cover=found,
        would=would,
        recall=recalled,
        spared=spared,
        memo=known if keep or memo is None else memo,
        positions=tuple(p for p in map(source.stored_position, fitted.positions) if p is not None),
        warnings=_warnings(request, source, budget, known),
    )


def _without_own(request: AssemblyRequest) -> AssemblyRequest:
    """This turn's messages as they will be recorded: without the blocks of ours that came back in them."""
    if request.key is None or not request.append:
        return request
    left = tuple(found for m in request.append if (found := without_blocks(m, request.key)) is not None)
    return replace(request, append=left)


def _taken_apart(
    request: AssemblyRequest,
) -> tuple[tuple[Message, ...], Sequence[Message], Sequence[tuple[int, str]]]:
    """Preamble, messages without our blocks, and where those stood; nothing for the stored history."""
    if request.messages is None:
        return (), (), ()
    preamble, rest = split_preamble(request.messages)
    counted = tuple(alignment.counted(m, request.count) for m in preamble)
    if request.key is None:
        return counted, rest, ()
    stripped = strip(rest, request.key)
    # A recall block stood for no message: where it was, nothing is missing.
    return counted, stripped.messages, [hole for hole in stripped.holes if not is_recall(hole[1])]


def _standing(
    snapshot: Snapshot,
    request: AssemblyRequest,
    budget: Budget,
    rest: Sequence[Message],
    holes: Sequence[tuple[int, str]],
) -> tuple[Source, FitPlan, Cover, int] | None:
    """An assembled list that came back changed, as it is: if it fits and its block still holds."""
    if len(holes) != 1 or request.key is None:
        return None
    (place, text), own = holes[0], alignment.from_request(snapshot.spine, rest, (), request.count)
    stored, _ = trust(snapshot, alignment.from_store(snapshot.spine, (), request.count), request.versions, None)
    found = standing_cover(
        text,
        stored.view,
        snapshot.spine,
        pins=snapshot.pins,
        tools=request.tools,
        key=request.key,
        count=request.count,
    )
    # Its marker may have grown past the stable cap when the ladder dropped messages; the share of the history holds.
    allowed = request.mode in INJECTS and found is not None and found.tokens <= int(budget.history * BLOCK_SHARE)
    if found is None or (found.pack.text and not allowed):
        return None
    spared = _envelope(request, rest)
    if own.spine.tokens_between(0, own.spine.n) + found.tokens - spared > budget.history:
        return None
    rest_count = own.spine.n - place
    plan = FitPlan(omitting=True, opening_end=place, tail_start=place, gap=(place, place), tail_count=rest_count)
    return own, plan, found, spared


def _envelope(request: AssemblyRequest, rest: Sequence[Message]) -> int:
    """Tokens that a block does not cost where it came back inside a message, or between two parts of one."""
    brought = len(split_preamble(request.messages or ())[1])
    return MESSAGE_OVERHEAD * (len(rest) + 1 - brought)


def _budget(request: AssemblyRequest, reserved: int, *, live: bool) -> Budget:
    return plan_budget(
        request.window,
        profile=request.profile,
        reserved=reserved,
        budget_tokens=request.budget_tokens,
        history_max=request.history_max,
        byte_cap=request.byte_cap,
        live=live,
        ratio=request.ratio,
        share=request.share,
        step=request.step,
    )


def _everything(spine: Spine) -> FitPlan:
    """Mode `off`: nothing is left out, whatever it costs."""
    end = spine.opening_end
    return FitPlan(omitting=False, opening_end=end, tail_start=end, gap=(end, end), tail_count=spine.n - end)


def _cover_request(
    snapshot: Snapshot,
    request: AssemblyRequest,
    source: Source,
    known: AssemblyMemo,
    fitted: FitPlan,
    budget: Budget | None,
) -> CoverRequest:
    """What stands for the gap; without a `budget` no claims may be shown."""
    return CoverRequest(
        view=known.view,
        ranking=known.ranking,
        spine=source.spine,
        gap=fitted.gap,
        shown=fitted.kept,
        cap=0 if budget is None else budget.block_cap - _recall_room(request, budget, known, fitted.gap),
        scores=request.scores if request.policy == "ranked" else {},
        policy=request.policy,
        style=request.style,
        tools=request.tools,
        pins=snapshot.pins,
        key=request.key,
        count=request.count,
    )


def _recall_room(request: AssemblyRequest, budget: Budget, known: AssemblyMemo, gap: tuple[int, int]) -> int:
    if not request.recall:
        return 0
    usable = usable_regions(known.view, gap[1]) if gap[0] < gap[1] else 0
    return recall_room(budget.block_cap, sum(known.ranking.unreplaced[:usable]))


def _recall(asked: CoverRequest, request: AssemblyRequest, budget: Budget, found: Cover) -> Recall:
    """Claims for the newest user message, if that one is shown in the tail."""
    newest = asked.spine.newest_user
    if not request.recall or newest is None or (newest < asked.gap[1] and newest not in asked.shown):
        return Recall()
    return recall(
        RecallRequest(
            view=asked.view,
            spine=asked.spine,
            usable=usable_regions(asked.view, asked.gap[1]) if asked.gap[0] < asked.gap[1] else 0,
            shown=frozenset(c.alias for c in found.pack.claims),
            scores=request.scores,
            room=budget.block_cap - asked.cap,
            style=request.style,
            tools=request.tools,
            key=request.key,
            count=request.count,
            chosen=request.recalled,
        )
    )


def _cover(request: CoverRequest, source: Source, known: AssemblyMemo) -> tuple[Cover, AssemblyMemo]:
    """From memory where everything it depends on is the same; else packed and rendered."""
    if request.gap[0] >= request.gap[1]:
        return Cover(), known
    key = (
        request.gap, request.shown, request.cap, request.policy, request.style,
        request.tools, request.pins, request.key, tuple(request.scores.items()),
    )  # fmt: skip
    remembers = source.trusted_base and request.gap[1] <= source.base.n
    found = known.cover(key) if remembers else None
    if found is not None:
        return found, known
    sizes = LineSizes(request.count, known.sizes)
    found = cover(replace(request, count=sizes))
    return found, known.with_cover(key, found, sizes.used) if remembers else known


def _warnings(request: AssemblyRequest, source: Source, budget: Budget, known: AssemblyMemo) -> tuple[str, ...]:
    warnings = [*budget.warnings]
    if known.chain.break_ is not None:
        warnings.append(f"chain_break:{known.chain.break_.code}")
    spine = source.spine
    if not spine.n:
        warnings.append(EMPTY)
    elif request.messages is None and not request.append and is_answered(spine.flags[spine.n - 1]):
        warnings.append("no_pending_turn")
    return tuple(warnings)


def plain_fit(messages: Sequence[Message], request: AssemblyRequest) -> Assembled:
    """The fallback: the request's own messages, fitted; no store, no chain, no claims.

    For a failure or a deadline in the full path, and for a client that cannot reach the daemon
    (design, sections 7 and 9). Ids are kept, but nothing is offered for expansion.
    """
    nowhere = Snapshot(
        scope=Scope(conversation_id="", user_id=""), revision=0, spine=Spine(), compactions=(), exists=False
    )
    own = replace(request, messages=[*messages, *request.append], append=(), mode="fit")
    plan = plan_assembly(nowhere, own)
    if request.answer == "messages" and any(refit.holds_block(m.body, request.key) for m in messages):
        return _guarded(plan, own)
    return finish_assembly(plan, ())


def _guarded(plan: AssemblyPlan, request: AssemblyRequest) -> Assembled:
    """An assembled list that came back for a backend with a harder cap: re-trimmed as it is, with its block."""
    final, _ = repair(to_dialect(request.messages or (), request.dialect), request.dialect)
    found = refit.refit(final, plan.budget, request.dialect, count=request.count, key=request.key)
    answer = finish_assembly(plan, ())
    warnings = [*plan.warnings, *found.steps, *([] if found.fits else ["cannot_fit"])]
    return replace(
        answer,
        messages=found.messages if found.fits else (),
        plan=(),
        decision={**answer.decision, "block": "refit", "warnings": warnings},
        budget={**answer.budget, "used": found.tokens},
        warnings=tuple(warnings),
        cannot_fit=not found.fits,
    )
