"""Seeded facts in six languages: stated once, corrected, corrected again, taken back, beside look-alike twins.

A fact is known by its key (the words that name its subject) and its statements in order. The phrasings stand in
`data/plants.json`; no sentence of the product's own cue tables was taken from there, and none may be put there.
`data/plants_second.json` says the same things in other words, to see that the rules do not rest on the first ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("data").joinpath(name).read_text("utf-8"))
    return found


PLANTS: dict[str, Any] = _read("plants.json")
LANGUAGES: dict[str, Any] = PLANTS["languages"]
PHRASINGS: Mapping[str, Mapping[str, Any]] = {
    "first": LANGUAGES,
    "second": {k: LANGUAGES[k] | v for k, v in _read("plants_second.json")["languages"].items()},
}
"""Ways to say the same facts, by language; filler is the same in all."""
ENGLISH_SHARE = 0.5
"""Share of the facts that are in English; the other five languages share the rest."""
FLAG = "flag"
FORBIDDEN, ALLOWED = "forbidden", "allowed"


@dataclass(slots=True, kw_only=True)
class Statement:
    """One time a fact is stated."""

    value: str
    sentence: str
    leans: bool = False
    """Names no subject: it corrects the statement just before it."""
    position: int = -1
    """Message that says it."""
    by: str = "user"


@dataclass(slots=True, kw_only=True)
class Fact:
    """A subject, a kind of value, and what was said of it in order."""

    lang: str
    kind: str
    subject: str
    key: tuple[str, ...]
    """Words that all have to stand in what states the fact."""
    words: Mapping[str, Any] = field(default_factory=lambda: LANGUAGES, repr=False)
    """The phrasings it is said in, by language."""
    statements: list[Statement] = field(default_factory=list)

    @property
    def value(self) -> str:
        """What holds at the end."""
        return self.statements[-1].value

    @property
    def question(self) -> str:
        """For a model that answers."""
        if self.kind == FLAG:
            return f"May {self.subject} be enabled? Answer ALLOWED, FORBIDDEN or UNKNOWN."
        return f"What is the current {self.kind} of {self.subject}? Answer with the exact value only, else UNKNOWN."

    def cues(self, value: str) -> Sequence[str]:
        """Words that carry a flag's value in this language."""
        found: Sequence[str] = self.words[self.lang]["kinds"][FLAG]["denies" if value == FORBIDDEN else "allows"]
        return found


