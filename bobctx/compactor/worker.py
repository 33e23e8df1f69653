"""The worker process: asks seats, parses, validates, and forgets. It never sees the database.

One request in, one result out, as frames over stdin and stdout. What happens here unexpectedly
ends the process; the supervisor then starts a new one and tries once more (design, section 2).
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import BinaryIO

from bobctx.compactor import wire
from bobctx.core.overflow import window_after
from bobctx.core.prompts import aliases_of, build_prompt, claims_schema, output_tokens, priors_for_window
from bobctx.core.region import seat_room
from bobctx.core.remembering import forget_texts
from bobctx.core.reply import ParsedReply, ReplyError, parse_reply
from bobctx.core.tokens import Estimator
from bobctx.core.types import Json, PriorClaim, RawClaim, Region
from bobctx.core.validator import validate_claims, validate_narrative
from bobctx.errors import SeatFailed
from bobctx.ports import Job, JobResult, Seat, SeatReply, SeatRequest

NICENESS = 10
"""Added to the process's priority number, so that validation never slows the prompt path."""


def run_worker(seats: Mapping[str, Seat], stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve jobs until stdin ends.

    Args:
        seats: Configured seats by name; `extractive` should be among them.
        stdin: Frames with `{"id", "job"}`.
        stdout: Frames with `{"id", "result"}`. Where it is the process's own stdout, this is a worker process: stdout
            is kept for frames alone (whatever else prints goes to stderr), the process is niced, and a crash is
            reported without text of the conversation.
    """
    if stdout is sys.stdout.buffer:
        sys.excepthook = report_crash
        _stand_apart()
        stdout = _reserve_stdout()
    asyncio.run(_serve(seats, stdin, stdout))


def _stand_apart() -> None:
    """Yield to the prompt path, and leave a Ctrl-C in the terminal to the daemon, which stops in order.

    A process group, not a session of its own: Linux schedules sessions as groups, and between groups niceness counts
    for nothing (measured: recording at half its rate while a region was compacted).
    """
    os.nice(NICENESS)
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)


def _reserve_stdout() -> BinaryIO:
    """The pipe to the daemon under a number of its own; print statements of libraries land on stderr."""
    sys.stdout.flush()
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return frames


def report_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """One line on stderr with the place of a crash, without the error's own text, which may quote the conversation."""
    frames = reversed(traceback.extract_tb(trace)[-6:])
    places = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames)
    print(f"worker crashed: {kind.__name__} at {places}", file=sys.stderr, flush=True)


