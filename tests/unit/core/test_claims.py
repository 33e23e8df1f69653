"""Claims of all regions as one view: replaced over the whole chain, importance inherited, doubt withheld."""

from __future__ import annotations

from bobctx.core.chain import trusted_chain
from bobctx.core.claims import ClaimView, lost_claims, merge, overruling, priors_for, view_of
from bobctx.core.links import Link, new_link
from bobctx.core.types import Claim
from tests.chains import SCOPE, VERSIONS, claim, message, rows_of, spine_of, talk

MESSAGES = talk(20)
SPINE = spine_of(MESSAGES)
IDS = list(SPINE.ids)
PORT = claim("The port is 8443.", IDS[2:8], [1], importance=3)
MOVED = claim("The port is 9443 now.", IDS[8:12], [0], type="correction", supersedes=PORT)
AGAIN = claim("The port is 9555 now.", IDS[12:16], [1], type="correction", importance=1, supersedes=MOVED)


def view(*regions: tuple[int, int, list[Claim]]) -> ClaimView:
    chain = trusted_chain(SPINE, rows_of(SPINE, regions), prompt_version=VERSIONS[0], validator_version=VERSIONS[1])
    return view_of(chain)


def test_only_the_head_of_a_chain_of_corrections_is_active() -> None:
    found = view((2, 8, [PORT]), (8, 12, [MOVED]), (12, 16, [AGAIN]))
    assert [c.alias for c in found.active] == ["r3.c1"]
    assert [c.superseded_by for c in found.claims] == ["r2.c1", "r3.c1", None]
    assert found.claims[2].replaces == "r2.c1"
    assert found.head_of(found.claims[0]).alias == "r3.c1"


def test_a_replacement_inherits_the_highest_importance_of_its_chain() -> None:
    found = view((2, 8, [PORT]), (8, 12, [MOVED]), (12, 16, [AGAIN]))
    assert [c.importance for c in found.claims] == [3, 3, 3]


def test_cites_are_spine_positions() -> None:
    assert view((2, 8, [PORT])).claims[0].cites == (3,)


def test_a_link_to_an_unknown_claim_changes_nothing() -> None:
    stray = claim("The port is 1.", IDS[2:8], supersedes="0" * 32)
    found = view((2, 8, [stray]))
    assert found.claims[0].active
    assert found.claims[0].replaces is None


def test_replacement_inside_one_region_goes_backward_only() -> None:
    first = claim("a is 1", IDS[2:8], label="c1", supersedes=claim("a is 2", IDS[2:8], [1], label="c2"))
    second = claim("a is 2", IDS[2:8], [1], label="c2")
    assert len(view((2, 8, [first, second])).active) == 2


def lost_link(*claims: Claim) -> Link:
    """The region (8, 12) after an edit in it."""
    remembered = [[c.id, c.supersedes, list(c.cites)] for c in claims]
    row = new_link(
        SCOPE,
        previous="x",
        index=1,
        ids=IDS[8:12],
        hashes=SPINE.hashes[8:12],
        status="empty",
        validation={"lost": remembered},
    )
    return Link(start=8, end=12, compaction=row)


def links(*regions: tuple[int, int, list[Claim]]) -> list[Link]:
    return [Link(start=a, end=b, compaction=rows_of(SPINE, [(a, b, c)])[0]) for a, b, c in regions]


def test_what_a_lost_region_had_replaced_is_withheld() -> None:
    found = merge([*links((2, 8, [PORT])), lost_link(MOVED)])
    assert found.claims[0].withheld
    assert found.active == ()


def test_a_later_claim_replaces_through_the_lost_one() -> None:
    found = merge([*links((2, 8, [PORT])), lost_link(MOVED), *links((12, 16, [AGAIN]))])
    assert found.claims[0].superseded_by == "r3.c1"
    assert not found.claims[0].withheld
    assert found.claims[1].importance == 3


def test_an_empty_link_remembers_no_text() -> None:
    row = lost_link(MOVED).compaction
    assert [c.id for c in lost_claims(row)] == [MOVED.id]
    assert "9443" not in repr(row)


def test_what_an_untrusted_region_on_this_spine_had_replaced_is_withheld() -> None:
    edited = spine_of([message("other", id="id9", seq=10, role="assistant") if m.id == "id9" else m for m in MESSAGES])
    stored = rows_of(SPINE, [(2, 8, [PORT]), (8, 12, [MOVED])])
    chain = trusted_chain(edited, stored, prompt_version=VERSIONS[0], validator_version=VERSIONS[1])
    assert view_of(chain).active == ()


def test_what_another_branch_had_replaced_stays_current() -> None:
    fork = spine_of([*MESSAGES[:8], message("elsewhere", id="f8", seq=30)])
    stored = rows_of(SPINE, [(2, 8, [PORT]), (8, 12, [MOVED])])
    chain = trusted_chain(fork, stored, prompt_version=VERSIONS[0], validator_version=VERSIONS[1])
    assert [c.alias for c in view_of(chain).active] == ["r1.c1"]


def test_priors_name_what_replaced_them_and_their_newest_message() -> None:
    found = view((2, 8, [PORT]), (8, 12, [MOVED]))
    priors = priors_for(found, SPINE, texts={3: "set the port to 8443"})
    assert [(p.alias, p.active, p.superseded_by, p.seq) for p in priors] == [
        ("r1.c1", False, "r2.c1", 4),
        ("r2.c1", True, None, 9),
    ]
    assert priors[0].cited_text == "set the port to 8443"
    assert [p.alias for p in priors_for(found, SPINE, active_only=True)] == ["r2.c1"]


def test_a_claim_that_an_operator_decided_against_is_no_current_prior() -> None:
    """Fails if saying its value again counted as said already: the new statement would be dropped as a copy."""
    found = overruling(view((2, 8, [PORT])), frozenset({PORT.id}))
    assert [(p.active, p.superseded_by) for p in priors_for(found, SPINE)] == [(False, None)]
    assert priors_for(found, SPINE, active_only=True) == ()
