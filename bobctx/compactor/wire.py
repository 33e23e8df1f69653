"""Jobs and results as bytes: the one form that the daemon and its worker process speak.

A frame is a length (four bytes, big-endian) and that many bytes of JSON. Nothing here does I/O
beyond reading and writing the file object or stream it is given (design, section 2, Processes).
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, BinaryIO

import orjson

from bobctx.core import identity
from bobctx.core.parts import read_message
from bobctx.core.types import Json, Message, PriorClaim, Region, Rejection, Scope, ValidationReport
from bobctx.ports import Job, JobResult

MAX_FRAME = 512 * 1024 * 1024
"""Bytes; a region can hold a message of 10 MB, twice over in a result with evidence."""

_HEAD = struct.Struct(">I")


class FrameBroken(Exception):
    """The other side closed, or sent something that is no frame."""


def pack_frame(value: Json) -> bytes:
    """A JSON value as one frame. Raises `FrameBroken` for a value over the limit."""
    try:
        payload = orjson.dumps(value)  # twenty times quicker, and this happens on the daemon's event loop
    except TypeError:  # integers over 64 bits, lone surrogates
        payload = json.dumps(value, separators=(",", ":")).encode()
    if len(payload) > MAX_FRAME:
        raise FrameBroken(f"a frame of {len(payload)} bytes is over the limit")
    return _HEAD.pack(len(payload)) + payload


def read_frame(stream: BinaryIO) -> Json | None:
    """The next frame of a blocking stream, or None where it ends between two frames."""
    head = stream.read(_HEAD.size)
    if not head:
        return None
    payload = stream.read(_size(head))
    try:
        return json.loads(payload)
    except ValueError as error:
        raise FrameBroken("a frame is cut or is not JSON") from error


async def receive_frame(stream: asyncio.StreamReader) -> Json | None:
    """The next frame of an asyncio stream, or None where it ends, also in the middle of a frame."""
    try:
        head = await stream.readexactly(_HEAD.size)
        payload = await stream.readexactly(_size(head))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    try:
        return json.loads(payload)
    except ValueError as error:
        raise FrameBroken("a frame is not JSON") from error


def _size(head: bytes) -> int:
    if len(head) != _HEAD.size:
        raise FrameBroken("a frame is cut")
    size: int = _HEAD.unpack(head)[0]
    if size > MAX_FRAME:
        raise FrameBroken(f"a frame of {size} bytes is over the limit")
    return size


_PRIOR_FIELDS = tuple(field.name for field in fields(PriorClaim))
"""Plain values all: `asdict` would copy each one, for thousands of claims in a long conversation."""


def message_to_json(message: Message) -> dict[str, Json]:
    """A message as the worker gets it; parts and text are read from the body again over there."""
    return {
        "id": message.id,
        "body": dict(message.body),
        "sha256": message.sha256,
        "seq": message.seq,
        "created_at": message.created_at,
        "tokens": message.tokens,
        "egress": message.egress,
        "injected": message.injected,
    }


def message_from_json(data: Mapping[str, Any]) -> Message:
    """The message that `message_to_json` wrote; the stored hash stands also where secrets were replaced in the body."""
    message = read_message(
        {**data["body"], "injected": data["injected"]},
        id=data["id"],
        seq=data["seq"],
        tokens=data["tokens"],
        egress=data["egress"],
        created_at=data["created_at"],
    )
    return replace(message, sha256=data["sha256"])


def job_to_json(job: Job) -> dict[str, Json]:
    """A job as a JSON object."""
    return {
        "scope": asdict(job.scope),
        "region": {"start": job.region.start, "messages": [message_to_json(m) for m in job.region.messages]},
        "prior": [{name: getattr(claim, name) for name in _PRIOR_FIELDS} for claim in job.prior],
        "prefix": job.prefix,
        "seat": job.seat,
        "ask": job.ask,
        "reasons": list(job.reasons),
        "raw": job.raw,
        "aliases": None if job.aliases is None else dict(job.aliases),
        "admins": list(job.admins),
        "timeout_s": job.timeout_s,
        "may_read": list(job.may_read),
        "kept": job.kept,
        "window": job.window,
    }


def job_from_json(data: Mapping[str, Any]) -> Job:
    """The job that `job_to_json` wrote."""
    region = data["region"]
    return Job(
        scope=Scope(**data["scope"]),
        region=Region(start=region["start"], messages=tuple(message_from_json(m) for m in region["messages"])),
        prior=tuple(PriorClaim(**claim) for claim in data["prior"]),
        prefix=data["prefix"],
        seat=data["seat"],
        ask=data["ask"],
        reasons=tuple(data["reasons"]),
        raw=data["raw"],
        aliases=data["aliases"],
        admins=tuple(data["admins"]),
        timeout_s=data["timeout_s"],
        may_read=tuple(data["may_read"]),
        kept=data["kept"],
        window=data["window"],
    )


def report_to_json(report: ValidationReport) -> dict[str, Json]:
    """A validation report as a JSON object; also what is stored with a compaction."""
    data = asdict(report)
    for name in ("rejections", "duplicates", "warnings", "uncovered"):
        data[name] = list(data[name])
    return data


def report_from_json(data: Mapping[str, Any]) -> ValidationReport:
    """The report that `report_to_json` wrote."""
    return ValidationReport(
        raw=data["raw"],
        accepted=data["accepted"],
        rejections=tuple(Rejection(**r) for r in data["rejections"]),
        duplicates=tuple(Rejection(**r) for r in data["duplicates"]),
        warnings=tuple(Rejection(**r) for r in data["warnings"]),
        literals_checked=data["literals_checked"],
        uncovered=tuple(data["uncovered"]),
        validator_version=data["validator_version"],
    )


def result_to_json(result: JobResult) -> dict[str, Json]:
    """A result as a JSON object."""
    return {
        "raw": result.raw,
        "claims": [identity.claim_json(claim) for claim in result.claims],
        "narrative": dict(result.narrative),
        "report": report_to_json(result.report),
        "aliases": dict(result.aliases),
        "seat": result.seat,
        "provider": result.provider,
        "host": result.host,
        "usage": dict(result.usage),
        "cost_usd": result.cost_usd,
        "elapsed_ms": result.elapsed_ms,
        "error": result.error,
        "error_detail": result.error_detail,
        "window": result.window,
    }


def result_from_json(data: Mapping[str, Any]) -> JobResult:
    """The result that `result_to_json` wrote."""
    claims = tuple(identity.claim_from_json(claim) for claim in data["claims"])
    return JobResult(**{**data, "report": report_from_json(data["report"]), "claims": claims})


EMPTY_REPORT = ValidationReport(raw=0, accepted=0)


def failed_result(job: Job, code: str, detail: str = "", *, raw: str = "", elapsed_ms: int = 0) -> JobResult:
    """The result of a job that got no usable reply."""
    return JobResult(
        raw=raw,
        claims=(),
        narrative={},
        report=EMPTY_REPORT,
        aliases={},
        seat=job.seat,
        elapsed_ms=elapsed_ms,
        error=code,
        error_detail=detail,
    )
