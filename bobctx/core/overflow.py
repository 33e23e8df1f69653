"""What a provider's context-length error says about a model's window. Pure (design, section 4, Windows)."""

from __future__ import annotations

import regex

LEAST_WINDOW = 1_000
"""A smaller number in an error is something else."""

# What was asked for stands beside the limit: as a sum, before "exceeds" and ">", and behind "by", "sent", "got".
_ASKED = r"\s*(?:tokens?\s*)?(?:[+>]|exceed|is (?:too|more|greater|larger))"
_NUMBER = rf"(?<![\d.,_-])(?P<limit>\d{{1,3}}(?:[,_]\d{{3}})+|\d{{4,8}})(?![\d_]|,\d|{_ASKED})"
_GAP = r"(?:(?!\b(?:by|sent|got|requested|used|exceeded)\b)\D)"
_OUTPUT = r"(?<!\b(?:output|completion|response)[\s_]+(?:tokens?[\s_]+)?)"
_PATTERNS = tuple(
    regex.compile(pattern, regex.I)
    for pattern in (
        rf"\d\s*\+\s*\d+\s*>\s*{_NUMBER}",
        rf"maximum (?:context|input|prompt) (?:length|window|size){_GAP}{{0,40}}{_NUMBER}",
        rf"maximum number of (?:input )?tokens(?: allowed)?{_GAP}{{0,20}}{_NUMBER}",
        rf">\s*{_NUMBER}\s*(?:tokens\s*)?maximum",
        rf"{_OUTPUT}(?:context|token) (?:window|length|size|limit){_GAP}{{0,30}}{_NUMBER}",
        rf"\bn_ctx\b{_GAP}{{0,10}}{_NUMBER}",
        rf"{_OUTPUT}\blimit (?:of|is)\s*{_NUMBER}\s*tokens",
    )
)


def window_after(known: int, stated: int | None, sent: int) -> int:
    """The window to reckon with after a context-length error, in tokens; never over `known`, never under the least.

    Args:
        known: What was reckoned with.
        stated: What the error says, if it says anything.
        sent: Tokens of the refused request, the answer's room included: without a statement, three quarters of it.
    """
    found = stated if stated is not None else min(known, sent) * 3 // 4
    return min(known, max(LEAST_WINDOW, found))


def reported_window(error: str) -> int | None:
    """The window in tokens that an error message states; None if it states none.

    The caller only ever lowers a known window by it.
    """
    text = error[:4_000]
    for pattern in _PATTERNS:
        match = pattern.search(text)
        if match is not None:
            limit = int(match["limit"].replace(",", "").replace("_", ""))
            if limit >= LEAST_WINDOW:
                return limit
    return None
