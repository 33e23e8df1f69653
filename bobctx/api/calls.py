"""What all routes share: reading a validated body, answering bytes, and the OpenAPI around both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import context_schemas, schemas, schemas_governing, schemas_hosts
from bobctx.api.auth import caller
from bobctx.api.body import INLINE_BYTES, dump, parse
from bobctx.api.errors import invalid
from bobctx.api.lane import lane_of
from bobctx.core.records import CallName
from bobctx.core.types import Json, Scope
from bobctx.errors import InvalidInput

M = TypeVar("M", bound=BaseModel)


def _of(model: type[BaseModel], description: str) -> dict[str, Any]:
    """OpenAPI of a JSON answer. By reference: the model itself is built when the document is asked for."""
    schema = {"$ref": schemas.REF.format(model=model.__name__)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


FAILURES: dict[int | str, dict[str, Any]] = {
    "4XX": _of(schemas.ErrorAnswer, "Refused; nothing was stored."),
    "5XX": _of(schemas.ErrorAnswer, "The daemon or its database could not answer."),
}


async def read(request: Request, model: type[M]) -> tuple[M, bytes]:
    """The body as `model`, and its bytes. Raises the errors of `body` and `InvalidInput`, naming the field."""
    raw = await request.body()
    limits = lane_of(request).limits

    def work() -> M:
        value = parse(raw or b"{}", limits)
        if not isinstance(value, dict):
            raise InvalidInput("The body must be a JSON object.")
        try:
            return model.model_validate(value)
        except ValidationError as exc:
            raise invalid(exc) from None

    return (work() if len(raw) <= INLINE_BYTES else await asyncio.to_thread(work)), raw


def answer(value: Json) -> Response:
    """A JSON answer."""
    return answer_bytes(dump(value))


def answer_bytes(body: bytes, *, repeated: bool = False) -> Response:
    """JSON bytes as they are; `repeated` marks the kept answer of an `Idempotency-Key`."""
    headers = {"idempotent-replayed": "true"} if repeated else None
    return Response(body, media_type="application/json", headers=headers)


async def once(request: Request, scope: Scope, raw: bytes, produce: Callable[[], Awaitable[bytes]]) -> Response:
    """Run a writing call at most once per `Idempotency-Key`."""
    name = CallName(
        principal=caller(request).key_id,
        method=request.method,
        path=request.url.path,
        scope=scope,
        key=request.headers.get("idempotency-key"),
    )
    body, repeated = await lane_of(request).idempotency.once(name, raw, produce)
    return answer_bytes(body, repeated=repeated)


def number(request: Request, name: str, default: int, *, low: int = 0, high: int = 2**31) -> int:
    """A query parameter that is a whole number in a range."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit() and len(given) < 12) or not low <= int(given) <= high:
        raise InvalidInput(f"`{name}` is a number from {low} to {high}.", field=name)
    return int(given)


def flag(request: Request, name: str) -> bool:
    """A query parameter that is `true` or `false`; absent is false."""
    given = request.query_params.get(name, "false").lower()
    if given not in ("true", "false", "1", "0"):
        raise InvalidInput(f"`{name}` is true or false.", field=name)
    return given in ("true", "1")


def takes(model: type[BaseModel], *, required: bool = True) -> dict[str, Any]:
    """OpenAPI of a JSON body that the route reads itself."""
    content = {"application/json": {"schema": {"$ref": schemas.REF.format(model=model.__name__)}}}
    return {"requestBody": {"required": required, "content": content}}


def with_query(*names: str, **kinds: str) -> dict[str, Any]:
    """OpenAPI of query parameters that the route reads itself: texts by name, other types by `name="integer"`."""
    kinds = {**dict.fromkeys(names, "string"), **kinds}
    return {
        "parameters": [
            {"name": name, "in": "query", "required": False, "schema": {"type": kind}} for name, kind in kinds.items()
        ]
    }


def gives(model: type[BaseModel], description: str = "Done.") -> dict[int | str, dict[str, Any]]:
    """OpenAPI of the answers of a route."""
    return {200: _of(model, description), **FAILURES}


def _models() -> list[type[BaseModel]]:
    """Every model that a route takes or gives."""
    named = {**vars(schemas), **vars(context_schemas), **vars(schemas_governing), **vars(schemas_hosts)}
    found = [m for m in named.values() if isinstance(m, type) and issubclass(m, schemas.Model)]
    return [m for m in found if m not in (schemas.Model, schemas.Strict)]


def complete_openapi(app: FastAPI) -> None:
    """Let `app.openapi()` also describe the bodies that routes read themselves, and the key."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            _, extra = models_json_schema([(m, "validation") for m in _models()], ref_template=schemas.REF)
            components = document.setdefault("components", {})
            components.setdefault("schemas", {}).update(extra["$defs"])
            components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"key": []}]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # the documented way to extend it


def json_bytes(value: Json) -> bytes:
    """Small answers of plain values."""
    return orjson.dumps(value)
