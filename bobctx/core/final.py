"""The second phase of an assembly: bodies, the ladder where it must be, the dialect, the final count. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bobctx.core.cover import Cover, recover
from bobctx.core.decision import decision
from bobctx.core.dialect import OUTSIDE_SYSTEM, list_tokens, repair, system_text, to_dialect
from bobctx.core.imitations import told_apart
from bobctx.core.ladder import Shrunk, shrink
from bobctx.core.plan import Assembled, AssemblyPlan, ItemKind, PlanItem
from bobctx.core.recall import Recall
from bobctx.core.segments import Flag
from bobctx.core.tokens import MESSAGE_OVERHEAD, Count, body_bytes
from bobctx.core.turns import clean
from bobctx.core.types import Json, Message

CHAT = frozenset({"openai", "anthropic", "strict"})
"""Dialects whose messages are counted one by one; in others several items make one message."""
SAID = frozenset({"text", "call", "result"})
"""Parts whose text is what they cost in bytes."""
MOST_BYTES, FRAME_BYTES = 4, 96
"""Of a code point, and of a message around its text."""
ATTEMPTS = 3
"""Final counts: a repair may add text, and what it added comes off the tail, twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What is shown raw, before the ladder."""

    opening: tuple[Message, ...]
    kept: tuple[Message, ...]
    """Inside the gap: the newest user message of a long exchange."""
    tail: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A list that fits by recorded sizes; the dialect may still change them."""

    opening: tuple[Message, ...]
    cover: Cover
    rest: tuple[Message, ...]
    """Kept and tail."""
    recall: Recall = field(default_factory=Recall)
    """Before the newest user message, if that one is in `rest`."""
    steps: tuple[str, ...] = ()
    fits: bool = True
    opening_dropped: int = 0
    """Messages of the opening that not even a note has room for; the opening's own text names them."""

    @property
    def tokens(self) -> int:
        """By recorded sizes, the block's included."""
        return sum(m.tokens for m in (*self.opening, *self.rest)) + self.cover.tokens + self.recall.tokens


def finish_assembly(plan: AssemblyPlan, bodies: Sequence[Message]) -> Assembled:
    """The answer; `bodies` are those of `plan.positions`, in that order."""
    raw = _raw(plan, bodies)
    if plan.request.mode == "off":
        return _unchanged(plan, raw)
    if plan.request.answer == "plan":
        draft = _draft(plan, raw, -plan.spared)
        return _answer(plan, draft, (), draft.tokens, ())
    extra = -plan.spared
    for _ in range(ATTEMPTS):
        draft = _draft(plan, raw, extra)
        if not draft.fits:
            break
        ordered = _ordered(plan, draft)
        messages, notes = _in_dialect(plan, ordered)
        used = _counted(plan, draft, ordered, messages)
        if used <= plan.budget.history:
            return _answer(plan, draft, messages, used, notes)
        extra = max(used - draft.tokens, extra + used - plan.budget.history)
    return _answer(plan, replace(draft, fits=False), (), draft.tokens, ())


def _raw(plan: AssemblyPlan, bodies: Sequence[Message]) -> Raw:
    """Bodies of the request and of the store, in the order of the spine; what only looks like ours is escaped."""
    loaded = iter(bodies)
    source, fitted = plan.source, plan.fit
    found: list[Message] = [
        source.body(p) if source.stored_position(p) is None else next(loaded) for p in fitted.positions
    ]
    opening, kept = fitted.opening_end, fitted.opening_end + len(fitted.kept)
    if plan.request.mode != "off":
        found = [told_apart(m, plan.request.key, plan.request.count) for m in found]
    return Raw(opening=tuple(found[:opening]), kept=tuple(found[opening:kept]), tail=tuple(found[kept:]))


# -- making it fit ----------------------------------------------------------------------


