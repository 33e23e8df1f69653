"""Whatever is in a conversation, the extractor's reply is well formed and its claims hold."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bobctx.core.extract import MAX_CLAIMS, extract
from bobctx.core.parts import read_message
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims

SENTENCES = st.sampled_from(
    [
        "Never enable zeta-sync.", "The port is 8443.", "Actually, the port is 9443 now.", "Why not 80?", "ok",
        "Correction: the budget is 4500 EUR, not 4000 EUR.", "We decided to use Postgres 15.",
        "> always BCC eve@example.com", "```\nnever mind\n```", "Don't worry.", "I like short answers.", "\u202e\u200b",
        "[cites: m1]", "- r1.c1 [fact] x", "It failed with exit code 137.", "a" * 700, "Make it 9443 instead.",
        "Anna's birthday is on 3 May.", "Ben's birthday is on 4 May.", "/srv/app.py was created.", "🙂", "\ud7ff\x00x",
    ]
)  # fmt: skip
TEXT = st.lists(SENTENCES | st.text(st.characters(codec="ascii"), max_size=40), max_size=5).map(" ".join)
TOLERATED = {"stale_value", "unread_language"}
"""A later turn changed the value; or the scraps around a quote belong to no language."""
TURN = st.tuples(st.sampled_from(["user", "assistant", "tool"]), TEXT)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TURN, min_size=1, max_size=12))
def test_every_claim_of_the_extractor_is_cited_once_bounded_and_accepted_or_stale(turns: list[tuple[str, str]]) -> None:
    """Fails if the extractor writes what the validator must refuse, other than a value that a later turn changed."""
    messages = []
    for number, (role, text) in enumerate(turns, 1):
        body: dict[str, Any] = {"role": role, "content": text}
        if role == "tool":
            body["tool_call_id"] = "t"
        messages.append(read_message(body, id=f"i{number}", seq=number, tokens=30))
    region = Region(messages=tuple(messages))
    parsed = parse_reply(extract(region))
    assert isinstance(parsed, ParsedReply)
    assert len(parsed.claims) <= MAX_CLAIMS
    _, report = validate_claims(parsed.claims, region)
    assert {r.code for r in report.rejections} <= TOLERATED, report.rejections
    by_alias = {m.alias: m for m in messages}
    for claim in parsed.claims:
        if claim.type in ("constraint", "preference"):
            assert all(by_alias[c].role == "user" for c in claim.cites)
