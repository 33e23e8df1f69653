"""Makes a list of turns one that a provider accepts, without losing text. Pure.

Results move behind their calls, a call without a result gets a stub, a result without a call
becomes text that names it, empty husks go, reused ids are told apart (design, section 4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bobctx.core.turns import Item, Turn, in_words, text_item

STUB_RESULT = "[No result of this call was recorded.]"
EMPTY_MESSAGE = "[empty message]"
NOT_SHOWN_BEFORE = "[The conversation before this message is not shown.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one dialect demands of a list of turns."""

    dialect: str
    tools: bool = True
    """Has a form for calls and results; without one they are sent in words."""
    server_tools: bool = False
    thinking: frozenset[str] = frozenset()
    """Types of thinking blocks that are the dialect's own; all others are dropped whole."""
    signed: bool = False
    """Thinking is refused without its signature, and as the last block of a message."""
    unique_ids: bool = False
    """A call id may stand for one call of the whole list only."""
    id_chars: str | None = None
    id_limit: int = 64
    system: str = "inline"
    """Where system turns may stand: `inline`, `first` or `never` in the list."""
    call_order: bool = False
    """Results stand in the order of their calls, not in that of their arrival."""
    first_user: bool = False
    trailing_space: bool = True
    """Whether the last assistant text may end in white space."""


def _ids(turns: Sequence[Turn]) -> tuple[dict[int, Item], set[int]]:
    """Which result answers which call, by identity of the items; and the results without a call.

    A result belongs to the nearest call before it with its id that is still open.
    """
    open_calls: dict[str, list[list[Item]]] = {}
    answers: dict[int, Item] = {}
    orphans: set[int] = set()
    for turn in turns:
        batch: dict[str, list[Item]] = {}
        for item in turn.items:
            if item.kind == "call":
                batch.setdefault(item.call_id or "", []).append(item)
            elif item.kind == "result":
                stack = open_calls.get(item.call_id or "")
                if not stack:
                    orphans.add(id(item))
                    continue
                answers[id(stack[-1].pop(0))] = item
                if not stack[-1]:
                    stack.pop()
        for key, calls in batch.items():
            open_calls.setdefault(key, []).append(calls)
    return answers, orphans


def _safe_id(call_id: str, rules: Rules) -> str:
    """An id of the characters and the length that the dialect takes; the same for the same id."""
    name = call_id
    if rules.id_chars is not None:
        name = "".join(c if c in rules.id_chars else "_" for c in name)
    if len(name) > rules.id_limit:
        name = f"{name[: rules.id_limit - 9]}_{hashlib.sha256(call_id.encode()).hexdigest()[:8]}"
    return name or "call"


def _fresh(name: str, used: set[str], rules: Rules) -> str:
    number, fresh = 2, name
    while fresh in used:
        suffix = f"_{number}"
        fresh = name[: rules.id_limit - len(suffix)] + suffix
        number += 1
    return fresh


def _renamed(turns: Sequence[Turn], answers: dict[int, Item], rules: Rules) -> dict[int, Item]:
    """Calls and results that need another id, by identity of the old item."""
    changed: dict[int, Item] = {}
    used: set[str] = set()
    for turn in turns:
        if not rules.unique_ids and any(i.kind == "call" for i in turn.items):
            used = set()
        for item in turn.items:
            if item.kind != "call":
                continue
            wanted = _fresh(_safe_id(item.call_id or "", rules), used, rules)
            used.add(wanted)
            if wanted != item.call_id:
                changed[id(item)] = replace(item, call_id=wanted)
                result = answers.get(id(item))
                if result is not None:
                    changed[id(result)] = replace(result, call_id=wanted)
    return changed


def _server_pairs(items: Sequence[Item]) -> set[int]:
    """Server calls and results that answer each other inside one turn, by identity."""
    calls: dict[str, Item] = {}
    paired: set[int] = set()
    for item in items:
        if item.kind != "server":
            continue
        if _is_server_call(item):
            calls[item.call_id or ""] = item
        elif (call := calls.pop(item.call_id or "", None)) is not None:
            paired |= {id(call), id(item)}
    return paired


def _is_server_call(item: Item) -> bool:
    kind = item.native.get("type") if isinstance(item.native, dict) else None
    return isinstance(kind, str) and kind.endswith("use")


def _is_signed(item: Item) -> bool:
    native = item.native if isinstance(item.native, dict) else {}
    sealed = native.get("signature") or native.get("data") or native.get("encrypted_content")
    return bool(sealed) or native.get("type") == "reasoning"


def is_own_thinking(item: Item, rules: Rules) -> bool:
    """Whether a thought is of the dialect's own kind."""
    kind = item.native.get("type") if isinstance(item.native, dict) else None
    return kind in rules.thinking


def without_foreign_thinking(turns: Sequence[Turn], rules: Rules) -> list[Turn]:
    """Turns without thoughts of other providers: no one else can read them, and their signatures do not carry over."""

    def stays(item: Item) -> bool:
        return item.kind != "thinking" or is_own_thinking(item, rules)

    return [
        t if all(map(stays, t.items)) else Turn(role=t.role, items=tuple(i for i in t.items if stays(i))) for t in turns
    ]


def _assistant_items(turn: Turn, rules: Rules, note: Callable[[str], None]) -> list[Item]:
    """The items of an assistant turn that the dialect takes."""
    paired = _server_pairs(turn.items)
    items: list[Item] = []
    for item in turn.items:
        if item.kind == "thinking":
            if is_own_thinking(item, rules) and (_is_signed(item) or not rules.signed):
                items.append(item)
            else:
                note("thinking_dropped")
        elif item.kind == "server" and not (rules.server_tools and id(item) in paired):
            note("server_tool_in_words")
            items.append(text_item(in_words(item)))
        elif item.kind != "text" or item.text.strip():
            items.append(item)
    while rules.signed and items and items[-1].kind == "thinking":
        note("thinking_dropped")
        items.pop()
    return items