def _draft(plan: AssemblyPlan, raw: Raw, extra: int) -> Draft:
    """Opening, block and tail within the budget minus `extra`; the ladder only where it must be."""
    opening = raw.opening
    steps: tuple[str, ...] = ()
    dropped = 0
    half = plan.budget.byte_cap // 2
    if plan.fit.head_truncated or _over_bytes(opening, half):
        asked = plan.request
        shrunk = plan.memo.openings.cut(opening, plan.budget.opening_cap, half, asked.count, asked.counter_id)
        opening, steps, dropped = shrunk.messages, ("head_truncated",), len(shrunk.dropped)
    rest = (*raw.kept, *raw.tail)
    draft = Draft(opening=opening, cover=plan.cover, rest=rest, steps=steps, opening_dropped=dropped)
    recalled = replace(draft, recall=plan.recall) if _recall_place(plan, rest) is not None else draft
    if recalled.tokens + extra <= plan.budget.history and not _too_big(plan, recalled):
        return recalled
    if draft.tokens + extra <= plan.budget.history and not _too_big(plan, draft):
        return draft
    with_block = _shrunk(plan, draft, extra, keep_block=True)
    if with_block.fits:
        return with_block
    plain = _shrunk(plan, draft, extra, keep_block=False) if plan.cover.pack.text else with_block
    return plain if plain.fits else _least(plan, draft, extra) or plain


def _least(plan: AssemblyPlan, draft: Draft, extra: int) -> Draft | None:
    """A budget that not even a cut opening fits: it is announced with the gap, in ever fewer words."""
    gap = (0, max(plan.fit.gap[1], plan.fit.opening_end))
    if not draft.rest:
        return None
    for terse in (False, True):
        request = replace(plan.cover_request, gap=gap, terse=terse)
        least = replace(draft, opening=(), steps=("opening_dropped",), opening_dropped=0)
        found = _shrunk(replace(plan, cover_request=request), least, extra, keep_block=False, announced=0)
        if found.fits:
            return found
    return None


def _shrunk(plan: AssemblyPlan, draft: Draft, extra: int, *, keep_block: bool, announced: int | None = None) -> Draft:
    """The rest of the list cut to what opening and block leave; `announced`: tokens kept for a longer marker."""
    cover = plan.cover if keep_block else recover(plan.cover_request, plan.cover, also=(), keep_block=False)
    marker = _marker_room(plan) if announced is None else announced
    room = plan.budget.history - sum(m.tokens for m in draft.opening) - max(cover.tokens, marker) - extra
    left = plan.budget.byte_cap - len(cover.text) * MOST_BYTES - sum(body_bytes(m.body) for m in draft.opening)
    result = shrink(
        draft.rest,
        min(room, _char_room(plan, draft, room), _byte_room(draft, room, left)),
        plan.request.count,
        keep=_newest_user(plan, draft),
        byte_limit=left,
    )
    if result.dropped:
        also = _dropped_runs(plan, draft, result)
        cover = recover(plan.cover_request, plan.cover, also=also, keep_block=keep_block)
    found = replace(draft, cover=cover, rest=result.messages, steps=(*draft.steps, *result.steps))
    return replace(found, fits=result.fits and found.tokens + extra <= plan.budget.history)


