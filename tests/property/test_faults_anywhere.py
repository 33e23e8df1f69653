"""Record, edit, branch, delete, compact and assemble through the API while the store or the seat fails at any call.

After each step: what was acknowledged is what comes back (I2), whole calls or nothing; prompts are always given (I8),
fit (I3), are valid (I5), repeat (I9), and account for every message (I4); claims stand in the present bytes of what
they cite (I1) and none that was replaced is shown as current (I11); no read crosses users (I6); no local text reaches
the cloud seat (I7); deleted text is nowhere in any answer and does not come back (I13).
I10 and I12 have tests of their own: `integration/compactor/test_regions.py` and `python -m evals.kill`.
"""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import httpx
import regex
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bobctx import keys, logs, runtime
from bobctx.compactor import wire
from bobctx.compactor.worker import run_job
from bobctx.core import dialect
from bobctx.errors import StoreUnavailable
from bobctx.ports import Job, JobResult, Seat, SeatReply, SeatRequest
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.seats.scripted import ScriptedSeat
from bobctx.settings import Settings

T = TypeVar("T")

CLOUD = "deepseek/chat"
PRIVATE = "bluebird"
"""In every text recorded for a local backend, in no other."""
BASE = "http://127.0.0.1:8642"
USERS = ("ana", "bo")
NAMES = [f"x{n}" for n in range(14)]
SEAT_FAULTS = ("timeout", "worker_died", "malformed", "rate_limited", "context_length", "too_large", "unreachable")
FAULT = st.one_of(st.none(), st.tuples(st.sampled_from(("before", "after", "read")), st.integers(0, 5)))
"""Where the store fails: at the nth write before or after it is done, or at the nth read."""


class Faults:
    """Stands between the store and its database."""

    def __init__(self, database: Any) -> None:
        self.kind: str | None = None
        self.left = 0
        self.hit = False
        self._read, self._write = database.read, database.write
        database.read, database.write = self.read, self.write

    def set(self, fault: tuple[str, int] | None) -> None:
        self.kind, self.left = fault or (None, 0)
        self.hit = False

    def _due(self, *kinds: str) -> bool:
        if self.kind not in kinds:
            return False
        self.left -= 1
        if self.left == -1:
            self.hit = True
        return self.left == -1

    async def read(self, fn: Callable[..., T]) -> T:
        if self._due("read"):
            raise StoreUnavailable("the disk does not answer", reason="failed")
        result: T = await self._read(fn)
        return result

    async def write(self, fn: Callable[..., T], *, background: bool = False) -> T:
        due = not background and self._due("before", "after")
        if due and self.kind == "before":
            raise StoreUnavailable("the disk is full", reason="disk_full")
        result: T = await self._write(fn, background=background)
        if due:
            raise StoreUnavailable("the disk went away", reason="failed")
        return result


