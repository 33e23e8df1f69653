"""Fixtures for every layer: no network and no model in unit tests; shared data only where it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""The same examples in every run, so that a failure is the change's; `explore` looks for new ones."""

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(autouse=True)
def _logs_as_new() -> Iterator[None]:
    """A level that one test set hides no log line from the next."""
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


@pytest.fixture
def shared() -> Path:
    """The folder of conversation data beside the checkout; the test is skipped, visibly, without it."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the conversation data in {SHARED.name}/ beside the checkout")
    return SHARED
