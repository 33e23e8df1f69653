"""What gave way to something else, claimed as if it still held: `we moved from Leeds to York`, `lives in Leeds`. Pure.

The claim names what a cited sentence tells as gone and nothing of what came in its place (design, section 6, Stale
values). `takeover` finds the two in a sentence; values of one kind are `staleness` as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core import change, takeover
from bobctx.core.checking import Case, Refusal
from bobctx.core.former import MOST, speaks_once
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.slots import PARTICLE
from bobctx.core.sources import Source
from bobctx.core.staleness import CURRENT
from bobctx.core.takeover import Turn
from bobctx.core.text import Span, content_stems, folded

_ALIKE: Final = {"es": "pt", "pt": "es"}
"""Languages that a short sentence may be taken for."""
SHARE: Final = 0.5
"""Share of the words that name what is gone which the claim must have."""
_REACHED: Final = frozenset(
    {"binding", "antonym", "unsupported", "negation_added", "negation_dropped", "condition_dropped"}
)
"""Codes of refusals that may rest on what is gone."""
CLAUSE: Final = 60
"""Code points of a clause by which it is found again."""
ROOT: Final = 4
"""Letters of a word that another one may be made of."""
ENDING: Final = 2
"""Letters that such a word has more."""


def check(case: Case) -> Refusal | None:
    """The first thing that is gone by the cited messages and that the claim tells as present."""
    if case.type not in CURRENT or not takeover.known(case.lang) or not _speaks_of_today(case):
        return None
    for source, block, lang, turn in _turns(case):
        told = _told(case, turn, lang)
        moved = bool(turn.at) and not turn.lead  # `from X to Y`
        if told and not (moved and _starts_there(case, told)) and not _said_elsewhere(case, source, block, told):
            data = {"literal": ", ".join(sorted(told)), "kind": "words", "now": turn.new.strip()[:80]}
            clause = block.of(source.text)[:200]
            return Refusal(code="stale_value", data={**data, "message": source.message.alias, "clause": clause})
    return None


def _turns(case: Case) -> Iterator[tuple[Source, Span, str, Turn]]:
    """What the cited sentences that have a word of the claim tell as giving way to something else."""
    mine = {k[:ROOT] for k in case.stems}
    for source in case.cited:
        if source.message.role == "tool":
            continue
        spoken = (case.lang, case.lang_of(source), _ALIKE.get(case.lang, case.lang))
        for lang in dict.fromkeys(spoken):  # a short message may look like one in another language
            if not takeover.known(lang):
                continue
            for number, block in enumerate(source.blocks[:MOST]):
                sentence = block.of(source.text)
                after = source.blocks[number + 1].of(source.text) if number + 1 < len(source.blocks) else ""
                spoken_of = {k[:ROOT] for k in content_stems(f"{sentence} {after}", lang)}
                if not spoken_of.isdisjoint(mine):
                    yield from ((source, block, lang, turn) for turn in takeover.turns(sentence, lang, after))


def _speaks_of_today(case: Case) -> bool:
    """Whether a claim tells something as it is, and nothing as past, changed, reported or denied."""
    lang, plain = case.lang, folded(case.text)
    if change.marks_former(case.text, lang) or change.reports(case.text, lang) or speaks_once(case):
        return False
    if cues(case.text, lang, LOGIC, ("negation", "deny", "stop")):
        return False
    if takeover.has(plain, lang, "turn") or takeover.has(plain, lang, "leave"):
        return False
    current = any(takeover.has(plain, lang, kind) for kind in ("today", "present"))
    return current or not takeover.has(plain, lang, "told")


def arrived(case: Case, refusal: Refusal) -> bool:
    """Whether a claim is refused for what is gone, or for want of words, while it tells what came in its place."""
    if refusal.code not in _REACHED or not takeover.known(case.lang):
        return False
    told = str(refusal.data.get("clause", "")).strip()[:CLAUSE]
    return any(
        _arrived(case, turn, lang, refusal)
        for source, block, lang, turn in _turns(case)
        if told in source.text[block.start : block.end + CLAUSE]
    )


def _arrived(case: Case, turn: Turn, lang: str, refusal: Refusal) -> bool:
    old, new = _stems(turn.old, lang), _stems(turn.new, lang)
    gone, fresh = old - new, new - old
    if refusal.code == "negation_added":
        return bool(gone) and gone <= case.stems and fresh.isdisjoint(case.stems)
    if len(gone & case.stems) > SHARE * len(gone) or not fresh & case.stems:
        return False
    if refusal.code == "binding":
        told, other = (folded(str(refusal.data.get(k, ""))) for k in ("literal", "rival"))
        mine, theirs = (_stems(text, lang) | frozenset(text.split()) for text in (told, other))  # words or stems
        return (
            bool(mine & fresh)
            and len(mine & gone) <= SHARE * len(gone)
            and bool(theirs & gone or takeover.has(other, lang, "today"))
        )
    if refusal.code == "antonym":
        cue = folded(str(refusal.data.get("cue", "")))
        right = takeover.has(cue, lang, "right") and not gone & case.stems  # of what was said wrong before
        return right or (cue in folded(turn.new) and cue not in folded(turn.old))
    at = _stems(turn.at, lang) & fresh or fresh
    if len(at & case.stems) < SHARE * len(at):
        return False
    if refusal.code == "unsupported":
        return takeover.has(folded(case.text), case.lang, "today")
    return takeover.has(folded(str(refusal.data.get("cue", ""))), lang, "today") or refusal.code != "condition_dropped"


def _told(case: Case, turn: Turn, lang: str) -> frozenset[str]:
    """The words of what is gone which the claim has, where it has nothing of what came."""
    old, new = _stems(turn.old, lang), _stems(turn.new, lang)
    gone, fresh = old - new, new - old
    figures = frozenset(k for k in fresh if any(map(str.isdigit, k)))
    if any(any(map(str.isdigit, k)) for k in gone):
        gone = frozenset(k for k in gone if any(map(str.isdigit, k)))
    fresh = figures or fresh
    told = frozenset(k for k in gone if k in case.stems or _formed(k, case.stems))
    if not fresh or len(told) < max(1, SHARE * len(gone)):
        return frozenset()
    said = ((_stems(turn.at, lang) - old) & fresh or fresh) & case.stems
    if not said or (turn.apart and said != fresh):
        return told
    shared = told == gone and said < fresh and said <= _stems(turn.lead, lang)
    return told if shared else frozenset()


def _formed(word: str, said: frozenset[str]) -> bool:
    """Whether a word of the claim is made of this one (`smoker` of `smoke`)."""
    return len(word) >= ROOT and any(w.startswith(word) and len(w) - len(word) <= ENDING for w in said)


def _stems(text: str, lang: str) -> frozenset[str]:
    stems = content_stems(text, lang)
    return frozenset(k for k in stems if not PARTICLE.search(k)) if lang in ("zh", "ja") else stems


def _starts_there(case: Case, told: frozenset[str]) -> bool:
    """Whether the claim says `from` of what is gone (`the letter is from Anna`)."""
    plain = folded(case.text)
    lead = takeover.pattern(case.lang, "F")
    if lead is None or takeover.has(plain, case.lang, "today") or any(map(str.isdigit, "".join(told))):
        return False
    return any(content_stems(" ".join(plain[m.end() :].split()[:2]), case.lang) & told for m in lead.finditer(plain))


def _said_elsewhere(case: Case, source: Source, block: Span, told: frozenset[str]) -> bool:
    """Whether another sentence has what is gone: later, or with a word of the claim that this one has not."""
    spoken = [key for at, key in source.spoken if block.start <= at < block.end]
    if any(spoken.count(word) > 1 for word in told):
        return True  # `from paper to codes, but seniors can still use paper`
    own = frozenset(spoken)
    for other in case.cited:
        for clause, stems in zip(other.clauses, other.clause_stems, strict=True):
            if (other is source and block.start <= clause.start < block.end) or not told <= stems:
                continue
            if other.position >= source.position or (stems & case.stems) - own:
                return True
    return False
