"""The one error shape, for every failure of the API (design, section 9).

`{"error": {"code", "message", "field"?}, "request_id"}`, framework errors included. Messages never
quote what was sent.
"""

from __future__ import annotations

from typing import Any, cast

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from bobctx import logs
from bobctx.errors import BobctxError, ConfigurationError, InvalidInput

REQUEST_ID = "bobctx.request_id"
"""Key of the request id in an ASGI scope."""

HUNG_UP = 499
"""Status of a request whose client did not stay for the answer."""
HTTP_CODES = {
    400: ("malformed", "The request is malformed."),
    401: ("unauthorized", "A valid key is needed; send `Authorization: Bearer KEY` (`bobctx key` prints one)."),
    403: ("forbidden", "This key may not do that."),
    404: ("not_found", "No such route."),
    405: ("method_not_allowed", "This route does not take that method."),
    413: ("too_large", "The request is over a limit."),
    415: ("unsupported_media_type", "Send `Content-Type: application/json`."),
    422: ("invalid_input", "The request is not valid."),
    503: ("unavailable", "The daemon cannot answer now."),
}


def error_body(code: str, message: str, request_id: str, field: str | None = None, **more: Any) -> bytes:
    """The bytes of an error."""
    error: dict[str, Any] = {"code": code, "message": message}
    if field is not None:
        error["field"] = field
    if more:
        error["data"] = more
    return orjson.dumps({"error": error, "request_id": request_id}, default=str)


def request_id_of(request: Request) -> str:
    """The id that the gate gave this request."""
    return str(request.scope.get(REQUEST_ID, ""))


def _response(status: int, body: bytes, headers: Any = None) -> Response:
    return Response(body, status, headers=headers, media_type="application/json")


def invalid(exc: ValidationError | RequestValidationError) -> InvalidInput:
    """A pydantic error as ours: the first problem, its field, without the value."""
    first = cast("dict[str, Any]", exc.errors()[0])
    place = [str(part) for part in first.get("loc", ())]
    if isinstance(exc, RequestValidationError):
        place = place[1:]  # the framework names where it looked first: body, query, path
    return InvalidInput(str(first.get("msg", "")) or None, field=".".join(place) or None)


def of_bobctx(request: Request, exc: Exception) -> Response:
    """Our own errors."""
    error = cast(BobctxError, exc)
    if isinstance(error, ConfigurationError):
        return of_anything(request, exc)
    more = {k: v for k, v in error.data.items() if isinstance(v, str | int | float | bool)}
    return _response(error.status, error_body(error.code, error.message, request_id_of(request), error.field, **more))


def of_validation(request: Request, exc: Exception) -> Response:
    """What pydantic refused."""
    return of_bobctx(request, invalid(cast("ValidationError | RequestValidationError", exc)))


def of_http(request: Request, exc: Exception) -> Response:
    """What the framework refused: no such route, wrong method."""
    error = cast(HTTPException, exc)
    code, message = HTTP_CODES.get(error.status_code, ("http_error", "The request was refused."))
    return _response(error.status_code, error_body(code, message, request_id_of(request)), error.headers)


def of_hang_up(request: Request, _: Exception) -> Response:
    """The client went before its body was whole: nobody reads the answer, and nothing went wrong here."""
    logs.get_logger().info(logs.HUNG_UP, request_id=request_id_of(request))
    return _response(HUNG_UP, error_body("hung_up", "The client hung up.", request_id_of(request)))


def of_anything(request: Request, exc: Exception) -> Response:
    """A defect of ours: nothing about it leaves the log, and no content goes there either."""
    logs.get_logger().error(logs.REQUEST_FAILED, request_id=request_id_of(request), exc_info=exc)
    request_id = request_id_of(request)
    body = error_body("internal", "Something went wrong.", request_id)
    return _response(500, body, {"x-request-id": request_id})  # this answer does not pass the gate


def install(app: FastAPI) -> None:
    """Give every failure of `app` the one shape."""
    app.add_exception_handler(BobctxError, of_bobctx)
    app.add_exception_handler(ValidationError, of_validation)
    app.add_exception_handler(RequestValidationError, of_validation)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(ClientDisconnect, of_hang_up)
    app.add_exception_handler(Exception, of_anything)
