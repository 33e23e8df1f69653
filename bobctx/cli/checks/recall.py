"""`bobctx doctor --recall`: what a recall gate would keep and let through, by this lane's own conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bobctx.core.calibration import LEAST_PAIRS, Calibration

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.integrations.vectors import Embedder
    from bobctx.settings import Settings

CONVERSATIONS = 50
"""The newest ones of a lane that are looked at."""
PAIRS = 400
"""Pairs of all of them together: some 800 texts, a few seconds of the model."""
REQUEST_CHARS = 4_000
"""Of a request; the model reads far less."""


def calibration(settings: Settings, embedder: Embedder | None = None) -> dict[str, Any]:
    """`{model, pairs, floors, advised, set}`.

    Raises `InvalidInput` where vectors are not configured, `StoreUnavailable` where the model cannot be loaded.
    """
    from bobctx.cli.access import run
    from bobctx.core.calibration import calibrated
    from bobctx.errors import InvalidInput
    from bobctx.integrations.vectors import MiniLm, distances

    if not settings.vectors:
        raise InvalidInput(
            "A recall gate needs vectors: run `pip install -e '.[vectors]'` in the checkout and set "
            "BOBCTX_VECTORS=true.",
            field="vectors",
        )
    model = embedder or MiniLm()
    model.embed(["ready"])  # a missing model is said before anything is read

    async def work(access: Access) -> list[tuple[str, str, str]]:
        return await _texts(access)

    texts = run(settings, work, writing=False)
    near, far = [], []
    different = sorted({text for row in texts for text in row}, key=len)  # texts of one length make a cheap batch
    made = dict(zip(different, model.embed(different), strict=True))
    for request, own, other in texts:
        first, second = distances(made[request], [made[own], made[other]])
        near.append(first)
        far.append(second)
    gate = settings.recall_max_distance
    found = calibrated(near, far, () if gate is None else (gate,))
    return {
        "model": model.model,
        "pairs": found.pairs,
        "floors": [{"floor": f.floor, "keeps": f.keeps, "lets_through": f.lets_through} for f in found.floors],
        "advised": found.advised,
        "set": gate,
        "verdict": verdict(found),
    }


def verdict(found: Calibration) -> str:
    """What to do, in a sentence."""
    if not found.floors:
        return f"{found.pairs} pairs of request and answer are too few to say anything: {LEAST_PAIRS} are needed"
    if found.advised is None:
        return "leave the gate off: a floor that keeps what belongs together would let most of the rest through too"
    return f"set BOBCTX_RECALL_MAX_DISTANCE={found.advised:g}, and watch injection_rate in /v1/stats/overview"


async def _texts(access: Access) -> list[tuple[str, str, str]]:
    """Request, claim of its answer, claim from elsewhere: of the newest conversations."""
    from bobctx.core.calibration import pairs
    from bobctx.core.chain import chain_of
    from bobctx.core.claims import view_of

    found: list[tuple[str, str, str]] = []
    for scope in (await access.store.scopes())[-CONVERSATIONS:]:
        snapshot = await access.store.snapshot(scope)
        chosen = pairs(view_of(chain_of(snapshot)), snapshot.spine, PAIRS - len(found))
        ids = [snapshot.spine.ids[pair.request] for pair in chosen]
        said = {m.id: m.text for m in await access.store.load(scope, list(dict.fromkeys(ids)))}
        found += [
            (said[i][:REQUEST_CHARS], pair.near, pair.far) for i, pair in zip(ids, chosen, strict=True) if said.get(i)
        ]
        if len(found) >= PAIRS:
            break
    return found
