"""What stood in the opening is known to whoever lost it: its rules, and its values while nothing replaced them."""

from __future__ import annotations

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.opening import opening_claims
from bobctx.core.parts import read_message
from bobctx.core.segments import Spine, entry_of
from bobctx.core.types import Claim, Message, Scope

SCOPE = Scope(conversation_id="c", user_id="u")
FIRST = "We plan the garden shed. The hard rule: never use treated wood indoors. The budget is 2400 euros."


def messages(*said: tuple[str, str]) -> list[Message]:
    return [
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=30)
        for n, (role, text) in enumerate(said, 1)
    ]


def found(view: ClaimView, *said: tuple[str, str]) -> list[str]:
    read = messages(*said)
    return [c.claim.text for c in opening_claims(SCOPE, view, Spine.build(map(entry_of, read)), read)]


def current(text: str, *cites: int) -> ClaimView:
    claim = Claim(id=text, label="c1", type="correction", importance=3, text=text, cites=(0,))
    return ClaimView(claims=(ViewClaim(claim=claim, region=0, alias="r1.c1", importance=3, cites=cites),))


def test_rules_and_values_of_the_opening_are_claims() -> None:
    texts = found(ClaimView(), ("user", FIRST), ("assistant", "Noted."), ("user", "Go on."))
    assert "The hard rule: never use treated wood indoors." in texts
    assert "The budget is 2400 euros." in texts


def test_a_value_that_a_later_claim_changed_is_not_said_again() -> None:
    """Fails if the opening were read alone: its budget would stand beside the present one."""
    said = ("user", FIRST), ("assistant", "Noted."), ("user", "Updated: the budget is now 2900 euros.")
    texts = found(current("the budget is now 2900 euros", 2), *said)
    assert "The budget is 2400 euros." not in texts
    assert "The hard rule: never use treated wood indoors." in texts


def test_what_a_current_claim_says_already_is_not_said_twice() -> None:
    said = ("user", FIRST), ("assistant", "Noted."), ("user", "The  budget is 2400 euros.")
    assert "The budget is 2400 euros." not in found(current("The budget is 2400 euros.", 2), *said)


def test_a_conversation_without_messages_has_no_opening() -> None:
    assert found(ClaimView()) == []
