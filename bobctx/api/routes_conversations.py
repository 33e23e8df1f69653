"""Conversations: list, delete, mode and pause, pins."""

from __future__ import annotations

import os
from typing import Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import answers, calls, schemas
from bobctx.api.auth import caller, scope_of, user_scope_of
from bobctx.api.ids import can_be_read, path_id
from bobctx.api.lane import lane_of
from bobctx.api.routing import DirectRoute
from bobctx.core.types import Pin
from bobctx.errors import Conflict, InvalidInput, NotFound
from bobctx.ports import Snapshot


class PinsFull(Conflict):
    """The pins of a conversation may take 40 % of its claims block; take one away first."""

    code = "pins_full"


router = APIRouter(prefix="/v1/conversations", tags=["conversations"], route_class=DirectRoute)


@router.get(
    "",
    summary="One user's conversations",
    openapi_extra=calls.with_query("user_id", limit="integer"),
    responses=calls.gives(schemas.ConversationsAnswer),
)
async def conversations(request: Request) -> Response:
    """Newest first."""
    owner = user_scope_of(request, request.query_params.get("user_id"))
    limit = calls.number(request, "limit", 1_000, low=1, high=10_000)
    lane = lane_of(request)
    rows = await lane.store.conversations(owner, limit=limit)
    names = lane.names_of(owner.user_id)
    listed = [{**answers.conversation_json(row), "aliases": names.get(row.conversation_id, [])} for row in rows]
    return calls.answer({"conversations": listed})


@router.delete(
    "/{cid}",
    summary="Delete a conversation",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.Receipt),
)
async def delete(request: Request, cid: str) -> Response:
    """Every message, claim, compaction, reply and trace; tombstones stay."""
    lane = lane_of(request)
    scope = scope_of(request, cid, request.query_params.get("user_id"))

    async def produce() -> bytes:
        if not (await lane.store.snapshot(scope)).exists:
            raise NotFound()
        with lane.forgetting(scope, whole=True):
            receipt = await lane.store.delete_conversation(scope, now=lane.clock.now())
        return calls.json_bytes({"deleted": dict(receipt)})

    return await calls.once(request, scope, b"", produce)


@router.post(
    "/{cid}/mode",
    summary="A conversation's own mode, or its pause",
    openapi_extra=calls.takes(schemas.ModeRequest),
    responses=calls.gives(schemas.ModeAnswer),
)
async def mode(request: Request, cid: str) -> Response:
    """What is not named stays as it is."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas.ModeRequest)
    scope = scope_of(request, cid, asked.user_id)
    if not (await lane.store.snapshot(scope)).exists:
        raise NotFound()
    if asked.mode is not None or asked.paused is not None:
        await lane.store.set_mode(scope, mode=asked.mode, paused=asked.paused)
    now = await lane.store.snapshot(scope)
    return calls.answer({"mode": now.mode, "paused": now.paused})


@router.post(
    "/{cid}/pins",
    summary="Pin a text or a claim",
    openapi_extra=calls.takes(schemas.PinRequest),
    responses=calls.gives(schemas.PinAnswer),
)
async def pin(request: Request, cid: str) -> Response:
    """Shown verbatim, as pinned by user or operator; never compacted.

    It heads the block of every prompt that leaves something out; while the whole conversation fits, it is sent raw.
    """
    lane = lane_of(request)
    asked, raw = await calls.read(request, schemas.PinRequest)
    scope = scope_of(request, cid, asked.user_id)
    by: Literal["user", "operator"] = "operator" if caller(request).role == "operator" else "user"

    async def produce() -> bytes:
        snapshot = await lane.store.snapshot(scope)
        if not snapshot.exists:
            raise NotFound()
        text = asked.text
        if asked.claim_id is not None:
            claims = answers.claims_json(snapshot)
            found = next((c for c in claims if asked.claim_id in (c["id"], c["alias"])), None)
            if found is None:
                raise NotFound()
            text = text or str(found["text"])
            claim_id: str | None = str(found["id"])
        else:
            claim_id = None
        if text is None or not can_be_read(text):
            raise InvalidInput("Name a `text` that says something, or a `claim_id`.", field="text")
        await _refuse_overflow(request, snapshot, text)
        made = Pin(pin_id=os.urandom(8).hex(), text=text, by=by, claim_id=claim_id, created_ts=lane.clock.now())
        await lane.store.add_pin(scope, made)
        return calls.json_bytes(answers.pin_json(made))

    return await calls.once(request, scope, raw, produce)


async def _refuse_overflow(request: Request, snapshot: Snapshot, text: str) -> None:
    """Pins are never dropped silently, so there may not be more than the block has room for (design, section 8)."""
    lane = lane_of(request)
    count = (await lane.counting.counter()).count
    room = lane.pin_room(snapshot.backend)
    wanted = sum(count(pin.text) for pin in snapshot.pins) + count(text)
    if wanted > room:
        raise PinsFull(f"Pins would take {wanted} tokens of {room}; take one away first.", field="text")


@router.get(
    "/{cid}/pins",
    summary="Pins of a conversation",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.PinsAnswer),
)
async def pins(request: Request, cid: str) -> Response:
    """Oldest first."""
    snapshot = await lane_of(request).store.snapshot(scope_of(request, cid, request.query_params.get("user_id")))
    if not snapshot.exists:
        raise NotFound()
    return calls.answer({"pins": [answers.pin_json(p) for p in snapshot.pins]})


@router.delete(
    "/{cid}/pins/{pin_id}",
    summary="Unpin",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.Receipt),
)
async def unpin(request: Request, cid: str, pin_id: str) -> Response:
    """Take a pin away."""
    scope = scope_of(request, cid, request.query_params.get("user_id"))
    if not await lane_of(request).store.remove_pin(scope, path_id(pin_id, "pin_id")):
        raise NotFound()
    return calls.answer({"deleted": {"pins": 1}})
