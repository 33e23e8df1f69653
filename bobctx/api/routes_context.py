"""Choosing claims for a task: compile, feedback, inspect, figures, conflicts (design, section 8)."""

from __future__ import annotations

import os

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import calls, context_schemas
from bobctx.api.auth import caller, require_operator, user_scope_of
from bobctx.api.compile import CompileCall
from bobctx.api.context_answers import decided_json, disputes_json, moment
from bobctx.api.errors import request_id_of
from bobctx.api.idempotency import MAX_KEY
from bobctx.api.ids import can_be_read, check_id, path_id
from bobctx.api.inspection import inspected
from bobctx.api.lane import lane_of
from bobctx.api.routing import DirectRoute
from bobctx.core.conflicts import resolution
from bobctx.core.feedback import REFUSAL, Vote
from bobctx.core.identity import digest
from bobctx.core.scoring import OUTCOMES
from bobctx.core.types import Scope, UserScope
from bobctx.errors import InvalidInput, NotFound

router = APIRouter(prefix="/v1", tags=["context"], route_class=DirectRoute)


def _scope(request: Request, owner: UserScope, conversation: str | None) -> Scope | UserScope:
    """One conversation, under whichever of its names, or all of the user's."""
    if conversation is None:
        return owner
    return lane_of(request).resolve(check_id(conversation, "conversation_id"), owner.user_id)


@router.post(
    "/context/compile",
    summary="The claims for a task, under a hard token budget",
    openapi_extra=calls.takes(context_schemas.CompileRequest),
    responses=calls.gives(context_schemas.CompileAnswer),
)
async def compile_(request: Request) -> Response:
    """Scope first, then rank, then pack; an empty pack is a success."""
    asked, _ = await calls.read(request, context_schemas.CompileRequest)
    scope = _scope(request, user_scope_of(request, asked.user_id), asked.conversation_id)
    if not can_be_read(asked.task):
        raise InvalidInput("`task` holds nothing that can be read.", field="task")
    call = CompileCall(
        task=asked.task,
        max_tokens=asked.max_tokens,
        backend=asked.backend,
        kinds=tuple(asked.kinds or ()),
        include_episodes=asked.include_episodes,
        conflicts=asked.conflicts,
        recall_floor=asked.recall_floor,
        multi_hop=asked.multi_hop,
    )
    return calls.answer(await lane_of(request).compiler.compile(scope, call, request_id_of(request)))


@router.post(
    "/context/{context_id}/feedback",
    summary="What became of a context",
    openapi_extra=calls.takes(context_schemas.FeedbackRequest),
    responses=calls.gives(context_schemas.FeedbackAnswer),
)
async def feedback(request: Request, context_id: str) -> Response:
    """Moves the utility of a claim from three votes on; never its text, trust or status."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, context_schemas.FeedbackRequest)
    owner = user_scope_of(request, asked.user_id)
    if asked.outcome not in OUTCOMES:
        raise InvalidInput(REFUSAL, field="outcome")
    if asked.reason_code is not None:
        check_id(asked.reason_code, "reason_code")
    principal = caller(request).key_id
    vote = Vote(
        feedback_id="fb_" + os.urandom(16).hex(),
        context_id=path_id(context_id, "context_id"),
        claim_id=asked.claim_id,
        outcome=asked.outcome,
        principal=principal,
        body_sha256=digest("vote", asked.model_dump(mode="json")),
        created_ts=lane.clock.now(),
        reason_code=asked.reason_code,
        mutation=_mutation(request, principal, context_id, asked.client_mutation_id),
    )
    await lane.compiler.traces.settle()
    kept = await lane.store.vote(owner, vote)
    return calls.answer(
        {
            "feedback_id": kept.feedback_id,
            "context_id": kept.context_id,
            "claim_id": kept.claim_id,
            "outcome": kept.outcome,
            "recorded_at": moment(kept.recorded_ts),
            "meta": {"request_id": request_id_of(request), "replayed": kept.replayed},
        }
    )


def _mutation(request: Request, principal: str, context_id: str, mutation_id: str | None) -> str | None:
    """What makes a repeated call the same one: the header, else the body's own id."""
    key = request.headers.get("idempotency-key")
    if key is None and mutation_id is None:
        return None
    if mutation_id is not None and not mutation_id.isprintable():
        raise InvalidInput("`client_mutation_id` is 1 to 255 printable characters.", field="client_mutation_id")
    if key is not None and (not key or len(key) > MAX_KEY or not key.isprintable()):
        raise InvalidInput(f"`Idempotency-Key` is 1 to {MAX_KEY} printable characters.", field="Idempotency-Key")
    kind = "header" if key is not None else "body"
    return digest("mutation", [principal, context_id, kind, key if key is not None else mutation_id])