class Seats:
    """The worker's code without its process; the cloud seat quotes, and looks at what it is shown."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.leaks: list[str] = []
        self.seats: dict[str, Seat] = {
            "extractive": ExtractiveSeat(),
            CLOUD: ScriptedSeat(self.answer, name=CLOUD, egress="cloud_ok"),
        }

    def answer(self, request: SeatRequest) -> SeatReply:
        shown = json.dumps([dict(m) for m in request.prompt])
        if PRIVATE in shown:
            self.leaks.append(shown)
        found = [m for m in request.region.messages if m.role == "user"][:3]
        claims = [
            {"id": f"c{n}", "type": "fact", "importance": 2, "text": m.text, "cites": [m.alias], "supersedes": None}
            for n, m in enumerate(found)
        ]
        return SeatReply(text=json.dumps({"claims": claims}), provider="deepseek", host="api.example", cost_usd=0.001)

    async def dispatch(self, job: Job) -> JobResult:
        if self.fault is not None and job.seat == CLOUD and job.raw is None:
            return wire.failed_result(job, self.fault, "injected")
        return await run_job(self.seats, job)

    async def close(self) -> None:
        return None


class Model:
    """What one user was told is stored."""

    def __init__(self) -> None:
        self.text: dict[str, str] = {}
        self.gone: set[str] = set()
        self.forbidden: set[str] = set()
        """Texts that were deleted, all versions."""
        self.versions: dict[str, set[str]] = {}


class FaultsAnywhere(RuleBasedStateMachine):
    """One lane, two users with the same ids, and a fault at any call."""

    def __init__(self) -> None:
        super().__init__()
        logs.configure(level="error", stream=io.StringIO())
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = Path(tempfile.mkdtemp())
        self.models = {user: Model() for user in USERS}
        self.steps = 0
        self.seats = Seats()

    def do(self, work: Awaitable[T]) -> T:
        async def whole() -> T:
            return await work

        return self.runner.run(whole())

    @initialize()
    def start(self) -> None:
        chosen = Settings(
            db=self.folder / "lane" / "b.db", compactor_model=CLOUD, compactor_region_tokens=500, cooldown_s=0,
            assemble_deadline_ms=30_000, max_usd_per_day=1_000, max_usd_per_conversation_hour=1_000,
        )  # fmt: skip
        lane = self.do(self.stack.enter_async_context(runtime.open(chosen, dispatcher=self.seats, background=False)))
        key = keys.default_key(chosen.keys_path)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(lane.app, raise_app_exceptions=False),
            base_url=BASE,
            headers={"authorization": f"Bearer {key}"},
            timeout=60,
        )
        self.faults = Faults(lane.store._database)
        for user in USERS:
            for start in (0, 4):
                self.record(user, NAMES[start : start + 4], local=False, under=None, fault=None)

    def call(self, method: str, path: str, user: str, **body: Any) -> httpx.Response:
        where = f"/v1/conversations/shared{path}"
        if method in ("GET", "DELETE"):
            return self.do(self.http.request(method, where, params={"user_id": user, **body}))
        return self.do(self.http.request(method, where, json={"user_id": user, **body}))

    def expanded(self, user: str, name: str) -> str | None:
        answer = self.call("POST", "/expand", user, ids=[name])
        assert answer.status_code in (200, 404), answer.text
        return str(answer.json()["messages"][0]["content"]) if answer.status_code == 200 else None

    # -- steps -------------------------------------------------------------------------------

    @rule(
        user=st.sampled_from(USERS),
        names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True),
        local=st.booleans(),
        under=st.one_of(st.none(), st.none(), st.sampled_from(NAMES)),
        fault=FAULT,
    )
    def record(
        self, user: str, names: list[str], local: bool, under: str | None, fault: tuple[str, int] | None
    ) -> None:
        """New messages, edits of known ones, and branches."""
        model, posted = self.models[user], {}
        for name in names:
            self.steps += 1
            kind = PRIVATE if local else "service"
            posted[name] = (
                f"{user}s {kind} svc-{self.steps} listens on port {70_000 + self.steps}. " + "padding words " * 30
            )
        messages = [
            {"id": n, "role": "user" if int(n[1:]) % 2 == 0 else "assistant", "content": text}
            for n, text in posted.items()
        ]
        if under is not None and under in model.text and under not in names:
            messages[0]["parents"] = [under]  # type: ignore[assignment]  # a list among texts
        self.faults.set(fault)
        answer = self.call("POST", "/messages", user, messages=messages, backend="ollama" if local else CLOUD)
        self.faults.set(None)
        live = {n: text for n, text in posted.items() if n not in model.gone}
        assert answer.status_code in (200, 503), answer.text
        if answer.status_code == 200:
            stored = True
        else:
            assert fault is not None
            now = {n: self.expanded(user, n) for n in live}
            stored = bool(live) and now == live
            assert stored or now == {n: model.text.get(n) for n in live}, "a call is stored whole or not at all"
        if stored:
            model.text.update(live)
            for name, text in live.items():
                model.versions.setdefault(name, set()).add(text)

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(NAMES), fault=FAULT)
    def delete(self, user: str, name: str, fault: tuple[str, int] | None) -> None:
        model = self.models[user]
        self.faults.set(fault)
        answer = self.call("DELETE", f"/messages/{name}", user)
        self.faults.set(None)
        assert answer.status_code in ((200, 503) if name in model.text else (404, 503)), answer.text
        if name not in model.text:
            return
        found = self.expanded(user, name)
        if answer.status_code == 200:
            assert found is None
        assert found in (None, model.text[name])
        if found is None:
            model.gone.add(name)
            model.forbidden |= model.versions[name]
            del model.text[name]

    @rule(user=st.sampled_from(USERS), seat=st.one_of(st.none(), st.sampled_from(SEAT_FAULTS)), fault=FAULT)
    def compact(self, user: str, seat: str | None, fault: tuple[str, int] | None) -> None:
        self.seats.fault = seat
        self.faults.set(fault)
        answer = self.call("POST", "/compact", user)
        self.faults.set(None)
        self.seats.fault = None
        assert answer.status_code == 200 or (answer.status_code == 503 and fault is not None), answer.text

    @rule(user=st.sampled_from(USERS), window=st.sampled_from((2_000, 4_000, 9_000)), fault=FAULT)
    def assemble(self, user: str, window: int, fault: tuple[str, int] | None) -> None:
        """A prompt is given whatever fails, and it fits."""
        append = [{"role": "user", "content": "And now?"}]
        self.faults.set(fault)
        answer = self.call("POST", "/assemble", user, window=window, append=append)
        self.faults.set(None)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["messages"][-1]["content"] == "And now?"
        assert found["budget"]["used"] <= found["budget"]["history"]
        assert dialect.check(found["messages"], "openai") == []
        text = json.dumps(found["messages"])
        assert not any(gone in text for gone in self.models[user].forbidden)
        if fault is None:
            self.accounts(user, window, append, found)

    def accounts(self, user: str, window: int, append: list[dict[str, str]], found: dict[str, Any]) -> None:
        """Without a fault: the same again, and every message is raw, covered or announced."""
        decision = found["decision"]
        assert decision["tokens"] <= 0.15 * found["budget"]["history"] + 1
        again = self.call("POST", "/assemble", user, window=window, append=append).json()
        assert again["messages"] == found["messages"]
        total = self.call("GET", "/messages", user).json()["total"]
        raw = sum(item["kind"] in ("opening", "tail", "kept") for item in found["plan"]) - len(append)
        assert raw + decision["messages_covered"] + decision["messages_uncovered"] == total

    # -- what always holds ---------------------------------------------------------------------

    def started(self) -> bool:
        return hasattr(self, "faults")

    @precondition(started)
    @invariant()
    def what_was_acknowledged_comes_back_and_what_was_deleted_does_not(self) -> None:
        for user, model in self.models.items():
            for name in NAMES:
                assert self.expanded(user, name) == model.text.get(name)
            page = self.call("GET", "/messages", user).json()
            assert all(model.text[m["id"]] == m["content"] for m in page["messages"])
            stranger = next(u for u in USERS if u != user)
            hits = self.call("POST", "/search", user, query=f"{stranger}s", limit=50).json()["hits"]
            assert hits == []

    @precondition(started)
    @invariant()
    def claims_stand_in_the_present_bytes_of_what_they_cite(self) -> None:
        assert self.seats.leaks == []
        for user, model in self.models.items():
            claims = self.call("GET", "/claims", user).json()["claims"]
            replaced = {claim["supersedes"] for claim in claims if claim["active"] and claim["supersedes"]}
            for claim in claims:
                assert not (claim["active"] and claim["alias"] in replaced)
                assert not any(claim["text"] in gone for gone in model.forbidden)
                texts = "".join(
                    m["content"] for m in self.call("POST", "/expand", user, ids=claim["cites"]).json()["messages"]
                )
                assert all(number in texts for number in regex.findall(r"\d+", claim["text"]))

    def teardown(self) -> None:
        if self.started():
            self.do(self.http.aclose())
            self.do(self.stack.aclose())
        self.runner.close()
        shutil.rmtree(self.folder)


TestFaultsAnywhere = FaultsAnywhere.TestCase
TestFaultsAnywhere.settings = settings(
    max_examples=6,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
