"""Every error bobctx raises on purpose: one base, each with a stable code, an HTTP status and data."""

from __future__ import annotations

from typing import Any


class BobctxError(Exception):
    """Something went wrong."""

    code = "internal"
    status = 500

    def __init__(self, message: str | None = None, *, field: str | None = None, **data: Any) -> None:
        """The docstring is the default message; `field` names the offending input; `data` goes with the error."""
        self.message = message or (type(self).__doc__ or "").strip()
        self.field = field
        self.data = data
        super().__init__(self.message)

    def __str__(self) -> str:
        """With the input that is wrong, where the text does not name it (`Field required`)."""
        return self.message if self.field is None or self.field in self.message else f"{self.field}: {self.message}"


class InvalidInput(BobctxError):
    """The request is not valid."""

    code = "invalid_input"
    status = 422


class Malformed(BobctxError):
    """The body is not valid JSON."""

    code = "malformed"
    status = 400


class NotFound(BobctxError):
    """No such conversation of this user, or no such thing in it."""

    code = "not_found"
    status = 404


class Conflict(BobctxError):
    """The request contradicts what is stored."""

    code = "conflict"
    status = 409


class UnknownParent(Conflict):
    """A parent is not stored; record it first or leave `parents` out."""

    code = "unknown_parent"


class TooLarge(BobctxError):
    """The request is over a limit."""

    code = "too_large"
    status = 413


class UnsupportedMediaType(BobctxError):
    """Send `Content-Type: application/json`."""

    code = "unsupported_media_type"
    status = 415


class Unauthorized(BobctxError):
    """A valid key is needed; send `Authorization: Bearer KEY` (`bobctx key` prints one)."""

    code = "unauthorized"
    status = 401


class Forbidden(BobctxError):
    """This key may not do that."""

    code = "forbidden"
    status = 403


class CannotFit(BobctxError):
    """Even the newest user message does not fit the budget; raise the budget or shorten it."""

    code = "cannot_fit"
    status = 422


class StoreUnavailable(BobctxError):
    """The database cannot be used now."""

    code = "store_unavailable"
    status = 503


class StoreRefused(BobctxError):
    """The database file cannot be opened safely."""

    code = "store_refused"
    status = 503


class SeatFailed(BobctxError):
    """The seat gave no usable reply."""

    code = "seat_failed"
    status = 502


class ConfigurationError(BobctxError):
    """A setting is not valid."""

    code = "configuration"
    status = 500
