"""A URL as it stands in a text, and what a claim may name of it by itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

SUFFIX: Final = regex.compile(r"\.\w{1,6}$|_")
"""What tells a file name from a folder."""


def trim_url(surface: str) -> str:
    """A URL without the punctuation and closing brackets of the sentence around it."""
    url = surface.rstrip(".,;:!?'*_’")
    while url and url[-1] in ")]}" and url.count({")": "(", "]": "[", "}": "{"}[url[-1]]) < url.count(url[-1]):
        url = url[:-1].rstrip(".,;:!?'*_’")
    return url


def parts_of_url(url: str) -> Iterator[str]:
    """What a claim may name of a URL by itself: its host, the file at the end of its path, a path in its query."""
    address, _, query = url.partition("?")
    host, *folders = address.partition("://")[2].split("/")
    yield from {host, host.partition(":")[0]} - {""}
    if folders and SUFFIX.search(folders[-1]):
        yield folders[-1]
    yield from (value for piece in query.split("&") if "/" in (value := piece.rpartition("=")[2]))