def arrange(turns: Sequence[Turn], rules: Rules) -> tuple[list[Turn], list[str]]:
    """The turns in an order and form that the dialect takes, and what had to be done."""
    notes: list[str] = []

    def note(text: str) -> None:
        if text not in notes:
            notes.append(text)

    arranged = _paired(turns, rules, note) if rules.tools else _worded(turns, rules, note)
    arranged = system_turns(arranged, rules, note)
    start = next((i for i, t in enumerate(arranged) if t.role != "system"), len(arranged))
    rest = arranged[start:]
    if not any(t.role == "user" and any(i.kind != "result" for i in t.items) for t in rest) or (
        rules.first_user and rest[0].role != "user"
    ):
        note("user_message_added")
        arranged.insert(start, Turn(role="user", items=(text_item(NOT_SHOWN_BEFORE),)))
    if not rules.trailing_space:
        _strip_last(arranged, note)
    return arranged, notes


def _paired(turns: Sequence[Turn], rules: Rules, note: Callable[[str], None]) -> list[Turn]:
    """Every call directly followed by its result."""
    answers, orphans = _ids(turns)
    changed = _renamed(turns, answers, rules)
    if changed:
        note("call_ids_changed")
    order = {id(i): n for n, i in enumerate(i for t in turns for i in t.items)}
    out: list[Turn] = []
    for turn in turns:
        if turn.role == "assistant":
            out.extend(_with_results(turn, answers, changed, order, rules, note))
            continue
        items = []
        for item in turn.items:
            if item.kind == "result":
                if id(item) in orphans:
                    note("orphan_result_in_words")
                    items.append(text_item(in_words(item)))
            elif item.kind != "text" or item.text.strip():
                items.append(item)
        answered_only = bool(turn.items) and all(i.kind == "result" and id(i) not in orphans for i in turn.items)
        if not items and not answered_only and turn.role == "user":
            note("empty_message_named")
            items = [text_item(EMPTY_MESSAGE)]
        if items:
            out.append(Turn(role=turn.role, items=tuple(items)))
    return out


def _with_results(
    turn: Turn,
    answers: dict[int, Item],
    changed: dict[int, Item],
    order: dict[int, int],
    rules: Rules,
    note: Callable[[str], None],
) -> list[Turn]:
    """An assistant turn and, right after it, the results of its calls in the order they came."""
    items = _assistant_items(turn, rules, note)
    if not items:
        note("husk_dropped")
        return []
    found: list[Item] = []
    missing: list[Item] = []
    for call in (i for i in items if i.kind == "call"):
        result = answers.get(id(call))
        if result is not None:
            found.append(result)
            continue
        note("unanswered_call_stubbed")
        named = changed.get(id(call), call)
        missing.append(Item(kind="result", origin=-1, text=STUB_RESULT, call_id=named.call_id, name=call.name))
    if not rules.call_order:
        found.sort(key=lambda i: order[id(i)])
    results = [changed.get(id(i), i) for i in found] + missing
    if rules.call_order:
        places = {(changed.get(id(c), c)).call_id: n for n, c in enumerate(i for i in items if i.kind == "call")}
        results.sort(key=lambda i: places.get(i.call_id, len(places)))
    out = [Turn(role="assistant", items=tuple(changed.get(id(i), i) for i in items))]
    if results:
        out.append(Turn(role="user", items=tuple(results)))
    return out


def _worded(turns: Sequence[Turn], rules: Rules, note: Callable[[str], None]) -> list[Turn]:
    """Turns for a dialect without tools: calls and results in words."""
    out: list[Turn] = []
    for turn in turns:
        items = _assistant_items(turn, rules, note) if turn.role == "assistant" else list(turn.items)
        worded = [
            text_item(in_words(i), i.origin) if i.kind in ("call", "result", "server", "opaque") else i for i in items
        ]
        worded = [i for i in worded if i.kind != "text" or i.text.strip()]
        if not worded and turn.role == "user":
            note("empty_message_named")
            worded = [text_item(EMPTY_MESSAGE)]
        if worded:
            out.append(Turn(role=turn.role, items=tuple(worded)))
        elif turn.role == "assistant":
            note("husk_dropped")
    return out


def system_turns(turns: Sequence[Turn], rules: Rules, note: Callable[[str], None] = lambda _: None) -> list[Turn]:
    """System turns where the dialect takes them, else as user text that says what it is."""
    out: list[Turn] = []
    leading = True
    for turn in turns:
        leading = leading and turn.role == "system"
        if turn.role != "system" or rules.system == "inline" or (rules.system == "first" and leading):
            out.append(turn)
            continue
        note("system_message_in_user_turn")
        text = "\n".join(in_words(i) for i in turn.items)
        out.append(Turn(role="user", items=(text_item(f"[system message]\n{text}"),)))
    return out


def _strip_last(turns: list[Turn], note: Callable[[str], None]) -> None:
    """No white space at the end of a final assistant text: such a prefill is refused."""
    last = turns[-1] if turns else None
    if last is None or last.role != "assistant" or not last.items or last.items[-1].kind != "text":
        return
    item = last.items[-1]
    if item.text != item.text.rstrip():
        note("trailing_space_dropped")
        turns[-1] = replace(last, items=(*last.items[:-1], text_item(item.text.rstrip())))
