"""An audit of whole files: where summaries stand, what came before, and the source line of each claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bobctx.audit import audit_file, files_in
from bobctx.errors import InvalidInput

RULE = "Never enable zeta-sync on the billing cluster. The deadline of the migration is 2026-03-14."


def count(text: str) -> int:
    return len(text.split())


def claude(*turns: tuple[str, str], **marks: Any) -> str:
    """A session; the turn `summary` is the tool's own."""
    lines, previous = [], None
    for number, (role, text) in enumerate(turns, 1):
        uuid = f"00000000-0000-4000-8000-{number:012}"
        line: dict[str, Any] = {"type": "user" if role == "summary" else role, "uuid": uuid, "parentUuid": previous,
                                "sessionId": "s", "isSidechain": False}  # fmt: skip
        if role == "summary":
            line["isCompactSummary"] = True
        line["message"] = {"role": line["type"], "content": text}
        lines.append(json.dumps(line))
        previous = uuid
    return "\n".join(lines) + "\n"


def test_a_claude_code_summary_is_compared_with_everything_before_it(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(
        claude(
            ("user", RULE),
            ("assistant", "Understood."),
            ("summary", "- zeta-sync is enabled on the billing cluster\n"),
            ("user", "Exports of the ledger go to /srv/ledger/exports."),
            ("assistant", "Noted."),
            (
                "summary",
                "- Exports of the ledger go to /srv/ledger/exports.\n- Deadline of the migration: 2026-03-14\n",
            ),
        )
    )
    found = audit_file(path, count)
    first, second = found.compactions
    assert (first.replacement.line, second.replacement.line) == (3, 6)
    assert first.count("contradicted") == 1
    wrong = first.rows[0]
    assert wrong.finding.status == "contradicted"
    assert wrong.line == 1
    assert second.count("contradicted") == 0
    assert {r.finding.stated.claim.text: r.line for r in second.rows if r.finding.status == "found"} == {
        "Exports of the ledger go to /srv/ledger/exports.": 4,
        "The deadline of the migration is 2026-03-14.": 1,
    }


def test_a_session_with_many_summaries_is_counted_once(tmp_path: Path) -> None:
    """Fails if what stood before an earlier summary is counted again for each later one."""
    turns = []
    for number in range(6):
        turns += [("user", f"The port of svc-{number} is {7000 + number}."), ("assistant", "Noted.")]
        turns += [("summary", f"- The port of svc-{number} is {7000 + number}.")]
    path = tmp_path / "session.jsonl"
    path.write_text(claude(*turns))
    counted: list[str] = []

    def counting(text: str) -> int:
        counted.append(text)
        return count(text)

    audits = audit_file(path, counting).compactions
    assert [len(a.replacement.before) for a in audits] == [2, 4, 6, 8, 10, 12]
    assert counted.count("The port of svc-0 is 7000.") == 1
    assert audits[-1].count("found") == 1


def test_a_codex_compacted_line_is_read_as_text_or_as_the_history_it_leaves(tmp_path: Path) -> None:
    def line(type_: str, payload: dict[str, Any]) -> str:
        return json.dumps({"timestamp": "2026-01-02T03:04:05Z", "type": type_, "payload": payload})

    def item(role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    kept = {"message": "", "replacement_history": [item("user", "The deadline of the migration is 2026-03-14.")]}
    path = tmp_path / "rollout.jsonl"
    path.write_text(
        "\n".join(
            [
                line("response_item", item("user", RULE)),
                line("response_item", item("assistant", "Understood.")),
                line("compacted", {"message": "zeta-sync is enabled on the billing cluster."}),
                line("compacted", kept),
            ]
        )
    )
    first, second = audit_file(path, count).compactions
    assert first.count("contradicted") == 1
    assert second.count("contradicted") == 0
    assert second.count("found") == 1


def test_a_plain_chat_is_audited_as_a_window_which_contradicts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    messages = [{"role": "user", "content": RULE}, {"role": "assistant", "content": "Yes."}]
    messages += [
        {"role": role, "content": f"{text} {n}"}
        for n in range(8)
        for role, text in (("user", "hi"), ("assistant", "ok"))
    ]
    messages += [{"role": "user", "content": "zeta-sync is enabled on the billing cluster now?"}]
    path.write_text(json.dumps(messages))
    (only,) = audit_file(path, count, last=6).compactions
    assert only.replacement.kind == "window"
    assert only.count("not_found_verbatim") >= 2
    assert only.count("contradicted") == 0


def test_a_session_without_a_summary_has_no_compaction(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(claude(("user", RULE), ("assistant", "Understood.")))
    assert audit_file(path, count).compactions == ()


def test_a_summary_at_the_start_has_nothing_before_it(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(claude(("summary", "- all is well"), ("user", RULE), ("assistant", "Understood.")))
    (only,) = audit_file(path, count).compactions
    assert only.rows == ()


def test_a_folder_gives_its_transcripts_and_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.jsonl").write_text(claude(("user", RULE)))
    (tmp_path / "notes.md").write_text("nothing here\nto read")
    (tmp_path / "picture.png").write_bytes(b"x")
    assert [p.name for p in files_in([tmp_path])] == ["one.jsonl", "notes.md"]
    with pytest.raises(InvalidInput):
        audit_file(tmp_path / "notes.md", count)
