"""Agent sessions as they break compaction elsewhere, played turn by turn through the real pipeline in every dialect.

Each session is long enough that messages are left out and compacted; what a provider would refuse in any of its
prompts, and every prompt over its budget, is counted by the replay.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bobctx.core.dialect import DIALECTS, check, list_tokens
from bobctx.core.tokens import estimate
from bobctx.replay import Options, play
from tests.property.conversations import read_all
from tests.property.test_fitted_lists import assemble

pytestmark = pytest.mark.slow

Body = dict[str, Any]
WINDOW = 6_000
ROUNDS = 14


def words(number: int, count: int = 110) -> str:
    return " ".join(f"row{number}-{i}" for i in range(count))


def user(text: str, **more: Any) -> Body:
    return {"role": "user", "content": text, **more}


def says(text: str | None, *calls: str) -> Body:
    made = [{"id": c, "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}} for c in calls]
    return {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}


def result(call: str, text: str) -> Body:
    return {"role": "tool", "tool_call_id": call, "content": text}


def blocks(role: str, *found: Body) -> Body:
    return {"role": role, "content": list(found)}


def text(said: str) -> Body:
    return {"type": "text", "text": said}


def aborted_call(n: int) -> list[Body]:
    """The stream broke off in a call; the host made a result up, and the user went on."""
    return [
        says("Let me look", f"x{n}"),
        result(f"x{n}", "[aborted]"),
        user(f"Stop. {words(n)}"),
        says(f"Stopped {n}."),
    ]


def call_without_a_result(n: int) -> list[Body]:
    return [says(None, f"x{n}"), user(f"Never mind call {n}. {words(n)}"), says(f"All right {n}.")]


def result_without_a_call(n: int) -> list[Body]:
    return [result(f"gone{n}", words(n)), says(f"Read port {7000 + n}."), user(f"Next, {n}.")]


def ten_parallel_reads(n: int) -> list[Body]:
    calls = [f"r{n}-{i}" for i in range(10)]
    return [says(None, *calls), *(result(c, words(i, 12)) for i, c in enumerate(calls)), says(f"Ten {n}."), user("On.")]


def results_long_after_their_batch(n: int) -> list[Body]:
    """The last result of a batch comes after injected text and eight others."""
    calls = [f"b{n}-{i}" for i in range(9)]
    early, late = calls[:-1], calls[-1]
    reminder = user("<reminder>be brief</reminder>", injected=True)
    return [
        says(None, *calls),
        *(result(c, words(n, 12)) for c in early),
        reminder,
        result(late, "late"),
        user(f"{n}?"),
    ]


def one_id_for_every_call(n: int) -> list[Body]:
    return [
        says(None, "call_0"),
        result("call_0", words(n)),
        says(None, "call_0"),
        result("call_0", f"port {7000 + n}"),
    ]


def tools_that_the_provider_runs(n: int) -> list[Body]:
    kinds = [("server_tool_use", "web_search_tool_result"), ("server_tool_use", "advisor_tool_result"),
             ("mcp_tool_use", "mcp_tool_result")]  # fmt: skip
    use, found = kinds[n % 3]
    asked = {"type": use, "id": f"srv{n}", "name": "ask", "input": {"query": f"q{n}"}}
    told = {"type": found, "tool_use_id": f"srv{n}", "content": [text(words(n))]}
    # Every fourth answer never came: the turn was aborted.
    return [blocks("assistant", asked, *([] if n % 4 == 3 else [told]), text(f"Found {n}.")), user(f"And {n}?")]


def signed_thinking(n: int) -> list[Body]:
    thought = {"type": "thinking", "thinking": f"weighing {words(n, 30)}", "signature": f"sig{n}"}
    call = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": "a.py"}}
    answer = {"type": "tool_result", "tool_use_id": f"t{n}", "content": words(n)}
    return [blocks("assistant", thought, call), blocks("user", answer), blocks("assistant", thought, text(f"So {n}."))]


def husks(n: int) -> list[Body]:
    """What is left of an answer whose calls were taken out, and an empty message of the user."""
    return [says(None), says(""), user(""), says(" "), user(f"Go on with {n}: {words(n)}"), says(f"Did {n}.")]


def injected_texts(n: int) -> list[Body]:
    return [user(f"# Rules\n{words(n)}", injected=True), user(f"Do step {n}."), says(f"Step {n} is done.")]


def images(n: int) -> list[Body]:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo" * 400}}
    return [blocks("user", text(f"Screenshot {n}: {words(n)}"), picture), says(f"It shows port {7000 + n}.")]


SESSIONS = [
    aborted_call, call_without_a_result, result_without_a_call, ten_parallel_reads, results_long_after_their_batch,
    one_id_for_every_call, tools_that_the_provider_runs, signed_thinking, husks, injected_texts, images,
]  # fmt: skip


@pytest.mark.parametrize("session", SESSIONS, ids=lambda s: s.__name__)
async def test_no_provider_refuses_any_prompt_of_the_session(session: Callable[[int], list[Body]]) -> None:
    """Fails if a pair is cut apart, searched for only nearby, or repaired only where the cut is."""
    posted = [user("Never enable zeta-sync on the billing cluster. Start."), says("Understood.")]
    for number in range(ROUNDS):
        posted += session(number)
    numbered = [{"id": f"m{i}", **m} for i, m in enumerate(posted)]
    found = await play([numbered], Options(window=WINDOW, dialects=DIALECTS, jitter=0.03))
    for dialect, played in found.items():
        total = played.total
        wrong = [(t.turn, t.problems) for t in played.turns if t.problems]
        assert (wrong, total.overruns, total.cannot_fit) == ([], 0, 0), dialect
        assert total.omitting_turns > 0
        assert total.compactions > 0


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("window", [8_192, 131_072])
def test_a_result_of_480_000_tokens_is_cut_in_place_while_its_exchange_is_open(dialect: str, window: int) -> None:
    """And is still named, so that it can be read back; nothing else of the exchange has to go for it."""
    giant = "".join(f"{n} total bytes of part {n * 7} in the archive\n" for n in range(41_000))
    messages = read_all([user("Read the archive."), says(None, "c1"), result("c1", giant)])
    assert messages[2].tokens > 480_000
    answer = assemble(messages, window, dialect)
    sent = json.dumps(answer.messages)
    assert (answer.cannot_fit, check(answer.messages, dialect)) == (False, [])
    assert list_tokens(answer.messages, dialect, estimate) <= answer.budget["history"]
    assert "Read the archive." in sent
    assert "0 total bytes of part 0" in sent
    assert "40999 total bytes" in sent
    assert "m3" in sent


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chat_message_of_149_378_characters_is_cut_at_whole_characters(dialect: str) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    giant = (f"Bilan du café numéro {family} à 95 %. " * 5_000)[:149_378]
    answer = assemble(read_all([user("Hello."), says("Hi."), user(giant)]), 8_192, dialect)
    assert (answer.cannot_fit, check(answer.messages, dialect)) == (False, [])
    assert list_tokens(answer.messages, dialect, estimate) <= answer.budget["history"]
    sent = json.dumps(answer.messages, ensure_ascii=False)
    assert sent.count("\U0001f468") == sent.count(family), "a family was cut apart"


async def test_every_prompt_over_thirty_three_compactions_is_valid() -> None:
    """Fails if the list is checked where it is cut and not whole: what is left of older cuts stays in it."""
    posted = [user("Never enable zeta-sync on the billing cluster. Start."), says("Understood.")]
    for number in range(70):
        posted += [*aborted_call(number), says(None, "call_0", "call_1"), result("call_1", words(number, 40))]
        posted += [result("call_0", json.dumps({"port": 7000 + number})), says(f"Port {7000 + number}."), user("Next.")]
    numbered = [{"id": f"m{i}", **m} for i, m in enumerate(posted)]
    dialects = ("openai", "anthropic")
    found = await play([numbered], Options(window=WINDOW, dialects=dialects, jitter=0.03, every=2))
    for dialect in dialects:
        total = found[dialect].total
        assert total.compactions >= 33
        assert (total.violations, total.overruns, total.cannot_fit) == (0, 0, 0)
        assert found[dialect].turns[-1].claims > 0
