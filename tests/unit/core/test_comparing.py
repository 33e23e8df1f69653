"""What became of a claim in the text that replaced its source."""

from __future__ import annotations

from pathlib import Path
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


@pytest.mark.parametrize(
    ("claim", "summary", "reason"),
    [
        ("We must never deploy on a Friday.", "- The team may deploy on Friday", "negation_dropped"),
        ("Never deploy on Fridays.", "Deploying on Fridays is allowed.", "negation_dropped"),
        ("Deploying on Fridays is allowed.", "- never deploy on Fridays", "negation_added"),
        ("Do not touch the billing tables.", "Touch the billing tables", "negation_dropped"),
        ("Backups have to be encrypted.", "Backups need not be encrypted.", "modality"),
        ("Visitors may sign the book.", "- visitors must sign the book", "modality"),
        ("The admin port stays closed.", "The admin port stays open.", "antonym"),
        ("Am Freitag darf niemals deployt werden.", "Am Freitag darf deployt werden.", "negation_dropped"),
        ("No borres los registros antiguos.", "Borra los registros antiguos.", "negation_dropped"),
        ("绝对不要在周五部署。", "可以在周五部署。", "negation_dropped"),
        ("金曜日にデプロイしてはいけません。", "金曜日にデプロイしてもよい。", "negation_dropped"),
    ],
)
def test_a_short_sentence_that_turns_a_not_a_must_or_a_state_around_is_contradicted(
    claim: str, summary: str, reason: str
) -> None:
    found = judged(claim, summary)
    assert (found.status, found.reason) == ("contradicted", reason)


@pytest.mark.parametrize(
    ("claim", "summary"),
    [
        ("Never deploy on Fridays.", "We deploy on Mondays."),
        ("Never deploy service-1 on port 9001 before noon.", "- Never deploy service-0 on port 9000 before noon"),
        ("Never deploy on Fridays.", "- Friday: the office party, nothing else"),
        ("The left valve leaks.", "The right valve leaks."),
        ("The meeting is on Tuesday.", "The meeting is on Thursday as well."),
        ("Don't write to the archive.", "The report was written and put into the archive of the tax office."),
        ("Never open the gate after ten.", "Keep the gate closed after ten."),
    ],
)
def test_a_short_sentence_about_something_else_or_in_other_words_contradicts_nothing(claim: str, summary: str) -> None:
    assert judged(claim, summary).status != "contradicted"


def test_what_was_allowed_later_is_no_mistake_of_the_summary() -> None:
    later = ("Good news, from now on. The team may deploy on Friday.",)
    found = judged("We must never deploy on a Friday.", "- The team may deploy on Friday", later=later)
    assert found.status == "not_found_verbatim"


@pytest.mark.parametrize(
    ("claim", "summary", "reason"),
    [
        ("Deploy the gateway on Friday if the manager agrees.", "Deploy the gateway on Friday.", "condition_dropped"),
        ("All guests bring their own towels.", "Some guests bring their own towels.", "quantifier"),
    ],
)
def test_a_sentence_that_lacks_the_condition_or_the_extent_does_not_say_the_same(
    claim: str, summary: str, reason: str
) -> None:
    found = judged(claim, summary)
    assert (found.status, found.reason) == ("not_found_verbatim", reason)


PAIRS = Path(__file__).parent / "polarity_pairs"


def test_pairs_of_twelve_languages_that_say_the_same_or_the_opposite_are_told_apart() -> None:
    """Fails if short sentences are not compared, or other words for the same are called a contradiction."""
    turned: list[bool] = []
    accused: list[tuple[str, str]] = []
    for file in sorted(PAIRS.glob("*.tsv")):
        for line in file.read_text("utf-8").splitlines():
            code, summary, claim = line.split("\t")[:3]
            wrong = judged(claim, f"- {summary}").status == "contradicted"
            if code in ("negation_added", "negation_dropped"):
                turned.append(wrong)
            elif code == "ok" and wrong:
                accused.append((claim, summary))
    assert len(turned) > 90
    assert sum(turned) >= 0.9 * len(turned)
    assert len(accused) <= 1, accused


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


@pytest.mark.parametrize(
    ("claim", "summary"),
    [
        ("The hard rule: never use treated wood indoors.", "Treated wood may be used indoors."),
        ("House rule number one: never deploy the gateway on Fridays.", "You may deploy the gateway on Fridays."),
        ("Attention : ne jamais déployer la passerelle le vendredi.", "On peut déployer la passerelle le vendredi."),
    ],
)
def test_an_order_behind_a_label_is_turned_around_like_one_without(claim: str, summary: str) -> None:
    assert judged(claim, summary).status == "contradicted"
    assert judged(claim, claim).status == "found"


def test_a_label_that_is_the_subject_is_part_of_what_is_said() -> None:
    assert judged("Backups: 7 days.", "Backups are kept for 7 days.").status == "found"


def test_an_order_too_short_to_tell_its_language_is_read_in_that_of_its_source() -> None:
    said = stated("Never use treated wood indoors.")
    whole = read_message({"role": "user", "content": f"We plan the shed. {said.claim.text} That is the rule."}, id="m")
    source = Stated(claim=said.claim, importance=2, cited=(whole,))
    assert judge(source, Summary("Use treated wood indoors.")).status == "contradicted"
