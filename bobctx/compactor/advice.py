"""What to do about a seat that fails, and about everything else that holds compaction up."""

from __future__ import annotations

from collections.abc import Mapping

from bobctx.core import advice

FIXES: Mapping[str, str] = {
    "key_missing": "the provider refuses whoever sends no key: set the variable that the seat's line names where the "
    "daemon starts, or BOBCTX_COMPACTOR_API_KEY",
    "provider_error": "the provider refused the request: check its key (`bobctx doctor` names one that is missing), "
    "the model's name in BOBCTX_COMPACTOR_MODEL and the account's balance",
}
"""Reason code of a seat -> one sentence with the setting that changes it."""


def fix_for(reason: str | None) -> str | None:
    """What to do about a reason; None where there is nothing to do or to say."""
    return FIXES.get((reason or "").split(":", 1)[0]) or advice.fix_for(reason)
