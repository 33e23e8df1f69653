"""Whether two aligned segments say the same or the opposite: negations, denials and antonyms weighed. Pure.

Each segment has a sign: its negations and denials (`forbidden`, `without`) counted, antonym pairs between the two
taken into account. Words that can stand for a negation without being one (`keep`, `stop`, `unchanged`) explain a
difference but never accuse (design, section 6).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bobctx.core.function_words import BEEN, BEYOND
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.reading import CANCELLING, WAY, Reading, Segment

AFFIXES = {
    "en": ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis"),
    "de": ("un", "ent", "nicht", "miss", "in", "de"),
    "fr": ("in", "im", "ir", "il", "dé", "dés", "mé", "non"),
    "es": ("in", "im", "ir", "des", "no", "anti"),
    "pt": ("in", "im", "ir", "des", "não", "anti"),
    "it": ("in", "im", "ir", "dis", "s", "non"),
    "nl": ("on", "ont", "niet", "in", "de"),
    "ru": ("не", "без", "бес", "раз", "рас", "от"),
}
SAME_WORD = 6
"""Letters in common from which two words are forms of one (`supprimer`, `supprimé`)."""
STEM = 5
"""Letters in common from which two stems are forms of one word."""
MIN_BASE = 3
"""Letters that must be left when a negative prefix is taken off."""
_KEEPING = frozenset({"keep+", "stay+"})
"""Both of them keep things as they are."""
OPENS = frozenset({"open+", "sound+"})
"""Words that deny nothing, although what they are made of does: what is open, or has nothing wrong with it."""
_ABSENT = frozenset({"present-", "available-"})
"""Words that say by themselves that something is not there."""
_OUTSIDE = frozenset({"within-"})
"""What is elsewhere."""

__all__ = ["AFFIXES", "AGREE", "CANCELLING", "Verdict", "affix_flips", "asides", "flips", "judge", "turned"]


class Verdict(NamedTuple):
    """How two segments relate: `code` is empty when they agree."""

    code: str
    cue: str


AGREE = Verdict("", "")


def affix_flips(a: Segment, b: Segment, lang: str) -> int:
    """Words of one segment that the other has without its negative prefix."""
    return _one_way(a, b, lang) + _one_way(b, a, lang)


def _one_way(a: Segment, b: Segment, lang: str) -> int:
    flips = 0
    for key in a.content.keys() - a.marked:
        for prefix in AFFIXES.get(lang, ()):
            base = key[len(prefix) :].lstrip("-")
            if key.startswith(prefix) and len(base) >= MIN_BASE and base in b.content and key not in b.content:
                flips += 1
                break
        else:
            if lang == "en" and key.endswith("less") and key[:-4] in b.content and key not in b.content:
                flips += 1
    return flips


def _signs(segment: Segment, kind: str) -> dict[str, str]:
    """Concept -> its sign (or member of its set), `±` when several stand here."""
    out: dict[str, str] = {}
    counted = {c.start for c in segment.cues if c.kind == "deny"}  # `forbidden` is in the strength already
    for cue in segment.cues:
        if cue.kind == kind and cue.start not in counted:
            name, sign = cue.value[:-1], cue.value[-1]
            out[name] = sign if out.get(name, sign) == sign else "±"
    return out


def flips(a: Segment, b: Segment, kind: str) -> list[str]:
    """Concepts that the two segments name with opposite signs."""
    left, right = _signs(a, kind), _signs(b, kind)
    return [n for n, s in left.items() if n in right and s != right[n] and "±" not in (s, right[n])]


def _cue(segment: Segment) -> str:
    for cue in segment.cues:
        if cue.kind in ("negation", "deny") or (cue.kind == "condition" and cue.value == "unless"):
            return cue.text
    return ""


def _explained(bare: Segment, denied: Segment, beside: Collection[str] = ()) -> bool:
    """Whether `bare`, which denies nothing, has a word that stands for the other's negation."""
    theirs = {c.text.lower() for c in denied.cues if c.kind in ("stop", "soft")} | set(beside)
    if denied.has("negation") and all(_names_one(c, denied.heads) for c in bare.of("soft")) and bare.has("soft"):
        return False  # `are passed on` of `we never pass them on`: the denied word itself
    heads = {t[:SAME_WORD] for t in theirs}
    ends = (c for c in bare.cues if c.kind == "stop" and c.text.lower()[:SAME_WORD] not in heads)
    if any(not any(_one_word(h, c.text.casefold()) for h in denied.heads if h[:1] != "=") for c in ends):
        return True  # `delete it` is no other way to say `don't delete it`
    if _goes_on(bare, denied) or bare.values("polar") & _ABSENT - denied.values("polar"):
        return True  # `consent is missing` of `have not consented`, whatever the word denied
    if denied.has("deny") and bare.values("opposite") & _OUTSIDE - denied.values("opposite"):
        return True  # `stays outside the kitchen` of `stays out of the kitchen`
    if denied.heads & (bare.content.keys() - bare.marked):
        return False
    if bare.alone and bare.alone <= denied.content.keys() and not denied.alone:
        return False  # `only the crew may`: that the crew may not is no other way to say it
    same = {c.value for c in denied.cues if c.kind == "polar"}
    if any(_keeps(denied, c) for c in denied.cues):
        same |= _KEEPING  # `should not stay` is not `keep it`
    return any(
        c.kind == "soft"
        and not _said(c, theirs, heads)
        and not _affirms({p.value for p in bare.cues if _at(p, c)}, same)
        for c in bare.cues
    )


