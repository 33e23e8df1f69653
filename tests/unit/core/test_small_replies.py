"""Windows' answers become one reply; what a small model cannot be trusted with is set by code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.reply import ReplyError
from bobctx.core.small_replies import claims_of, joined
from bobctx.core.types import PriorClaim, RawClaim, Region
from bobctx.core.validator import validate_claims
from tests.unit.core.claim_cases import region

GATE = region(
    "The admin gate listens on port 8443.",
    ("assistant", "Noted."),
    "Never enable zeta-sync on db-7.",
    ("assistant", "Understood."),
    "Correction: the admin gate listens on port 9443, not 8443.",
    ("assistant", "Changed."),
)


def raw(text: Any, *cites: str, type: Any = "fact") -> RawClaim:
    return RawClaim(index=0, type=type, text=text, cites=list(cites))


def reply(*answers: list[RawClaim], of: Region = GATE, prior: tuple[PriorClaim, ...] = ()) -> list[dict[str, Any]]:
    found = json.loads(joined(answers, of, prior))
    assert set(found) == {"claims", "narrative"}
    claims: list[dict[str, Any]] = found["claims"]
    return claims


OLD = raw("The admin gate listens on port 8443.", "m1")
RULE = raw("Never enable zeta-sync on db-7.", "m3", type="decision")
NEW = raw("The admin gate listens on port 9443, not 8443.", "m5", type="correction")


def test_names_of_two_windows_do_not_collide_and_follow_the_messages() -> None:
    found = reply([NEW], [OLD, RULE])
    assert [(c["id"], c["cites"]) for c in found] == [("c1", ["m1"]), ("c2", ["m3"]), ("c3", ["m5"])]


def test_a_stale_value_beside_its_correction_is_replaced_by_code() -> None:
    """The model was shown them in two windows and knows of no link; both values stand in their cites."""
    found = reply([OLD], [RULE], [NEW])
    assert [c["supersedes"] for c in found] == [None, None, "c1"]
    claims, report = validate_claims(found, GATE)
    assert not report.warnings
    assert claims[2].supersedes == claims[0].id


def test_an_earlier_claim_that_the_model_never_saw_is_replaced_too() -> None:
    prior = PriorClaim(
        alias="r1.c4", id="global", type="fact", importance=2, text="The admin gate listens on port 8443."
    )
    found = reply([RULE], [NEW], prior=(prior,))
    assert [c["supersedes"] for c in found] == [None, "r1.c4"]


def test_a_twin_is_not_replaced() -> None:
    twins = region("The admin gate listens on port 8443.", "The public gate listens on port 9443 now, not 9000.")
    found = reply(
        [OLD], [raw("The public gate listens on port 9443 now, not 9000.", "m2", type="correction")], of=twins
    )
    assert [c["supersedes"] for c in found] == [None, None]


def test_importance_and_overused_types_are_set_by_what_the_words_say() -> None:
    said = region("Never enable zeta-sync on db-7.", ("assistant", "The mirror runs on host-4."))
    found = reply(
        [raw("Never enable zeta-sync on db-7.", "m1"), raw("The mirror runs on host-4.", "m2", type="correction")],
        of=said,
    )
    assert [(c["type"], c["importance"]) for c in found] == [("constraint", 3), ("fact", 2)]


def test_a_correction_whose_message_says_so_stays_one() -> None:
    assert reply([raw("The admin gate listens on port 9443.", "m5", type="correction")])[0]["type"] == "correction"


def test_an_echo_of_a_value_is_left_out_so_that_its_correction_replaces_all_there_is() -> None:
    said = region(
        "We decided that the ingest gateway listens on port 7443. Put that into the firewall request.",
        ("assistant", "I will put port 7443 for the ingest gateway into the firewall request."),
        "Correction: the ingest gateway listens on port 7448, not 7443.",
        ("assistant", "I will put port 7448 for the ingest gateway and the mirror into the firewall request."),
    )
    texts = [str(m.text).removeprefix("Correction: ") for m in said.messages]
    found = reply([raw(text, f"m{n}") for n, text in enumerate(texts, 1)], of=said)
    assert [(c["cites"], c["supersedes"]) for c in found] == [(["m1"], None), (["m3"], "c1"), (["m4"], None)]


def test_a_correction_and_a_rule_in_one_claim_replace_the_stale_value_too() -> None:
    said = region(
        "The admin gate listens on port 8443.",
        "Correction: the admin gate listens on port 9443, not 8443. Port 9484 is the exporter's, do not mix them up.",
    )
    both = "The admin gate listens on port 9443, not 8443. Port 9484 is the exporter's, do not mix them up."
    assert [c["supersedes"] for c in reply([OLD], [raw(both, "m2")], of=said)] == [None, "c1"]


@pytest.mark.parametrize("kind", ["fact", "artifact", "constraint", "decision", "correction"])
@pytest.mark.parametrize(
    "text", ["The admin gate listens on port 9443, not 8443.", "The admin gate listens on port 9443."]
)
def test_a_correction_that_lost_the_word_for_it_still_replaces_the_stale_value(kind: str, text: str) -> None:
    """The sentence it rests on says so (`Correction: …`), whatever type the model chose."""
    found = reply([OLD], [raw(text, "m5", type=kind)])
    assert [c["supersedes"] for c in found] == [None, "c1"]
    assert found[1]["importance"] == 3
    accepted, report = validate_claims(found, GATE)
    assert not report.warnings
    assert accepted[1].supersedes == accepted[0].id


def test_what_two_pieces_of_a_message_both_say_is_said_once() -> None:
    assert len(reply([OLD], [OLD])) == 1


def test_what_is_malformed_goes_on_to_the_validator() -> None:
    """A literal list of types, a cite of another window, no text: data for the report, never an exception."""
    listed = raw("The admin gate listens on port 8443.", "m1", type="constraint|decision|fact")
    found = reply([listed, raw(None, "m1"), raw("Never enable zeta-sync on db-7.", "m9"), raw("x", type=["fact"])])
    _, report = validate_claims(found, GATE)
    assert sorted(r.code for r in report.rejections) == ["empty_text", "unknown_cite", "unknown_type", "unknown_type"]


def test_a_right_value_with_the_wrong_cite_is_refused() -> None:
    _, report = validate_claims(reply([raw("The admin gate listens on port 8443.", "m3")]), GATE)
    assert [r.code for r in report.rejections] == ["literal_missing"]


def test_an_answer_that_cannot_be_read_says_why() -> None:
    cut = claims_of('{"claims": [{"type"', "length")
    assert isinstance(cut, ReplyError)
    assert cut.code == "truncated"
    assert claims_of('{"claims": []}', "stop") == ()
