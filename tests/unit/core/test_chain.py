"""A row is used only at its place, with its bytes, in one unbroken chain; every break has a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bobctx.core.chain import Chain, Verified, trusted_chain
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Scope
from tests.chains import SCOPE, VERSIONS, claim, message, rows_of, spine_of, talk

MESSAGES = talk(20)
SPINE = spine_of(MESSAGES)
REGIONS = ((2, 8), (8, 12), (12, 16))


def rows(spine: Spine = SPINE) -> tuple[Compaction, ...]:
    return rows_of(spine, [(a, b, [claim(f"fact {a}", spine.ids[a:b])]) for a, b in REGIONS])


def check(spine: Spine, stored: tuple[Compaction, ...], **changes: str) -> Chain:
    prompt, validator = changes.get("prompt", VERSIONS[0]), changes.get("validator", VERSIONS[1])
    return trusted_chain(spine, stored, prompt_version=prompt, validator_version=validator, scope=SCOPE)


def test_an_intact_chain_is_trusted_to_its_end() -> None:
    chain = check(SPINE, rows())
    assert [(link.start, link.end) for link in chain.links] == list(REGIONS)
    assert chain.break_ is None
    assert (chain.covered_end, len(chain.links)) == (16, 3)


def test_the_order_in_which_rows_are_read_does_not_matter() -> None:
    assert check(SPINE, tuple(reversed(rows()))).links == check(SPINE, rows()).links


def altered(index: int, **fields: object) -> tuple[Compaction, ...]:
    stored = list(rows())
    stored[index] = replace(stored[index], **fields)  # type: ignore[arg-type]  # fields of the table below
    return tuple(stored)


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        (altered(1, prompt_version="claims-v1"), "prompt_version"),
        (altered(1, validator_version="old"), "validator_version"),
        (altered(1, claims=()), "chain_hash"),  # claims altered in the database
        (altered(1, claims=(claim("fact 9", SPINE.ids[8:12]),)), "chain_hash"),
        (altered(1, narrative={"goal": "other"}), "chain_hash"),
        (altered(1, count=3), "count"),
        (altered(1, first_id="id9"), "place"),
        (altered(1, last_id="id10"), "count"),
        (altered(1, input_sha256="0" * 64), "scope"),  # the id of the row binds it
        (altered(1, compaction_id="0" * 32), "scope"),
        (altered(1, status="unknown"), "status"),
    ],
)
def test_a_row_that_does_not_hold_ends_the_chain_by_name(stored: tuple[Compaction, ...], code: str) -> None:
    chain = check(SPINE, stored)
    assert [(link.start, link.end) for link in chain.links] == [(2, 8)]
    assert chain.break_ is not None
    assert (chain.break_.code, chain.break_.position) == (code, 8)


def test_changed_bytes_end_the_chain_before_their_region() -> None:
    edited = spine_of([message("other", id="id9", seq=10, role="assistant") if m.id == "id9" else m for m in MESSAGES])
    chain = check(edited, rows())
    assert [(link.start, link.end) for link in chain.links] == [(2, 8)]
    assert chain.break_ is not None
    assert chain.break_.code == "input_hash"
    assert [row.first_id for row in chain.untrusted] == ["id8", "id12"]


def test_swapped_roles_and_order_are_changed_bytes() -> None:
    swapped = [*MESSAGES[:9], MESSAGES[10], MESSAGES[9], *MESSAGES[11:]]
    assert check(spine_of(swapped), rows()).covered_end == 8


def test_a_missing_row_names_the_next_one() -> None:
    chain = check(SPINE, (rows()[0], rows()[2]))
    assert chain.covered_end == 8
    assert chain.break_ is not None
    assert chain.break_.code == "previous_link"


def test_rows_of_another_scope_are_refused() -> None:
    foreign = rows_of(
        SPINE,
        [(a, b, [claim(f"fact {a}", SPINE.ids[a:b])]) for a, b in REGIONS],
        scope=Scope(conversation_id="c", user_id="someone else"),
    )
    chain = check(SPINE, foreign)
    assert chain.links == ()
    assert chain.break_ is not None
    assert chain.break_.code == "scope"


def test_a_fork_keeps_the_shared_links_and_breaks_nothing() -> None:
    fork = spine_of(
        [*MESSAGES[:12], message("elsewhere", id="f12", seq=30), message("so", id="f13", seq=31, role="assistant")]
    )
    chain = check(fork, rows())
    assert chain.covered_end == 12
    assert chain.break_ is None


def test_of_two_rows_at_one_place_the_newer_holds() -> None:
    newer = rows_of(SPINE, [(2, 8, [claim("better", SPINE.ids[2:8])])])
    assert check(SPINE, (*rows(), *newer)).links[0].compaction is newer[0]


def test_rejected_rows_are_never_part_of_the_chain() -> None:
    assert check(SPINE, altered(0, status="shadow_rejected")).links == ()


def test_empty_links_hold_under_any_version() -> None:
    stored = altered(0, status="empty", prompt_version="", claims=rows()[0].claims)
    assert check(SPINE, stored).links[0].compaction.status == "empty"


def test_what_was_verified_is_not_hashed_again_but_new_bytes_are() -> None:
    stored = rows()
    first = Verified()
    arguments = {"prompt_version": VERSIONS[0], "validator_version": VERSIONS[1], "scope": SCOPE}
    spine = SPINE.extended([])
    before = trusted_chain(spine, stored, verified=first, **arguments)  # type: ignore[arg-type]  # mixed values
    assert before == trusted_chain(spine, stored, verified=Verified(first), **arguments)  # type: ignore[arg-type]
    edited = spine_of([message("other", id="id9", seq=10, role="assistant") if m.id == "id9" else m for m in MESSAGES])
    after = trusted_chain(edited, stored, verified=Verified(first), **arguments)  # type: ignore[arg-type]
    assert after.covered_end == 8
    tampered = (stored[0], replace(stored[1], claims=()), stored[2])
    again = trusted_chain(spine, tampered, verified=Verified(first), **arguments)  # type: ignore[arg-type]
    assert again.covered_end == 8