def _affirms(values: Collection[str], same: Collection[str]) -> bool:
    """Whether a word that may stand for a negation names a side of a pair, or one that both have."""
    return any(v in same or v in OPENS for v in values)


def _said(soft: Cue, words: Collection[str], heads: Collection[str]) -> bool:
    """Whether the other side has the word too, in this form or another (`allergies`, `allergic`)."""
    low = soft.text.lower()
    return low in words or (len(low) > SAME_WORD and low[:SAME_WORD] in heads)


def _names_one(soft: Cue, heads: Collection[str]) -> bool:
    """Whether a phrase has one of the denied words."""
    spoken = soft.text.casefold().split()
    return len(spoken) > 1 and any(_one_word(h, w) for h in heads if not h.startswith("=") for w in spoken)


def _keeps(segment: Segment, soft: Cue) -> bool:
    """Whether a cue is a word that keeps things as they are (`keep`, `stay`)."""
    return soft.kind == "soft" and any(_at(p, soft) and p.value in _KEEPING for p in segment.cues)


def _goes_on(bare: Segment, denied: Segment) -> bool:
    """Whether one keeps what the other forbids to end (`has to keep running`, `may never be switched off`)."""
    ends = any(v.endswith("-") for v in denied.values("polar")) and not denied.has("deny")
    return ends and bare.has("soft") and not any(v.endswith("-") for v in bare.values("polar"))


def _at(polar: Cue, soft: Cue) -> bool:
    """Whether a word that may stand for a negation is one of an antonym pair (`keep`, `kept`)."""
    return polar.kind == "polar" and polar.start == soft.start


def turned(claim: Reading, denied: Segment) -> bool:
    """Whether the claim as a whole turns the denied segment's term: `not before X` is `only after X`."""
    limits = _ways(denied)
    terms = denied.values("condition") & {"unless", "until", "except", "at"}
    if not limits and not terms and not denied.has("deny"):
        return False
    if {b.key for b in claim.bounds if b.value == "before"} & denied.heads:
        return True  # `no merge before the review` is `the review comes before the merge`
    held = any(c.kind in ("stop", "soft", "deny") for c in claim.cues)
    if held and limits and "until" in claim.values("condition"):
        return True  # `hold it back until she has read it` is `not before she has read it`
    ways = {b.way for b in claim.bounds}
    if limits and limits & ways:
        return False
    conditions = claim.values("condition") & {"if", "when"}
    allowed = any(s.alone and s.alone <= denied.content.keys() for s in claim.segments)
    return bool(ways - limits) or bool(conditions) or ("only" in claim.values("quantifier") and not allowed)


def _traded(bare: Segment, denied: Segment) -> bool:
    """Whether a bound or condition turned with the negation: `not before X` is `only after X`."""
    limits = _ways(denied)
    terms = denied.values("condition") & {"unless", "until", "except", "at", "if", "when"}
    if limits and _ways(bare) and not limits & _ways(bare):
        return True
    if "only" in bare.values("quantifier") or bare.has("reserved"):
        if limits and limits <= _ways(bare):
            return False  # `no visits after eight` is not `visits only after eight`
        beyond = any(c.kind == "negation" and c.text.casefold().split()[-1] in BEYOND for c in denied.cues)
        return bool(limits - _ways(bare) or terms or beyond)  # `nobody outside the team`: only the team
    return bool(bare.values("condition") & {"if", "when", "at"}) and bool(terms & {"unless", "until", "except"})


def _ways(segment: Segment) -> set[str]:
    ways = {WAY[c.value] for c in segment.cues if c.kind in ("comparator", "comparator_post") and c.value in WAY}
    return ways | {"upper" for v in segment.values("condition") if v == "until"}