async def _serve(seats: Mapping[str, Seat], stdin: BinaryIO, stdout: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    incoming: asyncio.Queue[Json | None] = asyncio.Queue()
    reader = threading.Thread(target=_read_all, args=(stdin, loop, incoming), daemon=True, name="frames")
    reader.start()
    async with asyncio.TaskGroup() as running:
        tasks: set[asyncio.Task[None]] = set()
        while (frame := await incoming.get()) is not None:
            task = running.create_task(_answer(seats, frame, stdout))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        for task in tasks:  # the daemon is gone: nobody waits for these
            task.cancel()


def _read_all(stdin: BinaryIO, loop: asyncio.AbstractEventLoop, incoming: asyncio.Queue[Json | None]) -> None:
    """Reads frames on a thread, because a pipe or file cannot always be watched by the loop; None at the end."""

    def put(frame: Json | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(incoming.put_nowait, frame)

    try:
        while (frame := wire.read_frame(stdin)) is not None:
            put(frame)
    except wire.FrameBroken:
        pass  # what follows a broken frame cannot be told apart: the same as its end
    put(None)


async def _answer(seats: Mapping[str, Seat], frame: Mapping[str, Json], stdout: BinaryIO) -> None:
    result = await run_job(seats, wire.job_from_json(frame["job"]))
    stdout.write(wire.pack_frame({"id": frame["id"], "result": wire.result_to_json(result)}))
    stdout.flush()
    forget_texts()  # what the daemon deletes later is not known here


async def run_job(seats: Mapping[str, Seat], job: Job, *, monotonic: Callable[[], float] = time.monotonic) -> JobResult:
    """One job: a seat's answer, parsed and validated, or a stored reply (`job.raw`) validated again without a call."""
    started = monotonic()
    aliases = dict(job.aliases) if job.aliases is not None else aliases_of(job.region, job.prior)
    if job.raw is not None:
        reply = SeatReply(text=job.raw)
    else:
        seat = seats.get(job.seat)
        if seat is None:
            return wire.failed_result(job, "unknown_seat", f"no seat named {job.seat!r} is configured")
        if seat.egress != "local" and _holds_local(job):
            return wire.failed_result(job, "egress", "this text may not leave the machine")
        try:
            request = _request(job, seat)
            async with asyncio.timeout(job.timeout_s):
                reply = await seat.ask(request)
        except TimeoutError:
            return wire.failed_result(job, "timeout", f"no reply within {job.timeout_s:g} s")
        except SeatFailed as failure:
            failed = wire.failed_result(job, str(failure.data.get("reason", failure.code)), failure.message)
            return replace(failed, window=_lowered(failure, request, seat))
    result = _read(job, reply, aliases)
    return replace(
        result,
        provider=reply.provider,
        host=reply.host,
        usage=reply.usage,
        cost_usd=reply.cost_usd,
        window=reply.window,
        elapsed_ms=round((monotonic() - started) * 1000),
    )


def _holds_local(job: Job) -> bool:
    return any(m.egress == "local" for m in job.region.messages) or any(c.egress == "local" for c in job.prior)


PROMPT_ROOM = 16_000
"""Tokens of a seat's window for instructions, earlier claims and the answer."""
LEAST_RESULT_CHARS = 400


def result_chars(region: Region, window: int) -> int | None:
    """How much of each tool result a seat is shown, so that a region too large for its window still fits it.

    None: all. Literals are checked against the whole messages either way (design, section 5).
    """
    over = region.tokens - max(1_000, seat_room(window, PROMPT_ROOM))
    results = [len(p.text) for m in region.messages for p in m.parts if p.kind == "result"]
    if over <= 0 or not results:
        return None
    return max(LEAST_RESULT_CHARS, (sum(results) - 4 * over) // len(results))


def _lowered(failure: SeatFailed, request: SeatRequest, seat: Seat) -> int | None:
    """The window after a context-length error; None after any other failure."""
    if failure.data.get("reason") != "context_length":
        return None
    count = Estimator().count
    sent = sum(count(str(m["content"])) for m in request.prompt) + request.max_output_tokens
    return window_after(request.window or seat.window, failure.data.get("window"), sent)


def _request(job: Job, seat: Seat) -> SeatRequest:
    window = min(seat.window, job.window or seat.window)
    shown = result_chars(job.region, window)
    priors = priors_for_window(window)
    prompt = build_prompt(
        job.region, job.prior, prefix=job.prefix, reasons=job.reasons, result_chars=shown, priors=priors
    )
    return SeatRequest(
        region=job.region,
        prior=job.prior,
        prefix=job.prefix,
        prompt=tuple(prompt),
        schema=claims_schema(job.region, job.prior, priors=priors),
        max_output_tokens=output_tokens(window),
        ask=job.ask,
        timeout_s=job.timeout_s,
        may_read=job.may_read,
        reasons=job.reasons,
        kept=job.kept,
        window=window,
    )


def _read(job: Job, reply: SeatReply, aliases: Mapping[str, Json]) -> JobResult:
    """The validated view of a reply."""
    parsed = parse_reply(reply.text, finish_reason=reply.finish_reason)
    if isinstance(parsed, ReplyError):
        return replace(wire.failed_result(job, parsed.code, parsed.detail, raw=reply.text), aliases=dict(aliases))
    claims, report = validate_claims(
        renamed(parsed, aliases, job.region, job.prior),
        job.region,
        [claim.alias for claim in job.prior],
        job.prefix,
        scope=job.scope,
        prior=job.prior,
        admins=job.admins,
    )
    narrative, _ = validate_narrative(parsed.narrative, job.region, job.prior)
    return JobResult(raw=reply.text, claims=claims, narrative=narrative, report=report, aliases=aliases, seat=job.seat)


def renamed(
    parsed: ParsedReply, aliases: Mapping[str, Json], region: Region, prior: Sequence[PriorClaim]
) -> tuple[RawClaim, ...]:
    """Claims whose cites and links use today's names, where the reply was written under others (a fork, an edit)."""
    positions: Mapping[str, int] = aliases.get("messages", {})
    priors: Mapping[str, str] = aliases.get("priors", {})
    names = {old: region.messages[at].alias for old, at in positions.items() if 0 <= at < len(region.messages)}
    by_id = {claim.id: claim.alias for claim in prior}
    links = {old: by_id[claim_id] for old, claim_id in priors.items() if claim_id in by_id}

    def rename(claim: RawClaim) -> RawClaim:
        cites = claim.cites
        if isinstance(cites, list):
            cites = [names.get(cite, cite) if isinstance(cite, str) else cite for cite in cites]
        supersedes = claim.supersedes
        if isinstance(supersedes, str):
            supersedes = links.get(supersedes, supersedes)
        return replace(claim, cites=cites, supersedes=supersedes)

    return tuple(rename(claim) for claim in parsed.claims)
