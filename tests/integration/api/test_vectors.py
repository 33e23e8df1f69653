"""Meaning widens what is found and never what may be read; an outage leaves what words find, and says so."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import pytest

from bobctx.errors import StoreUnavailable
from bobctx.integrations.vectors import ClaimVectors
from tests.integration.api.conftest import Api
from tests.integration.api.contexts import Said, compiled, tell

FACTS: list[Said] = [
    ("user", "The automobile is parked in hall 7.", "fact"),
    ("user", "Invoices go out on Friday.", "fact"),
]
MEANINGS = (("car", "automobile", "parked"), ("bill", "invoices", "friday"))


class Meanings:
    """An embedder that knows two things."""

    model = "meanings"

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.broken:
            raise StoreUnavailable("no model", reason="vectors")
        return [self._one(text.lower()) for text in texts]

    def _one(self, text: str) -> bytes:
        raw = [0.01 + sum(word in text for word in words) for words in MEANINGS]
        size = math.hypot(*raw)
        return array("f", [x / size for x in raw]).tobytes()


def use(api: Api, *, broken: bool = False) -> None:
    store = api.runtime.store
    api.runtime.lane.compiler._vectors = ClaimVectors(store, Meanings(broken=broken))


async def test_what_no_word_finds_is_found_by_meaning(api: Api) -> None:
    ids = await tell(api, FACTS)
    assert (await compiled(api, "where is my car"))["items"] == []
    use(api)
    made = await compiled(api, "where is my car")
    assert made["items"][0]["claim_id"] == ids[0]
    assert made["items"][0]["score_components"]["relevance"] > 0.99
    assert made["meta"]["degraded"] == {"semantic": False, "vector": "used", "model": "enabled"}


async def test_another_user_is_never_found(api: Api) -> None:
    await tell(api, FACTS, user="u2")
    await tell(api, FACTS[1:])
    use(api)
    for conversation in ("c1", None):
        made = await compiled(api, "where is my car", conversation=conversation)
        assert "automobile" not in str(made["items"])


async def test_an_outage_leaves_words_and_says_so(api: Api) -> None:
    ids = await tell(api, FACTS)
    use(api, broken=True)
    made = await compiled(api, "invoices on Friday")
    assert [i["claim_id"] for i in made["items"]] == [ids[1]]
    assert made["meta"]["degraded"] == {"semantic": True, "vector": "error", "model": "enabled"}
    assert (made["status"], made["warnings"]) == ("degraded", ["vector: the index could not be asked"])


async def test_the_recall_gate_empties_a_pack_honestly(api: Api) -> None:
    await tell(api, FACTS)
    use(api)
    near = await compiled(api, "where is my car", recall_floor=0.5)
    assert [i["claim"] for i in near["items"]] == [FACTS[0][1]]
    none = await compiled(api, "hall 7 and bill car", recall_floor=0.0001)
    assert (none["items"], none["empty_reason"], none["status"]) == ([], "no_relevant_memory", "ok")


async def test_the_recall_gate_holds_back_far_messages_as_well(api: Api) -> None:
    await tell(api, FACTS)
    use(api)
    made = await compiled(api, "was the hall billed on Friday", include_episodes=True, recall_floor=0.5)
    assert [e["excerpt"] for e in made["episodes"]] == [FACTS[1][1]]
    assert [i["claim"] for i in made["items"]] == [said[1] for said in FACTS[1:]]
    none = await compiled(api, "hall 7 and bill car", include_episodes=True, recall_floor=0.0001)
    assert (none["items"], none["episodes"], none["empty_reason"]) == ([], [], "no_relevant_memory")


async def test_a_claim_that_has_no_vector_yet_is_measured_before_it_is_gated(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when a claim that words found is held back because its turn to be embedded had not come."""
    monkeypatch.setattr("bobctx.integrations.vectors.A_CALL", 1)
    ids = await tell(api, [FACTS[1], FACTS[0]])
    use(api)
    made = await compiled(api, "invoices on Friday", recall_floor=0.5)
    assert [i["claim_id"] for i in made["items"]] == ids[:1]


async def test_vectors_go_with_their_claims(api: Api) -> None:
    await tell(api, FACTS)
    use(api)
    await compiled(api, "car", conversation=None)
    await api.http.delete("/v1/conversations/c1", params={"user_id": "u1"})
    rows = await api.runtime.store._read(lambda conn: conn.execute("SELECT count(*) FROM claim_vectors").fetchone()[0])
    assert rows == 0
