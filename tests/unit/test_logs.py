"""Log lines carry ids, counts and codes, never what people wrote."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys

import pytest

from bobctx import logs


@pytest.fixture
def lines() -> io.StringIO:
    stream = io.StringIO()
    logs.configure(level="debug", stream=stream)
    return stream


def test_fields_that_could_carry_content_become_their_size(lines: io.StringIO) -> None:
    logs.get_logger().info(logs.RECORDED, text="a secret plan", messages=["secret", "plan"], count=2)
    line = json.loads(lines.getvalue())
    assert "secret" not in lines.getvalue()
    assert line["count"] == 2
    assert line["event"] == logs.RECORDED


def test_an_exception_is_its_type_and_place_not_its_text(lines: io.StringIO) -> None:
    try:
        raise ValueError("a secret plan")
    except ValueError:
        logs.get_logger().error(logs.REQUEST_FAILED, exc_info=True)
    assert "secret" not in lines.getvalue()
    line = json.loads(lines.getvalue())
    assert line["error"] == "ValueError"
    assert line["at"]


def test_lines_of_the_server_library_take_the_same_way(lines: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received: %s", "a secret plan")
    assert json.loads(lines.getvalue())["event"].startswith("uvicorn.error")
    assert "secret" not in lines.getvalue()


def test_event_names_are_unique() -> None:
    names = [v for k, v in vars(logs).items() if k.isupper() and isinstance(v, str) and not k.startswith("_")]
    assert len(names) == len(set(names)) > 10


def test_importing_it_leaves_rich_out() -> None:
    code = "import sys, bobctx.logs; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
