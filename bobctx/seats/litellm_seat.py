"""Any provider that litellm knows, as a seat. Imported in the worker process only: it takes seconds and much memory.

litellm itself is imported with the first ask; its price map is read from its package, never from the network.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bobctx.core.egress import provider_of
from bobctx.core.overflow import reported_window
from bobctx.core.types import EgressClass, Json
from bobctx.errors import ConfigurationError, SeatFailed
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats import completion

UNKNOWN_WINDOW = 32_768
REASONS: Mapping[str, str] = {
    "ContextWindowExceededError": "context_length",
    "RateLimitError": "rate_limited",
    "Timeout": "timeout",
    "APITimeoutError": "timeout",
    "APIConnectionError": "unreachable",
    "ContentPolicyViolationError": "refused",
    "JSONSchemaValidationError": "malformed",
}
"""litellm's error classes by reason; every other one is `provider_error`."""
NEXT_MODEL = frozenset({"rate_limited", "timeout", "unreachable", "provider_error"})
"""Reasons after which a fallback is asked: they say nothing about the region."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LitellmModels:
    """Which models are asked, in order, and how."""

    models: tuple[str, ...]
    """Names as litellm spells them, `deepseek/deepseek-chat`: the seat, then its fallbacks."""
    egress: EgressClass = "cloud_ok"
    api_key: str | None = None
    """None: litellm reads the provider's own variable."""
    api_base: str | None = None
    window: int | None = None
    """Tokens; None: what litellm knows."""
    allow: Sequence[str] = ()
    """Providers that a fallback may belong to beside the first model's."""
    extra: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises `ConfigurationError` for a fallback that would take the text to a provider nobody allowed."""
        if not self.models:
            raise ConfigurationError("no model is named", field="compactor_model")
        allowed = {provider_of(self.models[0]), *(self.allow if self.egress != "local" else ())}
        strangers = [m for m in self.models[1:] if {provider_of(m), m.lower()}.isdisjoint(allowed)]
        if strangers:
            raise ConfigurationError(f"fallback {strangers[0]!r} is of another provider", field="compactor_fallbacks")


class LitellmSeat:
    """Asks through litellm, one model after the other where a provider fails."""

    def __init__(self, config: LitellmModels, *, api: Any = None, errors: type[Exception] = SeatFailed) -> None:
        """`api` stands in for the litellm module in tests, `errors` for the base of what it raises."""
        self._config = config
        self._api = api
        self._errors = errors
        self._schema = True

    @property
    def name(self) -> str:
        """The first model's name."""
        return self._config.models[0]

    @property
    def egress(self) -> EgressClass:
        """As configured."""
        return self._config.egress

    @property
    def window(self) -> int:
        """As configured, else unknown until litellm is loaded."""
        return self._config.window or UNKNOWN_WINDOW

    async def ask(self, request: SeatRequest) -> SeatReply:
        """One answer. Raises `SeatFailed` with the reason of the last model that was asked."""
        api = self._loaded()
        failure = SeatFailed("no model was asked", reason="provider_error")
        for model in self._models_for(request):
            try:
                async with asyncio.timeout(request.timeout_s):
                    return self._reply(api, model, await self._asked(api, model, request))
            except TimeoutError as error:
                failure = SeatFailed(f"{model} did not answer in time", reason="timeout")
                failure.__cause__ = error
            except SeatFailed as error:
                failure = error
            if failure.data.get("reason") not in NEXT_MODEL:
                break
        raise failure

    def _models_for(self, request: SeatRequest) -> list[str]:
        """The model, and the fallbacks that may read this very text: a row for one backend is none for another."""
        first, *others = self._config.models
        readers = {provider_of(first), *(request.may_read if self._config.egress != "local" else ())}
        return [first, *(m for m in others if not {provider_of(m), m.lower()}.isdisjoint(readers))]

    def _loaded(self) -> Any:
        if self._api is None:
            os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
            os.environ.setdefault("LITELLM_TELEMETRY", "False")
            api: Any = importlib.import_module("litellm")
            api.telemetry = False
            api.suppress_debug_info = True
            api.drop_params = True
            self._api = api
            self._errors = importlib.import_module("openai").OpenAIError
        return self._api

    async def _asked(self, api: Any, model: str, request: SeatRequest) -> Any:
        """The answer of one model; where it knows no schemas it is asked again for JSON."""
        form = "json_schema" if self._schema else "json_object"
        body = completion.body_of(model, request, form=form, extra=self._config.extra)
        try:
            return await api.acompletion(
                **body,
                timeout=request.timeout_s,
                num_retries=0,
                max_retries=0,
                api_key=self._config.api_key,
                api_base=self._config.api_base,
            )
        except self._errors as error:
            status = getattr(error, "status_code", None)
            if self._schema and isinstance(status, int) and completion.refuses_schema(status, str(error)):
                self._schema = False
                return await self._asked(api, model, request)
            raise _failure(model, error, status) from error

    def _reply(self, api: Any, model: str, response: Any) -> SeatReply:
        data = response.model_dump() if hasattr(response, "model_dump") else response
        text, finish, usage = completion.answer_of(data)
        if len(text) > completion.MAX_REPLY_BYTES:
            raise SeatFailed("the answer is too large", reason="too_large")
        return SeatReply(
            text=text,
            finish_reason=finish,
            provider=provider_of(model),
            host=_host(response, self._config.api_base),
            usage=_numbers(usage),
            cost_usd=0.0 if self._config.egress == "local" else _cost(api, response),
        )


def _failure(model: str, error: Exception, status: int | None) -> SeatFailed:
    """What one of litellm's errors means; its text, which may quote the prompt, is not repeated."""
    names = [kind.__name__ for kind in type(error).__mro__]
    reason = next((REASONS[n] for n in names if n in REASONS), None)
    if reason is None:
        told = completion.failure_of(status or 0, str(error))
        reason = str(told.data["reason"])
    window = reported_window(str(error)) if reason == "context_length" else None
    return SeatFailed(f"{model}: {names[0]}", reason=reason, http_status=status, window=window)


def _cost(api: Any, response: Any) -> float | None:
    """Dollars by litellm's price map; None where it does not know the model."""
    hidden = getattr(response, "_hidden_params", None)
    cost = hidden.get("response_cost") if isinstance(hidden, Mapping) else None
    return float(cost) if isinstance(cost, int | float) else None


def _host(response: Any, api_base: str | None) -> str:
    """Where the text went, as far as litellm says."""
    hidden = getattr(response, "_hidden_params", None)
    base = (hidden.get("api_base") if isinstance(hidden, Mapping) else None) or api_base
    return urlsplit(base).hostname or "unknown" if isinstance(base, str) else "unknown"


def _numbers(usage: Mapping[str, Json]) -> dict[str, Json]:
    """The counts of a usage report, without nested details that are empty."""
    return {k: v for k, v in usage.items() if isinstance(v, int | float) and not isinstance(v, bool)}
