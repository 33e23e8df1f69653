"""The history builder's route: a message list that fits, in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import calls, posted, schemas
from bobctx.api.assemble import AssembleCall
from bobctx.api.auth import caller, scope_of
from bobctx.api.ids import check_id
from bobctx.api.lane import Lane, lane_of
from bobctx.api.posted import Posted
from bobctx.api.routing import DirectRoute
from bobctx.core.tools import names_of
from bobctx.core.types import Message, ToolSet
from bobctx.errors import InvalidInput

router = APIRouter(prefix="/v1/conversations/{cid}", tags=["assemble"], route_class=DirectRoute)


@router.post(
    "/assemble",
    summary="The messages of the next model request",
    openapi_extra=calls.takes(schemas.AssembleRequest),
    responses=calls.gives(schemas.AssembleAnswer, "A list that fits, and the record of the decision."),
)
async def assemble(request: Request, cid: str) -> Response:
    """Always answers in time: without a usable database by plain fit of the request's own messages."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas.AssembleRequest)
    scope = scope_of(request, cid, asked.user_id)
    if asked.messages is not None and (asked.leaf_id is not None or asked.append):
        raise InvalidInput("`messages` are a whole history: no `append` or `leaf_id` beside them.", field="messages")
    if asked.leaf_id is not None:
        check_id(asked.leaf_id, "leaf_id")
    most = lane.limits.messages
    messages = None
    if asked.messages is not None:
        if not asked.messages:
            raise InvalidInput("`messages` is empty; leave it out for the stored history.", field="messages")
        messages = await _read(posted.check_all(asked.messages, "messages", at_most=most), lane)
    call = AssembleCall(
        model=asked.model,
        backend=asked.backend,
        profile=asked.profile,
        messages=messages,
        append=await _read(posted.check_all(asked.append or [], "append", at_most=most), lane),
        leaf_id=asked.leaf_id,
        window=asked.window,
        reserved_tokens=asked.reserved_tokens,
        budget_tokens=asked.budget_tokens,
        dialect=asked.dialect,
        tools=ToolSet.of(names_of(asked.tools)),
        policy=asked.policy,
        query=asked.query,
        recall=asked.recall,
        mode=asked.mode,
        key_mode=caller(request).mode,
        answer=asked.return_,
    )
    answer = await lane.assembler.assemble(scope, call)
    return calls.answer(answer.as_json())


async def _read(items: Sequence[Posted], lane: Lane) -> tuple[Message, ...]:
    if posted.are_long([item.raw for item in items]):
        return await asyncio.to_thread(posted.read_all, items, lane.recorder.injected)
    return posted.read_all(items, lane.recorder.injected)
