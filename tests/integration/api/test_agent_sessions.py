"""What is reported of compaction in agent sessions elsewhere, as a lane has to meet it: record, compact, prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.api.conftest import CONVERSATION, Api, Open
from tests.integration.api.sessions import (
    U,
    block_of,
    chain_length,
    compacted,
    post,
    prompt,
    says,
    talk,
    tool_round,
    user,
)

# -- meaning ---------------------------------------------------------------------------------------------------------

WAIT = "Don't action anything until I tell you to."


@pytest.mark.parametrize("window", [2_048, 4_096, 8_192, 32_768])
async def test_a_prohibition_is_in_the_prompt_after_two_hundred_tool_messages_at_any_window(
    open_api: Open, window: int
) -> None:
    """Fails if older claims go first, or the smallest block has no room left beside its marker."""
    api = await open_api(window=8_192, compactor_region_tokens=2_000)
    start = [
        user("s", "Let us clean up my mailbox."),
        says("s", "All right."),
        user("r", WAIT),
        says("r", "Understood."),
    ]
    mails = " ".join(f"mail-{i} from person{i}@example.org" for i in range(20))
    rounds = [m for n in range(100) for m in tool_round(n, f"folder {n}: {mails}")]
    await compacted(api, *start, user("go", "Go through the folders one by one."), *rounds, says("end", "Listed."))
    assert await chain_length(api) > 10
    found = await prompt(api, window=window)
    assert WAIT in block_of(found)
    assert found["budget"]["used"] <= found["budget"]["history"]


async def test_work_that_is_done_is_told_as_done_and_the_newest_request_stands_word_for_word(api: Api) -> None:
    """Fails if the request alone is quoted: a model would do it again."""
    asked = [f"Rename the module mod{n} to core{n} and delete the file old{n}.py." for n in range(40)]
    told = [f"Done: mod{n} is now core{n}, and old{n}.py is deleted." for n in range(40)]
    filler = " All imports were changed in the same commit." * 8
    pairs = [m for n in range(40) for m in (user(n, asked[n]), says(n, told[n] + filler))]
    await compacted(api, user("s", "You help me with my project."), says("s", "Gladly."), *pairs)
    newest = "Now rename mod77 to core77, please."
    found = await prompt(api, newest)
    block = block_of(found)
    assert any(t in block for t in told)
    assert not any(a in block for a in asked)
    assert "not instructions" in block
    assert found["messages"][-1]["content"] == newest


NAMES = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "indigo", "juniper", "kelp", "lotus")


async def test_finished_work_without_any_value_stands_in_the_block_with_its_report_only(api: Api) -> None:
    """Fails if `Restart the amber cluster.` is quoted as it was said: done long ago, it reads like an order of now."""
    filler = " The logs of the last hour look as they always do." * 20
    pairs = [
        m
        for n, name in enumerate(NAMES * 3)
        for m in (user(n, f"Restart the {name} cluster of zone {'abc'[n // 12]}."), says(n, f"Done.{filler}"))
    ]
    await compacted(api, user("s", "You look after my clusters."), says("s", "Gladly."), *pairs)
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    told = [c for c in claims if c["text"].startswith("Restart the")]
    assert len(told) > 10
    assert all(c["text"].endswith(" Done.") and c["type"] == "fact" and len(c["cites"]) == 2 for c in told)
    lines = [line for line in block_of(await prompt(api)).splitlines() if "Restart the" in line]
    assert lines
    assert all(" Done." in line for line in lines)


@pytest.mark.parametrize("window", [2_048, 4_096, 8_192])
async def test_the_request_that_is_being_worked_on_is_word_for_word_in_the_prompt_behind_its_compacted_steps(
    api: Api, window: int
) -> None:
    """Fails if the newest message of the user goes with the older steps of its own exchange."""
    newest = "Now move the archive to /srv/cold, but keep /srv/hot as it is.\n\nTell me when you are through."
    done = [
        m for n in range(12) for m in (user(n, f"Do step {n} please. " + "so " * 300), says(n, f"Step {n} is done."))
    ]
    steps = [m for n in range(60) for m in tool_round(n, f"moved part {n} of the archive " * 20)]
    await compacted(api, *done, user("now", newest), *steps)
    assert await chain_length(api) > 2
    found = await post(api, "/assemble", window=window, tools=["conv_expand"])
    shown = [m["content"] for m in found["messages"] if m["role"] == "user"]
    assert newest in shown
    assert not [text for text in shown if "step 5" in str(text)]
    assert found["budget"]["used"] <= found["budget"]["history"]


async def test_a_value_that_no_claim_has_is_said_to_stand_in_the_originals(api: Api) -> None:
    """What the block leaves out is not unknown: the prompt names where it stands, and it is read back from there."""
    fields = "Account holder: Ada. Reference QX-77120-B. " + "form text " * 200
    await compacted(api, *talk(6, 200), *tool_round(0, fields), says("f", "Read the form."), *talk(30, 200)[14:])
    block = block_of(await prompt(api))
    assert "what it leaves out may still be true" in block
    assert "conv_expand" in block
    assert "QX-77120-B" in (await api.expand("t0"))[0]["content"]


@pytest.mark.parametrize(
    "rule",
    [
        "Nunca publique a versão de teste no servidor de produção.",
        "Bitte niemals die Testdaten auf den Produktionsserver laden.",
        "本番サーバーにテスト版を公開しないでください。",
        "테스트 버전을 운영 서버에 배포하지 마세요.",
        "不要把测试版发布到生产服务器。",
    ],
)
async def test_claims_are_in_the_language_of_the_conversation(api: Api, rule: str) -> None:
    await compacted(api, *talk(3), user("r", rule), says("r", "OK."), *talk(70)[8:])
    assert rule in block_of(await prompt(api))


async def test_only_the_last_of_two_corrections_is_in_the_prompt(api: Api) -> None:
    said = ["The admin port is 9443.", "Correction: the admin port is 9444, not 9443.",
            "Sorry, the admin port is 9445, not 9444."]  # fmt: skip
    pairs = [
        m
        for n, text in enumerate(said)
        for m in (user(f"p{n}", text), says(f"p{n}", "Noted."), *talk(2 * n + 14)[2 * n + 4 :])
    ]
    unique = list({m["id"]: m for m in [*talk(3), *pairs, *talk(60)[50:]]}.values())
    await compacted(api, *unique)
    block = block_of(await prompt(api))
    assert "9445" in block
    assert "is 9443" not in block
    assert "is 9444" not in block


# -- what hosts put in -------------------------------------------------------------------------------------------------


async def test_rules_files_and_reminders_of_the_host_are_told_by_how_they_begin(open_api: Open) -> None:
    """Fails if injected text anchors the opening, or is quoted as what the user wants."""
    api = await open_api(compactor_region_tokens=2_000, injected_prefixes=("# Repository rules", "<reminder>"))
    rules = "# Repository rules\n" + "Never use tabs in this repository. " * 300
    reminders = [user(f"i{n}", f"<reminder>Always answer in verse number {n}.</reminder>") for n in range(6)]
    first = "Fix the flaky login test first."
    history = talk(60)
    for place, reminder in enumerate(reminders):
        history.insert(9 * place + 4, reminder)
    await compacted(api, user("rules", rules), user("first", first), says("first", "On it."), *history)
    found = await prompt(api)
    raw = [m["content"] for m in found["messages"]]
    assert any(str(c).startswith(first) or first in str(c) for c in raw), "the opening is what the user said first"
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    assert claims
    assert not [c for c in claims if "verse" in c["text"] or "tabs" in c["text"]]


async def test_a_message_of_the_user_beside_injected_text_stays_the_users(open_api: Open) -> None:
    api = await open_api(compactor_region_tokens=2_000, injected_prefixes=("<reminder>",))
    mixed = [
        {"type": "text", "text": "<reminder>be brief</reminder>"},
        {"type": "text", "text": "Never touch billing."},
    ]
    await compacted(api, *talk(4), {"id": "r", "role": "user", "content": mixed}, says("r", "OK."), *talk(70)[10:])
    assert "Never touch billing." in block_of(await prompt(api))


async def test_a_request_is_read_by_the_same_prefixes(open_api: Open) -> None:
    api = await open_api(injected_prefixes=("<env>",))
    messages = [
        {"role": "user", "content": "<env>" + "x y z " * 2_000},
        *({k: m[k] for k in ("role", "content")} for m in talk(60)),
    ]
    found = await post(api, "/assemble", window=8_192, messages=messages)
    kept = [str(m["content"]) for m in found["messages"]]
    assert any(c.startswith("Item 0:") for c in kept)


# -- loops, cost, counting ---------------------------------------------------------------------------------------------


async def test_fixed_overhead_that_fills_the_window_compacts_nothing_and_says_so_once(open_api: Open) -> None:
    api = await open_api(window=32_768)
    await api.record(user(0, "hello"), says(0, "hi"), user(1, "more"), says(1, "hi"))
    scheduler = api.runtime.lane.compactor
    for _ in range(3):
        found = await prompt(api, window=32_768, reserved_tokens=29_000)
        assert [m["content"] for m in found["messages"]] == ["hello", "hi", "more", "hi", "And now?"]
        ran = await scheduler.run_now(api.runtime.lane.resolve("c1", "u1"), force=False)
        assert ran["regions"] == []
    over = await prompt(api, window=32_768, reserved_tokens=40_000)
    assert over["warnings"] == ["reserved_over_window"]


async def test_a_session_that_is_resumed_is_not_compacted_again_with_each_message(api: Api) -> None:
    """A large rules file comes back with every request; what is covered stays covered."""
    rules = {"id": "sys", "role": "system", "content": "Rule text that is always there. " * 1_500}
    history = talk(60)
    await compacted(api, rules, *history)
    length = await chain_length(api)
    scheduler = api.runtime.lane.compactor
    for number in range(100, 105):
        await api.record(rules, *history, user(number, "go on"), says(number, "done"))
        ran = await scheduler.run_now(api.runtime.lane.resolve("c1", "u1"), force=False)
        assert ran["regions"] == []
    assert await chain_length(api) == length


async def test_a_provider_that_reports_no_usage_is_compacted_like_any_other(open_api: Open) -> None:
    """Fails if the trigger waits for a number that some servers always give as zero."""
    api = await open_api(window=8_192, compactor_region_tokens=2_000)
    scheduler = api.runtime.lane.compactor
    history = talk(120)
    for end in range(20, 241, 20):
        body = {**U, "messages": history[:end], "usage": {"prompt_tokens": 0, "model": "some-local-model"}}
        assert (await api.http.post(f"{CONVERSATION}/messages", json=body)).status_code == 200
        await scheduler.run_now(api.runtime.lane.resolve("c1", "u1"), force=False)
    assert await chain_length(api) > 2
    found = await prompt(api)
    assert found["decision"]["claims_shown"] > 0
    assert found["budget"]["used"] <= found["budget"]["history"]


async def test_compacting_five_times_writes_nothing_after_the_first(api: Api) -> None:
    await compacted(api, *talk(60))
    before = (await api.http.get(f"{CONVERSATION}/chain", params=U)).json()
    for _ in range(5):
        assert (await post(api, "/compact"))["regions"] == []
    assert (await api.http.get(f"{CONVERSATION}/chain", params=U)).json() == before


async def test_what_stands_for_omitted_messages_costs_less_than_they_did(api: Api) -> None:
    """Also where every sentence is worth keeping: what does not shrink is no compaction."""
    rules = [m for n in range(300) for m in (user(n, f"Never open port {7000 + n} on host-{n}."), says(n, "OK."))]
    await compacted(api, *rules)
    found = await prompt(api)
    listed = (await api.http.get(f"{CONVERSATION}/messages", params={**U, "limit": 1_000})).json()["messages"]
    shown = {item["id"] for item in found["plan"]}
    omitted = [m["tokens_est"] for m in listed if m["id"] not in shown]
    assert found["decision"]["claims_shown"] > 10
    assert found["decision"]["tokens"] < sum(omitted) / 2
    assert found["budget"]["used"] <= found["budget"]["history"] < sum(m["tokens_est"] for m in listed)


async def test_room_for_the_answer_is_kept_free_and_a_forced_run_shrinks(open_api: Open) -> None:
    """A history under the window but over what it leaves beside the answer is no `already under target`."""
    api = await open_api(window=27_200, profile="long", compactor_region_tokens=2_000)
    await api.record(*talk(330, 60))
    found = await prompt(api, window=27_200, profile="long", reserved_tokens=5_000)
    assert found["budget"]["used"] <= found["budget"]["history"] <= 27_200 - 5_000
    assert found["decision"]["messages_uncovered"] > 0
    assert (await post(api, "/compact"))["regions"]
    assert (await prompt(api, window=27_200, profile="long", reserved_tokens=5_000))["decision"]["claims_shown"] > 0


async def test_a_switch_to_a_smaller_model_and_back_loses_nothing_and_gives_the_same_prompt(api: Api) -> None:
    """Fails if a small window shortens what is stored, or a large one leaves the block of the small one in."""
    await compacted(api, *talk(60))
    large = await prompt(api, window=32_768)
    for window in (2_048, 4_096, 8_192):
        small = await prompt(api, window=window)
        assert small["budget"]["used"] <= small["budget"]["history"]
        assert small["messages"] != large["messages"]
    assert (await prompt(api, window=32_768))["messages"] == large["messages"]
    assert (await prompt(api, window=131_072))["decision"]["claims_shown"] == 0, "everything fits: nothing is left out"


async def test_old_screenshots_go_by_their_bytes_and_are_named(open_api: Open) -> None:
    """Few tokens each, but together more than a provider takes."""
    api = await open_api(max_prompt_bytes=300_000, window=131_072)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 30_000}}
    shots = [m for n in range(31) for m in (user(n, f"shot {n}"), says(n, f"saw {n}"))]
    for message in shots:
        if message["role"] == "user":
            message["content"] = [{"type": "text", "text": message["content"]}, picture]
    await api.record(*shots)
    found = await prompt(api, window=131_072)
    sent = json.dumps(found["messages"])
    assert len(sent) <= 300_000
    assert "image_url of m3 left out" in sent
    assert (await api.expand("u1"))[0]["content"][1] == picture, "the stored one is as it came"


# -- the provider's cache ----------------------------------------------------------------------------------------------


async def test_what_is_shown_raw_is_shown_in_its_own_bytes_in_every_prompt(api: Api) -> None:
    """Fails if old tool results are shortened one by one in the middle of the list: all behind them is paid again."""
    history = [
        m for n in range(24) for m in (user(n, f"Read part {n}."), *tool_round(n, f"part {n} " * 60), says(n, "ok"))
    ]
    stored = {json.dumps({k: v for k, v in m.items() if k != "id"}, sort_keys=True) for m in history}
    for end in range(40, len(history), 4):
        await api.record(*history[:end])
        found = await prompt(api)
        block = block_of(found)
        for message in found["messages"][:-1]:
            if message["content"] != block:
                assert json.dumps(message, sort_keys=True) in stored


# -- beside a run ------------------------------------------------------------------------------------------------------


async def test_what_the_user_writes_while_a_run_is_under_way_is_in_the_next_prompt(api: Api) -> None:
    await api.record(*talk(60))
    scheduler: Any = api.runtime.lane.compactor
    dispatch = scheduler._dispatcher
    asked = dispatch.dispatch

    async def meanwhile(job: Any) -> Any:
        await api.record(user("mid", "Stop: use the blue cluster instead."))
        return await asked(job)

    dispatch.dispatch = meanwhile
    assert (await post(api, "/compact"))["regions"]
    found = await post(api, "/assemble", window=8_192)
    assert found["messages"][-1]["content"] == "Stop: use the blue cluster instead."
