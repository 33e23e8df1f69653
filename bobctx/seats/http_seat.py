"""A plain OpenAI-compatible endpoint as a seat, without any SDK: DeepSeek, Ollama, llama.cpp, vLLM and the like."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from bobctx.core.types import EgressClass, Json
from bobctx.errors import SeatFailed
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats import completion

FORMS = ("json_schema", "json_object", "text")
"""Response formats, the strictest first; an endpoint that does not know one is asked with the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a seat asks, and how."""

    base_url: str
    """With its version path: `http://127.0.0.1:11434/v1`."""
    model: str
    api_key: str | None = None
    egress: EgressClass = "cloud_ok"
    provider: str = "openai_compatible"
    window: int = 32_768
    stream: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of the request body, such as `{"cache_prompt": false}` for llama.cpp."""
    usd_per_million: tuple[float, float] | None = None
    """Prices of input and output tokens; None: not known."""


class HttpSeat:
    """Asks one endpoint; never follows a redirect, so that no other host sees the text."""

    def __init__(self, endpoint: Endpoint, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """`transport` replaces the network in tests."""
        self._endpoint = endpoint
        self._transport = transport
        self._form = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._endpoint.model

    @property
    def egress(self) -> EgressClass:
        """As configured."""
        return self._endpoint.egress

    @property
    def window(self) -> int:
        """As configured."""
        return self._endpoint.window

    @property
    def host(self) -> str:
        """Where the text goes."""
        return urlsplit(self._endpoint.base_url).hostname or ""

    async def ask(self, request: SeatRequest) -> SeatReply:
        """One answer. Raises `SeatFailed` with a `reason`; a short rate limit is waited for once."""
        try:
            async with (
                asyncio.timeout(request.timeout_s),
                httpx.AsyncClient(
                    transport=self._transport, timeout=httpx.Timeout(request.timeout_s, connect=10.0), trust_env=False
                ) as client,
            ):
                data = await self._asked(client, request)
        except TimeoutError as error:
            raise SeatFailed("no answer in time", reason="timeout") from error
        except httpx.TimeoutException as error:
            raise SeatFailed("no answer in time", reason="timeout") from error
        except httpx.ConnectError as error:
            raise SeatFailed(f"{self.host} cannot be reached", reason="unreachable") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SeatFailed(f"the answer broke off: {type(error).__name__}", reason="provider_error") from error
        text, finish, usage = completion.answer_of(data)
        return SeatReply(
            text=text,
            finish_reason=finish,
            provider=self._endpoint.provider,
            host=self.host,
            usage=usage,
            cost_usd=self._cost(usage),
        )

    async def _asked(self, client: httpx.AsyncClient, request: SeatRequest) -> Any:
        """The decoded answer, with weaker response formats and one short wait where the endpoint asks for them."""
        waited = False
        while True:
            status, headers, text = await self._post(client, request)
            if status == 200:
                return self._decoded(text)
            if completion.refuses_schema(status, text) and self._form < len(FORMS) - 1:
                self._form += 1
                continue
            pause = completion.seconds_of(headers.get("retry-after"))
            if status in (429, 503) and not waited and pause is not None and pause <= completion.RETRY_AFTER_MAX_S:
                waited = True
                await asyncio.sleep(pause)
                continue
            raise completion.failure_of(status, text, retry_after=pause)

    async def _post(self, client: httpx.AsyncClient, request: SeatRequest) -> tuple[int, httpx.Headers, str]:
        endpoint = self._endpoint
        body = completion.body_of(endpoint.model, request, form=FORMS[self._form], extra=endpoint.extra)
        if endpoint.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        url = f"{endpoint.base_url.rstrip('/')}/chat/completions"
        async with client.stream("POST", url, json=body, headers=headers) as response:
            chunks, size = [], 0
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > completion.MAX_REPLY_BYTES:
                    raise SeatFailed(f"the answer is over {completion.MAX_REPLY_BYTES} bytes", reason="too_large")
                chunks.append(chunk)
        return response.status_code, response.headers, b"".join(chunks).decode("utf-8", "replace")

    def _decoded(self, text: str) -> Any:
        try:
            return _joined(text) if self._endpoint.stream else json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SeatFailed("the answer is not JSON", reason="malformed") from error

    def _cost(self, usage: Mapping[str, Json]) -> float | None:
        if self._endpoint.egress == "local":
            return 0.0
        prices = self._endpoint.usd_per_million
        given, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if prices is None or not isinstance(given, int) or not isinstance(made, int):
            return None
        return round((given * prices[0] + made * prices[1]) / 1_000_000, 8)


def _joined(text: str) -> dict[str, Json]:
    """A streamed answer as if it had come in one piece; one that never ended is cut."""
    content: list[str] = []
    thought: list[str] = []
    finish: Json = None
    usage: Json = None
    done = False
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            done = True
            break
        event = json.loads(data)
        usage = event.get("usage") or usage
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            content.append(delta.get("content") or "")
            thought.append(delta.get("reasoning_content") or "")
            finish = choice.get("finish_reason") or finish
    if not done and finish is None:
        finish = "length"
    message = {"content": "".join(content), "reasoning_content": "".join(thought)}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
