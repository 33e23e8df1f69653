"""A reason for every claim of an assembled prompt."""

from __future__ import annotations

from bobctx.core.claims import merge
from bobctx.core.explain import explain
from bobctx.core.links import Link
from tests.chains import claim, rows_of, spine_of, talk

SPINE = spine_of(talk(40))
IDS = list(SPINE.ids)
OLD = claim("The port is 8443.", IDS[2:12], label="c1")
MINOR = claim("A detail.", IDS[2:12], label="c2", importance=1)
OTHER = claim("The host is quagga.", IDS[2:12], label="c3")
PINNED = claim("Use tabs.", IDS[2:12], label="c4")
NEW = claim("The port is 9443.", IDS[12:22], supersedes=OLD)


def test_every_claim_has_its_reason() -> None:
    rows = rows_of(SPINE, [(2, 12, [OLD, MINOR, OTHER, PINNED]), (12, 22, [NEW])])
    view = merge([Link(start=a, end=b, compaction=r) for (a, b), r in zip(((2, 12), (12, 22)), rows, strict=True)])
    found = explain(view, shown=[PINNED.id], usable=1, pins=[PINNED.id])
    assert {t.claim_id: t.reason for t in found} == {
        OLD.id: "superseded",
        MINOR.id: "below_floor",
        OTHER.id: "over_budget",
        PINNED.id: "pinned",
        NEW.id: "not_omitted",
    }
    raised = explain(view, shown=[], usable=2, floor=3, policy="seed")
    assert {t.reason for t in raised if t.claim_id == OTHER.id} == {"below_floor"}
