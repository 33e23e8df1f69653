"""Which links to earlier claims hold."""

from __future__ import annotations

import pytest

from bobctx.core import supersession
from bobctx.core.text import content_stems
from bobctx.core.types import PriorClaim
from tests.unit.core.claim_cases import raw, region, validate

SAID = region(
    "Nightly backups are now kept for 45 days instead of 30. Keep the release notes in British English as before.",
    ("tool", "oldest_snapshot=2026-09-05"),
)
PRIOR = (
    PriorClaim(alias="r1.c1", id="g1", type="constraint", importance=3, text="Nightly backups are kept for 30 days."),
    PriorClaim(alias="r1.c3", id="g3", type="preference", importance=2, text="Release notes are in British English."),
)


@pytest.mark.parametrize(
    ("text", "cite", "type_", "target", "code"),
    [
        ("Nightly backups are now kept for 45 days.", "m1", "correction", "r1.c1", None),
        ("Nightly backups are now kept for 45 days.", "m1", "correction", "r1.c3", "link_other_subject"),
        ("Nightly backups are now kept for 45 days.", "m1", "correction", "r7.c2", "link_unknown"),
        ("The oldest snapshot is from 2026-09-05.", "m2", "fact", "r1.c1", "link_other_subject"),
        ("Release notes are to stay in British English.", "m1", "preference", "r1.c3", "link_no_change"),
    ],
)
def test_a_link_holds_only_where_the_same_thing_changes(
    text: str, cite: str, type_: str, target: str, code: str | None
) -> None:
    claims, report = validate(SAID, raw(text, cite, type=type_, supersedes=target), prior=PRIOR)
    assert len(claims) == 1
    assert [w.code for w in report.warnings] == ([code] if code else [])
    assert (claims[0].supersedes is None) == (code is not None)


def test_a_stale_target_moves_to_the_head_of_its_chain() -> None:
    of = region("The admin port moves to 9444.")
    prior = (
        PriorClaim(
            alias="r1.c1", id="g1", type="fact", importance=2, text="The admin port is 8443.", superseded_by="r2.c1"
        ),
        PriorClaim(alias="r2.c1", id="g2", type="fact", importance=2, text="The admin port is 9443."),
    )
    claims, report = validate(of, raw("The admin port moves to 9444.", supersedes="r1.c1"), prior=prior)
    assert claims[0].supersedes == "g2"
    assert [w.code for w in report.warnings] == ["link_stale"]


def test_a_claim_may_replace_one_of_the_same_reply() -> None:
    of = region("The admin port is 8443.", "Sorry, the admin port is 9443, not 8443.")
    claims, _ = validate(
        of,
        raw("The admin port is 8443.", "m1"),
        {**raw("The admin port is 9443 now, not 8443.", "m2", type="correction", supersedes="c1"), "id": "c2"},
    )
    assert claims[1].supersedes == claims[0].id


@pytest.mark.parametrize(
    ("text", "old", "held"),
    [
        ("The depot desk belongs to Bo Lind in place of Ana Marsh.", "Ana Marsh owns the depot desk.", True),
        ("The depot desk is still Ana Marsh's.", "Ana Marsh owns the depot desk.", False),
    ],
)
def test_another_person_beside_the_one_before_is_a_change(text: str, old: str, held: bool) -> None:
    prior = PriorClaim(alias="r1.c9", id="g9", type="fact", importance=2, text=old)
    claims, _ = validate(region(text), raw(text, "m1", type="fact", supersedes="r1.c9"), prior=(prior,))
    assert (claims[0].supersedes == "g9") is held


def test_a_time_of_day_and_one_word_are_no_common_subject() -> None:
    """Fails if `Uhr` or one word of many links two claims that give different values."""
    bus = PriorClaim(alias="r1.c7", id="g7", type="decision", importance=2, text="Der Bus fährt um 7:10 Uhr ab.")
    pay = PriorClaim(
        alias="r1.c8", id="g8", type="constraint", importance=2, text="The alert threshold for queue depth is 900 jobs."
    )
    of = region("Das Amt öffnet um 8:20 Uhr.", "The nightly dump showed a depth of 41 for the mail spool.")
    for text, cite, prior in (
        ("Das Amt öffnet um 8:20 Uhr.", "m1", bus),
        ("The nightly dump showed a depth of 41 for the mail spool.", "m2", pay),
    ):
        claims, report = validate(of, raw(text, cite, supersedes=prior.alias), prior=(prior,))
        assert claims[0].supersedes is None
        assert [w.code for w in report.warnings] == ["link_other_subject"]


@pytest.mark.parametrize(
    ("said", "text", "type_", "earlier", "code"),
    [
        ("Second helpings now cost 3 euros instead of 2.", "Second helpings now cost 3 euros.", "correction",
         "Invoices go to the second address.", "link_other_subject"),
        ("Erste Mahnungen kommen jetzt nach 10 statt nach 14 Tagen.", "Erste Mahnungen kommen nach 10 Tagen.",
         "correction", "Der erste Ansprechpartner ist Frau Held.", "link_other_subject"),
        ("Newsletters continue to open with a poem, as always.", "Newsletters are to go on opening with a poem.",
         "preference", "Newsletters open with a short poem.", "link_no_change"),
        ("Die Rundbriefe beginnen weiterhin mit einem Gedicht.", "Rundbriefe beginnen weiter mit einem Gedicht.",
         "preference", "Rundbriefe fangen mit einem kurzen Gedicht an.", "link_no_change"),
        ("The second reminder now goes out after 10 days instead of 14.", "The second reminder goes out after 10 days.",
         "correction", "The second reminder goes out after 14 days.", None),
    ],
)  # fmt: skip
def test_ordinals_are_no_subject_and_what_goes_on_changes_nothing(
    said: str, text: str, type_: str, earlier: str, code: str | None
) -> None:
    """Fails if a link rests on an ordinal alone, or on a message that says that all stays as it was."""
    prior = (PriorClaim(alias="r1.c1", id="g1", type="preference", importance=2, text=earlier),)
    claims, report = validate(region(said), raw(text, "m1", type=type_, supersedes="r1.c1"), prior=prior)
    assert len(claims) == 1
    assert [w.code for w in report.warnings] == ([code] if code else [])


def test_words_of_the_clock_are_written_as_their_stems() -> None:
    """Fails if stemming changes and the written stems do not."""
    words = (("uhr", "de"), ("heures heure", "fr"), ("horas hora", "es"), ("ore ora", "it"), ("uur", "nl"),
             ("horas hora", "pt"), ("часов часа час утра вечера", "ru"), ("o'clock", "en"),
             ("الساعة صباحا مساء", "ar"), ("오전 오후", "ko"))  # fmt: skip
    assert frozenset().union(*(content_stems(clock, lang) for clock, lang in words)) == supersession._CLOCK


@pytest.mark.parametrize(
    ("prior", "text"),
    [
        ("1,200 new back labels are printed for lot L7.", "The number of labels is now 1,500 rather than 1,200."),
        ("Le départ de la sortie est à 7 h 15.", "Le départ passe de 7 h 15 à 6 h 45."),
        ("打ち合わせは毎週火曜の14:00から行う。", "打ち合わせの開始は14:00ではなく15:00に変更された。"),
    ],
)
def test_a_correction_that_names_the_old_value_is_about_the_same_thing(prior: str, text: str) -> None:
    of = region(text)
    known = (PriorClaim(alias="r1.c1", id="g1", type="fact", importance=3, text=prior),)
    claims, _ = validate(of, raw(text, type="correction", supersedes="r1.c1"), prior=known)
    assert [c.supersedes for c in claims] == ["g1"]
