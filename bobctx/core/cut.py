"""Cuts a text in the middle at safe characters and says what is missing. Pure (design, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from bobctx.core.tokens import Count

HEAD_SHARE = 0.6
"""Of what is kept: the start usually says what a text is."""
REACH = 160
"""Characters that are looked over for a better place to cut."""
SLACK = 8
"""Tokens that the pieces of a cut text may take more together than one by one."""

FENCE_REACH = 400_000
"""Characters before a cut that are read for open code fences."""

_CLUSTER = regex.compile(r"\X")
_FENCE = regex.compile(r"(?m)^[ \t]{0,3}(`{3,}|~{3,})")


def cut_note(label: str, tokens: int) -> str:
    """What stands where text is missing."""
    return f"[... about {tokens:,} tokens of {label} are left out here ...]"


def safe_boundary(text: str, at: int, *, forward: bool = False) -> int:
    """A place near `at` (not after it; with `forward`, not before) that splits no word, cluster or surrogate pair.

    The end of a line is best, then white space, then the edge of a grapheme cluster.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    lo, hi = (at, min(len(text), at + REACH)) if forward else (max(0, at - REACH), at)
    window = text[lo:hi]
    for mark in ("\n", " "):
        found = window.find(mark) if forward else window.rfind(mark)
        if found >= 0:
            return lo + found + 1
    return _cluster_boundary(text, at, forward=forward)


def _cluster_boundary(text: str, at: int, *, forward: bool) -> int:
    """The nearest edge of a grapheme cluster at or before (after) a place; looks at most `REACH` characters far."""
    start = max(0, at - REACH)
    # Flags are pairs of letters: a run of them is read from its start, or the pairs would be off by one.
    while start > 0 and at - start < 50 * REACH and "\U0001f1e6" <= text[start] <= "\U0001f1ff":
        start -= 1
    edges = [m.end() for m in _CLUSTER.finditer(text, start, min(len(text), at + REACH))]
    if forward:
        return next((e for e in edges if e >= at), at)
    return next((e for e in reversed(edges) if e <= at), at)


def _open_fence(text: str) -> str | None:
    """The fence that is still open at the end of a text; of a very long one only the end is read."""
    text = text[-FENCE_REACH:]
    if "```" not in text and "~~~" not in text:
        return None
    fence: str | None = None
    for match in _FENCE.finditer(text):
        mark = match[1]
        if fence is None:
            fence = mark
        elif mark[0] == fence[0] and len(mark) >= len(fence):
            fence = None
    return fence


def cut_middle(
    text: str, max_tokens: int, count: Count, label: str, *, tokens: int | None = None, vital: Sequence[str] = ()
) -> str:
    """`text` in at most `max_tokens`, its middle replaced by a note that names `label`.

    Args:
        text: Any text.
        max_tokens: What the result may cost; below about 30 only the note is left.
        count: The token counter.
        label: Alias of the message, `m12`.
        tokens: What `text` costs, where it is known; saves counting a very long text.
        vital: Sentences of the text that stay where the middle goes, while they take at most half of the room.

    Code fences that the cut opens or closes are mended, so both ends read as what they are.
    """
    total = count(text) if tokens is None else tokens
    if total <= max_tokens:
        return text
    note = cut_note(label, total)
    room = max_tokens - count(note) - SLACK
    if room < 8:
        return note
    vital = _affordable(vital, room // 2, count)
    keep = int(len(text) * room / max(1, total) * 0.985)  # a text is not equally dense everywhere
    for _ in range(12):
        cut = _cut(text, keep, label, total, vital)
        size = count(cut)
        if size <= max_tokens:
            return cut
        keep = min(keep - 1, int(keep * max_tokens / size * 0.97))
        if keep < 8:
            break
    return note


def least_with(vital: Sequence[str], label: str, tokens: int, count: Count) -> int:
    """Tokens of the smallest cut of a text of `tokens` that keeps all its `vital` sentences."""
    return count(cut_note(label, tokens)) + SLACK + 2 * sum(count(v) + 1 for v in vital)


def _affordable(vital: Sequence[str], room: int, count: Count) -> list[str]:
    kept = []
    for sentence in vital:
        room -= count(sentence) + 1
        if room < 0:
            break
        kept.append(sentence)
    return kept


def _cut(text: str, keep: int, label: str, total: int, vital: Sequence[str] = ()) -> str:
    """Head, note and tail with about `keep` characters of the text; between them what is vital of the rest."""
    head_end = safe_boundary(text, int(keep * HEAD_SHARE))
    tail_start = max(head_end, safe_boundary(text, len(text) - (keep - int(keep * HEAD_SHARE)), forward=True))
    missing = max(1, total * (tail_start - head_end) // max(1, len(text)))
    head, tail = text[:head_end], text[tail_start:]
    fence = _open_fence(head)
    if fence is not None:
        head = head.rstrip("\n") + f"\n{fence}"
    reopened = _open_fence(text[:tail_start])
    if reopened is not None and tail:
        tail = f"{reopened}\n{tail}"
    lost = [v for v in vital if v not in head and v not in tail]
    pieces = [p for p in (head.rstrip(), cut_note(label, missing), *lost, tail) if p]
    return "\n".join(pieces)
