"""What a user granted in an answer may not be claimed as denied."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import raw, region, validate


@pytest.mark.parametrize(
    ("asked", "answered", "claim", "code"),
    [
        ("Incubate it in water or on ice?", "On ice.", "The sample is not incubated on ice.", "negation_added"),
        ("Minibus or parents' cars?", "minibus.", "The minibus is not used.", "negation_added"),
        (
            "Would you like two coats of varnish for the oak table?",
            "Yes, 2 coats.",
            "The oak table does not get two coats of varnish, as was asked.",
            "negation_added",
        ),
        ("Soll der Zug oder der Bus gebucht werden?", "Der Bus.", "Der Bus wird nicht gebucht.", "negation_added"),
        ("¿Pintamos la valla de verde?", "Sí, de verde.", "La valla no se pinta de verde.", "negation_added"),
        ("Which should we drop, the minibus or the coach?", "minibus.", "The minibus is not used.", ""),
        ("Shall I paint the fence green?", "No, leave it.", "The fence is not painted green.", ""),
        ("Five have not paid yet. Shall I remind them?", "yes", "The five who have not paid are reminded.", ""),
    ],
)
def test_a_granted_thing_is_not_denied(asked: str, answered: str, claim: str, code: str) -> None:
    """Fails if a question stays open after its answer, or what was refused or said elsewhere counts as granted."""
    of = region(("assistant", asked), answered)
    _, report = validate(of, raw(claim, "m1", "m2", type="decision"))
    codes = [r.code for r in report.rejections]
    assert codes == ([code] if code else [])
