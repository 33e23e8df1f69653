"""A daemon and a host for the tests of hooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.daemon import DaemonProcess
from tests.acceptance.hooks.host import Host


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    found = DaemonProcess(tmp_path, {"BOBCTX_COMPACTOR_REGION_TOKENS": "500"})
    yield found
    found.stop()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all tests that leave it as it is; every test has a session of its own."""
    found = DaemonProcess(tmp_path_factory.mktemp("lane"), {"BOBCTX_COMPACTOR_REGION_TOKENS": "500"})
    yield found.start()
    found.stop()


@pytest.fixture
def host(running: DaemonProcess, tmp_path: Path) -> Host:
    return Host(running, tmp_path / "session.jsonl")
