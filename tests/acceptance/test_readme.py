"""What the README shows is run as it stands, against a real daemon."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.acceptance.daemon import DaemonProcess

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, holds: str) -> str:
    """The one code block of a language that holds a text."""
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", README, re.S) if holds in b]
    assert len(found) == 1
    return str(found[0])


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    found = DaemonProcess(tmp_path)
    found.start()
    yield found
    found.stop()


def test_the_gateway_in_python_records_and_gets_the_stored_history(
    daemon: DaemonProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if the client in the README finds no key: it would then fit locally and say nothing."""
    monkeypatch.setenv("BOBCTX_DB", str(daemon.db))
    monkeypatch.setenv("BOBCTX_PORT", str(urlsplit(daemon.url).port))
    monkeypatch.setenv("BOBCTX_CLIENT_TIMEOUT_MS", "20000")
    asked: list[list[dict[str, Any]]] = []

    def call_your_model(messages: list[dict[str, Any]]) -> str:
        asked.append(messages)
        return "Understood."

    names: dict[str, Any] = {"call_your_model": call_your_model}
    exec(block("python", "bob.assemble"), names)
    assert names["answer"]("u1", "c1", "Never enable zeta-sync.") == "Understood."
    assert names["answer"]("u1", "c1", "Which flags are off limits?") == "Understood."
    names["bob"].close()
    assert [m["content"] for m in asked[1]] == ["Never enable zeta-sync.", "Understood.", "Which flags are off limits?"]
    assert names["bob"].counters == {"assembled": 2}


def test_the_same_with_curl(daemon: DaemonProcess) -> None:
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    script = block("sh", "curl -s").replace("localhost:8642", daemon.url.removeprefix("http://"))
    script = script.replace("$(bobctx ", f"$({sys.executable} -m bobctx.cli ")
    environment = {**os.environ, "BOBCTX_DB": str(daemon.db)}
    done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, env=environment, check=True)
    assert '"indexed":2' in done.stdout
    assert "Never enable zeta-sync." in done.stdout
    assert '"mode":"live"' in done.stdout


def test_a_transcript_of_ones_own_in_a_conversation_of_its_own(tmp_path: Path) -> None:
    """Fails if a line of the block does not run, or if it adds the transcript to what curl has just recorded."""
    script = block("sh", "bobctx import")
    names = set(re.findall(r"-c (\S+)", script))
    assert len(names) == 1
    assert not any(f"conversations/{name}/" in block("sh", "curl -s") for name in names)
    example = re.search(r'^`(\{"role": .*\})`:$', README, re.M)
    assert example is not None
    (tmp_path / "session.jsonl").write_text(f"{example[1]}\n" * 3)
    script = re.sub(r"^bobctx ", f"{sys.executable} -m bobctx.cli ", script, flags=re.M)
    environment = {**os.environ, "BOBCTX_DB": str(tmp_path / "lane" / "b.db"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-ec", script], capture_output=True, text=True, env=environment, check=True, cwd=tmp_path
    )
    assert "3 messages as session" in done.stdout
    assert "m3 user" in done.stdout
