"""What of a stretch of prose can be quoted alone: no piece without the denial that governs it. Pure.

A sentence, the clauses of a long one, a list's item. `Never enable …, and restart …`, a ban above a list and a
ban that goes on in the next line say the opposite when they are taken apart: such words are quoted together, or
not at all (design, section 6, Polarity).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from bobctx.core.acts import conditions, negations, prohibition_cues
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.markers import language_within, markers, telling
from bobctx.core.text import Span, clauses, sentences

MAX_CHARS = 600
"""Characters of a claim (design, section 6, Shape)."""
LONG_CHARS = 320
"""A longer sentence is offered clause by clause instead, unless it denies something."""

_QUOTED = regex.compile(r"(?:>\s?)*+")
_ITEM = regex.compile(r"(?:>\s?)*+(?:[-*•+–]|\d{1,3}[.)]|\[[ xX]\])\s")
_MARK = regex.compile(r"^(?:[-*•+–]\s++|\d{1,3}[.)]\s++|#{1,6}\s++|\[[ xX]\]\s++|>\s*+)+")
_CONJUNCTION = regex.compile(
    r"^[\s,;–-]*+(?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma|mas|en|maar|и|а|но)\s++)?", regex.IGNORECASE
)
_COMMA = regex.compile(r"[,;،，；、](?=\s|[^\x00-\u024f])|\s[—–-]{1,2}(?=\s)|:(?=\s)|：")
_WAITS_FOR_NOUN = regex.compile(
    r"(?<!\w)(?:d(?:er|ie|as|e[mns])|(?:k?ein|mein|dein|unser|jed|dies|welch)e[mnrs]?|kein|im|am|zu[mr]|beim|vom|für|ohne"
    r"|und|oder|sowie)$",
    regex.IGNORECASE,
)
_ENDED = frozenset(".!?…。！？｡؟:：;；")
_GOES_ON = frozenset(",،，、—–-")


class Piece(NamedTuple):
    """Words that can be quoted, and where in the text they stand; what was wrapped or listed is on one line."""

    place: Span
    text: str


def without_conjunction(clause: str) -> str:
    """A clause without the word that joins it to the one before."""
    return _CONJUNCTION.sub("", clause, count=1)


def denials(text: str, lang: str) -> tuple[int, ...]:
    """Where words stand that deny or forbid; nothing is known of a language without tables."""
    return tuple(sorted({c.start for c in (*negations(text, lang), *prohibition_cues(text, lang))}))


def pieces(text: str, span: Span, lang: str, *, prose: bool = True) -> Iterator[Piece]:
    """What can be quoted of `text` within `span`, in order.

    `lang` is that of the whole text; lines of what is no prose (output of programs) go on less often.
    """
    stretch = text[span.start : span.end]
    units = _units(stretch, lang, prose=prose)
    at = 0
    while at < len(units):
        listed = _list_under(stretch, units, at, lang)
        for place, words in (_divided(units[at], lang)) if not listed else _with_head(units[at], listed):
            yield Piece(Span(span.start + place.start, span.start + place.end), words)
        at += 1 + sum(len(item) for item in listed)


_STRUCTURE = regex.compile(r"[{}\[\]|\t]|(?<=[:,{\[]\s?)\"|\"(?=\s?[:,}\]])|\n\s*\n")
AROUND = 1_000
"""Characters before and after a value in which what denies it is looked for."""


def governed(text: str, window: Span, value: int) -> str | None:
    """The words of a window around a value in a tool's text, or the sentence or item that the value stands in if that
    denies more than they do; None where what denies it is too far away to be quoted with it.
    """
    words = window.of(text)
    edges = [(m.start(), m.end()) for m in _STRUCTURE.finditer(text, max(0, value - AROUND), value + AROUND)]
    low = max((e for _, e in edges if e <= value), default=max(0, value - AROUND))
    high = min((s for s, _ in edges if s > value), default=min(len(text), value + AROUND))
    lang = language_of(text[low:high])
    if lang == UNKNOWN or not denials(text[low:high], lang):
        return words
    found = next(
        (p for p in pieces(text, Span(low, high), lang, prose=False) if p.place.start <= value < p.place.end), None
    )
    if found is None:
        return None
    return found.text if len(denials(found.text, lang)) > len(denials(words, lang)) else words


# -- sentences that go on in the next line -------------------------------------------------


def _units(stretch: str, lang: str, *, prose: bool) -> list[Piece]:
    """Sentences; lines that only together say what they deny are one."""
    spans = sentences(stretch)
    capitals = prose and any(stretch[s.start].isupper() for s in spans)
    groups: list[list[Span]] = []
    for span in spans:
        if groups and _goes_on(stretch, groups[-1], span, lang, capitals=capitals):
            groups[-1].append(span)
        else:
            groups.append([span])
    found: list[Piece] = []
    for group in groups:
        first, *others = (s.of(stretch) for s in group)
        whole = " ".join((first, *(_QUOTED.sub("", other, count=1) for other in others)))
        if len(group) > 1 and _denies(whole, lang):
            found.append(Piece(Span(group[0].start, group[-1].end), whole))
        else:
            found.extend(Piece(s, s.of(stretch)) for s in group)
    return found


def _goes_on(stretch: str, group: Sequence[Span], after: Span, lang: str, *, capitals: bool) -> bool:
    """Whether a sentence was only wrapped, or seems to end at a full stop that is none (`(e.g. on Mon. or Tue.)`).

    A small letter begins no sentence of who writes capitals, and a German noun stands behind its article; others go
    on after a comma.
    """
    said, between = stretch[group[0].start : group[-1].end], stretch[group[-1].end : after.start]
    if len(said) > MAX_CHARS:
        return False
    first = _QUOTED.sub("", after.of(stretch), count=1)[:1]
    if "\n" not in between:
        return said.count("(") > said.count(")") or (capitals and first.islower())
    if between.count("\n") > 1 or said[-1] in _ENDED or first == "#" or _ITEM.match(stretch, after.start):
        return False
    noun = capitals and lang == "de" and _WAITS_FOR_NOUN.search(said) is not None
    return said[-1] in _GOES_ON or noun or (capitals and first.islower())


# -- lists under a ban ---------------------------------------------------------------------


def _list_under(stretch: str, units: Sequence[Piece], at: int, lang: str) -> list[list[Piece]]:
    """The items, each with its sentences, of a list whose head denies something; else none."""
    head = units[at]
    opens = head.text.endswith((":", "："))
    if at + 1 == len(units) or (head.text[-1] in _ENDED and not opens):
        return []
    if not (opens or _is_item(stretch, units[at + 1])) or not _denies(unmarked(head.text), lang):
        return []
    marked = _is_item(stretch, head)
    least = _indent(stretch, head) + 1 if marked else 0
    plain = opens and not marked and not _is_item(stretch, units[at + 1])
    items: list[list[Piece]] = []
    for unit in units[at + 1 :]:
        end = (items[-1][-1] if items else head).place.end
        breaks = stretch[end : unit.place.start].count("\n")
        deeper = _indent(stretch, unit) > least
        if breaks and _is_item(stretch, unit) and _indent(stretch, unit) >= least:
            items.append([unit])
        elif items and (not breaks or (breaks == 1 and deeper and not plain)):
            items[-1].append(unit)
        elif plain and breaks == 1:
            items.append([unit])
        else:
            break
    return items


def _is_item(stretch: str, unit: Piece) -> bool:
    return _ITEM.match(stretch, unit.place.start) is not None


def _indent(stretch: str, unit: Piece) -> int:
    return unit.place.start - (stretch.rfind("\n", 0, unit.place.start) + 1)


def _with_head(head: Piece, items: Sequence[Sequence[Piece]]) -> Iterator[Piece]:
    """Each item behind its head, which says what becomes of it."""
    above = unmarked(head.text)
    above = above if above.endswith((":", "：")) else f"{above}:"
    for item in items:
        words = unmarked(" ".join(u.text for u in item))
        yield Piece(Span(item[0].place.start, item[-1].place.end), f"{above} {words}")


def unmarked(text: str) -> str:
    """A line without what makes it an item, a heading or a quotation."""
    return _MARK.sub("", text.strip(), count=1).strip()


# -- long sentences ------------------------------------------------------------------------


def _denies(text: str, lang: str) -> bool:
    own = telling(text, language_within(text, lang))
    return bool(denials(text, own)) or "forbid" in markers(text, own, ("forbid",))


def _divided(unit: Piece, lang: str) -> Iterator[Piece]:
    """A sentence; the clauses of a long one; of one that denies something, the whole or what holds all its denials."""
    place, text = unit
    if len(text) <= LONG_CHARS:
        yield unit
        return
    own = language_within(text, lang)
    found = denials(text, own)
    if not found and own != UNKNOWN and "forbid" not in markers(text, own, ("forbid",)):
        label = labelled(text)
        if label is not None and len(text) <= MAX_CHARS:
            yield unit
            return
        parts = clauses(text)
        if label is not None:
            yield from _under_label(unit, label, parts)
            return
    elif len(text) <= MAX_CHARS:
        yield unit
        return
    else:
        parts = _around(text, found, own)
    whole = place.end - place.start == len(text)
    for part in parts:
        inside = Span(place.start + part.start, place.start + part.end) if whole else place
        yield Piece(inside, without_conjunction(part.of(text)))


_LABEL = regex.compile(r":(?=\s)|：")
LABEL_CHARS = 120
"""Characters of a label that is quoted again with what stands behind it."""


def labelled(text: str) -> int | None:
    """The end of the label that a sentence begins with (`Shun all of these: …`); it may govern all that follows.

    Nobody has a list of all words that forbid: what stands behind one that is not known says the opposite alone.
    """
    found = _LABEL.search(text.rstrip(":： "))
    return None if found is None else found.end()


def _under_label(unit: Piece, label: int, parts: Sequence[Span]) -> Iterator[Piece]:
    """The parts of a sentence too long for a claim: each behind its label, or none where that is no label."""
    head = unit.text[:label].strip()
    if len(head) > LABEL_CHARS:
        return
    for part in parts:
        words = without_conjunction(unit.text[max(part.start, label) : part.end]).strip(" :：")
        if words and part.end > label:
            yield Piece(unit.place, f"{head} {words}")


def _around(text: str, found: Sequence[int], lang: str) -> list[Span]:
    """What of a sentence that is too long for a claim holds all that denies (`found`) and conditions in it.

    Failing that, the clauses with a denial of their own; of a language that nobody reads here, nothing.
    """
    if not found:
        return []
    cues = sorted((*found, *(c.start for c in conditions(text, lang))))
    edges = [0, *(m.end() for m in _COMMA.finditer(text)), len(text)]
    whole = _window(text, Span(0, len(text)), cues, edges)
    if whole is not None:
        return [whole]
    own = (c for c in clauses(text) if bisect_left(found, c.start) < bisect_left(found, c.end))
    return [part for c in own if (part := _window(text, c, cues, edges)) is not None]


def _window(text: str, span: Span, cues: Sequence[int], edges: Sequence[int]) -> Span | None:
    """The part of a clause, cut at commas, with every cue in it, as long as a claim may be."""
    start, end = span
    if end - start <= MAX_CHARS:
        return span
    inside = cues[bisect_left(cues, start) : bisect_left(cues, end)]
    cuts = [start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end]
    first = max(e for e in cuts if e <= inside[0])
    last = min(e for e in cuts if e > inside[-1])
    if last - first > MAX_CHARS:
        return None
    last = max(e for e in cuts if e >= last and e - first <= MAX_CHARS)
    first = min(e for e in cuts if e <= first and last - e <= MAX_CHARS)
    said = text[first:last]
    return Span(first + len(said) - len(said.lstrip()), first + len(said.rstrip(" ,;،，；、—–-:：")))
