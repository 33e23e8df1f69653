"""Which earlier statement a later one replaces: same subject, changed value, in order. Pure.

The extractor links corrections by code; the validator checks each link again (design, section 6, Supersession).
A wrong link would hide a valid statement, so a look-alike twin (another service, another person) is never
replaced: what names a thing belongs to the subject, and only measured values and addresses may change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from bobctx.core import change, literals
from bobctx.core.candidates import Voice
from bobctx.core.language import is_stop_word
from bobctx.core.leaning import COMPOUND, VALUES, leans, needs, own_words
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.markers import language_said, markers
from bobctx.core.remembering import remembered
from bobctx.core.repairing import turned
from bobctx.core.salience import NAMES, stems
from bobctx.core.sorting import Draft, permits
from bobctx.core.stemming import stem
from bobctx.core.types import PriorClaim

TOLD = frozenset({"ticket", "name"})
"""Kinds that are values only where the statement says that something changed."""
SHARED = 0.5
"""Words in common, by share of the smaller statement, where the later one says that something changed."""
SHARED_NAMED = 0.3
"""The same where it also repeats the old value (`9443, not 8443`)."""
LEAST_PLAIN = 2
"""Words in common where nothing marks a change but the value itself: then the whole subject must be the same."""
LEAST_TURNED = 2
"""Words in common where a rule is lifted or set."""
OPPOSITE = 0.6
"""Words in common, by share of all words of both, of a rule and its opposite."""
_FAR = -1_000_000
"""Position of an earlier claim whose message is not known."""
NEAR = 12
"""Messages back to which a correction that names no subject (`make that 9443`) may refer."""
READ = 2_048
"""Statements that are kept as read, the latest; 9 KB each on long claims."""
JOINED_CHARS = 400
"""Characters of two statements that are quoted together, where the second makes no sense alone."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a sentence is about and the values it gives."""

    subject: frozenset[str]
    names: frozenset[str]
    values: frozenset[tuple[str, str]]
    """(kind, value)."""
    former: frozenset[tuple[str, str]]
    """Those of the values that it says held before."""
    forbids: bool
    permits: bool
    """Says that something may be done again."""
    lifts: bool
    """Says that a rule no longer holds."""
    acts: frozenset[str]
    """What is done, as far as a verb with an opposite says it (`enable` of `turn on`)."""
    modifiers: Mapping[str, str]
    """Word -> the word right before it, both of content."""

    @classmethod
    def of(cls, text: str, lang: str) -> _Statement:
        text = _LABEL.sub("", text, count=1)
        found = literals.scan(text, lang)
        values = {(lit.kind, lit.text) for lit in found if lit.kind in VALUES}
        values |= {("name", m.group()) for m in NAMES.finditer(text)}
        spelled = {v for _, v in values} | {v.casefold() for _, v in values}
        names = {lit.text.casefold() for lit in found if lit.kind not in VALUES}
        names |= {m.group().casefold() for m in COMPOUND.finditer(text)}
        marked = markers(text, lang)
        return cls(
            subject=frozenset(s for s in stems(text, lang) if s not in spelled and not any(s in v for v in spelled)),
            names=frozenset(n for n in names if not any(n in v for v in spelled)),
            values=frozenset(values),
            former=frozenset(v for v in values if _is_former(text, v[1], lang)),
            forbids="forbid" in marked and "lift" not in marked,
            permits="lift" in marked or permits(text, lang, marked),
            lifts="lift" in marked,
            acts=frozenset(c.value[:-1] for c in cues(text, lang, LOGIC, ("polar",)) if c.value[:-1] not in _RULES),
            modifiers=_modifiers(COMPOUND.sub(" . ", text), lang, spelled),
        )

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.values)

    @property
    def measures(self) -> frozenset[tuple[str, str]]:
        """The kinds, amounts with their units: `295 minutes` is no number of items."""
        return frozenset(_measure(k, v) for k, v in self.values)

    def reverses(self, other: _Statement) -> bool:
        """Whether the former value of each is the current one of the other (`from Ana to Bo`, `from Bo to Ana`)."""
        back = (self.values - self.former) & other.former
        return bool(back) and bool(self.former & (other.values - other.former))

    @staticmethod
    def amounts(values: Iterable[tuple[str, str]]) -> frozenset[str]:
        """The values without their kind: `rather than 8443` speaks of `port 8443`."""
        return frozenset(_BARE.sub("", value) for _, value in values)

    def same_thing(self, other: _Statement) -> bool:
        """Whether both have a name in common, or two words that stand together."""
        if self.names and other.names:
            return bool(self.names & other.names)
        together = any(other.modifiers.get(noun) == word for noun, word in self.modifiers.items())
        return together and not self.contradicts(other)

    def contradicts(self, other: _Statement) -> bool:
        """Whether the same noun is told apart by another word: the `upper` and the `lower` dock."""
        return any(
            word not in other.subject and other.modifiers[noun] not in self.subject
            for noun, word in self.modifiers.items()
            if other.modifiers.get(noun, word) != word
        )


