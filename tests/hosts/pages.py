"""The setups of `docs/integrations.md`, run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.hosts.conftest import Lane
from tests.hosts.model import Model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
MOST_LINES = 20


def setup(section: str, language: str = "python") -> str:
    """The first block of a section."""
    text = PAGE.read_text("utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found, section
    return found[1]


def run(section: str, model: Model, lane: Lane, folder: Path, chat: str = "chat-1") -> str:
    """What the program prints, with the local model for OpenAI and the running daemon for the default one."""
    program = setup(section)
    assert len([line for line in program.splitlines() if line.strip()]) <= MOST_LINES
    (folder / "program.py").write_text(program.replace("chat-1", lane.chat).replace('"ann"', f'"{lane.user}"'))
    own = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "BOBCTX_URL": lane.process.url}
    own |= {
        "BOBCTX_KEY": lane.process.key,
        "BOBCTX_CLIENT_TIMEOUT_MS": "20000",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    own |= {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [sys.executable, "program.py"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