def judge(claim: Segment, support: Segment, lang: str, beside: Collection[str] = ()) -> Verdict:
    """Whether the claim's segment keeps the sign of the segment it rests on.

    `beside` holds the words of the whole clause that may stand for a negation: they are no words of the claim's own.
    """
    if "contrast" in (claim.kind, support.kind) and (claim.has("past") or claim.kind == "contrast"):
        return AGREE  # `previously 30`, `instead of 30`: the side set aside, named as such
    if not claim.strength and _ended(claim, support):
        return AGREE  # `no longer at 70`: at 70 before
    if claim.has("whether") or support.has("whether") or _aside_elsewhere(claim, support):
        return AGREE
    if claim.kind == support.kind == "condition" and "until" in claim.values("condition") ^ support.values("condition"):
        return AGREE  # `as long as it has not switched` is `until it has switched`
    mine, theirs = claim.strength, support.strength
    opposite = flips(claim, support, "opposite")
    polar = flips(claim, support, "polar")
    affixes = affix_flips(claim, support, lang)
    turned = len(polar) + affixes
    if (mine - theirs) % 2 == 0:
        if turned and not opposite and (_needless(claim, support) or _needless(support, claim)):
            return AGREE
        if opposite or turned:
            name = (opposite or polar or ["affix"])[0]
            return Verdict("antonym", _word(claim, name))
        return AGREE
    if turned or _negated_opposite(claim, support, opposite):
        return AGREE
    bare, denied = (claim, support) if mine < theirs else (support, claim)
    if "optional" in bare.values("modal"):  # `need not` is no ban, but `without` and `not X` may say the same
        bound = denied.has("negation") and denied.values("modal") & {"must", "may", "can"}
        return Verdict("modality", _cue(denied)) if bound or "allow-" in denied.values("polar") else AGREE
    known = beside if mine < theirs else ()
    if _traded(bare, denied) or _explained(bare, denied, known) or (mine and theirs and _explained(denied, bare)):
        return AGREE
    if mine < theirs and _other_deed(bare, denied, lang):
        return AGREE
    return Verdict("negation_dropped", _cue(support)) if mine < theirs else Verdict("negation_added", _cue(claim))


def _needless(one: Segment, other: Segment) -> bool:
    """Whether one says that something need not be, the other that its opposite is (`no need to clear it`: kept)."""
    turned = {c.start for c in one.cues if c.kind in ("polar", "opposite")}
    optional = [c for c in one.cues if c.kind == "modal" and c.value == "optional" and c.start not in turned]
    return bool(optional) and "optional" not in other.values("modal") and "must" not in other.values("modal")


def asides(segment: Segment) -> list[Cue]:
    """The phrases (`and not`) that set one thing aside for another; a mere `not` denies what is done."""
    return [c for c in segment.of("contrast") if " " in c.text]


def _aside_elsewhere(claim: Segment, support: Segment) -> bool:
    """Whether all that the claim denies is a side set aside (`and not at 9`) that the support does not even name."""
    denials = claim.of("negation")
    aside = {c.start for c in asides(claim)}
    if not denials or claim.has("deny") or not claim.heads or support.strength:
        return False
    return all(c.start in aside for c in denials) and not claim.heads & support.content.keys()


def _other_deed(claim: Segment, denied: Segment, lang: str) -> bool:
    """Whether the claim puts words of its own for what is denied (`is still unknown` of `I have not found it`)."""
    heads = denied.heads
    if not heads or lang in CHARACTER_LANGUAGES or denied.has("deny") or denied.kind == "contrast":
        return False
    if "may" in claim.values("modal") and "may" in denied.values("modal"):
        return False  # `small dogs may come in` of `dogs are not allowed in`: the permission itself is denied
    if not claim.content.keys() - denied.content.keys() or (_ways(claim) and _ways(denied)):
        return False
    if lang == "ar" and any(h[1:] in claim.content for h in heads):
        return False  # a ban and the order that it forbids (`لا تضع`, `ضع`)
    return not any(h in claim.content or any(_one_word(h, k) for k in claim.content) for h in heads)


def _one_word(left: str, right: str) -> bool:
    """Whether two stems may be forms of one word (`abras`, `abre`)."""
    alike = STEM if min(len(left), len(right)) >= STEM else MIN_BASE
    return left[:alike] == right[:alike]


def _ended(claim: Segment, support: Segment) -> bool:
    """Whether the claim tells as former what its source says has ended; a mere `was` tells no more than a time."""
    if not claim.has("past") or not support.has("past") or not support.has("negation"):
        return False
    if {c.start for c in support.of("past")} & {c.start for c in support.of("negation")}:
        return True
    if any(_one_word(h, c.text.casefold()) for c in claim.of("past") for h in support.heads if h[:1] != "="):
        return False  # `replace it` of `don't replace it`
    return all(any(c.text.casefold() not in BEEN for c in s.of("past")) for s in (claim, support))


def _negated_opposite(claim: Segment, support: Segment, names: list[str]) -> bool:
    heads = claim.heads | support.heads
    return any("=" + n in heads for n in names)


def _word(segment: Segment, name: str) -> str:
    for cue in segment.cues:
        if cue.kind in ("polar", "opposite") and cue.value[:-1] == name:
            return cue.text
    return name
