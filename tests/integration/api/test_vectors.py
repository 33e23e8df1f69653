"""Meaning widens what is found and never what may be read; an outage leaves what words find, and says so."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import pytest

from bobctx.errors import StoreUnavailable
from bobctx.integrations.vectors import ClaimVectors
from tests.integration.api.conftest import Api, Open
from tests.integration.api.contexts import Said, compiled, tell

FACTS: list[Said] = [
    ("user", "The automobile is parked in hall 7.", "fact"),
    ("user", "Invoices go out on Friday.", "fact"),
]
MEANINGS = (("car", "automobile", "parked"), ("bill", "invoices", "friday"))


class Meanings:
    """An embedder that knows two things."""

    model = "meanings"

    def __init__(self, broken: Exception | None = None, after: int = 0) -> None:
        self.broken = broken
        self.left = after

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.left -= 1
        if self.broken is not None and self.left < 0:
            raise self.broken
        return [self._one(text.lower()) for text in texts]

    def _one(self, text: str) -> bytes:
        raw = [0.01 + sum(word in text for word in words) for words in MEANINGS]
        size = math.hypot(*raw)
        return array("f", [x / size for x in raw]).tobytes()


def use(api: Api, broken: Exception | None = None, after: int = 0) -> None:
    """`broken` is raised from the call `after` on."""
    store = api.runtime.store
    api.runtime.lane.compiler._vectors = ClaimVectors(store, Meanings(broken, after))


OUTAGES = [StoreUnavailable("no model", reason="vectors"), RuntimeError("onnx"), MemoryError()]


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


async def test_kinds_class_and_time_are_asked_before_the_nearest_are_cut(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when what may not be answered takes the places of the nearest claims that may."""
    monkeypatch.setattr("bobctx.api.compile.MAX_ROWS", 1)
    cloud = "openai/gpt-5"
    (plain,) = await tell(api, [("user", "The automobile stands in hall 9 since Friday.", "decision")], backend=cloud)
    await tell(api, FACTS[:1])
    await tell(api, [("user", "A parked automobile.", "fact")], since=4_000_000_000.0, backend=cloud)
    use(api)
    for more in ({"kinds": ["decision"]}, {"backend": cloud}):
        made = await compiled(api, "where is my car", **more)
        assert [i["claim_id"] for i in made["items"]] == [plain], more


@pytest.mark.parametrize("broken", OUTAGES, ids=lambda e: type(e).__name__)
async def test_an_outage_leaves_words_and_says_so(api: Api, broken: Exception) -> None:
    ids = await tell(api, FACTS)
    use(api, broken)
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


@pytest.mark.parametrize("broken", OUTAGES, ids=lambda e: type(e).__name__)
async def test_an_outage_while_the_gate_measures_gates_nothing_and_says_so(
    api: Api, broken: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when what could not be measured counts as far, and the empty answer as a good one."""
    monkeypatch.setattr("bobctx.integrations.vectors.A_CALL", 1)
    ids = await tell(api, [FACTS[1], FACTS[0]])
    use(api, broken, after=2)
    made = await compiled(api, "invoices on Friday", recall_floor=0.5, include_episodes=True)
    assert [i["claim_id"] for i in made["items"]] == ids
    assert [e["message_id"] for e in made["episodes"]] == ["x0"]
    assert (made["status"], made["empty_reason"]) == ("degraded", None)
    assert made["meta"]["degraded"] == {"semantic": True, "vector": "error", "model": "enabled"}


async def test_a_lane_with_a_floor_and_without_vectors_answers_and_says_so(open_api: Open) -> None:
    """Fails when every call is refused for a field that its caller never sent."""
    api = await open_api(recall_max_distance=0.5)
    ids = await tell(api, FACTS)
    made = await compiled(api, "invoices on Friday")
    assert [i["claim_id"] for i in made["items"]] == [ids[1]]
    assert made["warnings"] == ["recall_max_distance: the setting needs vectors, which are not configured"]
    use(api)
    assert (await compiled(api, "invoices on Friday"))["warnings"] == []


async def test_messages_that_were_held_back_are_no_omitted_claims(api: Api) -> None:
    await tell(api, FACTS)
    use(api)
    made = await compiled(api, "hall 7 and bill car", include_episodes=True, recall_floor=0.0001)
    assert (made["budget"]["selected"], made["budget"]["omitted"]) == (0, 2)


async def test_vectors_go_with_their_claims(api: Api) -> None:
    await tell(api, FACTS)
    use(api)
    await compiled(api, "car", conversation=None)
    await api.http.delete("/v1/conversations/c1", params={"user_id": "u1"})
    rows = await api.runtime.store._read(lambda conn: conn.execute("SELECT count(*) FROM claim_vectors").fetchone()[0])
    assert rows == 0
