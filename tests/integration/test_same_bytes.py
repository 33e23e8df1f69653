"""Same input, same output, whatever the order of sets and the moment (invariant I9)."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from bobctx.core.assembly import finish_assembly, plan_assembly
from bobctx.core.extract import extract
from bobctx.core.parts import read_message
from bobctx.core.prompts import build_prompt, claims_schema
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.types import Region, Scope
from bobctx.core.validator import validate_claims
from tests.chains import claim, request, rows_of, snapshot, spine_of, talk

ROOT = Path(__file__).resolve().parents[2]
SAID = [
    ("user", "Never enable zeta-sync on db-7. The admin API listens on port 9443, not 9444."),
    ("assistant", "Understood: zeta-sync stays off on db-7. I decided to keep retries at 5 in src/net/retry.py."),
    ("user", "Correction: the port is 9445 since v2.3.1. 部署窗口是星期二 14:30，不要在星期五部署。"),
    ("assistant", "Noted, port 9445. See https://example.org/a?b=c and BILLING-231."),
]


def fingerprint() -> str:
    """A hash over prompt, extraction, validation and assembly of one conversation."""
    messages = tuple(
        read_message({"role": role, "content": text}, id=f"m{n}", seq=n, tokens=40)
        for n, (role, text) in enumerate(SAID, 1)
    )
    region = Region(messages=messages)
    raw = extract(region, ())
    parsed = parse_reply(raw)
    assert isinstance(parsed, ParsedReply)
    claims, report = validate_claims(parsed.claims, region, (), "r1", scope=Scope(conversation_id="c", user_id="u"))
    stored = talk(200)
    spine = spine_of(stored)
    ids = list(spine.ids)
    regions = [(a, a + 40, [claim(f"Limit {a} is {a}.", ids[a : a + 40], [3])]) for a in range(2, 162, 40)]
    plan = plan_assembly(snapshot(spine, rows_of(spine, regions)), request())
    answer = finish_assembly(plan, [stored[p] for p in plan.positions])
    made = [raw, [repr(c) for c in claims], repr(report), build_prompt(region, ()), claims_schema(region, ())]
    return hashlib.sha256(json.dumps([*made, answer.messages, repr(answer)]).encode()).hexdigest()


def test_the_order_of_sets_reaches_no_output() -> None:
    """Fails if core iterates over a set, or reads a clock, on the way to a prompt, a claim or a hash."""
    found = set()
    for seed in ("0", "1", "4711"):
        code = "from tests.integration.test_same_bytes import fingerprint; print(fingerprint())"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, cwd=ROOT
        )
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert found == {fingerprint()}
