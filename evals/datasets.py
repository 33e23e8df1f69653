"""The conversation files beside the checkout as lists of OpenAI messages, one list a conversation.

`python -m evals.datasets OUT [--data DIR]` writes each as JSONL that `bobctx import` reads.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bobctx

Messages = list[dict[str, Any]]
Named = tuple[str, Messages]


def _beside() -> Path:
    """`shared/data` beside the checkout, or beside a folder that holds it."""
    places = [above / "shared" / "data" for above in Path(bobctx.__file__).resolve().parents[2:]]
    return next((p for p in places if p.is_dir()), places[0])


DATA = _beside()


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _said(speaker: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "speaker": speaker, "content": text, **fields}


def tau_bench(data: Path) -> list[Named]:
    """Customer-service agent runs with tool calls; they are chat messages already."""
    return [
        (f"tau_bench-{index:03}-task{run['task_id']}", [_chat(m) for m in run["traj"]])
        for path in sorted((data / "tau_bench").glob("*.json"))
        for index, run in enumerate(_load(path))
    ]


def swe_agent(data: Path) -> list[Named]:
    """Coding-agent trajectories."""
    return [
        (f"swe_agent-{path.stem[:40]}", [_chat(m) for m in _load(path)["history"]])
        for path in sorted((data / "swe_agent").glob("*.json"))
    ]


def _chat(message: dict[str, Any]) -> dict[str, Any]:
    """The chat fields of a message; the first of `tool_call_ids` is the call that a result answers."""
    kept = {k: message[k] for k in ("role", "content", "name", "tool_calls", "tool_call_id") if message.get(k)}
    kept.setdefault("content", message.get("content") or ("" if "tool_calls" not in kept else None))
    if message["role"] == "tool" and "tool_call_id" not in kept and message.get("tool_call_ids"):
        kept["tool_call_id"] = message["tool_call_ids"][0]
    return kept


def aider(data: Path) -> list[Named]:
    """Coding chats; console output (`tool`, without calls) is injected text."""
    chats: dict[str, Messages] = defaultdict(list)
    for path in sorted((data / "aider").glob("*.jsonl")):
        for line in _lines(path):
            console = line["role"] == "tool"
            message = {"role": "user" if console else line["role"], "content": line["text"]}
            chats[line["conv"]].append({**message, "injected": True} if console else message)
    return sorted(chats.items())


def qmsum(data: Path) -> list[Named]:
    """Meetings: everyone is a user with a speaker."""
    return [
        (f"qmsum-{index:02}", [_said(t["speaker"], t["content"]) for t in meeting["meeting_transcripts"]])
        for path in sorted((data / "qmsum").glob("*.jsonl"))
        for index, meeting in enumerate(_lines(path))
    ]


def locomo(data: Path) -> list[Named]:
    """Very long two-person chats over many sessions; ids are the data's own (`D1:3`)."""
    chats = []
    for path in sorted((data / "locomo").glob("*.json")):
        for sample in _load(path):
            conversation = sample["conversation"]
            numbers = sorted(
                int(k.split("_")[1]) for k in conversation if k.startswith("session_") and k.count("_") == 1
            )
            chats.append(
                (
                    f"locomo-{sample['sample_id']}",
                    [
                        _said(turn["speaker"], turn["text"], id=turn["dia_id"])
                        for number in numbers
                        for turn in conversation[f"session_{number}"]
                    ],
                )
            )
    return chats


def kdconv_zh(data: Path) -> list[Named]:
    """Chinese two-person chats; speakers take turns."""
    return [
        (f"kdconv_zh-{index:03}", [_said("AB"[n % 2], turn["message"]) for n, turn in enumerate(chat["messages"])])
        for path in sorted((data / "kdconv_zh").glob("*.json"))
        for index, chat in enumerate(_load(path))
    ]


DATASETS: dict[str, Callable[[Path], list[Named]]] = {
    "tau_bench": tau_bench,
    "swe_agent": swe_agent,
    "aider": aider,
    "qmsum": qmsum,
    "locomo": locomo,
    "kdconv_zh": kdconv_zh,
}


def write_jsonl(name: str, messages: Messages, folder: Path) -> Path:
    """One conversation as JSONL."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(m, ensure_ascii=False) + "\n" for m in messages), encoding="utf-8")
    return path


def main() -> None:
    """Write every data set, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", choices=sorted(DATASETS), action="append")
    options = parser.parse_args()
    for name in options.only or DATASETS:
        chats = DATASETS[name](options.data)
        for ident, messages in chats:
            write_jsonl(ident, messages, options.out)
        print(f"{name}: {len(chats)} conversations, {sum(len(m) for _, m in chats):,} messages")


if __name__ == "__main__":
    main()