@remembered(READ)
def _statement(text: str, lang: str) -> _Statement:
    """What a sentence is about, remembered: every region of a conversation asks it again of all earlier claims."""
    return _Statement.of(text, lang)


_WORD = regex.compile(r"[\p{L}\p{M}]++")
_FIGURE = regex.compile(r"\s(?:\d{3}|\d+[.,]\d)")
"""A figure behind a noun that only says what it is (`uses port 9443`)."""
_BARE = regex.compile(r"^\p{L}++\s++(?=\d)")
_AMOUNT = regex.compile(r"[\d.,]++")
_AMOUNTS = frozenset({"number", "percent", "size", "money"})
_LABEL = regex.compile(r"^(?:[\p{L}'’]++[ ,]{1,2}){0,4}[\p{L}'’]++\s?[:：]\s*+(?=\S)")
"""A few words that only announce what follows (`One thing for later:`)."""
_RULES = frozenset({"allow", "accept", "true"})
"""Opposites that speak of the rule or the statement itself, not of what is done."""


def _is_former(text: str, value: str, lang: str) -> bool:
    """Whether a value stands where a former one does: `instead of 8443`, `not 8443`, `from 8443 to 9443`."""
    at = text.find(value)
    if at < 0:
        return False
    end = at + len(value)
    if change.former_before(text[:at], lang) or (lang in ("zh", "ja", "ko") and change.former_after(text[end:], lang)):
        return True
    changes = change.marks_change(text, lang) or turned(text, lang)
    return changes and change.from_to(text[:at], text[end : end + 30], lang)


def _modifiers(text: str, lang: str, spelled: Collection[str]) -> dict[str, str]:
    """Word -> the content word right before it; words of the values in `spelled` are none."""
    found: dict[str, str] = {}
    before = None
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if is_stop_word(word, lang):
            before = None
            continue
        own = stem(word, lang)
        if any(own in value for value in spelled):
            before = None
            continue
        if before is not None and text[before[1] : match.start()] == " " and not _FIGURE.match(text, match.end()):
            found[own] = before[0]
        before = (own, match.end())
    return found


@dataclass(frozen=True, slots=True)
class _Earlier:
    """A statement that may be replaced."""

    target: int | PriorClaim
    said: _Statement
    position: int
    """Message in the region; before its first one for an earlier claim."""
    voice: Voice = "user"
    text: str = ""


def link(drafts: Sequence[Draft], prior: Sequence[PriorClaim] = (), *, first: int | None = None) -> list[Draft]:
    """The drafts with `replaces` or `replaces_prior` set where one changes an earlier statement.

    Each statement is replaced once, by the next one that changes it, so that chains stay in order.

    Args:
        drafts: Statements of a region.
        prior: Claims of earlier regions.
        first: Arrival number of the region's first message, to know how far back an earlier claim lies.
    """
    linked = list(drafts)
    order = sorted(range(len(drafts)), key=lambda i: (drafts[i].position, drafts[i].order))
    earlier = [
        _Earlier(
            c,
            _statement(c.text, language_said(c.text, c.cited_text)),
            _FAR if first is None or c.seq is None else c.seq - first,
            text=c.text,
        )
        for c in prior
        if c.active
    ]
    earlier.sort(key=lambda e: e.position)
    for index in order:
        draft = drafts[index]
        now = _statement(draft.text, draft.lang)
        place, named = (None, True) if draft.tool else _replaced(draft, now, earlier)
        if place is not None:
            linked[index] = _linked(draft, earlier.pop(place), linked, named=named)
        if not draft.tool:
            earlier.append(_Earlier(index, now, draft.position, draft.voice, draft.text))
    return linked


