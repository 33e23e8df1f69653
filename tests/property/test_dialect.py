"""Whatever was recorded, the repaired list is one the provider takes, and says everything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from bobctx.core.dialect import DIALECTS, check, repair, to_dialect
from bobctx.core.types import Message
from tests.property.conversations import conversations

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
"""Giant messages make long reports."""
SETTINGS = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def strings(value: Any) -> str:
    """Every string inside a value, arguments decoded, white space apart."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(strings(v) for v in value.values())
    if isinstance(value, list):
        return " ".join(strings(v) for v in value)
    return ""


def said(message: Message) -> list[str]:
    return [p.text for p in message.parts if p.kind in ("text", "result") and p.text.strip()]


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(messages=conversations())
def test_a_repaired_list_has_no_violation(dialect: str, messages: list[Message]) -> None:
    """Fails if any hazard is left in, for instance by pairing results by position."""
    repaired, _ = repair(to_dialect(messages, dialect), dialect)
    assert check(repaired, dialect) == []


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(messages=conversations())
def test_repair_loses_no_text(dialect: str, messages: list[Message]) -> None:
    """Fails if an orphan result, an injected message or a husk's text is dropped."""
    repaired, _ = repair(to_dialect(messages, dialect), dialect)
    whole = strings(json.loads(json.dumps(repaired)))
    for message in messages:
        for text in said(message):
            assert text.strip() in whole


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(messages=conversations())
def test_repair_is_done_after_one_pass_and_changes_no_valid_list(dialect: str, messages: list[Message]) -> None:
    repaired, _ = repair(to_dialect(messages, dialect), dialect)
    assert repair(repaired, dialect) == (repaired, [])


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(messages=conversations())
def test_a_valid_native_list_comes_through_as_it_was(dialect: str, messages: list[Message]) -> None:
    """Fails if a body is rebuilt without need: signed thinking and cache prefixes depend on its bytes."""
    repaired, _ = repair(to_dialect(messages, dialect), dialect)
    assert json.dumps(to_dialect(repaired, dialect)) == json.dumps(repaired)
