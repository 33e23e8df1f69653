"""The seeded evals: a small slice, and what their reader may and may not count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bobctx.core.budget import plan_budget
from bobctx.core.extract import extract
from bobctx.core.types import Region
from evals import arms, evidence, prose, recalling, report
from evals.compacting import cap_of, grow, read
from evals.planting import PHRASINGS, Fact, Statement
from evals.reader import Prompt, ShownClaim, answer, holds, is_stale, scored, states
from evals.recalling import Setting
from evals.results import Ledger
from evals.scenarios import SHAPES, Conversation, converse
from evals.seats import Exchange, seat_named, writer_named

FACT = Fact(
    lang="en",
    kind="port",
    subject="the north depot",
    key=("north", "depot"),
    statements=[
        Statement(value="8443", sentence="The north depot is on port 8443.", position=2),
        Statement(value="9443", sentence="The north depot moved to port 9443.", position=6),
    ],
)


def prompt(*claims: tuple[str, int], raw: dict[int, str] | None = None) -> Prompt:
    return Prompt(raw=raw or {}, claims=tuple(ShownClaim(text=t, cites=frozenset({p})) for t, p in claims))


def test_the_last_supported_statement_is_the_answer() -> None:
    old, new = ("The north depot is on port 8443.", 2), ("The north depot moved to port 9443.", 6)
    assert answer(prompt(old, new), FACT) == "9443"
    assert answer(prompt(old), FACT) == "8443"
    assert answer(prompt(), FACT) == "unknown"


def test_a_value_of_a_twin_or_of_a_message_that_is_not_cited_supports_nothing() -> None:
    assert answer(prompt(("The south depot moved to port 9443.", 6)), FACT) == "unknown"
    assert answer(prompt(("The north depot moved to port 9443.", 4)), FACT) == "unknown"


def test_an_old_value_beside_its_correction_is_stale_unless_the_claim_says_both() -> None:
    old, new = ("The north depot is on port 8443.", 2), ("The north depot moved to port 9443.", 6)
    assert is_stale(prompt(old, new), FACT)
    assert not is_stale(prompt(new), FACT)
    assert not is_stale(prompt(("The north depot moved from 8443 to port 9443.", 6)), FACT)


def test_a_correction_without_its_subject_counts_only_beside_what_it_corrects() -> None:
    leaning = replace(
        FACT,
        statements=[FACT.statements[0], Statement(value="9443", sentence="Make that 9443.", position=4, leans=True)],
    )
    assert answer(prompt(raw={4: "Make that 9443."}), leaning) == "unknown"
    assert answer(prompt(raw={2: FACT.statements[0].sentence, 4: "Make that 9443."}), leaning) == "9443"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("port 8443.", "8443", True),
        ("port 18443", "8443", False),
        ("v1.2.34", "1.2.3", False),
        ("等 45分钟。", "45分钟", True),
    ],
)
def test_values_are_whole_tokens(text: str, value: str, expected: bool) -> None:
    assert holds(text, value) is expected


def test_a_model_answer_with_the_old_value_too_is_wrong_and_none_is_not_scored() -> None:
    assert scored("9443", FACT)
    assert scored("9443, before it was 8443", FACT) is False
    assert scored(None, FACT) is None


@pytest.mark.parametrize("phrasings", PHRASINGS)
@pytest.mark.parametrize("name", SHAPES)
def test_a_seed_gives_the_same_conversation_and_every_statement_stands_in_it(name: str, phrasings: str) -> None:
    def made(seed: int) -> Conversation:
        return converse(name, seed, scale=0.1, phrasings=phrasings)

    talk = made(5)
    assert talk.messages == made(5).messages != made(6).messages
    for fact in talk.facts:
        for statement in fact.statements:
            said = talk.messages[statement.position]["content"]
            assert statement.sentence in said
            assert statement.leans or states(statement.sentence, fact, statement)


def test_a_small_slice_finds_more_than_the_window_within_its_budget(tmp_path: Path) -> None:
    setting = Setting(seat=extract, tools=True, scale=0.5)
    found = recalling.run("planted", setting, Ledger("planted", tmp_path, say=lambda _: None), seed=3, repeats=1)
    claims = found["claims"]
    assert claims["correct"] >= claims["questions"] - 1
    assert claims["context_tokens"] <= SHAPES["planted"].window // 2
    assert claims["stale_shown"] == 0
    assert claims["correct"] > found["window"]["correct"]
    row = json.loads((tmp_path / "planted.jsonl").read_text("utf-8"))
    assert {"revision", "seed", "prompt_version", "model", "seat"} <= row.keys()


def test_an_exchange_writes_requests_and_replays_its_replies(tmp_path: Path) -> None:
    messages = read(converse("planted", 1, scale=0.3).messages)
    budget = plan_budget(SHAPES["planted"].window)
    first = grow(messages, budget, seat=Exchange(tmp_path, wait_s=0, behind=extract))
    again = grow(messages, budget, seat=Exchange(tmp_path, wait_s=0))
    assert first.links
    assert [link.compaction.chain_sha256 for link in again.links] == [
        link.compaction.chain_sha256 for link in first.links
    ]
    assert again.taken_over == 0
    assert arms.assembled(again, SHAPES["planted"].window).tokens <= SHAPES["planted"].window // 2


def test_the_prose_arm_replays_a_cassette_and_is_left_out_without_a_model(tmp_path: Path) -> None:
    talk = converse("planted", 0, scale=0.4)
    grown = grow(read(talk.messages), plan_budget(8_000), cap=2_000)
    assert prose.prose(grown, 8_000, None) is None
    write = writer_named(f"exchange:{tmp_path}")
    assert prose.prose(grown, 8_000, write) is None  # asked, and not answered yet
    while prose.summary_of(grown, write) is None:
        for asked in tmp_path.glob("*.request.json"):
            reply = asked.with_name(asked.name.replace("request", "reply"))
            reply.write_text(json.dumps({"text": "The north depot moved to port 9443."}))
    found = prose.prose(grown, 8_000, write)
    assert found is not None
    assert answer(replace(found, raw={}), FACT) == "9443"


def test_an_answer_word_counts_once_it_stands_in_the_prompt() -> None:
    messages = read([{"role": "user", "content": "Ana keeps bees in Porto."}, {"role": "user", "content": "Fine."}])
    sample = evidence.Sample("x", messages, [(0,)], [frozenset({"porto", "honey"})])
    assert evidence.answer_words(sample, ["Fine."]) == (0, 1)
    assert evidence.answer_words(sample, ["Ana lives in Porto."]) == (1, 1)


def test_a_missing_data_set_is_no_score_of_zero(tmp_path: Path) -> None:
    with pytest.raises(evidence.MissingData):
        evidence.run_units(tmp_path, Ledger("evidence"), seat=extract, seed=0)


def test_a_conversation_that_no_set_has_is_no_score_of_zero() -> None:
    with pytest.raises(evidence.MissingData):
        evidence.run_units(Path(), Ledger("evidence"), seat=extract, seed=0, chat="nobody", sets=())


def test_a_small_model_is_asked_about_smaller_regions(tmp_path: Path) -> None:
    assert cap_of(seat_named(f"small:exchange:{tmp_path}")) < cap_of(extract)


def test_an_exchange_records_what_the_seat_behind_it_says(tmp_path: Path) -> None:
    messages = read(converse("planted", 0, scale=0.2).messages)[:12]
    asked = Region(messages=tuple(messages))
    said = seat_named(f"exchange:{tmp_path}|extractive")(asked, ())
    assert said == extract(asked)
    assert seat_named(f"exchange:{tmp_path}")(asked, ()) == said


def test_the_short_table_holds_a_few_arms_and_the_evidence_turns_and_stands_in_the_readme(tmp_path: Path) -> None:
    rows = [
        "| planted | full | 1/1 | 9 | 0 |",
        "| planted | claims_seed | 1/1 | 9 | 0 |",
        "| survival | claims | 1/2 | | |",
    ]
    table = (
        "\n".join(["| eval | arm |", "|---|---|", *rows, "| evidence turns, x 10 % | window 0.1 | gain | | |"]) + "\n"
    )
    short = report.shortened(table)
    assert short.splitlines()[2:] == [rows[0], "| evidence turns, x 10 % | window 0.1 | gain | | |"]
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{report.MARKS[0]}old\n{report.MARKS[1]}after\n", encoding="utf-8")
    made = report.write(tmp_path / "results", readme)
    assert readme.read_text("utf-8") == f"before\n{report.MARKS[0]}{report.shortened(made)}{report.MARKS[1]}after\n"
