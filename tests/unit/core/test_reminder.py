"""What a summary lacks is said again: pins first, then prohibitions, within the limit, and nothing that it holds."""

from __future__ import annotations

from bobctx.core.claims import ClaimView, merge
from bobctx.core.links import Link
from bobctx.core.reminder import MORE, MOST, Reminder, remind
from bobctx.core.sentinel import sealed_in
from bobctx.core.types import Claim, Pin
from tests.chains import KEY, claim, rows_of, spine_of, talk

MESSAGES = talk(20)
SPINE = spine_of(MESSAGES)
IDS = list(SPINE.ids)
PORT = claim("The admin API listens on port 9443.", IDS[2:8], [1], label="c1", importance=3)
BAN = claim("Never enable zeta-sync on the billing cluster.", IDS[2:8], [2], label="c2", type="constraint")
SMALL = claim("The weather was fine.", IDS[2:8], [3], label="c3", importance=1)
OLD = claim("The queue is called alpha-7.", IDS[2:8], [4], label="c4")
NEW = claim("The queue is called beta-8.", IDS[8:12], [0], label="c1", type="correction", supersedes=OLD)
PIN = Pin(pin_id="p1", text="Answer in British English.", by="user")


def view() -> ClaimView:
    rows = rows_of(SPINE, [(2, 8, [PORT, BAN, SMALL, OLD]), (8, 12, [NEW])])
    ends = [(2, 8), (8, 12)]
    return merge([Link(start=s, end=e, compaction=row) for (s, e), row in zip(ends, rows, strict=True)])


def reminded(summary: str | None, *, pins: tuple[Pin, ...] = (), only: set[str] | None = None) -> Reminder:
    return remind(view(), pins, SPINE, MESSAGES, summary=summary, only=only, limit=2_000, key=KEY)


def lines(found: Reminder) -> list[str]:
    assert found.block is not None
    return found.block.splitlines()[1:-1]


def test_pins_come_first_then_prohibitions_then_the_rest() -> None:
    found = reminded("We talked about other things.", pins=(PIN,))
    assert [line.split("] ")[-1] for line in lines(found)] == [
        "- pinned by user: Answer in British English.",
        BAN.text,
        PORT.text,
        NEW.text + " (replaces r1.c4)",
    ]
    assert (found.count("not_found_verbatim"), found.count("contradicted")) == (4, 0)


def test_what_the_summary_holds_is_not_said_again() -> None:
    found = reminded(f"{BAN.text} {PORT.text} Answer in british english.", pins=(PIN,))
    assert found.shown == (NEW.id,)
    assert found.count("found") == 3


def test_what_it_turns_around_is_marked() -> None:
    found = reminded("Zeta-sync may be enabled on the billing cluster.")
    assert found.count("contradicted") == 1
    assert lines(found)[0].endswith(f"{BAN.text} (the summary says otherwise)")


def test_replaced_and_unimportant_claims_are_left_aside() -> None:
    ids = {item.id for item in reminded(None).known}
    assert ids == {PORT.id, BAN.id, NEW.id}


def test_without_a_summary_everything_is_said_and_nothing_is_counted() -> None:
    found = reminded(None, pins=(PIN,))
    assert len(found.shown) == 4
    assert {item.status for item in found.known} == {None}


def test_only_the_ids_that_are_asked_for() -> None:
    assert reminded(None, pins=(PIN,), only={PORT.id}).shown == (PORT.id,)


def test_a_pinned_claim_stands_once() -> None:
    pin = Pin(pin_id="p2", text=BAN.text, by="operator", claim_id=BAN.id)
    assert [item.kind for item in reminded(None, pins=(pin,)).known].count("pin") == 1
    assert BAN.id not in {item.id for item in reminded(None, pins=(pin,)).known}


def test_the_limit_holds_with_the_seal_and_the_rest_is_counted() -> None:
    many: list[Claim] = [
        claim(f"Host number {n} is called machine-{n}.", IDS[2:8], [1], label=f"c{n}") for n in range(1, 60)
    ]
    row = rows_of(SPINE, [(2, 8, many)])[0]
    seen = merge([Link(start=2, end=8, compaction=row)])
    found = remind(seen, [], SPINE, MESSAGES, summary="x", limit=1_000, key=KEY)
    assert found.block is not None
    assert len(found.block.encode()) <= 1_000
    assert 0 < len(found.shown) < 59
    assert found.block.splitlines()[-2] == MORE.format(count=59 - len(found.shown))
    (seal,) = sealed_in(found.block, KEY)
    assert (seal.start, seal.end) == (0, len(found.block))


def test_of_very_many_claims_prohibitions_and_the_most_important_are_compared() -> None:
    """Fails when a long session would make its host wait, or drop its oldest rule."""
    many = [
        claim(f"Host number {n} is called machine-{n}.", IDS[2:8], [1], label=f"c{n + 9}") for n in range(MOST + 50)
    ]
    top = claim("The team is called Heron.", IDS[2:8], [1], label="c2", importance=3)
    row = rows_of(SPINE, [(2, 8, [BAN, top, *many])])[0]
    seen = merge([Link(start=2, end=8, compaction=row)])
    found = remind(seen, [], SPINE, MESSAGES, summary=None, limit=2_000, key=KEY)
    assert len(found.known) == MOST
    assert [item.id for item in found.known[:2]] == [BAN.id, top.id]
    assert many[0].id not in {item.id for item in found.known}


def test_nothing_is_said_where_nothing_fits() -> None:
    long = Pin(pin_id="p3", text="x" * 1_900, by="user")
    found = remind(merge([]), [long], SPINE, MESSAGES, summary="y", limit=500, key=KEY)
    assert (found.block, found.shown) == (None, ())
