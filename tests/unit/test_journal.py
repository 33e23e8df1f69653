"""What a stopped evaluation finds of its work again."""

from __future__ import annotations

from pathlib import Path

from evals.journal import Journal


def test_what_was_kept_is_there_for_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "new" / "done.jsonl"
    first = Journal(path)
    assert first.get("share", 32_768) is None
    assert first.keep({"cost": 0.5}, "share", 32_768) == {"cost": 0.5}
    assert Journal(path).get("share", 32_768) == {"cost": 0.5}
    assert Journal(path).get("share", 131_072) is None


def test_a_line_that_was_cut_off_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "done.jsonl"
    Journal(path).keep(1, "a")
    path.write_text(path.read_text() + '{"key": ["b"], "val')
    again = Journal(path)
    assert (again.get("a"), again.get("b")) == (1, None)
    again.keep(2, "b")
    assert Journal(path).get("b") == 2


def test_without_a_file_it_is_a_memory(tmp_path: Path) -> None:
    journal = Journal(None)
    journal.keep([1], "a")
    assert journal.get("a") == [1]
    assert list(tmp_path.iterdir()) == []
