"""What the governing routes take and give: aliases, egress classes, retention, the access log."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bobctx.api.schemas import Model, Strict


class AliasRequest(Strict):
    """A further name of this conversation."""

    user_id: str | None = None
    alias: str = Field(min_length=1, max_length=512)


class AliasAnswer(Model):
    """The conversation and all of its further names."""

    conversation_id: str
    aliases: list[str]


class EgressRequest(Strict):
    """Another egress class, for some messages or for all."""

    user_id: str | None = None
    egress: Literal["cloud_ok", "local"]
    ids: list[Annotated[str, Field(min_length=1, max_length=512)]] | None = Field(
        None, min_length=1, max_length=10_000, description="Message ids; unset: every message."
    )


class EgressAnswer(Model):
    """What changed."""

    egress: str
    changed: int


class RetentionRequest(Strict):
    """How long a user's messages are kept; null: for ever."""

    max_age_days: float | None = Field(gt=0, le=36_500)


class RetentionAnswer(Model):
    """What holds, and what was deleted by it now."""

    max_age_days: float | None
    deleted: dict[str, int]


class AccessLine(Model):
    """Who did what to whose conversation; ids only."""

    number: int
    at: float
    principal: str
    role: str
    action: str
    user_id: str
    conversation_id: str
    ids: list[str]


class AccessAnswer(Model):
    """Lines of the access log, newest first."""

    entries: list[AccessLine]
