"""The same histories, trimmed to the same budget by bobctx and by other libraries: validity, size, time.

`python -m evals.peers [--json]`. Peers that are not installed are left out and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bobctx.core.assembly import AssemblyRequest, plain_fit
from bobctx.core.budget import Window
from bobctx.core.dialect import check, list_tokens
from bobctx.core.selection import read_messages
from bobctx.core.turns import clean
from bobctx.importers import read_all
from bobctx.model_data import reference_counter
from evals.datasets import DATA, DATASETS

Body = dict[str, Any]
Trim = Callable[[list[Body], int], list[Body]]
WINDOWS = (8_192, 32_768)
ASKS = 12
"""Places in a session where it is trimmed, evenly spread."""


@dataclass(slots=True, kw_only=True)
class Score:
    """One library over all histories."""

    name: str
    lists: int = 0
    invalid: int = 0
    """Lists that OpenAI chat would refuse."""
    over: int = 0
    """Lists over the budget, by the reference counter."""
    empty: int = 0
    without_newest: int = 0
    failed: int = 0
    """Calls that raised."""
    ms: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The counts, and median and slowest time."""
        times = self.ms or [0.0]
        found = {k: v for k, v in asdict(self).items() if k != "ms"}
        return found | {"p50_ms": round(statistics.median(times), 2), "max_ms": round(max(times), 1)}


def histories(data: Path) -> Iterator[list[Body]]:
    """OpenAI messages up to places where a model is asked."""
    sessions = [[clean(m) for m in read_all(p)[0].messages] for p in sorted((data / "native_sessions").iterdir())]
    for name in ("tau_bench", "swe_agent", "aider"):
        sessions += [[clean(m) for m in messages] for _, messages in DATASETS[name](data)[:6]]
    for messages in sessions:
        openai = [m for m in messages if isinstance(m.get("content"), str | None)]
        for end in range(len(openai), 0, -max(1, len(openai) // ASKS)):
            if openai[end - 1]["role"] in ("user", "tool"):
                yield openai[:end]


# -- libraries -----------------------------------------------------------------------------


def ours(messages: list[Body], limit: int) -> list[Body]:
    """`plain_fit`, as the client uses it without a daemon; the time includes reading and counting."""
    count = reference_counter().count
    request = AssemblyRequest(
        window=Window(tokens=limit * 2, source="setting"), count=count, versions=("", ""), budget_tokens=limit
    )
    return list(plain_fit(read_messages(messages, count), request).messages)


def litellm(messages: list[Body], limit: int) -> list[Body]:
    """The `trim_messages` of litellm."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no look at the network
    from litellm.utils import trim_messages

    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its own errors go to the log; the list says enough
    return list(trim_messages([dict(m) for m in messages], model="gpt-4o", max_tokens=limit))


def langchain(messages: list[Body], limit: int) -> list[Body]:
    """The `trim_messages` of langchain with the settings its guide advises, counting with our counter."""
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages
    from langchain_core.messages.utils import trim_messages

    count = reference_counter().count

    def size(given: Any) -> int:
        return list_tokens(convert_to_openai_messages(list(given)), "openai", count)

    kept = trim_messages(
        convert_to_messages(messages),
        max_tokens=limit,
        token_counter=size,
        strategy="last",
        start_on="human",
        include_system=True,
    )
    return list(convert_to_openai_messages(kept))


PEERS: dict[str, tuple[str, Trim]] = {
    "bobctx": ("bobctx", ours),
    "litellm": ("litellm", litellm),
    "langchain": ("langchain_core", langchain),
}


def run(data: Path) -> list[Score]:
    """Every installed library over the same histories."""
    count = reference_counter().count
    chosen = {n: trim for n, (module, trim) in PEERS.items() if importlib.util.find_spec(module) is not None}
    scores = {name: Score(name=name) for name in chosen}
    cases = list(histories(data))
    for name, trim in chosen.items():
        trim([{"role": "user", "content": "warm up"}], 100)
        for messages in cases:
            for window in WINDOWS:
                _score(scores[name], trim, messages, window // 2, count)
    return list(scores.values())


def as_json(data: Path) -> dict[str, Any]:
    """Scores of the installed libraries, the names of the others, and why nothing was measured."""
    missing = [n for n, (module, _) in PEERS.items() if importlib.util.find_spec(module) is None]
    if not data.is_dir():
        return {"libraries": [], "not_installed": missing, "skipped": f"no conversations at {data}"}
    return {"libraries": [s.as_json() for s in run(data)], "not_installed": missing, "skipped": None}


def _score(score: Score, trim: Trim, messages: list[Body], limit: int, count: Callable[[str], int]) -> None:
    start = time.perf_counter()
    try:
        kept = trim(messages, limit)
    except Exception:  # noqa: BLE001 - a peer's failure is a result
        score.failed += 1
        return
    score.ms.append((time.perf_counter() - start) * 1e3)
    score.lists += 1
    score.empty += not kept
    score.invalid += bool(kept) and bool(check(kept, "openai"))
    score.over += list_tokens([m for m in kept if m["role"] != "system"], "openai", count) > limit
    newest = str(messages[-1].get("content"))[:40]
    score.without_newest += bool(kept) and not any(newest in str(m.get("content")) for m in kept)


def main() -> None:
    """Print one line a library."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = as_json(options.data)
    if options.json:
        print(json.dumps(found))
        return
    for score in found["libraries"]:
        print("  ".join(f"{k} {v}" for k, v in score.items()))
    for label in ("not_installed", "skipped"):
        if found[label]:
            print(f"{label}: {found[label]}")


if __name__ == "__main__":
    main()
