"""A lane with a real worker process and a model server: what its errors taught is there after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import runtime
from bobctx.cli.checks import CHECKS
from bobctx.settings import Settings
from tests.fake_model import fake_model

CID = "/v1/conversations/c1"


async def call(lane: runtime.Runtime, method: str, path: str, **body: Any) -> Any:
    transport = httpx.ASGITransport(app=lane.local_app)
    async with httpx.AsyncClient(base_url="http://localhost", transport=transport, timeout=120) as http:
        answer = await http.request(method, path, json=body or None)
    assert answer.status_code == 200, answer.text
    return answer.json()


def turns(start: int) -> list[dict[str, Any]]:
    return [
        {"id": f"{role[0]}{n}", "role": role, "content": f"Service svc-{n} listens on {7_000 + n}." + " word" * 240}
        for n in range(start, start + 30)
        for role in ("user", "assistant")
    ]


@pytest.mark.slow
async def test_a_refused_prompt_is_not_sent_again_by_the_next_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fake_model("over:20000/8192") as model:
        model.answer = lambda _: '{"claims": []}'
        values = {
            "compactor_model": "local",
            "compactor_base_url": model.base_url,
            "compactor_window": 32_768,
            "seat_timeout_s": 60.0,
        }
        for name, value in values.items():  # the worker process reads the same
            monkeypatch.setenv(f"BOBCTX_{name.upper()}", str(value))
        settings = Settings(db=tmp_path / "lane" / "b.db")
        async with runtime.open(settings, background=False) as lane:
            await call(lane, "POST", f"{CID}/messages", user_id="u1", messages=turns(0))
            await call(lane, "POST", f"{CID}/compact", user_id="u1")
            status = await call(lane, "GET", "/v1/status")
        refused = sum(sum(len(m["content"]) for m in r["messages"]) > 20_000 for r in model.requests)
        assert refused == 1
        assert status["compactor"]["seat_window"]["tokens"] == 8_192
        model.requests.clear()
        async with runtime.open(settings, background=False) as lane:
            await call(lane, "POST", f"{CID}/messages", user_id="u1", messages=turns(30))
            second = await call(lane, "POST", f"{CID}/compact", user_id="u1")
            status = await call(lane, "GET", "/v1/status")
    assert all(sum(len(m["content"]) for m in r["messages"]) <= 20_000 for r in model.requests)
    assert status["compactor"]["seat_window"]["source"] == "learned"
    assert max(r["tokens"] for r in second["regions"]) <= 8_192 // 3


@pytest.mark.slow
def test_doctor_says_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from bobctx.ports import LearnedModel

    monkeypatch.setenv("BOBCTX_COMPACTOR_MODEL", "local")
    monkeypatch.setenv("BOBCTX_COMPACTOR_BASE_URL", "http://127.0.0.1:9/v1")
    settings = Settings(db=tmp_path / "lane" / "b.db", compactor_window=32_768)

    async def learn() -> None:
        async with runtime.open(settings, background=False) as lane:
            seat = LearnedModel(used_as="seat", model="local", window=8_192, was=32_768)
            target = LearnedModel(used_as="target", model="acme", window=4_096)
            for known in (seat, target):
                await lane.store.ledger.learn(known, now=1.0)

    asyncio.run(learn())
    [check] = [c for c in CHECKS if c.__name__ == "learned"]
    found = {f.check: f for f in check(settings)}
    assert "8,192" in found["seat window"].found
    assert "BOBCTX_COMPACTOR_WINDOW" in found["seat window"].do
    assert "acme reads 4,096" in found["window"].found
