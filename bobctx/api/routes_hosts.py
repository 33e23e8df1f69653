"""For the hooks of coding agents: record stretches of a transcript, compare the host's own summary with the claims."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import access, calls, posted, schemas_hosts
from bobctx.api.auth import caller, scope_of
from bobctx.api.ids import check_id
from bobctx.api.lane import lane_of
from bobctx.api.routing import DirectRoute
from bobctx.core.chain import view_in
from bobctx.core.types import Message
from bobctx.errors import InvalidInput, NotFound
from bobctx.ports import RecordResult, Snapshot

if TYPE_CHECKING:
    from bobctx.core.reminder import Reminder

router = APIRouter(prefix="/v1/conversations/{cid}", tags=["hosts"], route_class=DirectRoute)

OUTCOMES = ("indexed", "updated", "unchanged", "ignored")


@router.post(
    "/transcript",
    summary="Record a stretch of a transcript",
    openapi_extra=calls.takes(schemas_hosts.TranscriptRequest),
    responses=calls.gives(schemas_hosts.TranscriptAnswer),
)
async def transcript(request: Request, cid: str) -> Response:
    """Safe to repeat. The tool's own summaries are never recorded as what a user said."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas_hosts.TranscriptRequest)
    scope = scope_of(request, cid, asked.user_id)
    if asked.previous is not None:
        check_id(asked.previous, "previous")
    if lane.transcripts is None:
        raise InvalidInput("This daemon reads no transcripts.", field="format")
    piece = await asyncio.to_thread(lane.transcripts, asked.format, asked.text, asked.previous)
    again = piece.rewound and not asked.whole
    totals = dict.fromkeys(OUTCOMES, 0)
    last: RecordResult | None = None
    size = lane.limits.messages
    for start in range(0, 0 if again else len(piece.messages), size):
        items = posted.check_all(piece.messages[start : start + size], "text", at_most=size)
        last = (await lane.recorder.record(scope, items, backend=asked.backend)).result
        for name in OUTCOMES:
            totals[name] += getattr(last, name)
            lane.metrics.recorded.labels(name).inc(getattr(last, name))
    conversation = None
    if last is not None:
        ids = {"conversation_id": scope.conversation_id, "user_id": scope.user_id}
        conversation = {**ids, "leaf_id": last.leaf_id, "revision": last.revision}
    return calls.answer(
        {
            **totals,
            "skipped": dict(piece.skipped),
            "conversation": conversation,
            "restart_line": piece.restart_line,
            "previous": piece.previous,
            "read_whole": again,
        }
    )


@router.post(
    "/compare",
    summary="Compare the host's own summary with what is known",
    openapi_extra=calls.takes(schemas_hosts.CompareRequest),
    responses=calls.gives(schemas_hosts.CompareAnswer),
)
async def compare(request: Request, cid: str) -> Response:
    """`block` holds only what the summary lacks or contradicts: pins and prohibitions first, within `limit_bytes`."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas_hosts.CompareRequest)
    scope = scope_of(request, cid, asked.user_id)

    def everything(snapshot: Snapshot) -> tuple[Snapshot, Sequence[int]]:
        if not snapshot.exists:
            raise NotFound()
        return snapshot, range(snapshot.spine.n)

    snapshot, messages = await lane.store.plan(scope, None, everything)
    key = await lane.store.secret()
    found = await asyncio.to_thread(_reminded, snapshot, messages, asked, key)
    mode = lane.assembler.mode_of(scope, snapshot.mode, caller(request).mode)
    shown = mode == "live"  # as in prompts: every other mode shows nothing
    await access.note(request, "compare", scope, [item.id for item in found.known if item.missing])
    compared = asked.summary is not None
    return calls.answer(
        {
            "known": len(found.known),
            "found": found.count("found") if compared else None,
            "dropped": found.count("not_found_verbatim") if compared else None,
            "contradicted": found.count("contradicted") if compared else None,
            "missing": [item.as_json() for item in found.known if item.missing],
            "mode": mode,
            "block": found.block if shown else None,
            "shown": list(found.shown) if shown else [],
        }
    )


def _reminded(
    snapshot: Snapshot, messages: Sequence[Message], asked: schemas_hosts.CompareRequest, key: bytes
) -> Reminder:
    """Runs on a thread, and loads the language tables there: only hooks ask for this."""
    from bobctx.core.opening import opening_claims
    from bobctx.core.reminder import remind

    view = view_in(snapshot)
    return remind(
        view,
        snapshot.pins,
        snapshot.spine,
        messages,
        opening=opening_claims(snapshot.scope, view, snapshot.spine, messages),
        summary=asked.summary,
        only=None if asked.only is None else frozenset(asked.only),
        limit=asked.limit_bytes,
        key=key,
    )
