"""Seeded conversations that read like work, with planted facts: `planted`, `iterated`, `long` (design, section 12)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evals.planting import FLAG, LANGUAGES, PHRASINGS, PLANTS, Fact, Statement, plant

Body = dict[str, Any]
CHARS_PER_TOKEN = 4.25
"""Of English filler, to aim at a length; sizes are counted for real afterwards."""
ASSISTANT_SHARE = 0.1
"""Share of first statements that the assistant makes."""
TOOL_SHARE = 0.6
"""Share of exchanges with tool calls in the tool-heavy variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How large a conversation is."""

    exchanges: int
    tokens: int
    facts: int
    corrections: int
    questions: int
    window: int
    """Of the model that is asked; half of it is history."""
    repeats: int = 1


SHAPES: dict[str, Shape] = {
    "planted": Shape(exchanges=200, tokens=53_800, facts=16, corrections=5, questions=16, window=20_000, repeats=2),
    "iterated": Shape(exchanges=330, tokens=88_000, facts=182, corrections=20, questions=43, window=96_000, repeats=2),
    "long": Shape(exchanges=3_000, tokens=939_000, facts=168, corrections=16, questions=24, window=232_000, repeats=2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Messages, and what was planted in them."""

    messages: list[Body]
    facts: list[Fact]
    questions: list[int]
    """Indexes of the facts that are asked about."""


def converse(
    name: str, seed: int, *, tools: bool = False, scale: float = 1.0, phrasings: str = "first"
) -> Conversation:
    """One conversation of a shape; the same seed gives the same bytes. `scale` shortens it, facts and all."""
    shape = SHAPES[name]
    dice = random.Random(f"{name} {seed} {tools}")
    count = max(6, int(shape.facts * scale))
    facts = plant(dice, count, max(2, int(shape.corrections * scale)), PHRASINGS[phrasings])
    exchanges = max(30, int(shape.exchanges * scale))
    placed = _placed(dice, facts, exchanges)
    maker = _Maker(dice, int(shape.tokens / shape.exchanges * CHARS_PER_TOKEN), facts, tools=tools)
    for number in range(exchanges):
        maker.exchange(placed.get(number, []))
    return Conversation(messages=maker.messages, facts=facts, questions=_questions(dice, facts, shape, count))


