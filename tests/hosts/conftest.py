"""A real daemon, a local model, and what both saw, for every host's tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from bobctx.client import Daemon
from tests.acceptance.daemon import DaemonProcess
from tests.hosts import model as models

FACT = "The staging port of zeta-gateway is 8443 and it must never be opened to the internet."
WINDOW = 8_192
"""Tokens of the pretended model: a few long turns fill it."""


@pytest.fixture
def model() -> Iterator[models.Model]:
    """A model server of this test's own."""
    with models.serving() as found:
        yield found


@dataclass
class Lane:
    """A running daemon, read by an operator's key; names of conversations and owners are each test's own."""

    process: DaemonProcess
    http: httpx.Client
    number: int

    @property
    def daemon(self) -> Daemon:
        """For an adapter; patient, since the machine may be busy."""
        return Daemon(url=self.process.url, key=self.process.key, timeout_s=20.0, window=WINDOW)

    @property
    def chat(self) -> str:
        """The conversation."""
        return f"chat-{self.number}"

    @property
    def user(self) -> str:
        """Its owner."""
        return f"ann-{self.number}"

    @property
    def other(self) -> str:
        """Somebody else."""
        return f"bob-{self.number}"

    def messages(self, user: str | None = None, chat: str | None = None) -> list[dict[str, Any]]:
        """What is recorded."""
        params: dict[str, Any] = {"user_id": user or self.user, "limit": 1000}
        answer = self.http.get(f"/v1/conversations/{quote(chat or self.chat, safe='')}/messages", params=params)
        found: list[dict[str, Any]] = answer.json()["messages"] if answer.status_code == 200 else []
        return found

    def texts(self, user: str | None = None, chat: str | None = None) -> list[str]:
        """The recorded texts, oldest first."""
        return [str(m["content"]) for m in self.messages(user, chat)]

    def search(self, query: str) -> list[dict[str, Any]]:
        """What a search finds."""
        body = {"user_id": self.user, "query": query}
        found: list[dict[str, Any]] = self.http.post(f"/v1/conversations/{self.chat}/search", json=body).json()["hits"]
        return found

    def compact(self) -> None:
        """Make claims of everything that can be."""
        answer = self.http.post(f"/v1/conversations/{self.chat}/compact", json={"user_id": self.user})
        assert answer.status_code == 200, answer.text


NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all tests of a host."""
    settings = {"BOBCTX_WINDOW": str(WINDOW), "BOB_COMPACTOR_REGION_TOKENS": "1000"}
    folder = tmp_path_factory.mktemp("lane")
    found = DaemonProcess(folder, extra={**settings, "BOBCTX_ASSEMBLE_DEADLINE_MS": "10000"})
    yield found.start()
    found.stop()


@pytest.fixture
def lane(process: DaemonProcess) -> Iterator[Lane]:
    """The daemon, with names that no other test uses."""
    with process.client() as http:
        yield Lane(process, http, next(NUMBERS))


@pytest.fixture
def away() -> Daemon:
    """Nobody listens there."""
    return Daemon(url="http://127.0.0.1:9", timeout_s=2.0, window=WINDOW)


def long_text(number: int) -> str:
    """A turn that takes some room and holds something to remember."""
    return f"Never route tenant-{number} through gateway {7000 + number}. " + "padding words " * 120


HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hosts warn about themselves; what they say is shown and fails nothing."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
