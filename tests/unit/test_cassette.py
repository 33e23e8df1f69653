"""A small local model's real answers, replayed without it: the first region of a planted conversation, in windows."""

from __future__ import annotations

from pathlib import Path

from bobctx.core.budget import plan_budget
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims
from evals.compacting import grow, read
from evals.scenarios import SHAPES, converse
from evals.seats import seat_named

CASSETTES = Path(__file__).parents[2] / "evals" / "cassettes"
FOLDER = CASSETTES / "planted-small"
WHOLE = CASSETTES / "planted-1.5b"


def first_region() -> Region:
    """What is compacted first of the conversation that was recorded."""
    messages = read(converse("planted", 1, tools=True, scale=0.15).messages)
    link = grow(messages, plan_budget(SHAPES["planted"].window)).links[0]
    return Region(messages=tuple(messages[link.start : link.end]), start=link.start)


def test_the_kept_answers_of_all_windows_are_one_reply_that_is_read_and_checked() -> None:
    """Fails when the prompt of a small seat or the planted conversation changed: then it has to be recorded anew."""
    region = first_region()
    parsed = parse_reply(seat_named(f"small:exchange:{FOLDER}")(region, ()))
    assert isinstance(parsed, ParsedReply)
    assert parsed.claims
    accepted, report = validate_claims(parsed.claims, region)
    assert report.raw == len(parsed.claims) >= len(accepted)


def test_what_the_model_copied_from_the_example_in_its_prompt_is_in_no_accepted_claim() -> None:
    kept = [path.read_text("utf-8") for path in FOLDER.glob("*.reply.json")]
    assert any("vossgate" in text.lower() or "tarnfax" in text.lower() for text in kept)
    region = first_region()
    parsed = parse_reply(seat_named(f"small:exchange:{FOLDER}")(region, ()))
    assert isinstance(parsed, ParsedReply)
    accepted, _ = validate_claims(parsed.claims, region)
    assert not any("vossgate" in c.text.lower() or "tarnfax" in c.text.lower() for c in accepted)


def test_a_whole_conversation_replays_from_its_windows_alone() -> None:
    """Fails when a window of the recorded conversation is asked in other words: then it has to be recorded anew."""
    messages = read(converse("planted", 1).messages)
    grown = grow(messages, plan_budget(SHAPES["planted"].window), seat=seat_named(f"small:exchange:{WHOLE}"))
    assert len(grown.links) > 20
    assert grown.taken_over <= 1
    assert grown.raw > 500
    assert grown.rejected * 4 < grown.raw