@router.get(
    "/inspect/{trace_id}",
    summary="Why a prompt or a context is what it is",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(context_schemas.InspectAnswer),
)
async def inspect(request: Request, trace_id: str) -> Response:
    """The stored trace, with a reason for every claim considered."""
    lane = lane_of(request)
    owner = user_scope_of(request, request.query_params.get("user_id"))
    await lane.compiler.traces.settle()
    trace = await lane.store.trace(owner, path_id(trace_id, "trace_id"))
    if trace is None:
        raise NotFound()
    return calls.answer(await inspected(lane.store, owner, trace))


@router.get(
    "/stats/overview",
    summary="How often context was served, and how it was received",
    openapi_extra=calls.with_query("user_id", "conversation_id"),
    responses=calls.gives(context_schemas.OverviewAnswer),
)
async def overview(request: Request) -> Response:
    """Null where nothing was measured; `compaction_*` is what the stored replies of seats cost."""
    lane = lane_of(request)
    owner = user_scope_of(request, request.query_params.get("user_id"))
    scope = _scope(request, owner, request.query_params.get("conversation_id"))
    await lane.compiler.traces.settle()
    found = dict(await lane.store.overview(scope))
    open_, _ = await lane.store.disputes(scope, now=lane.clock.now())
    return calls.answer({**found, "conflicts_open": len(open_.open)})


@router.get(
    "/conflicts",
    summary="Active claims that contradict one another",
    openapi_extra=calls.with_query("user_id", "conversation_id"),
    responses=calls.gives(context_schemas.ConflictsAnswer),
)
async def conflicts(request: Request) -> Response:
    """Open until an operator or a later correction decides; what operators decided stands beside."""
    owner = user_scope_of(request, request.query_params.get("user_id"))
    scope = _scope(request, owner, request.query_params.get("conversation_id"))
    lane = lane_of(request)
    found, claims = await lane.store.disputes(scope, now=lane.clock.now())
    name = scope.conversation_id if isinstance(scope, Scope) else None
    return calls.answer({"conflicts": disputes_json(found, claims), "decided": decided_json(found, name)})


@router.post(
    "/conflicts/{conflict_id}",
    summary="Decide a conflict",
    openapi_extra=calls.takes(context_schemas.ResolveRequest),
    responses=calls.gives(context_schemas.ResolveAnswer),
)
async def resolve(request: Request, conflict_id: str) -> Response:
    """For operators: one claim holds, or (null) all of them do. Evidence and claims stay as they are."""
    lane = lane_of(request)
    principal = require_operator(request)
    asked, _ = await calls.read(request, context_schemas.ResolveRequest)
    owner = user_scope_of(request, asked.user_id)
    name = path_id(conflict_id, "conflict_id")
    place = _scope(request, owner, asked.conversation_id)
    found, claims = await lane.store.disputes(place, now=lane.clock.now())
    conflict = next((c for c in found.open if c.conflict_id == name), None)
    if conflict is None:
        raise NotFound()
    sides = [c for c in claims if c.claim_id in conflict.claims]
    named = [c.claim_id for c in sides if asked.keep in (c.claim_id, c.alias)]
    if len(named) > 1:
        raise InvalidInput(f"`keep`: {len(named)} sides are called {asked.keep}; give a `claim_id`.", field="keep")
    keep = named[0] if named else asked.keep
    decided = resolution(conflict, keep)
    if decided is None:
        raise NotFound(field="keep")
    await lane.store.resolve(
        owner, decided, claim_id=keep or conflict.claims[0], principal=principal.key_id, now=lane.clock.now()
    )
    lane.assembler.forget(None)
    return calls.answer({"conflict_id": name, "keep": keep, "lost": list(decided.lost)})


@router.delete(
    "/conflicts/{conflict_id}",
    summary="Withdraw a decision",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(context_schemas.WithdrawAnswer),
)
async def withdraw(request: Request, conflict_id: str) -> Response:
    """For operators: the conflict is open again, and what had lost is current again."""
    lane = lane_of(request)
    require_operator(request)
    owner = user_scope_of(request, request.query_params.get("user_id"))
    name = path_id(conflict_id, "conflict_id")
    await lane.store.withdraw(owner, name)
    lane.assembler.forget(None)
    return calls.answer({"conflict_id": name, "withdrawn": True})