class Planter:
    """Makes facts; no two have the same subject."""

    def __init__(self, dice: random.Random, words: Mapping[str, Any] = LANGUAGES) -> None:
        self._dice = dice
        self._words = words
        self._subjects: set[str] = set()
        self._values: set[str] = set()
        self._english = self._langs()

    def _langs(self) -> list[str]:
        others = [lang for lang in LANGUAGES if lang != "en"]
        self._dice.shuffle(others)
        return others

    def lang(self, number: int) -> str:
        """English for every second fact, the others in turn."""
        return "en" if number % 2 == 0 else self._english[(number // 2) % len(self._english)]

    def twins(self, lang: str, kind: str) -> tuple[Fact, Fact]:
        """Two facts of one kind whose subjects differ in one word."""
        pick, found = self._dice.choice, None
        while found is None:
            if lang == "en" and self._dice.random() < 0.5:
                noun, pair = pick(PLANTS["nouns"]), pick(PLANTS["adjectives"])
                subjects = [(f"the {a} {noun}", (a, *noun.split())) for a in pair]
            else:
                name = f"{pick(PLANTS['names'])}-{pick(PLANTS['roles'])}"
                subjects = [(f"{name}-{t}", (f"{name}-{t}",)) for t in pick(PLANTS["twins"])]
            if not any(s in self._subjects for s, _ in subjects):
                found = subjects
        self._subjects.update(s for s, _ in found)
        self._dice.shuffle(found)
        first, second = (Fact(lang=lang, kind=kind, subject=s, key=k, words=self._words) for s, k in found)
        return first, second

    def state(self, fact: Fact) -> Statement:
        """The first statement of a fact."""
        if fact.kind == FLAG:
            return self._add(fact, FORBIDDEN, "forbid")
        return self._add(fact, self.fresh(fact), "say")

    def change(self, fact: Fact, *, how: str = "change") -> Statement:
        """A further one: `change` to a new value, `back` to the first one, `short` where no subject is named."""
        if fact.kind == FLAG:
            lifted = fact.value == FORBIDDEN
            return self._add(fact, ALLOWED if lifted else FORBIDDEN, "allow" if lifted else "reforbid")
        if how == "back" and len(fact.statements) > 1:
            return self._add(fact, fact.statements[-2].value, "back")
        statement = self._add(fact, self.fresh(fact), "short" if how == "short" else "change")
        statement.leans = how == "short"
        return statement

    def _add(self, fact: Fact, value: str, form: str) -> Statement:
        former = fact.statements[-1].value if fact.statements else ""
        text = self._dice.choice(self._words[fact.lang]["kinds"][fact.kind][form])
        said = text.format(e=fact.subject, v=value, o=former)
        statement = Statement(value=value, sentence=said[:1].upper() + said[1:] if fact.lang == "en" else said)
        fact.statements.append(statement)
        return statement

    def fresh(self, fact: Fact) -> str:
        """A value of the kind that no fact has yet."""
        for _ in range(1000):
            value = self._value(fact)
            if value not in self._values or fact.kind == "owner":
                if fact.statements and value == fact.value:
                    continue
                self._values.add(value)
                return value
        raise ValueError(fact.kind)

    def _value(self, fact: Fact) -> str:
        dice, words = self._dice, PLANTS["words"]
        number = dice.randint
        makers: dict[str, Callable[[], str]] = {
            "port": lambda: str(number(1024, 64000)),
            "version": lambda: f"{number(0, 30)}.{number(0, 40)}.{number(1, 40)}",
            "path": lambda: f"/srv/{dice.choice(words)}/{dice.choice(words)}{number(2, 99)}",
            "day": lambda: f"{number(2024, 2033)}-{number(1, 12):02}-{number(1, 28):02}",
            "wait": lambda: _glued(fact.lang, number(11, 1800) * 5, LANGUAGES[fact.lang]["minutes"]),
            "owner": lambda: dice.choice(PLANTS["people"]),
            "ticket": lambda: f"{dice.choice(('OPS', 'NET', 'FIN', 'LAB'))}-{number(1000, 9999)}",
            "limit": lambda: f"{number(12, 9000)} GB",
        }
        return makers[fact.kind]()


def _glued(lang: str, number: int, unit: str) -> str:
    return f"{number}{unit}" if lang == "zh" else f"{number} {unit}"


def plant(dice: random.Random, count: int, corrected: int, words: Mapping[str, Any] = LANGUAGES) -> list[Fact]:
    """`count` facts in pairs of twins, of which `corrected` change once, twice, back, or in passing."""
    planter = Planter(dice, words)
    facts: list[Fact] = []
    kinds: list[str] = []
    while len(facts) < count:
        lang = planter.lang(len(facts) // 2)
        if not kinds:
            kinds = [*LANGUAGES["en"]["kinds"]]
            dice.shuffle(kinds)
        kind = kinds.pop()
        if kind not in LANGUAGES[lang]["kinds"]:
            lang = "en"
        for fact in planter.twins(lang, kind)[: count - len(facts)]:
            planter.state(fact)
            facts.append(fact)
    ways = ["change", "twice", "back", "short", "change"]
    for number, fact in enumerate(dice.sample(facts, corrected)):
        way = ways[number % len(ways)]
        planter.change(fact, how="short" if way == "short" else "change")
        if way in ("twice", "back"):
            planter.change(fact, how="back" if way == "back" else "change")
    return facts
