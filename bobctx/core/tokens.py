"""Counting without an encoding, and what a message costs beyond its text. Pure.

The estimator is built to be over rather than under: at most 10 % under and 15 % over on English,
code, Chinese, Japanese, Korean, emoji and base64 (design, section 4, Counting).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import regex

from bobctx.core.types import Body, Json, Part

Count = Callable[[str], int]
"""Tokens of a text."""

MESSAGE_OVERHEAD = 4
"""Tokens of role and separators around one message."""
CALL_OVERHEAD = 8
RESULT_OVERHEAD = 6
MEDIA_TOKENS = {
    "image": 1600,
    "image_url": 1600,
    "input_image": 1600,
    "audio": 2000,
    "input_audio": 2000,
    "file": 3000,
    "input_file": 3000,
    "document": 3000,
}
"""What providers charge at most for one ordinary item; base64 is never counted as text."""
MEDIA_DEFAULT = 1600

_CLASSES = regex.compile(
    r"(?P<same>([!-/:-@\[-`{-~])\2{7,}+)"
    r"|(?P<dense>[A-Za-z0-9+/_=-]{24,}+)"
    r"|(?P<word>\p{Latin}+)"
    r"|(?P<digits>\p{N}+)"
    r"|(?P<han>\p{Han}+)"
    r"|(?P<kana>[\p{Hiragana}\p{Katakana}ー]+)"
    r"|(?P<hangul>\p{Hangul}+)"
    r"|(?P<alphabet>[\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}]+)"
    r"|(?P<letters>[\p{L}\p{M}]+)"
    r"|(?P<space>\s+)"
    r"|(?P<ascii>[!-/:-@\[-`{-~]+)"
    r"|(?P<wide>[\u2010-\u205e\u3000-\u303f\uff00-\uffef]+)"
    r"|(?P<other>[^\p{L}\p{N}\s!-~]+)"
)
_INSIDE = regex.compile(r"(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<digits>[0-9]+)|(?P<join>[^A-Za-z0-9]+)")
_COMMON = frozenset("\u200d★☆☎☺♀♂♡♥♦♪♫✅✓✔✨❤➡⭐🏻🏼👇👉👌👍👏💕🔥😀😁😂😉😊😍😘😭🙂🙏🤣")
"""Signs that an encoding has a token of their own for."""
_RARE = ((0x26C0, 0x26FF), (0x1F540, 0x1F5FF), (0x1F6C0, 0x1F8FF), (0x1F980, 0x1FFFF))
"""First and last of the signs that take three tokens; another emoji takes two."""


class Estimator:
    """A token counter that needs no encoding file."""

    counter_id = "estimate-2"

    def count(self, text: str) -> int:
        """Tokens of a text of any size and content; never raises."""
        return estimate(text)


def estimate(text: str) -> int:
    """Tokens of a text, over rather than under."""
    total = 0.0
    for match in _CLASSES.finditer(text):
        total += _WEIGHTS[match.lastgroup or "other"](match[0])
    return int(total) + 1 if text else 0


def _dense(run: str) -> float:
    """A long run without spaces: encoded bytes, or a path or identifier read piece by piece."""
    steps = sum(1 for a, b in pairwise(run) if a.isalnum() and b.isalnum() and _kind(a) != _kind(b))
    if steps * 3 > len(run):
        mixed = not run.islower() and not run.isupper()
        return len(run) * (0.7 if mixed else 0.62)
    return sum(_WEIGHTS[m.lastgroup or "word"](m[0]) for m in _INSIDE.finditer(run))


def _kind(char: str) -> int:
    return 0 if char.islower() else 1 if char.isupper() else 2


def _word(run: str) -> float:
    size = len(run)
    if not run.isascii():
        return max(1.0, size / 2.6)
    if run.islower() or run.istitle():
        return 1.0 if size <= 8 else size / 6.5
    if run.isupper():
        return max(1.0, size / 3.2)
    return max(1.0, size / 3.4)


def _han(run: str) -> float:
    """Characters that a Chinese text written in simplified ones does not have cost more."""
    return len(run) * 0.8 + (len(run) - len(run.encode("gb2312", "ignore")) // 2) * 0.45


def _other(run: str) -> float:
    return sum(map(_sign, run))


def _sign(char: str) -> float:
    if char in _COMMON:
        return 1.0
    code = ord(char)
    if code < 0x2600:
        return len(char.encode("utf-8", "surrogatepass")) / 1.9
    return 3.0 if any(first <= code <= last for first, last in _RARE) else 2.0


def _space(run: str) -> float:
    if run == " ":
        return 0.0
    return 0.9 + len(run) / 64


def _ascii(run: str) -> float:
    return 0.8 if len(run) == 1 else 0.7 + len(run) / 3.2


_WEIGHTS: dict[str, Callable[[str], float]] = {
    "same": lambda run: 1.0 + len(run) / 32,
    "dense": _dense,
    "word": _word,
    "digits": lambda run: float(-(-len(run) // 3)),
    "han": _han,
    "kana": lambda run: len(run) * 0.64,
    "hangul": lambda run: len(run) * 0.75,
    "alphabet": lambda run: max(1.0, len(run) * 0.36),
    "letters": lambda run: len(run) * 0.5,
    "space": _space,
    "ascii": _ascii,
    "wide": lambda run: len(run) * 1.0,
    "join": lambda run: 0.5 if len(run) == 1 else 0.8 + len(run) / 32,
    "other": _other,
}


def message_tokens(parts: Sequence[Part], count: Count) -> int:
    """Reference tokens of one message: its parts, media at a fixed cost, and the frame around them."""
    return MESSAGE_OVERHEAD + sum(part_tokens(part, count) for part in parts)


def part_tokens(part: Part, count: Count) -> int:
    """Reference tokens of one part."""
    if part.kind == "media":
        return MEDIA_TOKENS.get(part.name or "", MEDIA_DEFAULT)
    if part.kind == "call":
        return CALL_OVERHEAD + count(part.name or "") + count(part.text) + count(part.call_id or "")
    if part.kind == "result":
        return RESULT_OVERHEAD + count(part.text) + count(part.call_id or "") + _media_inside(part.native)
    if part.kind == "thinking":
        return count(part.text) + _sealed(part.native) // 4
    if part.kind == "opaque":
        return count(_native_text(part.native))
    return count(part.text)


def _sealed(native: Json) -> int:
    """Characters of signatures and encrypted thoughts, which are sent back as they came."""
    if not isinstance(native, dict):
        return 0
    sealed = (native.get("signature"), native.get("data"), native.get("encrypted_content"))
    return sum(len(s) for s in sealed if isinstance(s, str))


def _media_inside(native: Json) -> int:
    content = native.get("content") if isinstance(native, dict) else None
    if not isinstance(content, list):
        return 0
    kinds = (b.get("type") for b in content if isinstance(b, dict))
    return sum(MEDIA_TOKENS.get(str(k), 0) for k in kinds)


def _native_text(native: Json) -> str:
    """All strings inside an unknown block: their count is what it costs at most."""
    if isinstance(native, str):
        return native
    if isinstance(native, dict):
        return "\n".join(f"{k}: {_native_text(v)}" for k, v in native.items())
    if isinstance(native, list | tuple):
        return "\n".join(_native_text(v) for v in native)
    return "" if native is None else str(native)


def body_bytes(body: Body) -> int:
    """Bytes of a message as JSON, near enough for a byte budget; media is what makes it large."""
    return len(_native_text(body).encode("utf-8", "surrogatepass")) + 32
