"""Who is calling, and for which scope: keys, roles, the one user of a `user` key (design, section 9)."""

from __future__ import annotations

from typing import Any, cast

from starlette.requests import Request

from bobctx.api.ids import check_id, path_id
from bobctx.api.lane import lane_of
from bobctx.core.types import Scope, UserScope
from bobctx.errors import Forbidden, NotFound, Unauthorized
from bobctx.keys import LOCAL_OPERATOR, Keyring, Principal

PRINCIPAL = "bobctx.principal"
"""Key of the caller in an ASGI scope."""

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/docs", "/openapi.json"})
"""They say nothing about anyone."""


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


PROXIED = ("/openai/v1/", "/anthropic/v1/")
"""Below these `Authorization` is the provider's; ours is `x-bobctx-key`."""
KEY_HEADER = b"x-bobctx-key"


def authenticate_proxied(
    keyring: Keyring, key: bytes | None, *, over_socket: bool, local_user: str | None
) -> Principal:
    """The caller of the reverse proxy; `local_user` is whose calls are that bring no key, where they may. See above."""
    if key is not None:
        found = keyring.who(key.decode("latin-1").strip())
        if found is not None:
            return found
    elif local_user is not None:
        return Principal(key_id="proxy", role="user", user_id=local_user)
    elif over_socket:
        return LOCAL_OPERATOR
    raise Unauthorized(
        "A valid key is needed; send `x-bobctx-key: KEY` (`bobctx key --add NAME --role user --for USER`)."
    )


def caller(request: Request) -> Principal:
    """The principal that the gate found."""
    return cast(Principal, request.scope[PRINCIPAL])


def user_of(principal: Principal, asked: Any, *, field: str = "user_id") -> str:
    """The user a call is for, named in `field`. Another one's data looks like no data to a `user` key."""
    if principal.user_id is not None:
        if asked is not None and asked != principal.user_id:
            check_id(asked, field)
            raise NotFound()
        return principal.user_id
    return check_id(asked, field)


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
