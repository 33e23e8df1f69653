"""A claim that tells as done what its sources plan, wish, ask for, try or report as failed, or the reverse. Pure.

Where all that is cited about the matter of a claim stands at one stage (`stages`), the claim may not put it at another:
a request is no answer, an attempt no success, a hope no certainty (design, section 6, Hypotheticals).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import regex

from bobctx.core.acts import acceptances, negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, zero
from bobctx.core.reading import read
from bobctx.core.sources import Clause, Source
from bobctx.core.stages import Stages, participants, stages_of, tells_done
from bobctx.core.text import content_stems, folded

ASSERTED: Final = frozenset({"fact", "artifact", "failure"})
"""Types of a claim that tells how things are; a decision is told as done when it is taken."""
BEGUN: Final = 4
"""Letters in common from which a word of the claim is taken for one of its source (`painting`, `painted`)."""
SYLLABLES: Final = 2
"""The same in Korean."""
LEAST: Final = 2
"""Words of a claim without a word for the end that a clause must have: the thing and what is done with it."""
BRIEF: Final = 48
"""Code points of a clause that may tell what came of the one before it without naming it (`got them already`)."""
LEAD: Final = 8
"""Code points at the beginning of a clause in which a `but` stands."""
MOST: Final = 40
"""Clauses with a word of the claim that are read."""
OPENING: Final = 60
"""Code points of an answer that accepts."""
_SIGNS: Final = frozenset({"zh", "ja"})
_KANA: Final = regex.compile(r"\p{Hiragana}")
_TIED: Final = frozenset({"if", "unless", "when"})


class _About(NamedTuple):
    """A cited clause with words of the claim."""

    source: Source
    clause: Clause
    text: str
    part: str
    """The statement in it that has most of those words."""
    shared: frozenset[str]
    denied: bool


def check(case: Case) -> Refusal | None:
    """Whether the claim puts its matter at a stage at which none of its sources has it."""
    stages = stages_of(case.lang)
    if stages is None or case.type not in ASSERTED:
        return None
    said, whole = folded(case.text), read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or whole.values("condition") & _TIED:
        return None
    if stages.ahead.search(said):
        return _told_ahead(case, stages, said)
    bare = stages.over.sub(" ", stages.win.sub(" ", said))  # `without errors` denies nothing of the deed
    plain = read(bare, case.lang)
    if any(s.strength for s in plain.segments) or negations(bare, case.lang):
        return None
    if stages.sure.search(said):
        return _told_sure(case, stages, said)
    if stages.open.search(said):
        return None
    if stages.failed.search(said):
        return _told_failed(case, stages, said)
    if not plain.has("modal") and (stages.over.search(said) or stages.done.search(said)):
        return _told_done(case, stages, said)
    return None


def _told_done(case: Case, stages: Stages, said: str) -> Refusal | None:
    """`The boiler has been replaced` of `we're going to replace the boiler`."""
    matter = _matter(stages.over.sub(" ", said), case.lang)
    about, best = _nearest(case, stages, matter)
    if any(_done(a, stages) for a in about if 2 * len(a.shared) >= len(best[0].shared)):
        return None
    over = stages.over.search(said) is not None
    if not (_half(best, matter) if over else _all(best, matter)):
        return None
    won = stages.win.search(said) is not None
    cues = [_mark(stages.open, a.part) or (_failing(a, stages) if won else "") for a in best]
    return _unless_come_about(case, stages, best, cues, "hypothetical")


def _told_failed(case: Case, stages: Stages, said: str) -> Refusal | None:
    """`The backup failed` of `the backup came to its end without errors`."""
    matter = _matter(stages.failed.sub(" ", said), case.lang)
    about, best = _nearest(case, stages, matter)
    if not _half(best, matter) or any(stages.failed.search(stages.win.sub(" ", a.text)) for a in about):
        return None
    cues = ["" if negations(stages.win.sub(" ", a.text), case.lang) else _mark(stages.win, a.text) for a in best]
    others = (c.text for s in case.cited for c in s.clauses if not any(c is a.clause for a in best))
    if any(stages.failed.search(folded(text)) for text in others):
        return None
    return _refusal("antonym", cues[0], best[0]) if all(cues) else None


def _told_ahead(case: Case, stages: Stages, said: str) -> Refusal | None:
    """`The deposit is still to be paid` of `I've already paid the deposit`."""
    matter = _matter(stages.ahead.sub(" ", said), case.lang)
    about, best = _nearest(case, stages, matter)
    if not _half(best, matter) or any(stages.open.search(a.text) or a.denied for a in about):
        return None
    whole = _all(best, matter)
    if not all(_done(a, stages) if whole else stages.over.search(a.text) for a in best):
        return None
    return _refusal("antonym", _mark(stages.over, best[0].text) or _mark(stages.done, best[0].text), best[0])


def _told_sure(case: Case, stages: Stages, said: str) -> Refusal | None:
    """`The visa will certainly come` of `I hope the visa comes`."""
    matter = _matter(stages.sure.sub(" ", said), case.lang)
    _, best = _nearest(case, stages, matter)
    if not _half(best, matter) or stages.doubt.search(said):
        return None
    cues = [_mark(stages.doubt, a.part) for a in best]
    if any(stages.sure.search(folded(c.text)) for s in case.cited for c in s.clauses):
        return None
    return _unless_come_about(case, stages, best, cues, "hypothetical")


def _matter(said: str, lang: str) -> frozenset[str]:
    """The words of a claim that say what it speaks of; of Japanese those without the signs of endings."""
    stems = content_stems(said, lang) - participants(lang)
    return frozenset(s for s in stems if not _KANA.search(s)) if lang == "ja" else stems


def _nearest(case: Case, stages: Stages, matter: frozenset[str]) -> tuple[list[_About], list[_About]]:
    """The cited clauses with a word of the matter, and those of them with most."""
    about = list(_about(case, stages, matter))
    most = max((len(a.shared) for a in about), default=0)
    return about, [a for a in about if len(a.shared) == most]


def _about(case: Case, stages: Stages, matter: frozenset[str]) -> Iterator[_About]:
    for source, clause, reading in case.readings(MOST):
        if reading.lang != case.lang:
            continue
        shared = frozenset(w for w in matter if _among(w, content_stems(clause.text, case.lang), case.lang))
        if shared:
            text = folded(clause.text)
            denied = any(s.strength % 2 for s in reading.segments)
            yield _About(source, clause, text, _part(text, shared, stages, case.lang), shared, denied)


def _part(text: str, shared: frozenset[str], stages: Stages, lang: str) -> str:
    """The statement of a clause that has most of the words (`I called her` of `I called her and will go there`)."""
    starts = [m.start() for m in stages.link.finditer(text)]
    if not starts:
        return text
    parts = [text[a:b] for a, b in pairwise((0, *starts, len(text)))]
    return max(parts, key=lambda part: sum(_among(w, content_stems(part, lang), lang) for w in shared))


def _among(word: str, stems: Collection[str], lang: str) -> bool:
    begun = SYLLABLES if lang == "ko" else BEGUN
    if lang in _SIGNS or len(word) < begun:
        return word in stems
    if lang == "ko":
        return any(s.startswith(word[:begun]) for s in stems)
    return has_stem(word, stems) or any(s.startswith(word[:BEGUN]) for s in stems)


def _half(best: Sequence[_About], matter: frozenset[str]) -> bool:
    return bool(best) and 2 * len(best[0].shared) >= len(matter)


def _all(best: Sequence[_About], matter: frozenset[str]) -> bool:
    return bool(best) and LEAST <= len(best[0].shared) == len(matter)


def _mark(marks: regex.Pattern[str], text: str) -> str:
    found = marks.search(text)
    return found.group() if found is not None else ""


def _done(about: _About, stages: Stages) -> bool:
    return not about.denied and tells_done(about.text, stages, past=about.part)


def _failing(about: _About, stages: Stages) -> str:
    """The word for failure in a clause or right behind it."""
    behind = _behind(about)
    texts = [about.text, *(folded(c.text) for c in behind)]
    said = (stages.win.sub(" ", t) for t in texts if not zero(t))  # `without errors`, `0 failed`
    return next((m.group() for t in said if (m := stages.failed.search(t))), "")


def _behind(about: _About) -> Sequence[Clause]:
    """The clause that stands behind another one."""
    at = about.source.clause_at(about.clause.start)
    return about.source.clauses[at + 1 : at + 2]


def _unless_come_about(
    case: Case, stages: Stages, best: Sequence[_About], cues: Sequence[str], code: str
) -> Refusal | None:
    """The refusal, where each nearest clause is open and nothing behind tells that it has come about or is agreed."""
    if not all(cues) or any(_came_about(case, a, stages) for a in best):
        return None
    return _refusal(code, cues[0], best[0])


def _came_about(case: Case, about: _About, stages: Stages) -> bool:
    """Whether what stands behind a clause tells briefly that it has come about, or accepts it."""
    behind = _behind(about)
    later = [s for s in case.cited if s.position > about.source.position and s.clauses]
    if about.source.message.role == "assistant" and any(s.message.role == "user" for s in later):
        return True  # an answer: what it settles is asked elsewhere
    if any(acceptances(s.text[:OPENING], case.lang_of(s)) for s in later):
        return True
    brief = (c.text for c in (*behind, *(c for s in later for c in s.clauses[:LEAST])) if len(c.text) <= BRIEF)
    return any(
        tells_done(text, stages) and stages.but.search(text, 0, LEAD) is None and not negations(text, case.lang)
        for text in map(folded, brief)
    )


def _refusal(code: str, cue: str, about: _About) -> Refusal:
    data = {"cue": cue, "clause": about.clause.text[:200], "message": about.source.message.alias}
    return Refusal(code=code, data=data)
