"""After an edit: unchanged regions keep their claims, lost ones become `empty`, nothing is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bobctx.core.chain import Chain, new_link, refill, relink, trusted_chain
from bobctx.core.claims import view_of
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Message
from tests.chains import SCOPE, VERSIONS, claim, message, rows_of, spine_of, talk

MESSAGES = talk(20)
SPINE = spine_of(MESSAGES)
IDS = list(SPINE.ids)
FIRST = claim("The port is 8443.", IDS[2:8], [1], importance=3)
SECOND = claim("The port is 9443 now.", IDS[8:12], [1], type="correction", supersedes=FIRST)
THIRD = claim("The port is 9555 now.", IDS[12:16], [0], type="correction", supersedes=SECOND)
OTHER = claim("Deploys run on Friday.", IDS[12:16], [2], label="c2")
ROWS = rows_of(SPINE, [(2, 8, [FIRST]), (8, 12, [SECOND]), (12, 16, [THIRD, OTHER])])


def trusted(spine: Spine, rows: Sequence[Compaction]) -> Chain:
    return trusted_chain(spine, rows, prompt_version=VERSIONS[0], validator_version=VERSIONS[1], scope=SCOPE)


def after(messages: Sequence[Message], rows: Sequence[Compaction] = ROWS) -> tuple[Chain, tuple[Compaction, ...]]:
    """The new rows, and the chain they make: every one of them must be trusted."""
    spine = spine_of(messages)
    new = relink(SCOPE, spine, rows, now=5.0)
    chain = trusted(spine, new)
    assert chain.break_ is None
    assert [link.compaction for link in chain.links] == list(new)
    return chain, new


def shape(chain: Chain) -> list[tuple[int, int, str]]:
    return [(link.start, link.end, link.compaction.status) for link in chain.links]


def edited(*ids: str) -> list[Message]:
    return [replace(message("changed", id=m.id, seq=m.seq, role=m.role)) if m.id in ids else m for m in MESSAGES]


def test_without_a_change_the_rows_are_the_same_objects() -> None:
    _, new = after(MESSAGES)
    assert all(a is b for a, b in zip(new, ROWS, strict=True))


def test_an_edit_empties_its_region_and_keeps_the_later_ones() -> None:
    chain, new = after(edited("id9"))
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "empty"), (12, 16, "shadow_ok")]
    assert new[0] is ROWS[0]
    assert new[2].claims == ROWS[2].claims
    assert new[2].reply_key == ROWS[2].reply_key
    assert new[1].created_ts == 5.0


def test_what_the_lost_region_had_replaced_is_not_shown_as_current() -> None:
    chain, _ = after(edited("id9"), ROWS[:2])
    assert view_of(chain).active == ()


def test_a_later_correction_still_replaces_the_first_value() -> None:
    chain, _ = after(edited("id9"))
    assert [c.claim.text for c in view_of(chain).active] == ["The port is 9555 now.", "Deploys run on Friday."]
    assert view_of(chain).claims[1].importance == 3


def test_losing_the_newest_correction_withholds_the_value_before_it() -> None:
    chain, _ = after(edited("id12"))
    active = [c.claim.text for c in view_of(chain).active]
    assert active == []


def test_a_deleted_message_empties_what_is_left_of_its_region() -> None:
    chain, _ = after([m for m in MESSAGES if m.id != "id9"])
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 11, "empty"), (11, 15, "shadow_ok")]


def test_a_deleted_last_message_keeps_the_place_of_what_is_left() -> None:
    chain, _ = after([m for m in MESSAGES if m.id != "id15"])
    assert shape(chain)[-1] == (12, 15, "empty")


def test_two_edits_leave_two_empty_links() -> None:
    chain, _ = after(edited("id3", "id9"))
    assert shape(chain) == [(2, 8, "empty"), (8, 12, "empty"), (12, 16, "shadow_ok")]


def test_a_second_edit_in_an_empty_region_still_withholds() -> None:
    _, once = after(edited("id9"), ROWS[:2])
    chain, _ = after(edited("id9", "id10"), once)
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "empty")]
    assert view_of(chain).active == ()


def test_truncation_drops_what_is_gone_and_empties_what_is_cut() -> None:
    chain, _ = after(MESSAGES[:12])
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "shadow_ok")]
    cut, _ = after(MESSAGES[:14])
    assert shape(cut) == [(2, 8, "shadow_ok"), (8, 12, "shadow_ok"), (12, 14, "empty")]


def test_a_correction_that_was_cut_off_replaces_nothing() -> None:
    chain, _ = after(MESSAGES[:9], ROWS[:2])
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 9, "empty")]
    assert [c.claim.text for c in view_of(chain).active] == ["The port is 8443."]


def test_a_branch_keeps_what_it_shares_and_nothing_new_is_linked() -> None:
    branch = [*MESSAGES[:14], *(message(f"else {i}", id=f"f{i}", seq=40 + i) for i in range(6))]
    chain, _ = after(branch)
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "shadow_ok"), (12, 14, "empty")]


def test_new_ids_keep_unchanged_regions_under_new_claim_ids() -> None:
    renamed = [
        *edited("id9")[:10],
        *(message(m.text, id=f"n{m.id}", seq=(m.seq or 0) + 50, role=m.role) for m in MESSAGES[10:]),
    ]
    chain, new = after(renamed)
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "empty"), (12, 16, "shadow_ok")]
    assert new[2].claims[0].id != THIRD.id
    assert [c.claim.text for c in view_of(chain).active] == ["The port is 9555 now.", "Deploys run on Friday."]


def test_new_ids_move_supersession_along() -> None:
    renamed = [message(m.text, id=f"n{m.id}", seq=m.seq, role=m.role) for m in MESSAGES]
    chain, _ = after(renamed)
    view = view_of(chain)
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 12, "shadow_ok"), (12, 16, "shadow_ok")]
    assert [c.replaces for c in view.claims] == [None, "r1.c1", "r2.c1", None]


def test_a_grown_opening_turns_the_region_it_overlaps_into_an_empty_link() -> None:
    grown = [
        MESSAGES[0],
        MESSAGES[1],
        replace(message(MESSAGES[2].text, id="id2", seq=3, role="assistant")),
        MESSAGES[3],
        *MESSAGES[4:],
    ]
    chain, _ = after(grown)
    assert chain.start == 4
    assert shape(chain) == [(4, 8, "empty"), (8, 12, "shadow_ok"), (12, 16, "shadow_ok")]


def test_an_unchanged_region_is_never_lost_at_a_new_place() -> None:
    longer = [*MESSAGES[:9], message("put in", id="new", seq=60, role="assistant"), *MESSAGES[9:]]
    chain, _ = after(longer)
    assert shape(chain) == [(2, 8, "shadow_ok"), (8, 13, "empty"), (13, 17, "shadow_ok")]


def test_refilling_an_empty_link_keeps_later_regions_and_their_replacements() -> None:
    _, rows = after(edited("id9"))
    spine = spine_of(edited("id9"))
    ids = spine.ids[8:12]
    again = claim("The port is 9444 now.", ids, [1], type="correction", supersedes=FIRST)
    row = new_link(
        SCOPE,
        previous=rows[0].chain_sha256,
        index=1,
        ids=ids,
        hashes=spine.hashes[8:12],
        status="shadow_ok",
        claims=[again],
        reply_key="again",
        prompt_version=VERSIONS[0],
        validator_version=VERSIONS[1],
    )
    suffix = refill(SCOPE, spine, rows, 1, [row], now=6.0)
    filled = trusted(spine, (rows[0], *suffix))
    assert shape(filled) == [(2, 8, "shadow_ok"), (8, 12, "shadow_ok"), (12, 16, "shadow_ok")]
    assert [c.claim.text for c in view_of(filled).active] == ["The port is 9555 now.", "Deploys run on Friday."]
