"""Why nothing was compacted, or not by the configured seat, and what to do about it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

FIXES: Mapping[str, str] = {
    "disabled": "compaction is switched off: unset BOBCTX_COMPACTOR_ENABLED=false and "
    "BOBCTX_CONTEXT_FIT_ENABLED=false, or leave the modes `off` and `fit` (BOBCTX_MODE)",
    "no_compactor": "this process does not compact; start `bobctx serve`",
    "stopping": "the daemon is stopping; it looks again when it starts",
    "paused": "the conversation is paused or in mode `off` or `fit`: POST …/mode with `paused: false`, `mode: live`",
    "cooldown": "the last region failed; it is tried again after BOBCTX_COOLDOWN_S (see last_failure_reason)",
    "quiet_after_edit": "something was edited; its region is compacted after BOBCTX_QUIET_S",
    "below_trigger": "the history still fits its budget; nothing to do",
    "nothing_eligible": "only the opening and the newest messages are stored; nothing to do",
    "not_configured": "no model is configured, the extractor does it: set BOBCTX_COMPACTOR_MODEL",
    "local_text": "the text is of class `local` and the seat is in the cloud: record with `backend`, use a local "
    "seat, or let an operator raise it (POST …/egress)",
    "other_provider": "the seat belongs to another provider than the conversation's backend: add `BACKEND=SEAT` to "
    "BOBCTX_COMPACTOR_ALLOW",
    "spend_day": "the day's cap is reached, the extractor does it: raise BOBCTX_MAX_USD_PER_DAY, or wait",
    "spend_hour": "the conversation's cap for an hour is reached, the extractor does it: raise "
    "BOBCTX_MAX_USD_PER_CONVERSATION_HOUR, or wait",
    "price_unknown": "the seat's price is not known and counts as that of the dearest model there is, so that hardly "
    "any call passes the caps: set BOBCTX_COMPACTOR_PRICE=IN,OUT",
    "context_length": "a prompt was over the seat's window; regions are smaller from now on: set "
    "BOBCTX_COMPACTOR_WINDOW to what the model's server was started with",
    "seat_window_learned": "the seat's model reads less than configured, as its own error said; regions are smaller: "
    "set BOBCTX_COMPACTOR_WINDOW to what it reads now, another value is tried again",
    "unauthorized": "the provider refused the key: check BOBCTX_COMPACTOR_API_KEY",
    "key_missing": "the provider refuses whoever sends no key: set the variable that the seat's line names where the "
    "daemon starts, or BOBCTX_COMPACTOR_API_KEY",
    "provider_error": "the provider refused the request: check its key (`bobctx doctor` names one that is missing), "
    "the model's name in BOBCTX_COMPACTOR_MODEL and the account's balance",
    "unreachable": "the seat's address does not answer: check BOBCTX_COMPACTOR_BASE_URL and the network",
    "rate_limited": "the provider limits the rate; it is tried again after the cooldown",
    "timeout": "no reply in BOBCTX_SEAT_TIMEOUT_S; raise it, or use a faster seat",
    "unknown_seat": "the worker knows no such seat: restart the daemon after changing BOBCTX_COMPACTOR_MODEL",
}
"""Reason code -> one sentence with the setting that changes it."""


def fix_for(reason: str | None) -> str | None:
    """What to do about a reason; None where there is nothing to do or to say."""
    return FIXES.get((reason or "").split(":", 1)[0])
