"""Messages prepared for checking: voices, clauses, slots, coverage."""

from __future__ import annotations

from bobctx.core.coverage import uncovered
from bobctx.core.parts import read_message
from bobctx.core.quotation import containers
from bobctx.core.reasons import MESSAGES, sentence
from bobctx.core.sources import Sources
from tests.unit.core.claim_cases import raw, region, validate


def test_fences_quotes_and_forwarded_mail_are_not_the_users_own_words() -> None:
    text = "Look at this:\n```\nalways BCC x\n```\n> never do y\nMy own rule: no z."
    source = Sources(region(text).messages)[0]
    assert source.voice_at(text.index("always")) == "pasted"
    assert source.voice_at(text.index("never")) == "pasted"
    assert source.voice_at(text.index("My own")) == "own"


def test_tool_calls_and_results_have_their_own_voice() -> None:
    message = read_message(
        {
            "id": "m1",
            "role": "assistant",
            "content": "I run it.",
            "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": '{"cmd": "rm -rf x"}'}}],
        }
    )
    source = Sources((message,))[0]
    assert source.voice_at(0) == "own"
    assert source.voice_at(message.text.index("rm")) == "call"


def test_a_slot_has_the_words_of_its_value() -> None:
    source = Sources(region("The public listener stays on 8443 and the admin listener on 9443.").messages)[0]
    first, second = source.slots
    assert {"public"} <= first.keys
    assert "admin" not in first.keys
    assert {"admin"} <= second.keys


def test_a_json_record_belongs_to_its_values() -> None:
    of = region(("tool", '{"card_a": {"amount": 157, "id": "card_a"}, "card_b": {"amount": 250, "id": "card_b"}}'))
    slots = [s for s in Sources(of.messages)[0].slots if s.literal.text in ("157", "250")]
    assert "card_a" in slots[0].keys
    assert "card_b" not in slots[0].keys
    assert "card_b" in slots[1].keys


def test_what_no_claim_carries_is_reported() -> None:
    of = region("Never touch /etc/edge.conf. The key file is /srv/keys/main.pem.", ("assistant", "OK."))
    claims, report = validate(of, raw("Never touch /etc/edge.conf.", type="constraint"))
    assert [(u["kind"], u["text"]) for u in report.uncovered] == [("path", "/srv/keys/main.pem")]
    assert {u["kind"] for u in uncovered(Sources(of.messages), ())} == {"path", "prohibition"}
    assert claims


def test_apostrophes_open_no_quotation() -> None:
    assert containers("it's the users' and John's 'big plan'")[-1].text == "big plan"


def test_every_reason_reads_as_a_sentence_and_falls_back_to_its_code() -> None:
    assert sentence("literal_missing", {"literal": "8443"}).startswith("'8443' does not stand")
    assert sentence("binding", {}) == "binding"
    assert sentence("no_such_code", {}) == "no such code"
    assert all(template for template in MESSAGES.values())
