"""The held-out share is a fixed set of conversations of about the asked size."""

from __future__ import annotations

import pytest

from bobctx.core.holdout import held_out
from bobctx.core.types import Scope

SCOPES = [Scope(conversation_id=f"c{n}", user_id=f"u{n % 7}") for n in range(4_000)]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_the_share_is_about_what_was_asked(share: float) -> None:
    assert abs(sum(held_out(s, share) for s in SCOPES) / len(SCOPES) - share) < 0.03


def test_nobody_and_everybody() -> None:
    assert not any(held_out(s, 0.0) for s in SCOPES)
    assert all(held_out(s, 1.0) for s in SCOPES)


def test_a_larger_share_holds_the_smaller_one() -> None:
    """Fails when raising the share would move a conversation from one side to the other and back."""
    small, large = ({s for s in SCOPES if held_out(s, share)} for share in (0.1, 0.3))
    assert small < large


def test_the_same_name_of_another_user_is_another_conversation() -> None:
    sides = {held_out(Scope(conversation_id="c", user_id=f"u{n}"), 0.5) for n in range(40)}
    assert sides == {True, False}


def test_the_side_never_changes() -> None:
    """The value is part of running experiments: a new version keeps it."""
    assert [held_out(s, 0.5) for s in SCOPES[:8]] == [True, True, True, True, False, False, True, False]