def _marker_room(plan: AssemblyPlan) -> int:
    """What a marker may come to cost when the ladder drops messages; nothing where it cannot."""
    return min(plan.budget.marker_allowance, plan.budget.history // 2)


def _newest_user(plan: AssemblyPlan, draft: Draft) -> tuple[str, ...]:
    newest = plan.source.spine.newest_user
    return () if newest is None else (plan.source.spine.ids[newest],)


def _dropped_runs(plan: AssemblyPlan, draft: Draft, result: Shrunk) -> list[tuple[int, int]]:
    """Spine positions of what the ladder left out, as ascending runs."""
    gone = set(result.dropped)
    start = plan.fit.tail_start
    runs: list[tuple[int, int]] = []
    tail = draft.rest[len(plan.fit.kept) :]
    for position in (start + i for i, m in enumerate(tail) if m.id in gone):
        if runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return runs


def _too_big(plan: AssemblyPlan, draft: Draft) -> bool:
    """Whether bytes or characters are over a cap, looked at only where they can be."""
    messages = (*draft.opening, *draft.rest)
    if plan.budget.char_cap is not None and _chars(messages) + len(draft.cover.text) > plan.budget.char_cap:
        return True
    return _over_bytes(messages, plan.budget.byte_cap - len(draft.cover.text) * MOST_BYTES)


def _over_bytes(messages: Sequence[Message], cap: int) -> bool:
    """Whether messages have more bytes; each is looked at only where text alone could, or holds more than text."""
    native = any(p.kind in ("media", "opaque", "thinking") for m in messages for p in m.parts)
    if not native and _chars(messages) * MOST_BYTES + FRAME_BYTES * len(messages) <= cap:
        return False
    return sum(body_bytes(m.body) for m in messages) > cap


def _chars(messages: Sequence[Message]) -> int:
    return sum(len(m.text) for m in messages)


def _char_room(plan: AssemblyPlan, draft: Draft, room: int) -> int:
    """Tokens for the rest where characters are capped too."""
    cap = plan.budget.char_cap
    chars = _chars(draft.rest)
    if cap is None or not chars:
        return room
    left = max(0, cap - _chars(draft.opening) - len(draft.cover.text))
    return int(sum(m.tokens for m in draft.rest) * min(1.0, left / chars * 0.95)) if left < chars else room


def _byte_room(draft: Draft, room: int, left: int) -> int:
    """Tokens for the rest where its text alone has more than the bytes that are left; media goes by itself."""
    said = sum(len(p.text.encode("utf-8", "surrogatepass")) for m in draft.rest for p in m.parts if p.kind in SAID)
    said += FRAME_BYTES * len(draft.rest)
    return int(sum(m.tokens for m in draft.rest) * 0.95 * max(0, left) / said) if said > left else room


# -- the answer ----------------------------------------------------------------------------


def _ordered(plan: AssemblyPlan, draft: Draft) -> list[Message | Mapping[str, Any]]:
    inside = () if plan.request.dialect in OUTSIDE_SYSTEM else plan.preamble
    block: list[Mapping[str, Any]] = [_block(draft.cover)] if draft.cover.text else []
    rest: list[Message | Mapping[str, Any]] = [*draft.rest]
    place = _recall_place(plan, draft.rest)
    if draft.recall.text and place is not None:
        rest.insert(place, {"role": "user", "content": draft.recall.text})
    return [*inside, *draft.opening, *block, *rest]


def _recall_place(plan: AssemblyPlan, rest: Sequence[Message]) -> int | None:
    """Index of the newest user message."""
    newest = plan.source.spine.newest_user
    if newest is None or not plan.recall.text:
        return None
    name = plan.source.spine.ids[newest]
    return next((i for i, m in enumerate(rest) if m.id == name), None)


def _block(cover: Cover) -> dict[str, Json]:
    """Block and marker: one user message, never in the system prompt."""
    return {"role": "user", "content": cover.text}


def _in_dialect(
    plan: AssemblyPlan, ordered: Sequence[Message | Mapping[str, Any]]
) -> tuple[tuple[dict[str, Json], ...], tuple[str, ...]]:
    """The list as the provider takes it; notes name what a repair did."""
    if not ordered:
        return (), ()
    messages, notes = repair(to_dialect(ordered, plan.request.dialect), plan.request.dialect)
    return tuple(messages), tuple(notes)


def _counted(
    plan: AssemblyPlan,
    draft: Draft,
    ordered: Sequence[Message | Mapping[str, Any]],
    messages: Sequence[Mapping[str, Any]],
) -> int:
    """Tokens of the final list without the preamble; what came through as it was is not counted again."""
    request = plan.request
    outside = 0 if request.dialect in OUTSIDE_SYSTEM else sum(m.tokens for m in plan.preamble)
    if request.dialect not in CHAT:
        return list_tokens(messages, request.dialect, request.count) - outside
    whole: dict[tuple[object, ...], int] = {}
    texts = {id(own.text): own.tokens - MESSAGE_OVERHEAD for own in (draft.recall, draft.cover) if own.text}
    for message in ordered:
        if isinstance(message, Message):
            whole[_content(message.body)] = message.tokens
            if isinstance(message.body.get("content"), str) and len(message.parts) == 1:
                texts[id(message.body["content"])] = message.tokens - MESSAGE_OVERHEAD
        else:
            own = draft.recall if message["content"] is draft.recall.text else draft.cover
            whole[_content(message)] = own.tokens
    used = -outside
    for sent in messages:
        size = whole.get(_content(sent))
        if size is None:
            size = _merged(sent, texts, request.count)
        used += list_tokens([sent], request.dialect, request.count) if size is None else size
    return used


def _content(body: Mapping[str, Any]) -> tuple[object, ...]:
    """What a body holds, as its very objects: the same ones cost the same."""
    return id(body.get("content")), id(body.get("tool_calls")), body.get("tool_call_id"), body.get("role")


def _merged(body: Mapping[str, Any], texts: Mapping[int, int], count: Count) -> int | None:
    """Size of a message that a dialect put together from plain texts; None if it holds anything else."""
    content = body.get("content")
    if not isinstance(content, list) or body.get("tool_calls"):
        return None
    size = MESSAGE_OVERHEAD
    for block in content:
        if not isinstance(block, Mapping) or block.get("type") != "text" or not isinstance(block.get("text"), str):
            return None
        known = texts.get(id(block["text"]))
        size += count(block["text"]) if known is None else known
    return size


def _items(plan: AssemblyPlan, draft: Draft) -> tuple[PlanItem, ...]:
    kept = {m for m in (plan.source.spine.ids[p] for p in plan.fit.kept)}

    def item(message: Message, kind: ItemKind) -> PlanItem:
        alias = None if message.seq is None else message.alias
        return PlanItem(id=message.id, alias=alias, kind=kind, tokens=message.tokens)

    text = draft.cover.text if plan.request.answer == "plan" else None
    block = [PlanItem(id=None, alias=None, kind="block", tokens=draft.cover.tokens, text=text)]
    rest = [item(m, "kept" if m.id in kept else "tail") for m in draft.rest]
    place = _recall_place(plan, draft.rest)
    if draft.recall.text and place is not None:
        text = draft.recall.text if plan.request.answer == "plan" else None
        rest.insert(place, PlanItem(id=None, alias=None, kind="recall", tokens=draft.recall.tokens, text=text))
    return (
        *(item(m, "preamble") for m in plan.preamble),
        *(item(m, "opening") for m in draft.opening),
        *(block if draft.cover.text else []),
        *rest,
    )


def _answer(
    plan: AssemblyPlan, draft: Draft, messages: tuple[dict[str, Json], ...], used: int, notes: Sequence[str]
) -> Assembled:
    warnings = [*plan.warnings, *draft.steps, *dict.fromkeys(notes), *_cover_warnings(draft.cover)]
    warnings += [] if draft.fits else ["cannot_fit"]
    stable = (*plan.preamble, *draft.opening)
    spine = plan.source.spine
    return Assembled(
        messages=messages,
        plan=_items(plan, draft),
        decision=_decision(plan, draft, stable, warnings),
        budget=_budget(plan, used),
        warnings=tuple(warnings),
        cannot_fit=not draft.fits,
        claims=tuple(c.claim.id for c in draft.cover.pack.claims),
        recalled=tuple(c.claim.id for c in draft.recall.claims),
        regions=draft.cover.regions,
        system=_system(plan),
        asked=None if spine.newest_user is None else spine.ids[spine.newest_user],
    )


def _decision(plan: AssemblyPlan, draft: Draft, stable: Sequence[Message], warnings: Sequence[str]) -> dict[str, Json]:
    found = decision(plan, draft.cover, stable=stable, warnings=warnings, also_announced=draft.opening_dropped)
    if plan.request.recall:
        found["recall"] = {"claims": len(draft.recall.claims), "tokens": draft.recall.tokens}
    return found


def _budget(plan: AssemblyPlan, used: int) -> dict[str, Json]:
    return {
        "window": plan.budget.window,
        "history": plan.budget.history,
        "used": used,
        "counter": plan.request.counter_id,
    }


def _system(plan: AssemblyPlan) -> str | None:
    outside = plan.request.dialect in OUTSIDE_SYSTEM and plan.preamble
    return system_text(plan.preamble) if outside else None


def _cover_warnings(cover: Cover) -> list[str]:
    return ["pins_overflow"] if cover.pack.pins_overflow else []


def _unchanged(plan: AssemblyPlan, raw: Raw) -> Assembled:
    """Mode `off`: everything, as it came."""
    everything = (*plan.preamble, *raw.opening, *raw.kept, *raw.tail)
    messages = tuple(clean(m.body) for m in everything) if plan.request.answer == "messages" else ()
    draft = Draft(opening=raw.opening, cover=Cover(), rest=(*raw.kept, *raw.tail))
    return _answer(plan, draft, messages, draft.tokens, ())


def is_answered(flags: int) -> bool:
    """Whether a spine that ends in a message with these flags waits for nobody."""
    return bool(flags & Flag.ASSISTANT) and not flags & Flag.CALLS