def _replaced(draft: Draft, now: _Statement, earlier: Sequence[_Earlier]) -> tuple[int | None, bool]:
    """Place of the one earlier statement that `now` changes (None: there is none, or two look alike); is it named."""
    repairs = leans(draft.text, draft.lang)
    own = _own(draft) if repairs else frozenset[str]()
    near = _nearest(draft, now, earlier, reach=NEAR, prior=True) if repairs else None
    if near is not None and (not own or own & earlier[near].said.subject):
        return near, not needs(draft.text, earlier[near].text, draft.lang)
    named = own_words(draft.text, draft.lang) if repairs else own
    ranked = sorted(
        (
            (share, place)
            for place, e in enumerate(earlier)
            if (share := _shared(draft, now, e)) > 0.0 and (not repairs or named & e.said.subject)
        ),
        reverse=True,
    )
    if near is not None and not ranked:  # its own words only say what kind of value it is
        return near, not needs(draft.text, earlier[near].text, draft.lang)
    if len(ranked) > 1 and ranked[0][0] == ranked[1][0] and not _same_subject(earlier, ranked[0][1], ranked[1][1]):
        return None, True
    if ranked:
        return ranked[0][1], True
    if draft.corrects and len(now.subject) <= 2:
        return _nearest(draft, now, earlier, reach=NEAR, prior=False), False
    return None, True


def _measure(kind: str, value: str) -> tuple[str, str]:
    return kind, _AMOUNT.sub("", value).strip() if kind in _AMOUNTS else ""


def _alike(new: Iterable[tuple[str, str]], old: Iterable[tuple[str, str]]) -> bool:
    """Whether values of one kind are in both; a bare number and one with a unit measure different things."""
    mine, theirs = ({(k, bool(_measure(k, v)[1])) for k, v in values} for values in (new, old))
    return bool(mine & theirs)


def _same_subject(earlier: Sequence[_Earlier], first: int, second: int) -> bool:
    return earlier[first].said.subject == earlier[second].said.subject


def _shared(draft: Draft, now: _Statement, then: _Earlier) -> float:
    """How much of the subject is the same where the value changed; 0 if nothing is replaced."""
    old = then.said
    if then.position == draft.position or not now.subject or not old.subject:
        return 0.0
    new_values, gone = now.values - old.values, old.values - now.values
    kept = {_measure(*v) for v in old.values & now.values}
    repeats = any(_measure(*v) in kept for v in new_values)
    changed = _alike(new_values, gone) or (draft.corrects and (repeats or now.reverses(old)))
    # What was forbidden stays so until somebody allows it: news of the same thing does not lift a rule.
    turned = draft.corrects and now.forbids != old.forbids and (now.forbids or now.permits)
    others = bool(now.names and old.names and not now.names & old.names)
    if not repeats and not now.names & old.names and (now.names or old.names) and len(now.subject - old.subject) > 1:
        others = True  # one has a name, and the other speaks of something of its own
    if not repeats and not now.same_thing(old) and _apart(now, old, draft.lang):
        return 0.0
    if now.forbids != old.forbids and (overturned := _overturned(now, old)):
        return overturned
    if not draft.corrects and now.forbids != old.forbids and not others:
        return _turned_over(now, old)
    # `uses port 9443` and `needs port 8443` are no twins where both name the thing and the later one repeats the value.
    apart = now.contradicts(old) and not (repeats and now.names & old.names)
    if not draft.corrects and repeats and not others and not apart:
        # It says the old value too, so nothing is lost where it stands for the earlier statement.
        common = len(now.subject & old.subject)
        alike = bool(now.names & old.names) or now.same_thing(old) or common >= SHARED * len(old.subject)
        return 1.0 + common / len(old.subject) if alike else 0.0
    misses = bool(now.former) and not now.amounts(now.former) & old.amounts(old.values)
    if not (changed or turned) or others or misses or apart:
        return 0.0
    common = len(now.subject & old.subject)
    if not draft.corrects:
        if now.forbids and old.forbids:
            return 0.0  # rules add up: what may not happen to 2 may not happen to 4 either
        same = now.subject == old.subject and now.names == old.names and common >= LEAST_PLAIN
        return 1.0 if same and now.kinds == old.kinds and not now.kinds & TOLD else 0.0
    if not changed:
        # A rule is lifted or set only by a statement about most of what it is about: one shared noun is no subject.
        share = common / len(old.subject)
        return share if common >= LEAST_TURNED and share >= SHARED else 0.0
    share = common / min(len(now.subject), len(old.subject))
    if now.names & old.names:
        share = max(share, SHARED + 0.4 * share)  # what is named alike is the same thing
    needed = SHARED_NAMED if repeats else SHARED
    return share + (0.5 if repeats else 0.0) if share >= needed else 0.0


