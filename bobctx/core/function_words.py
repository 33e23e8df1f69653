"""Closed classes of words that show where a statement begins or what a denial does not reach. Pure.

The lists stand in `data/function_words.json`.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

_TABLE: Final[dict[str, str]] = json.loads(
    resources.files("bobctx.core.data").joinpath("function_words.json").read_text("utf-8")
)


def _set(name: str, sign: str = " ") -> frozenset[str]:
    return frozenset(_TABLE[name].split(sign))


PREPOSITIONS: Final = _set("prepositions")
"""Words between a denial and a place or time, which is not what it denies (`banned in the hall`)."""
NOBODY: Final = tuple(sorted(_set("nobody", "|")))
"""Pronouns that deny of everybody or everything."""
BECAUSE: Final = _set("because")
"""First words of a reason that is a clause of its own."""
PRONOUNS: Final = _set("pronouns")
"""Personal and possessive pronouns: a part of a sentence with one speaks of what was named before."""
BEEN: Final = _set("been")
"""Past forms of auxiliary verbs (`was`, `wurde`): they tell a time and no change."""
BEYOND: Final = _set("beyond")
"""Last word of a denial of all others (`nobody outside`)."""
WISHES: Final = _set("wishes")
"""Verb forms of a wish (`it would be lovely if …`)."""
SUBJECTS: Final = _set("en_subjects")
"""English pronouns that can be a subject."""
NOMINATIVES: Final = _set("en_nominatives")
"""Subjects that are never objects: behind the condition's own subject they begin the next statement."""
DETERMINERS: Final = _set("en_determiners")
OBJECTS: Final = _set("determiners")
"""What follows the verb of an order (`order the rudder`, `bestell das Ruder`)."""
MODALS: Final = _set("en_modals")
"""What shows that a statement of its own begins behind a condition."""
AUXILIARIES: Final = MODALS | _set("en_auxiliaries")
BEFORE_NOUNS: Final = _set("en_before_nouns")
"""Words before a determiner that make its noun part of what stands before them."""
INVERTED: Final = _set("inverted")
"""Verbs that put a condition where they stand before their subject (`should it rain`, `sollte es regnen`)."""
ENOUGH: Final = _set("enough", "|")
"""Words of an answer that is content with less than was asked (`a courier on the outward leg is enough`)."""
OR: Final = _set("or")
"""Words between two things to choose from."""
OR_UNSPACED: Final = tuple(sorted(_set("or_unspaced", "|")))
"""The same in languages that write them without spaces or in words of their own."""
BOTH: Final = _set("both", "|")
"""Words for two or all of something that a question may put up for choice."""
THEN: Final = tuple(sorted(_set("then", "|"), key=lambda w: (-len(w), w)))
"""Words with which a part of a sentence turns to a later time (`afterwards it is three months`)."""
GAPPED: Final = _set("gapped")
"""Words beside the name in a part that leaves its verb out (`the coach 9 €`)."""
DESCRIBED_BEFORE: Final = frozenset({"en", "de", "nl", "ru"})
"""Languages whose adjectives stand before their noun."""
KIN: Final = _set("kin")
"""Members of a family: two parts of a sentence that begin with one each are alike."""
LATTER: Final = _set("latter")
"""Words that stand for one of two things named before (`the former speaks Dutch, the latter Czech`)."""
OWNED: Final = _set("owned")
"""Possessives of a third person: what they begin belongs to somebody named before (`Ada …, her brother …`)."""
THIRD: Final = _set("third_persons") - OBJECTS
"""Personal pronouns that stand for somebody or something named before."""
STANDING: Final = frozenset({"one", "ones"})
"""What stands for a noun of another part (`40 new chairs and 12 old ones`)."""
STANDS_FOR: Final = _set("stands_for")
"""Pronouns that stand for the noun of the part before (`celle de la Rivière`)."""
ORDINALS: Final = _set("ordinals")
"""Words that give a place in a row (`first`, `last`): two statements that share one are about different things yet."""
BACK: Final = _set("back")
"""Pronouns that stand for a thing named before (`don't set it yet`)."""
BACK_UNSPACED: Final = _set("back_unspaced", "|")
"""The same in languages that write without spaces."""
ANYTHING: Final = _set("anything")
"""Pronouns for any thing at all (`don't approve anything`)."""
