"""Encodings and windows that ship inside litellm's package, read as files: no import of it, no network.

The reference counter is o200k; where its file is absent or altered, the estimator of
`core.tokens` takes its place and says so by its `counter_id` (design, section 4).
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import regex

from bobctx.core.tokens import Estimator

if TYPE_CHECKING:
    import tiktoken

    from bobctx.ports import TokenCounter

O200K_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""tiktoken's own cache name of the ranks: SHA-1 of the address they are published at."""
O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

CHUNK_CHARS = 20_000
LOOK_CHARS = 200_000
"""Looked through at once for long runs."""
RUN_CHARS = 512
"""A longer run of letters, marks or white space is divided: tiktoken is quadratic in the first
two and its pattern overflows its stack in the last. Costs at most one token a division."""

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""How o200k splits text before merging: a fact of the encoding."""

_LONG_RUN = regex.compile(rf"(?<!\S)\S{{{RUN_CHARS + 1},}}+|(?<!\s)\s{{{RUN_CHARS + 1},}}+")


def package_file(name: str) -> Path | None:
    """A data file of the installed litellm, found without importing it; None if it is not there."""
    spec = importlib.util.find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    return None


def _no_long_run(text: str) -> bool:
    """Whether surely neither a word nor white space runs longer than `RUN_CHARS`: true of nearly every message."""
    for start in range(0, len(text), LOOK_CHARS):
        window = text[start : start + LOOK_CHARS + RUN_CHARS + 1]
        words = window.split()
        lengths = [len(word) for word in words]
        # A long run of white space leaves at least one more character between any two other words.
        if max(lengths, default=0) > RUN_CHARS or len(window) - sum(lengths) >= RUN_CHARS + len(words) - 1:
            return False
    return True


def pieces(text: str) -> Iterator[str]:
    """`text` in chunks that are safe and quick to encode; joined they are the text.

    Chunks end before a single space that follows a word, where the encoding splits anyway, or inside
    a run longer than `RUN_CHARS`.
    """
    if len(text) <= RUN_CHARS:
        yield text
        return
    if _no_long_run(text):  # several times faster than looking for one
        yield from _chunks(text, 0, len(text))
        return
    start = 0
    for match in _LONG_RUN.finditer(text):
        begin, end = match.span()
        yield from _chunks(text, start, begin)
        for at in range(begin, end, RUN_CHARS):
            yield text[at : min(end, at + RUN_CHARS)]
        start = end
    yield from _chunks(text, start, len(text))


def _chunks(text: str, start: int, end: int) -> Iterator[str]:
    """A stretch without long runs, divided before single spaces where it is longer than `CHUNK_CHARS`."""
    while end - start > CHUNK_CHARS:
        at = text.rfind(" ", start + 1, start + CHUNK_CHARS)
        while at > start and (text[at - 1].isspace() or text[at + 1].isspace()):
            at = text.rfind(" ", start + 1, at)
        if at <= start:
            at = start + CHUNK_CHARS
        yield text[start:at]
        start = at
    if start < end:
        yield text[start:end]


def _load_o200k() -> tiktoken.Encoding | None:
    """The encoding from litellm's copy of the ranks; None if the file is absent or not the published one."""
    path = package_file(f"litellm_core_utils/tokenizers/{O200K_FILE}")
    if path is None:
        return None
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != O200K_SHA256:
        return None
    import tiktoken  # here: 20 MB that a process without exact counts never needs

    ranks = {}
    for line in data.splitlines():
        token, _, rank = line.partition(b" ")
        if token:
            ranks[base64.b64decode(token)] = int(rank)
    encoding = tiktoken.Encoding(name="o200k_base", pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    # The compiled encoder has its own copy; this one serves pickling only and costs 26 MB.
    encoding._mergeable_ranks = {}
    return encoding


class O200kCounter:
    """Exact o200k counts of any text; loads the ranks at the first count, or earlier by `warm`."""

    counter_id = "o200k"

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._encoding = encoding

    def count(self, text: str) -> int:
        """Tokens of a text of any size and content; never raises."""
        if len(text) <= RUN_CHARS:
            return len(self._encoding.encode_ordinary(text))
        total = 0
        seen: dict[str, int] = {}
        for piece in pieces(text):
            known = seen.get(piece)
            if known is None:
                known = len(self._encoding.encode_ordinary(piece))
                if len(seen) < 64:
                    seen[piece] = known
            total += known
        return total


_load_lock = threading.Lock()


@cache
def _counter() -> TokenCounter:
    encoding = _load_o200k()
    return O200kCounter(encoding) if encoding is not None else Estimator()


def reference_counter() -> TokenCounter:
    """The lane's reference counter: o200k, else the estimator. Loads once (about 0.4 s); safe from any thread."""
    with _load_lock:
        return _counter()


CATALOGUE = "model_prices_and_context_window_backup.json"
WRITES_TEXT = frozenset({"chat", "completion", "responses"})
"""Modes of a listed model that a seat may be."""


def _listed() -> Mapping[str, Mapping[str, Any]]:
    """What litellm's package lists, by name of the model; empty without the file."""
    path = package_file(CATALOGUE)
    if path is None:
        return {}
    try:
        listed = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    entries = listed.items() if isinstance(listed, dict) else ()
    return {name: facts for name, facts in entries if isinstance(facts, dict) and name != "sample_spec"}


def listed_price(model: str) -> tuple[float, float] | None:
    """Dollars a million tokens read and written, from litellm's package data; None where it does not say."""
    names = (model.lower(), model.lower().split("/", 1)[-1])
    for name, facts in _listed().items():
        if name.lower() in names:
            given, made = facts.get("input_cost_per_token"), facts.get("output_cost_per_token")
            if isinstance(given, int | float) and isinstance(made, int | float) and given > 0:
                return given * 1_000_000, made * 1_000_000
    return None


def dearest_price() -> tuple[float, float] | None:
    """The highest prices of any listed model that writes text, whatever the tier; each of the two for itself."""
    given, made = 0.0, 0.0
    for facts in _listed().values():
        if facts.get("mode") not in WRITES_TEXT:
            continue
        for name, cost in facts.items():
            if isinstance(cost, int | float) and name.startswith("input_cost_per_token"):
                given = max(given, cost)
            elif isinstance(cost, int | float) and name.startswith("output_cost_per_token"):
                made = max(made, cost)
    return (given * 1_000_000, made * 1_000_000) if given and made else None


@cache
def window_catalog() -> Mapping[str, int]:
    """`max_input_tokens` by lower-case model name from litellm's package data; empty without the file."""
    windows = {}
    for name, facts in _listed().items():
        tokens = facts.get("max_input_tokens")
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0:
            windows[name.lower()] = tokens
    return windows
