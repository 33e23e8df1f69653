"""One POST over a plain socket: what a daemon, or something in front of it, may answer, and what is no answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bobctx.hooks import asking

Serve = Callable[[bytes], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Answer one request on a free port with these bytes, then close. What was asked is in `serve.asked`."""
    listeners: list[socket.socket] = []

    def start(answer: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=_one, args=(listener, answer), daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        listener.close()


ASKED: list[bytes] = []


def _one(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        data = b""
        while not data.endswith(b"{}"):
            data += connection.recv(65536)
        ASKED.append(data)
        with contextlib.suppress(OSError):  # the other end has read enough
            for at in range(0, len(answer), 7):  # in small pieces, as a network may
                connection.sendall(answer[at : at + 7])


def ask(url: str) -> tuple[int, bytes]:
    return asking.ask(url, "/v1/x", b"{}", {"a": "b"}, seconds=20.0)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length:5\r\n\r\nhello and more",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
    ],
)
def test_every_form_of_a_body_is_read(serve: Serve, answer: bytes) -> None:
    assert ask(serve(answer)) == (200, b"hello")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n",
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nhello",
    ],
)
def test_what_is_cut_or_no_http_is_no_answer(serve: Serve, answer: bytes) -> None:
    with pytest.raises(asking.NoAnswer):
        ask(serve(answer))


def test_nobody_there_is_no_answer() -> None:
    with pytest.raises(asking.NoAnswer):
        ask("http://127.0.0.1:9")


def test_a_daemon_that_says_nothing_is_not_waited_for_without_an_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(asking.NoAnswer):
        asking.ask(f"http://127.0.0.1:{listener.getsockname()[1]}", "/", b"{}", {}, seconds=0.05)


def test_a_name_and_a_path_before_ours(serve: Serve) -> None:
    url = serve(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").replace("127.0.0.1", "localhost")
    assert ask(url + "/lanes/one/") == (204, b"")
    head = ASKED[-1].decode().split("\r\n")
    assert head[0] == "POST /lanes/one/v1/x HTTP/1.1"
    assert f"host: {url.removeprefix('http://')}" in head
    assert {"a: b", "connection: close", "content-length: 2"} <= set(head)


def test_over_a_unix_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen()
        answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        threading.Thread(target=_one, args=(listener, answer), daemon=True).start()
        assert asking.ask("http://x", "/v1", b"{}", {}, seconds=20.0, unix=path) == (200, b"ok")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://h:1", ("h", 1, "")),
        ("http://h", ("h", 80, "")),
        ("HTTP://[::1]:9/a/", ("::1", 9, "/a")),
        ("http://[::1]", ("::1", 80, "")),
        ("https://h", None),
        ("http://u@h", None),
        ("http://h:x", None),
        ("http://::1", None),
        ("h:1", None),
        ("http://é", None),
    ],
)
def test_what_a_plain_socket_reaches(url: str, place: object) -> None:
    assert asking._place(url) == place


@pytest.mark.parametrize("url", ["http://u@127.0.0.1:{}", "http://u@127.0.0.1:{}/"])
def test_the_rest_is_left_to_the_library(serve: Serve, url: str) -> None:
    port = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").rpartition(":")[2]
    assert ask(url.format(port)) == (200, b"ok")
    with pytest.raises(asking.NoAnswer):
        ask(url.format(9))


def test_an_id_is_one_segment_of_the_path() -> None:
    assert asking.quoted("a/b ü?.~") == "a%2Fb%20%C3%BC%3F.~"
