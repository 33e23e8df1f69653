"""The extractor replaces a statement only by a later one on the same subject."""

from __future__ import annotations

import json

import pytest

from bobctx.core.extract import extract
from bobctx.core.language import language_of
from bobctx.core.parts import read_message
from bobctx.core.types import Message, PriorClaim, Region
from bobctx.core.validator import validate_claims

RULE = "One hard rule: never enable zeta-sync on any Heron node."


def replaced(later: str) -> bool:
    """Whether a claim from `later` replaces one from the rule."""
    said = (("user", RULE), ("assistant", "Thank you, I have written that down."), ("user", later))
    messages = tuple(
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=20)
        for n, (role, text) in enumerate(said, 1)
    )
    claims = json.loads(extract(Region(messages=messages), ()))["claims"]
    rule = next(c for c in claims if c["cites"] == ["m1"])
    return any(c["supersedes"] == rule["id"] for c in claims)


@pytest.mark.parametrize(
    "later",
    [
        "The new nodes are named heron-11 to heron-14.",
        "Correction: the Heron node has 8 disks.",
        "The Heron report is now sent on Friday.",
    ],
)
def test_a_rule_outlives_a_change_of_something_else(later: str) -> None:
    """Fails when one shared noun is enough to take a prohibition away."""
    assert not replaced(later)


def test_a_value_is_replaced_by_a_correction_that_repeats_it() -> None:
    """`9443, not 8443` names both: the surest sign of all."""
    said = (
        ("user", "We have decided that the ingest gateway listens on port 8443."),
        ("assistant", "Thank you, I have written that down."),
        ("user", "Correction: the ingest gateway listens on port 9443, not 8443."),
    )
    messages = tuple(
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=20)
        for n, (role, text) in enumerate(said, 1)
    )
    claims = {c["cites"][0]: c for c in json.loads(extract(Region(messages=messages), ()))["claims"]}
    assert claims["m3"]["supersedes"] == claims["m1"]["id"]


def test_a_rule_is_replaced_by_what_lifts_it() -> None:
    assert replaced("Correction: from now on you can enable zeta-sync on any Heron node.")


@pytest.mark.parametrize(
    "rule",
    [
        "Never open shutter {} on the north wall.",
        "Никогда не открывайте заслонку {} на северной стене.",
        "لا تفتح أبدا المصراع {} على الجدار الشمالي.",
    ],
)
def test_a_prohibition_does_not_replace_one_of_another_number(rule: str) -> None:
    """Fails when a number in a rule is taken for its value: the first rule would be shown to nobody any more."""
    messages = tuple(
        read_message({"role": "user", "content": rule.format(n)}, id=f"i{n}", seq=n, tokens=20) for n in (2, 4)
    )
    claims = json.loads(extract(Region(messages=messages), ()))["claims"]
    assert {c["cites"][0] for c in claims} == {"m2", "m4"}
    assert [c["supersedes"] for c in claims] == [None, None]


def links_of(*said: str) -> dict[str, str | None]:
    """Text of each claim -> text of the claim it replaces."""
    messages: list[Message] = []
    for n, text in enumerate(said):
        for role, words in (("user", text), ("assistant", "Thank you, I have written that down.")):
            seq = len(messages) + 1
            messages.append(read_message({"role": role, "content": words}, id=f"i{n}{role}", seq=seq, tokens=20))
    claims = json.loads(extract(Region(messages=tuple(messages)), ()))["claims"]
    texts = {c["id"]: c["text"] for c in claims}
    return {c["text"]: texts.get(c["supersedes"]) for c in claims}


@pytest.mark.parametrize(
    ("rule", "lifted"),
    [
        (
            "Do not turn on the weekday badge reader, whatever support asks for.",
            "You can enable the weekday badge reader from now on.",
        ),
        (
            "Nobody may activate the upper badge reader.",
            "Switching the upper badge reader on is fine again, the ban is lifted.",
        ),
        ("绝对不能打开 yarrow-indexer-eu。", "现在可以启用 yarrow-indexer-eu 了，禁令已取消。"),
        (
            "Por cierto, nunca actives lindow-gate-primary.",
            "Ahora se puede activar lindow-gate-primary, la prohibición se levantó.",
        ),
    ],
)
def test_a_rule_is_lifted_in_other_words(rule: str, lifted: str) -> None:
    assert links_of(rule, lifted)[lifted] == rule


