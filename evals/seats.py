"""Who writes the claims of an eval: `extractive`, `litellm:…`, `http:…`, `scripted:…`, `exchange:…` or `small:…`.

`exchange:DIR` writes each request as `KEY.request.json` and takes `KEY.reply.json`, waiting for it where another
program is to answer; `exchange:DIR|SEAT` lets SEAT answer and keeps the pair. KEY is the hash of the request, so a
directory of pairs is a cassette that replays exactly. `small:http:URL`, `small:exchange:DIR` and
`small:exchange:DIR|http:URL` ask a small local model in windows (design, section 5, Small seat); there the pairs are
the windows, whose requests hold no earlier claims, so that they outlive a change of the validator.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bobctx.core.extract import extract
from bobctx.core.identity import canonical
from bobctx.core.prompts import build_prompt, claims_schema
from bobctx.core.types import EgressClass, PriorClaim, Region
from bobctx.errors import SeatFailed
from bobctx.ports import Seat as ProductSeat
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats.choice import build, choose
from bobctx.seats.small import SmallSeat
from evals.compacting import Seat, Small

POLL_S = 1.0
WINDOW = 32_768
SMALL_WINDOW = 8_192
SMALL_WAIT_S = 7_200.0
"""Seconds that one region may wait for a small model, which shares the machine with the eval."""


def request_of(region: Region, prior: Sequence[PriorClaim]) -> SeatRequest:
    """The ask as the daemon would make it."""
    shown = tuple(p for p in prior if p.active)
    return SeatRequest(
        region=region,
        prior=tuple(prior),
        prefix="r1",
        prompt=tuple(build_prompt(region, shown)),
        schema=claims_schema(region, shown),
    )


def seat_named(name: str, *, wait_s: float = 0.0, note: Callable[[str], None] = lambda _: None) -> Seat:
    """The seat that a name stands for; `wait_s` is how long an exchange waits for a reply, in seconds."""
    if name == "extractive":
        return extract
    kind, _, target = name.partition(":")
    if kind == "exchange":
        folder, _, behind = target.partition("|")
        return Exchange(Path(folder), wait_s=wait_s, note=note, behind=seat_named(behind) if behind else None)
    if kind == "small":
        return Small(_through(SmallSeat(_asked(target)), timeout_s=SMALL_WAIT_S))
    if kind == "http":
        return _through(build(choose("local", base_url=target), window=WINDOW))
    if kind == "litellm":
        return _through(build(choose(target), window=WINDOW))
    return _through(build(choose(name), window=WINDOW))


def _asked(name: str) -> ProductSeat:
    """Who answers a window: a local endpoint, a folder of pairs, or both."""
    kind, _, target = name.partition(":")
    if kind == "http":
        return build(choose("local", base_url=target), window=SMALL_WINDOW)
    folder, _, behind = target.partition("|")
    return Recorded(Path(folder), _asked(behind) if behind else None)


def _through(seat: ProductSeat, *, timeout_s: float | None = None) -> Seat:
    def ask(region: Region, prior: Sequence[PriorClaim]) -> str:
        request = request_of(region, prior)
        try:
            return asyncio.run(seat.ask(request if timeout_s is None else replace(request, timeout_s=timeout_s))).text
        except SeatFailed:
            return ""  # read as `empty`, asked once more, then the extractor

    return ask


def writer_named(name: str, *, wait_s: float = 0.0) -> Callable[[Sequence[Mapping[str, str]]], str | None]:
    """Who writes free text (`litellm:MODEL`, `http:URL`, `exchange:DIR`): chat messages to a reply."""
    kind, _, target = name.partition(":")
    if kind == "exchange":
        pairs = Exchange(Path(target), wait_s=wait_s)
        return lambda messages: pairs.reply({"messages": [dict(m) for m in messages]}) or None
    options = {"model": "openai/local", "api_base": target, "api_key": "none"} if kind == "http" else {"model": target}

    def write(messages: Sequence[Mapping[str, str]]) -> str | None:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        litellm = importlib.import_module("litellm")
        try:
            reply = litellm.completion(messages=[*messages], temperature=0, num_retries=2, **options)
        except Exception:  # noqa: BLE001 - a provider's failure is no empty summary: it is not scored
            return None
        return str(reply.choices[0].message.content or "") or None

    return write


class Exchange:
    """Requests and replies as files."""

    def __init__(
        self, folder: Path, *, wait_s: float, note: Callable[[str], None] = lambda _: None, behind: Seat | None = None
    ) -> None:
        """`behind` answers what the folder does not hold yet; the pair is kept."""
        self._folder, self._wait_s, self._note, self._behind = folder, wait_s, note, behind
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, region: Region, prior: Sequence[PriorClaim]) -> str:
        """The reply's raw text; empty where none came in time."""
        request = request_of(region, prior)
        body: dict[str, Any] = {"messages": list(request.prompt), "schema": request.schema}
        behind = self._behind
        return self.reply(body, None if behind is None else lambda: behind(region, prior))

    def reply(self, body: Mapping[str, Any], behind: Callable[[], str] | None = None) -> str:
        """The reply to any request; `behind` writes it where the folder has none."""
        key = key_of(canonical(body))
        reply = self._folder / f"{key}.reply.json"
        asked = self._folder / f"{key}.request.json"
        if not asked.exists():
            asked.write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
        if not reply.exists() and behind is not None:
            reply.write_text(json.dumps({"text": behind()}, ensure_ascii=False), encoding="utf-8")
        end = time.monotonic() + self._wait_s
        while not reply.exists() and time.monotonic() < end:
            self._note(f"waiting for {reply.name}")
            time.sleep(POLL_S)
        if not reply.exists():
            return ""
        found = json.loads(reply.read_text("utf-8"))
        return str(found["text"]) if isinstance(found, dict) and "text" in found else json.dumps(found)


class Recorded:
    """The pairs of an exchange behind the port of a seat; what is missing is asked of `behind` and kept."""

    name = "recorded"
    egress: EgressClass = "local"
    window = SMALL_WINDOW

    def __init__(self, folder: Path, behind: ProductSeat | None = None) -> None:
        """`behind` None: only what the folder holds."""
        self._folder, self._behind = folder, behind
        folder.mkdir(parents=True, exist_ok=True)

    async def ask(self, request: SeatRequest) -> SeatReply:
        """The kept reply, else a new one. Raises `SeatFailed` where there is neither."""
        body = {"messages": list(request.prompt), "schema": request.schema}
        key = key_of(canonical(body))
        kept = self._folder / f"{key}.reply.json"
        if kept.exists():
            return SeatReply(**json.loads(kept.read_text("utf-8")))
        if self._behind is None:
            raise SeatFailed(f"no reply {key} in {self._folder}", reason="unreachable")
        reply = await self._behind.ask(request)
        asked = self._folder / f"{key}.request.json"
        asked.write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
        pair = {"text": reply.text, "finish_reason": reply.finish_reason}
        kept.write_text(json.dumps(pair, ensure_ascii=False), encoding="utf-8")
        return SeatReply(text=reply.text, finish_reason=reply.finish_reason)


def key_of(text: str | bytes) -> str:
    """Name of a pair."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()[:32]
