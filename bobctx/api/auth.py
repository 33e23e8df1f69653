"""Who is calling, and for which scope: keys, roles, the one user of a `user` key (design, section 9)."""

from __future__ import annotations

import unicodedata
from typing import Any, cast

from starlette.requests import Request

from bobctx.api.lane import lane_of
from bobctx.core.types import Scope, UserScope
from bobctx.errors import Forbidden, InvalidInput, NotFound, Unauthorized
from bobctx.keys import LOCAL_OPERATOR, Keyring, Principal

PRINCIPAL = "bobctx.principal"
"""Key of the caller in an ASGI scope."""

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/docs", "/openapi.json"})
"""They say nothing about anyone."""

SLASH = "\udc2f"
"""A slash of an id in a path, while routes are matched: no decoded path ever holds a lone surrogate."""

MAX_ID = 512
"""Longest conversation, user or message id, characters."""


def authenticate(keyring: Keyring, authorization: bytes | None, *, over_socket: bool) -> Principal:
    """The caller. Raises `Unauthorized`. The 0600 socket needs no key; a key that is sent must be right."""
    if authorization is None:
        if over_socket:
            return LOCAL_OPERATOR
        raise Unauthorized()
    scheme, _, key = authorization.decode("latin-1").partition(" ")
    principal = keyring.who(key.strip()) if scheme.lower() == "bearer" else None
    if principal is None:
        raise Unauthorized()
    return principal


def caller(request: Request) -> Principal:
    """The principal that the gate found."""
    return cast(Principal, request.scope[PRINCIPAL])


def check_id(value: Any, field: str) -> str:
    """A conversation, user or message id: a non-empty text of bounded length without control characters.

    U+FFFD is what a lone surrogate and bad UTF-8 of a path became: different ids would be one.
    """
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"`{field}` is needed: a non-empty text.", field=field)
    if len(value) > MAX_ID:
        raise InvalidInput(f"`{field}` is longer than {MAX_ID} characters.", field=field)
    if not value.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise InvalidInput(f"`{field}` holds control characters.", field=field)
    if "\ufffd" in value:
        raise InvalidInput(f"`{field}` holds characters that were lost on the way.", field=field)
    return value


def path_id(value: str, field: str) -> str:
    """An id that came as a segment of the path."""
    return check_id(value.replace(SLASH, "/"), field)


def user_of(principal: Principal, asked: Any) -> str:
    """The user a call is for. Another one's data looks like no data to a `user` key."""
    if principal.user_id is not None:
        if asked is not None and asked != principal.user_id:
            check_id(asked, "user_id")
            raise NotFound()
        return principal.user_id
    return check_id(asked, "user_id")


def scope_of(request: Request, cid: str, asked: Any) -> Scope:
    """The scope of a call about one conversation."""
    name = path_id(cid, "conversation_id")
    return lane_of(request).resolve(name, user_of(caller(request), asked))


def user_scope_of(request: Request, asked: Any) -> UserScope:
    """The scope of a call about one user."""
    return UserScope(user_id=user_of(caller(request), asked))


def require_operator(request: Request) -> Principal:
    """Only an operator's key may do this."""
    principal = caller(request)
    if principal.role != "operator":
        raise Forbidden()
    return principal
