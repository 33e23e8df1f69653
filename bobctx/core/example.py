"""The one worked example a small model is shown, and the check that nothing of it comes back as a claim. Pure.

A small model repeats what it was shown: a claim that joins an example's name to a real value has a valid cite and a
valid number. So the example's names and values are its own, and a claim that holds one is refused unless the very
messages it cites hold it too (design, section 5, Small seat).
"""

from __future__ import annotations

import json
import unicodedata
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal

MESSAGES: Final = (
    ("x1", "user", "Quillmere answers on port 47113. Please never restart Tarnfax during a survey."),
    ("x2", "assistant", "Understood, Tarnfax stays up during surveys. The notes are in /srv/vossgate/notes.md."),
    ("x3", "user", "Thanks! Small correction: Quillmere moved, it is port 47119 now, not 47113."),
)
"""Id, role and text; no tag of a real prompt names these ids."""

_CLAIMS: Final = (
    ("constraint", "Never restart Tarnfax during a survey.", "x1"),
    ("artifact", "The notes are in /srv/vossgate/notes.md.", "x2"),
    ("correction", "Quillmere is on port 47119 now, not 47113.", "x3"),
)
ANSWER: Final = json.dumps(
    {"claims": [{"type": kind, "text": text, "cites": [cite]} for kind, text, cite in _CLAIMS]}, separators=(",", ":")
)
"""What the model would have answered."""

OWN_WORDS: Final = ("quillmere", "tarnfax", "vossgate", "47113", "47119")
"""Names and values that stand nowhere but in the example."""
_OWN: Final = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{'|'.join(OWN_WORDS)})(?!\p{{N}})", regex.IGNORECASE)
"""Also with an ending, and (by `NFKC`) in letters of another width: no other word begins like them."""


def check(case: Case) -> Refusal | None:
    """The first word of the example that the claim has and its cited messages have not."""
    for match in _OWN.finditer(unicodedata.normalize("NFKC", case.text)):
        word = match.group().casefold()
        if not any(word in unicodedata.normalize("NFKC", source.text).casefold() for source in case.cited):
            return Refusal(code="example_leak", data={"word": match.group()})
    return None
