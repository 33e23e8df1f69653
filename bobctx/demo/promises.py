"""What the demo promises, each checked on what was seen. Decides, does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bobctx.core.dialect import check
from bobctx.demo import bad_seat, conversation
from bobctx.demo.player import Played, omitted

SHARE = 0.8
"""Of a prompt that omits history, at least so much is the one before, on average."""
BLOCK_SHARE = 0.15
RULES = frozenset({"constraint", "preference", "decision", "commitment"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One promise and whether it held."""

    name: str
    ok: bool
    detail: str = ""


def _alias(seen: Played, ident: str) -> str:
    return next((item["alias"] for item in seen.stored if item["id"] == ident), "?")


def _active_text(claims: list[dict[str, Any]]) -> str:
    return "\n".join(c["text"] for c in claims if c["active"])


def refusals(seen: Played) -> dict[str, str]:
    """Text of a refused claim -> why."""
    if seen.refused is None:
        return {}
    return {r.text: r.message or r.code for r in seen.refused.report.rejections}


def _bad_seat_refused(seen: Played) -> bool:
    accepted = {c.text for c in seen.refused.claims} if seen.refused else set()
    bad = {bad_seat.PERMITS, bad_seat.WRONG_PORT, bad_seat.ORDERS}
    return bad <= refusals(seen).keys() and accepted == {bad_seat.TRUE_ONE}


def region_of(chain: dict[str, Any], alias: str) -> str | None:
    """The region of a chain that holds a message."""
    seq = int(alias.removeprefix("m"))
    for link in chain["links"]:
        if int(link["first"].removeprefix("m")) <= seq <= int(link["last"].removeprefix("m")):
            return str(link["region"])
    return None


def _claims_by_region(claims: list[dict[str, Any]]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for claim in claims:
        out.setdefault(claim["alias"].split(".")[0], set()).add(claim["text"])
    return out


def _edit_drops_one_region(seen: Played) -> bool:
    region = region_of(seen.chain, _alias(seen, conversation.EDITED))
    before, after = _claims_by_region(seen.claims), _claims_by_region(seen.claims_after_edit)
    statuses = {link["region"]: link["status"] for link in seen.chain_after_edit["links"]}
    if region is None or statuses.get(region) != "empty" or not before.get(region):
        return False
    before.pop(region)
    return before == after


def _rule_claims(claims: list[dict[str, Any]], alias: str) -> list[dict[str, Any]]:
    return [claim for claim in claims if alias in claim["cites"]]


def _all_accounted(seen: Played) -> bool:
    """Raw, covered and announced messages add up to all there are."""
    shown = {item["id"] for item in seen.assembled["plan"] if item["id"] is not None}
    raw = sum(item["id"] in shown for item in seen.stored)
    return omitted(seen.assembled) > 0 and raw + omitted(seen.assembled) == len(seen.stored)


def _deleted_everywhere(seen: Played) -> bool:
    alias = _alias(seen, conversation.RULE)
    had = bool(_rule_claims(seen.claims_after_edit, alias))
    gone = not _rule_claims(seen.claims_after_delete, alias)
    needle = conversation.PROBES[0].needle
    return had and gone and needle not in seen.block_after_delete and seen.expand_after_delete == "not_found"


def promises(seen: Played) -> list[Promise]:
    """Every promise, in the order of the screen."""
    rule, port = conversation.PROBES[0], conversation.PROBES[1]
    prompt, window = seen.prompt_text, seen.window_text
    budget, decision = seen.assembled["budget"], seen.assembled["decision"]
    share = sum(seen.shares) / len(seen.shares) if seen.shares else 0.0
    originals = {m["id"]: m["content"] for m in conversation.messages()}
    exact = all(item["content"] == originals[item["id"]] for item in seen.expanded)
    bcc = [c for c in seen.claims if "BCC" in c["text"] and c["type"] in RULES]
    return [
        Promise(name="every message was recorded", ok=seen.recorded == len(originals)),
        Promise(name="the rule of m3 is still known", ok=rule.needle in prompt and rule.needle not in window),
        Promise(
            name="only the corrected port is current",
            ok=port.needle in prompt and "on port 7443." not in _active_text(seen.claims),
        ),
        Promise(name="the list fits its budget", ok=budget["used"] <= budget["history"]),
        Promise(name="claims take at most 15 % of it", ok=0 < decision["tokens"] <= BLOCK_SHARE * budget["history"]),
        Promise(name="all left out is covered or announced", ok=_all_accounted(seen)),
        Promise(name="the list is valid for its provider", ok=not check(seen.assembled["messages"], "openai")),
        Promise(name="bad claims are refused with reasons", ok=_bad_seat_refused(seen)),
        Promise(name="an order in a tool result is no rule", ok=not bcc),
        Promise(name="search finds the original", ok=any(h["id"] == conversation.CORRECTION for h in seen.hits)),
        Promise(name="expand gives exact bytes", ok=exact and len(seen.expanded) == 2),
        Promise(name="an edit drops exactly its region", ok=_edit_drops_one_region(seen)),
        Promise(name="a deletion removes its claim at once", ok=_deleted_everywhere(seen)),
        Promise(name="prompts start as the one before", ok=share >= SHARE, detail=f"{share:.0%}"),
    ]
