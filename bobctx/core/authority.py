"""Who may say it: a constraint or preference needs a user's own words; tools and pasted text give no orders. Pure."""

from __future__ import annotations

from collections.abc import Collection

from bobctx.core.acts import acceptances
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.sources import Source


def check(case: Case, admins: Collection[str] = ()) -> Refusal | None:
    """Whether the cited messages give the claim the weight its type asks for."""
    roles = {s.message.role for s in case.cited if not s.message.injected}
    if not roles - {"system", "developer"}:
        return Refusal(code="already_in_system")
    if case.type in DIRECTIVES:
        if not any(_binds(s, admins) for s in case.cited):
            return Refusal(code="authority", data={"type": case.type, "why": "cites: " + ", ".join(sorted(roles))})
    elif case.type in RESOLVES and roles <= {"tool", "system", "developer"}:
        return Refusal(code="authority", data={"type": case.type, "why": "tool output only"})
    return None


def _binds(source: Source, admins: Collection[str]) -> bool:
    message = source.message
    return message.role == "user" and not message.injected and (not admins or message.speaker in admins)


def accepts(source: Source) -> bool:
    """Whether a user message accepts what was proposed before it."""
    return source.message.role == "user" and bool(acceptances(source.text[:400]))
