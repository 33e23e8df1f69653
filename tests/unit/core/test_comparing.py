"""What became of a claim in the text that replaced its source."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.comparing import Finding, Stated, Summary, judge
from bobctx.core.parts import read_message
from bobctx.core.types import Claim


def stated(text: str, *, later: tuple[str, ...] = (), type_: Any = "fact") -> Stated:
    claim = Claim(id="x", label="c1", type=type_, importance=2, text=text, cites=(0,))
    cited = read_message({"role": "user", "content": text}, id="m")
    after = [read_message({"role": "user", "content": t}, id=f"l{i}") for i, t in enumerate(later)]
    return Stated(claim=claim, importance=2, cited=(cited,), after=after)


def judged(claim: str, summary: str, **more: Any) -> Finding:
    return judge(stated(claim, **more), Summary(summary))


@pytest.mark.parametrize(
    ("claim", "summary"),
    [
        ("The retry limit of the importer is 5 attempts.", "Work so far:\n- Importer: retry limit is 5 attempts\n"),
        ("Exports are stored under /srv/ledger/exports.", "Paths\n* exports stored under `/srv/ledger/exports`"),
        ("Never deploy the gateway on Fridays.", "- Constraint: never deploy the gateway on Fridays"),
        ("Das Zeitlimit des Importers beträgt 30 s.", "- Zeitlimit des Importers: 30 s"),
    ],
)
def test_a_claim_whose_values_and_words_stand_in_one_sentence_is_found(claim: str, summary: str) -> None:
    assert judged(claim, summary).status == "found"


@pytest.mark.parametrize(
    ("claim", "summary"),
    [
        ("The retry limit of the importer is 5 attempts.", "We worked on the importer and fixed its tests."),
        ("Never deploy the gateway on Fridays.", "The gateway was deployed and works."),
        ("The admin port of the proxy is 9443.", "The public port of the mailer is 8443. The proxy runs."),
    ],
)
def test_what_the_summary_does_not_say_is_not_found_verbatim(claim: str, summary: str) -> None:
    assert judged(claim, summary).status == "not_found_verbatim"


@pytest.mark.parametrize(
    ("claim", "summary", "reason"),
    [
        ("Never enable zeta-sync on the billing cluster.", "- zeta-sync is enabled on the billing cluster", "negation"),
        ("The export cache of the ledger is disabled.", "The export cache of the ledger is enabled.", "antonym"),
        ("The retry limit of the importer is 5 attempts.", "- The retry limit of the importer is 7 attempts", "value"),
        ("Der Importer darf nie Produktionsdaten löschen.", "Der Importer darf Produktionsdaten löschen.", "negation"),
    ],
)
def test_the_same_subject_with_the_opposite_or_another_value_is_contradicted(
    claim: str, summary: str, reason: str
) -> None:
    found = judged(claim, summary)
    assert found.status == "contradicted"
    assert found.reason.startswith(reason)
    assert found.sentence


def test_a_value_that_was_said_later_is_news_and_no_contradiction() -> None:
    found = judged(
        "The retry limit of the importer is 5 attempts.",
        "- The retry limit of the importer is 7 attempts",
        later=("Make the importer's retry limit 7 attempts.",),
    )
    assert found.status == "not_found_verbatim"


def test_a_sentence_that_agrees_clears_one_that_seems_to_deny() -> None:
    summary = "- zeta-sync was enabled on the billing cluster once. Never enable zeta-sync on the billing cluster."
    assert judged("Never enable zeta-sync on the billing cluster.", summary).status == "found"


def test_original_messages_contradict_nothing() -> None:
    window = Summary("zeta-sync is enabled on the billing cluster.", contradicts=False)
    assert judge(stated("Never enable zeta-sync on the billing cluster."), window).status != "contradicted"


def test_an_open_question_is_never_contradicted() -> None:
    found = judged("Is the export cache of the ledger disabled?", "The export cache of the ledger is enabled.",
                   type_="open_question")  # fmt: skip
    assert found.status != "contradicted"