def _questions(dice: random.Random, facts: list[Fact], shape: Shape, count: int) -> list[int]:
    """What changed is always asked, then twins and prohibitions as they come."""
    changed = [i for i, f in enumerate(facts) if len(f.statements) > 1]
    others = [i for i, f in enumerate(facts) if len(f.statements) == 1]
    dice.shuffle(others)
    others.sort(key=lambda i: facts[i].kind != FLAG)
    wanted = min(count, shape.questions)
    flags = [i for i in others if facts[i].kind == FLAG][: wanted // 6]
    rest = [i for i in others if i not in flags]
    return sorted([*changed, *flags, *rest][:wanted])


def _placed(dice: random.Random, facts: list[Fact], exchanges: int) -> dict[int, list[tuple[Fact, Statement]]]:
    """Exchange -> statements; first ones anywhere in the first 60 %, the last ones by 85 %."""
    found: dict[int, list[tuple[Fact, Statement]]] = {}
    taken: set[int] = set()

    def put(at: int, fact: Fact, statement: Statement) -> None:
        found.setdefault(at, []).append((fact, statement))

    # What a correction without a subject corrects stands alone in its exchange, else nobody could tell what is meant.
    for fact in sorted(facts, key=lambda f: not any(s.leans for s in f.statements)):
        leans = any(s.leans for s in fact.statements)
        late = int(exchanges * (0.85 if len(fact.statements) == 1 else 0.5))
        at = _free(dice, 0, late, taken, 2 if leans else 1)
        if leans:
            taken.update((at, at + 1))
        put(at, fact, fact.statements[0])
        for number, statement in enumerate(fact.statements[1:], 1):
            end = int(exchanges * (0.68 if number == 1 and len(fact.statements) > 2 else 0.85))
            at = at + 1 if statement.leans else _free(dice, at + 1, max(at + 2, end), taken, 1)
            put(at, fact, statement)
    return found


def _free(dice: random.Random, low: int, high: int, taken: set[int], places: int) -> int:
    """An exchange from `low` to before `high`, it and what follows not taken; any where there is none."""
    free = [at for at in range(low, high) if taken.isdisjoint(range(at, at + places))]
    return dice.choice(free) if free else dice.randrange(low, high)


class _Maker:
    """Writes exchange after exchange."""

    def __init__(self, dice: random.Random, chars: int, facts: list[Fact], *, tools: bool) -> None:
        self._dice = dice
        self._chars = chars
        self._talk = [f.subject for f in facts]
        self._tools = tools
        self._calls = 0
        self.messages: list[Body] = []

    def exchange(self, statements: list[tuple[Fact, Statement]]) -> None:
        """User, perhaps tools, assistant; a statement stands among filler of its own language."""
        langs = [f.lang for f, _ in statements] or [self._lang()]
        lang = langs[0]
        asked = [(f, s) for f, s in statements if self._assistant_says(f, s)]
        told = [(f, s) for f, s in statements if (f, s) not in asked]
        user = [self._said(f, s, len(self.messages)) for f, s in told]
        for _ in range(self._dice.randint(0 if user else 1, 2)):
            user.insert(self._dice.randint(0, len(user)), self._filler(lang, "user"))
        user += [f"What do our notes say about {f.subject}?" for f, _ in asked]
        self._post("user", _joined(user, lang))
        if self._tools and self._dice.random() < TOOL_SHARE:
            self._run_tools()
        answer: list[str] = []
        size = self._chars - sum(map(len, user)) + self._dice.randint(-200, 200)
        while sum(map(len, answer)) < size or not answer:
            answer.append(self._filler(lang if lang == "en" or self._dice.random() < 0.3 else "en", "assistant"))
        for fact, statement in asked:
            statement.by = "assistant"
            answer.insert(self._dice.randint(0, 1), self._said(fact, statement, len(self.messages)))
        self._post("assistant", _joined(answer, "en"))

    def _lang(self) -> str:
        return "en" if self._dice.random() < 0.7 else self._dice.choice([*LANGUAGES])

    def _assistant_says(self, fact: Fact, statement: Statement) -> bool:
        first = statement is fact.statements[0] and len(fact.statements) == 1
        return first and fact.lang == "en" and fact.kind != FLAG and self._dice.random() < 2 * ASSISTANT_SHARE

    def _said(self, fact: Fact, statement: Statement, position: int) -> str:
        statement.position = position
        if statement.leans:
            return statement.sentence
        lead = self._dice.choice(fact.words[fact.lang]["lead"])
        said = statement.sentence
        if lead and said.startswith("The ") and fact.lang == "en":
            said = "the " + said[4:]
        statement.sentence = lead + said
        return statement.sentence

    def _filler(self, lang: str, role: str) -> str:
        text: str = self._dice.choice(LANGUAGES[lang][role])
        dice = self._dice
        return text.format(n=dice.randint(2, 900), p=dice.choice(PLANTS["people"]), w=dice.choice(self._talk))

    def _run_tools(self) -> None:
        """A call and its result: listings, counts and logs that nobody will need."""
        self._calls += 1
        dice, name = self._dice, self._dice.choice(("search_logs", "list_files", "run_query", "read_page"))
        call = {"id": f"call_{self._calls}", "type": "function"}
        arguments = {"target": dice.choice(self._talk), "limit": dice.randint(5, 50)}
        call["function"] = {"name": name, "arguments": json.dumps(arguments)}  # type: ignore[assignment]
        self._post("assistant", None, tool_calls=[call])
        lines = [
            f"{dice.randint(0, 23):02}:{dice.randint(0, 59):02} {dice.choice(PLANTS['words'])} "
            f"{dice.choice(('ok', 'retry', 'slow', 'done', 'queued'))} {dice.randint(1, 4000)} ms"
            for _ in range(dice.randint(6, 30))
        ]
        self._post("tool", "\n".join(lines), tool_call_id=call["id"])

    def _post(self, role: str, content: str | None, **fields: Any) -> None:
        self.messages.append({"id": f"x{len(self.messages)}", "role": role, "content": content, **fields})


def _joined(pieces: Iterable[str], lang: str) -> str:
    """Chinese sentences without a space between them, all others with one."""
    text = ""
    for piece in pieces:
        text += piece if not text or (lang == "zh" and text[-1] > "\u2e80") else f" {piece}"
    return text