@pytest.mark.parametrize(
    "other",
    [
        "You can read the weekday badge reader from now on.",
        "You can enable the weekend badge reader from now on.",
        "The weekday badge reader moved to the hall.",
    ],
)
def test_a_rule_stays_where_another_act_or_thing_is_allowed(other: str) -> None:
    assert links_of("Do not turn on the weekday badge reader.", other).get(other) is None


def test_a_bare_count_does_not_replace_an_amount_with_a_unit() -> None:
    said = (
        "Finance signed off 3073 GB for the lower badge reader.",
        "The queue of the lower badge reader was around 887.",
    )
    assert set(links_of(*said).values()) == {None}


def test_a_rule_set_again_replaces_its_lifting() -> None:
    said = (
        "The eastern payroll export must not be enabled.",
        "You can enable the eastern payroll export from now on.",
        "The eastern payroll export must not be enabled after all.",
    )
    assert links_of(*said)[said[2]] == said[1]


def test_a_correction_without_a_word_of_change_replaces_as_a_fact() -> None:
    """Fails when a correction that the validator cannot see as one is refused, and the old value stays current."""
    message = read_message(
        {"role": "user", "content": "ingram-proxy-us lauscht anstelle Port 49664 auf Port 40665."}, id="i9", seq=9
    )
    old = PriorClaim(
        alias="r1.c3", id="x", type="fact", importance=2, text="ingram-proxy-us lauscht auf Port 49664.", seq=2
    )
    region = Region(messages=(message,))
    raw = json.loads(extract(region, [old]))["claims"]
    accepted, report = validate_claims(raw, region, (), "r2", prior=[old])
    assert not report.rejections
    assert [(c.type, c.importance, c.supersedes) for c in accepted] == [("fact", 3, "x")]


def test_a_repair_takes_the_statement_just_before_it_and_no_other_repair() -> None:
    """Fails when two repairs in the same words are taken for one subject, which hides a valid value."""
    said = (
        "Give kelvar-mailer-live 45 minutes to drain before a restart.",
        "Make it 50 minutes.",
        "Give orton-vault-blue 7840 minutes to drain before a restart.",
        "Make it 7135 minutes.",
    )
    found = links_of(*said)
    assert found[f"{said[2]} {said[3]}"] == said[2]
    assert found[f"{said[0]} {said[1]}"] == said[0]


def test_parts_of_a_name_tell_no_language_and_no_two_things_apart() -> None:
    said = (
        "La copia de ambrel-relay-us queda en /srv/indigo/hazel78.",
        "Corrección: para ambrel-relay-us es /srv/slate/nickel78, no /srv/indigo/hazel78.",
    )
    assert "en" not in map(language_of, said)
    assert links_of(*said)[said[1]] == said[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Keep the eastern stock feed at 29.26.9 for the rest of the quarter.",
            "Keep the new loading dock at 14.11.34 for the rest of the quarter.",
        ),
        (
            "Always leave 5195 minutes between two runs of quillon-proxy-primary.",
            "From now on leave 5435 minutes between two runs of the south tenant portal.",
        ),
    ],
)
def test_a_phrase_in_common_is_no_subject(first: str, second: str) -> None:
    """Fails when a statement about another thing in the same words hides a valid one."""
    assert set(links_of(first, second).values()) == {None}


def test_a_person_is_replaced_in_a_sentence_without_a_language() -> None:
    said = "更正：farrow-relay-eu 由 Delphine Okar 负责，不是 Maroush Delane。"
    message = read_message({"role": "user", "content": said}, id="i90", seq=90, tokens=20)
    old = PriorClaim(
        alias="r1.c2", id="x", type="fact", importance=2, text="farrow-relay-eu 由 Maroush Delane 负责。", seq=2
    )
    claims = json.loads(extract(Region(messages=(message,)), [old]))["claims"]
    assert [c["supersedes"] for c in claims] == ["r1.c2"]
