"""Who may say it: a constraint or preference needs a user's own words; tools and pasted text give no orders. Pure.

Source: design, section 6, Authority.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bobctx.core.answers import answer, echoes
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.patterns import patterns
from bobctx.core.sources import Clause, Source
from bobctx.core.terms import keeps_term
from bobctx.core.text import content_stems

CLOSE: Final = 0.8
"""Clauses with this share of the best score are what the claim rests on."""
OWN_SHARE: Final = 0.5
"""Share of the best score from which a user's own clause says the same."""
OPENING: Final = 4
"""Clauses of an answer in which it says that a thing is to stay as it is."""
_KEPT_SO: Final = patterns("kept_so")
"""`Keep it that way`, which takes up what somebody has told of it."""


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
    if case.type in DIRECTIVES or case.type in RESOLVES:
        return _foreign(case)
    return None


def _binds(source: Source, admins: Collection[str]) -> bool:
    message = source.message
    return message.role == "user" and not message.injected and (not admins or message.speaker in admins)


def _foreign(case: Case) -> Refusal | None:
    """A directive that rests on a tool's words, on pasted text, or on a proposal that nobody took up."""
    if not case.ranked:
        return None
    best = case.ranked[0][0]
    close = [clause for score, clause in case.ranked if score >= CLOSE * best]
    if all(c.voice in ("pasted", "result", "injected") for c in close) and not _said_by_user(case, best):
        return Refusal(code="not_directive", data=_data(case, close[0]))
    if case.type not in DIRECTIVES or not all(_role(case, c) == "assistant" for c in close):
        return None
    if _said_by_user(case, best) or any(_takes_up(case, s, close[0]) for s in case.cited):
        return None
    return Refusal(code="proposal", data=_data(case, close[0]))


def _said_by_user(case: Case, best: float) -> bool:
    return any(
        score >= OWN_SHARE * best and clause.voice == "own" and _role(case, clause) == "user"
        for score, clause in case.ranked
    )


def _takes_up(case: Case, source: Source, proposed: Clause) -> bool:
    """Whether a later cited user message accepts, refuses or narrows down what was proposed, or names a part of it."""
    if source.position <= proposed.message or source.message.role != "user":
        return False
    asked = content_stems(proposed.text, case.lang_of(case.source(proposed.message)))
    if answer(source) != "other" or echoes(source, asked, case.stems) or keeps_term(case, source):
        return True
    kept = _KEPT_SO.get(case.lang_of(source))
    keeps = any(c.value in ("keep+", "stay+") for c in cues(case.text, case.lang, LOGIC, ("polar",)))
    return keeps and kept is not None and any(kept.search(c.text) for c in source.clauses[:OPENING])


def _role(case: Case, clause: Clause) -> str:
    return case.source(clause.message).message.role


def _data(case: Case, clause: Clause) -> dict[str, str]:
    return {"clause": clause.text[:200], "message": case.source(clause.message).message.alias}
