"""Regions and claims made from our own sentence frames in twelve languages: the bundled part of the stress test."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bobctx.core.types import Region
from evals.cases import region_of

FRAMES: dict[str, Any] = json.loads(Path(__file__).with_name("data").joinpath("frames.json").read_text("utf-8"))[
    "frames"
]
OTHERS = 5
"""Sentences of other frames around the one that a claim rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A claim that should be accepted, its region, and what the frame itself knows to be wrong."""

    region: Region
    claim: dict[str, Any]
    lang: str
    source: str
    wrong: dict[str, str] = field(default_factory=dict)
    """Kind -> the claim's text with that corruption."""


def frames(rng: random.Random) -> Iterator[Base]:
    """Bases of every frame once, in a shuffled order, with fresh values; call again for more."""
    every = [(lang, i) for lang, table in FRAMES.items() for i in range(len(table["frames"]))]
    rng.shuffle(every)
    for lang, index in every:
        yield _base(rng, lang, index)


def _base(rng: random.Random, lang: str, index: int) -> Base:
    table = FRAMES[lang]
    values = _values(rng, table)
    frame = table["frames"][index]
    said = frame["said"].format(**values)
    others = rng.sample(table["frames"], min(OTHERS, len(table["frames"])))
    used = (values["a"], values["b"])
    around = [o["said"].format(**_values(rng, table, but=used)) for o in others if o is not frame]
    first = [said, *around[:2]]
    rng.shuffle(first)
    gap = "" if lang in ("zh", "ja") else " "
    messages = [
        {"id": "m1", "role": "user", "content": gap.join(first)},
        {"id": "m2", "role": "assistant", "content": "OK."},
        {"id": "m3", "role": "user", "content": gap.join(around[2:]) or "OK."},
    ]
    text = frame["claim"].format(**values)
    kind = rng.choice(("fact", "constraint"))
    claim = {"id": "c1", "type": kind, "importance": 2, "text": text, "cites": ["m1"], "supersedes": None}
    wrong = {k: v.format(**values) for k, v in frame.items() if k not in ("said", "claim")}
    return Base(region=region_of(messages), claim=claim, lang=lang, source="frames", wrong=wrong)


UNITS = {
    "ru": ("минут", "часов"),
    "zh": ("分钟", "小时"),
    "ja": ("分", "時間"),
    "ko": ("분", "시간"),
    "ar": ("دقيقة", "ساعة"),
}


def _values(rng: random.Random, table: dict[str, Any], but: tuple[str, ...] = ()) -> dict[str, str]:
    a, b = rng.sample([t for t in table["things"] if t not in but], 2)
    person = rng.choice(table["people"])
    n1, n2 = rng.sample(range(11, 9800), 2)
    lang = next(k for k, v in FRAMES.items() if v is table)
    units = UNITS.get(lang, ("s", "min", "h", "ms"))
    year, month, day = rng.randint(2024, 2029), rng.randint(1, 12), rng.randint(1, 28)
    word = rng.choice(("alpha", "delta", "orbit", "maple", "ember", "quartz"))
    return {
        "a": a,
        "b": b,
        "A": a[:1].upper() + a[1:],
        "p": person,
        "P": person[:1].upper() + person[1:],
        "n1": str(n1),
        "n2": str(n2),
        "u": units[rng.randrange(2)],
        "u2": units[-1],
        "d": f"{year}-{month:02}-{day:02}",
        "date": f"{year}-{month:02}-{day:02}",
        "v": f"{rng.randint(1, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 20)}",
        "path": f"/srv/{word}/{rng.choice(('conf', 'data', 'jobs'))}/{rng.choice(('main', 'edge'))}{n1}.yaml",
        "url": f"https://{word}.example/{rng.choice(('hooks', 'status', 'api'))}/{n2}",
        "ticket": f"{rng.choice(('OPS', 'NET', 'WEB'))}-{n1}",
        "host": f"{rng.choice(('edge', 'node', 'gw'))}-{rng.randint(10, 99)}",
        "hex": f"{rng.getrandbits(36) | (10 << 36):010x}",
        "quote": " ".join(rng.sample(("small", "wins", "shipped", "weekly", "with", "care", "again"), 4)),
    }
