"""`python -m evals.bench.hostile [--json]`: twice the text costs about twice the time, also where the text is hostile.

Each reader of untrusted text gets pieces that make a careless pattern backtrack. The test suite counts
steps on the same texts; what a pattern does inside one call is only seen by a clock, so it stands here.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bobctx.core import remembering
from bobctx.core.acts import conditions, negations, prohibition_cues
from bobctx.core.folding import fold
from bobctx.core.literals import containers, scan
from bobctx.core.parts import read_message
from bobctx.core.reply import parse_reply
from bobctx.core.salience import salience, terms_of
from bobctx.core.secrets import redact
from bobctx.core.text import clauses, sentences, words
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims

Work = Callable[[str], object]
Make = Callable[[int], str]

MOST = 2.3
"""Growth of time when the text doubles."""
LEAST_S = 0.004
"""Seconds under which a clock says nothing: the text is made longer."""
LONGEST = 4_000_000
TRIES = 6
"""The least of so many tries counts: what another process takes is not the text's."""
KEY = b"k" * 32
PROSE = "The pump must not run at night, unless the guard says so; keep 12 litres in `tank_4` until Friday. "
CLAIMS = [
    {"id": "c1", "type": "fact", "importance": 1, "text": text, "cites": ["m1"], "supersedes": None}
    for text in (
        "The public listener on edge-04 stays on port 8443.",
        "Bay 4 is not at 3.4 m before 18:30.",
        "The admin team may not restart the listener.",
        'The x of bay 2 is 4 and 12 EUR, "a b c".',
    )
]


def repeated(piece: str) -> Make:
    """Texts of about any size made of one piece."""
    return lambda size: (piece * (size // len(piece) + 1))[:size]


READ: Mapping[str, Make] = {
    name: repeated(piece)
    for name, piece in {
        "prose": PROSE,
        "digits": "1",
        "commas": ",",
        "spaces": " ",
        "newlines": "\n",
        "backticks": "`",
        "open quotes": "«“",
        "apostrophes": "l'",
        "full stops": "a. ",
        "negations": "not ",
        "joined negations": "and not ",
        "open phrases": "turn ",
        "terms": "before x ",
        "slashes": "a/",
        "combining marks": "e\u0301",
        "Chinese negations": "不要，",
    }.items()
}
VALIDATED: Mapping[str, Make] = {
    name: repeated(piece)
    for name, piece in {
        "prose": "The listener on edge-04 stays on port 8443, and the admin team may not restart it before 18:30. ",
        "digits": "7" * 400 + " ",
        "commas": ",1," * 40,
        "quotes": "\"'“«" * 30,
        "backticks": "`a``b```" * 15,
        "slashes": "/a.b-" * 30,
        "keys": '{"bay": {"x": 4, ' * 8,
        "labels": "bay 4 Bay 2 motor A ",
        "negations": "not never no without unless ",
        "parentheses": "((1 night (12 EUR ",
        "rows": "a1  b2  3.4 m  c\n",
        "changes": "-limit is 8443\n+limit is 8444, no longer 8443, make it 8445\n",
        "letters": "On Monday Eve and more of it\nFrom: Eve\n",
    }.items()
}
SCANNED = ("1", "一", '"', ",", "`", "'a ", "1,", "a-", "/a", "1.", "a@", "a.b@", "x://", "\\n", "(", "$")
WEIGHED = ("-a", ".", "a.", "+a", "a@", "@-", "a/", "a_", "A-", "1,", "Anna ")
SECRETS = ("password=", "a_", "secret_", "x://a:", "eyJ", "sk-", '"token": "a', "-----BEGIN ")
REPLIES = ("```\n", "````\n", "<think>", '"\\', "{", "[", "`" * 7 + "\n", '{"a":', "\\")


def cues(text: str) -> None:
    """Words that deny, condition and forbid."""
    lang = "zh" if text[:1] == "不" else "en"
    negations(text, lang)
    conditions(text, lang)
    prohibition_cues(text, lang)


def literals(text: str) -> None:
    """Exact values and quotations."""
    scan(text)
    containers(text)


def weigh(text: str) -> None:
    """What one sentence says, nothing remembered from before."""
    remembering.forget_texts()
    salience(text, terms_of([text]), 0)


def secrets(text: str) -> str:
    """Known shapes of secrets."""
    return redact(text, KEY)


def validate(text: str) -> None:
    """Claims on one message, nothing remembered from before."""
    remembering.forget_texts()
    region = Region(messages=(read_message({"id": "m1", "role": "user", "content": text}),))
    validate_claims([dict(c) for c in CLAIMS], region)


CASES: Mapping[str, tuple[Work, Mapping[str, Make]]] = {
    "fold": (fold, READ),
    "sentences": (sentences, READ),
    "clauses": (clauses, READ),
    "words": (words, READ),
    "cues": (cues, READ),
    "validate": (validate, VALIDATED),
    "literals": (literals, {piece: repeated(piece) for piece in SCANNED}),
    "salience": (weigh, {piece: repeated(piece) for piece in WEIGHED}),
    "secrets": (secrets, {piece: repeated(piece) for piece in SECRETS}),
    "reply": (parse_reply, {piece: repeated(piece) for piece in REPLIES}),
}
"""Reader -> what reads, and the texts it gets."""


def seconds(work: Work, text: str) -> float:
    """Of CPU: the least of three tries."""
    times = []
    for _ in range(3):
        started = time.process_time()
        work(text)
        times.append(time.process_time() - started)
    return min(times)


def _growth(work: Work, make: Make) -> float:
    size = 8_000
    while seconds(work, make(size)) < LEAST_S and size < LONGEST:
        size *= 4
    found = []
    for _ in range(TRIES):
        small, large = seconds(work, make(size)), seconds(work, make(2 * size))
        found.append(large / max(small, LEAST_S / 4))
        if found[-1] <= MOST:
            break
    return min(found)


def measured() -> Iterator[dict[str, Any]]:
    """Reader, text, growth of time."""
    for reader, (work, texts) in CASES.items():
        for name, make in texts.items():
            yield {"reader": reader, "text": name, "growth": round(_growth(work, make), 2)}


def hostile() -> dict[str, Any]:
    """The worst growth, and what is over the limit."""
    rows = list(measured())
    return {
        "worst": max(row["growth"] for row in rows),
        "cases": len(rows),
        "over": [row for row in rows if row["growth"] > MOST],
    }


def main() -> int:
    """Command line; exit 1 where something grows faster."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = hostile()
    if args.json:
        print(json.dumps(found))
    else:
        print(f"{found['cases']} readers and texts; the time for twice the text is at most {found['worst']} times")
        for row in found["over"]:
            print(f"MISS {row['reader']:10} {row['text']!r:24} {row['growth']}")
    return 1 if found["over"] else 0


if __name__ == "__main__":
    sys.exit(main())
