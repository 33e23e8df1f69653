"""The whole loop on every conversation file: import, compact, assemble at two windows, verify.

`python -m evals.loop [--only native tau_bench …] [--limit N] [--json]` prints one line a conversation and
what does not hold; exit 1 if anything does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bobctx import logs, runtime
from bobctx.cli.access import Access
from bobctx.cli.importing import record_all
from bobctx.cli.recheck import recheck
from bobctx.core.chain import chain_of
from bobctx.core.dialect import check
from bobctx.core.types import Scope
from bobctx.errors import BobctxError
from bobctx.importers import Transcript, read
from bobctx.settings import load
from evals.datasets import DATA, DATASETS, write_jsonl

WINDOWS = (8_192, 32_768)
DIALECTS = ("openai", "anthropic", "strict")
BLOCK_SHARE = 0.15
RAW = ("opening", "kept", "tail")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What the loop made of one conversation."""

    name: str
    format: str
    messages: int
    regions: int = 0
    claims: int = 0
    rejected: int = 0
    shown: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Window -> claims shown, messages covered, messages announced."""
    problems: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


@asynccontextmanager
async def lane(folder: Path) -> AsyncIterator[Access]:
    """A fresh lane in this process, through its API."""
    settings = load(db=folder / "loop.db", assemble_deadline_ms=60_000)
    logs.configure(level="error", stream=sys.stderr)
    async with runtime.open(settings, background=False) as opened:
        transport = httpx.ASGITransport(app=opened.local_app)
        async with httpx.AsyncClient(base_url="http://localhost", transport=transport) as http:
            yield Access(http=http, settings=settings, reader=opened.store)


async def loop(access: Access, name: str, transcript: Transcript) -> Outcome:
    """Record, compact, assemble, verify one conversation."""
    scope = Scope(conversation_id=name, user_id="loop")
    out = Outcome(name=name, format=transcript.format, messages=len(transcript.messages))
    async for _ in record_all(access, scope, transcript.messages, backend=None):
        pass
    done = await access.conversation("POST", scope, "/compact", body={}, long=True)
    out.regions = len(done["regions"])
    for region in done["regions"]:
        out.claims += region["claims"]
        out.rejected += region["rejected"]
        out.reasons.update(map(str, region["reasons"][1:]))
        if region["status"] != "shadow_ok":
            out.problems.append(f"{region['prefix']} is {region['status']}: {region['reasons']}")
    for window in WINDOWS:
        for dialect in DIALECTS:
            await _assemble(access, scope, window, dialect, out)
    await _verify(access, scope, out)
    return out


async def _assemble(access: Access, scope: Scope, window: int, dialect: str, out: Outcome) -> None:
    """One prompt: valid, in its budget, everything accounted for."""
    body = {"window": window, "dialect": dialect, "tools": ["conv_expand", "conv_search"]}
    place = f"{window} {dialect}"
    try:
        found = await access.conversation("POST", scope, "/assemble", body=body)
    except BobctxError as error:
        out.problems.append(f"{place}: {error.code} {error.message}")
        return
    budget, decision = found["budget"], found["decision"]
    out.problems += [f"{place}: {v.code} at {v.index}, {v.message}" for v in check(found["messages"], dialect)[:3]]
    if decision["mode"] != "live":
        out.problems.append(f"{place}: mode {decision['mode']}, {decision['warnings']}")
    if budget["used"] > budget["history"]:
        out.problems.append(f"{place}: {budget['used']} of {budget['history']} tokens")
    if decision["claims_shown"] and decision["tokens"] > BLOCK_SHARE * budget["history"]:
        out.problems.append(f"{place}: block of {decision['tokens']} tokens")
    raw = sum(item["kind"] in RAW for item in found["plan"])
    counted = raw + decision["messages_covered"] + decision["messages_uncovered"]
    spine = (await access.store.snapshot(scope)).spine
    if counted != spine.n:
        out.problems.append(f"{place}: {counted} of {spine.n} messages accounted for")
    out.shown[window] = (decision["claims_shown"], decision["messages_covered"], decision["messages_uncovered"])


async def _verify(access: Access, scope: Scope, out: Outcome) -> None:
    snapshot = await access.store.snapshot(scope)
    chain = chain_of(snapshot)
    failures = await recheck(access.store, scope, snapshot, chain)
    out.problems += [f"verify {f.claim}: {f.code}, {f.text[:80]!r}" for f in failures]
    if chain.break_ is not None:
        out.problems.append(f"chain: {chain.break_.code}")


def conversations(data: Path, only: Sequence[str], limit: int | None, folder: Path) -> list[tuple[str, Path]]:
    """Named files: native sessions as they are, data sets as JSONL."""
    found: list[tuple[str, Path]] = []
    if not only or "native" in only:
        found += [(path.stem, path) for path in sorted((data / "native_sessions").glob("*"))]
    for name, load_all in DATASETS.items():
        if not only or name in only:
            found += [(ident, write_jsonl(ident, chat, folder)) for ident, chat in load_all(data)[:limit]]
    return found


async def run(data: Path, only: Sequence[str], limit: int | None) -> list[Outcome]:
    """The loop over everything, one line each."""
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with lane(folder) as access:
            for ident, path in conversations(data, only, limit, folder / "jsonl"):
                outcome = await loop(access, ident, read(path))
                outcomes.append(outcome)
                shown = ", ".join(f"{w}: {s[0]} claims, {s[1]}+{s[2]}" for w, s in outcome.shown.items())
                print(f"{ident}: {outcome.messages} messages, {outcome.claims} claims; {shown}", file=sys.stderr)
                for problem in outcome.problems:
                    print(f"    {problem}", file=sys.stderr)
    return outcomes


def main() -> None:
    """Run and summarise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", nargs="*", choices=["native", *DATASETS], default=())
    parser.add_argument("--limit", type=int, help="conversations of each data set")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    outcomes = asyncio.run(run(options.data, options.only, options.limit))
    if not outcomes:
        parser.error(f"no conversation found under {options.data}: name the data folder with --data")
    reasons: Counter[str] = sum((o.reasons for o in outcomes), Counter())
    summary: dict[str, Any] = {
        "conversations": len(outcomes),
        "messages": sum(o.messages for o in outcomes),
        "regions": sum(o.regions for o in outcomes),
        "claims": sum(o.claims for o in outcomes),
        "rejected": sum(o.rejected for o in outcomes),
        "reasons": dict(reasons.most_common()),
        "problems": {o.name: o.problems for o in outcomes if o.problems},
    }
    print(json.dumps(summary, ensure_ascii=False, indent=2) if options.json else summary)
    sys.exit(1 if summary["problems"] else 0)


if __name__ == "__main__":
    main()