def _turned_over(now: _Statement, old: _Statement) -> float:
    """A rule and its opposite about exactly the same thing: the later one holds."""
    common = len(now.subject & old.subject)
    if old.permits and now.names & old.names:
        return 1.0
    near = common >= LEAST_TURNED and common >= OPPOSITE * len(now.subject | old.subject)
    return common / len(now.subject | old.subject) if near and not now.contradicts(old) else 0.0


def _apart(now: _Statement, old: _Statement, lang: str) -> bool:
    """Whether each speaks of something of its own: `keep the north dock at 1.2` and `keep the new feed at 3.4`."""
    most = 4 if lang in ("zh", "ja") else 1  # there a word is several pairs of characters
    return len(now.subject - old.subject) > most and len(old.subject - now.subject) > most


def _overturned(now: _Statement, old: _Statement) -> float:
    """A rule about one thing is lifted or set again: the same act, or a text that says that the ban is off."""
    if not ((now.permits and old.forbids) or (now.forbids and old.permits)) or not now.same_thing(old):
        return 0.0
    same_act = bool(now.acts & old.acts)
    if not same_act and ((now.acts and old.acts) or not (now.lifts or old.lifts)):
        return 0.0
    return 1.0 + len(now.subject & old.subject) / len(now.subject | old.subject)


def _nearest(draft: Draft, now: _Statement, earlier: Sequence[_Earlier], *, reach: int, prior: bool) -> int | None:
    """The newest statement shortly before, with a value of the same kind, for a correction that names no subject.

    `prior` says whether it may be a claim of an earlier region.
    """
    own = _own(draft)
    best: tuple[bool, bool, int] | None = None
    found = None
    for place, then in enumerate(earlier):
        if not 0 < draft.position - then.position <= reach or (then.position < 0 and not prior):
            continue
        if now.measures and now.measures <= then.said.measures and now.values != then.said.values:
            rank = bool(own & then.said.subject), draft.voice == then.voice, then.position
            if best is None or rank >= best:
                best, found = rank, place
    return found


def _own(draft: Draft) -> frozenset[str]:
    """Words of its own that a repair has; in scripts without spaces pairs of its characters are none."""
    return frozenset() if draft.lang in ("zh", "ja") else own_words(draft.text, draft.lang)


def _linked(draft: Draft, then: _Earlier, drafts: Sequence[Draft], *, named: bool) -> Draft:
    """The draft with its link; one that names no subject is quoted behind what it changes."""
    importance = 3 if draft.corrects or not named else draft.importance
    if (draft.corrects or not named) and draft.type in ("fact", "artifact"):
        draft = replace(draft, type="correction")
    if not isinstance(then.target, int):
        return replace(draft, importance=importance, replaces_prior=then.target.alias)
    old = drafts[then.target]
    draft = replace(draft, importance=max(importance, old.importance), replaces=then.target)
    if not named and len(old.text) + len(draft.text) < JOINED_CHARS and not old.also:
        return replace(draft, text=f"{old.text} {draft.text}", also=(old.position,))
    return draft
