"""Corrections that name no subject are told from those that do, and are shown with what they correct."""

from __future__ import annotations

import json

import pytest

from bobctx.core import lexicon
from bobctx.core.change import marks_change
from bobctx.core.claims import extended, merge, priors_for
from bobctx.core.extract import extract
from bobctx.core.language import LANGUAGES
from bobctx.core.leaning import leans, needs, prepare
from bobctx.core.lexicon import ACTS
from bobctx.core.links import Link
from bobctx.core.parts import read_message
from bobctx.core.render import STYLES, Style, claim_line
from bobctx.core.types import PriorClaim, Region, ToolSet
from tests.chains import claim, rows_of, spine_of, talk

SPINE = spine_of(talk(30))
IDS = list(SPINE.ids)
OLD = claim("The report cache of Heron needs 295 minutes.", IDS[2:12], [1])
NEW = claim("I meant 5195 minutes.", IDS[12:22], [0], type="correction", importance=3, supersedes=OLD)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("I meant 5195 minutes.", "en"),
        ("Make that 9443.", "en"),
        ("Sorry, OPS-3160 is the right one.", "en"),
        ("No, 3.1.4, I misread the tag.", "en"),
        ("Quise decir 26 GB.", "es"),
        ("不对，我是说端口 45478。", "zh"),
    ],
)
def test_a_repair_leans(text: str, lang: str) -> None:
    assert leans(text, lang)


@pytest.mark.parametrize(
    "text",
    [
        "The ingest gateway listens on port 9443 now, not on 8443.",
        "ingest-gateway-eu is on 9443 now.",
        "We had 588 open items.",
        "No problem.",
        "Make that 9443 or 9444.",
    ],
)
def test_what_names_its_subject_or_corrects_nothing_does_not_lean(text: str) -> None:
    assert not leans(text, "en")


def test_more_of_something_else_does_not_lean() -> None:
    assert not leans("La réunion a duré 67 minutes de plus.", "fr")


def test_a_repair_needs_what_it_repairs_unless_it_repeats_the_subject() -> None:
    assert needs("I meant 5195 minutes.", OLD.text, "en")
    assert not needs("The port is 9443 now.", "The port is 8443.", "en")


@pytest.mark.parametrize("style", STYLES)
def test_a_repair_in_a_later_region_is_shown_behind_what_it_replaces(style: Style) -> None:
    rows = rows_of(SPINE, [(2, 12, [OLD]), (12, 22, [NEW])])
    links = [Link(start=a, end=b, compaction=row) for (a, b), row in zip(((2, 12), (12, 22)), rows, strict=True)]
    view = merge(links)
    shown = view.by_alias["r2.c1"]
    assert "needs 295 minutes. I meant 5195 minutes." in claim_line(shown, SPINE, style, ToolSet(expand=True))
    assert shown.cites == (3, 12)
    assert extended(merge(links[:1]), links) == view
    assert [p.text for p in priors_for(view, SPINE) if p.active] == [shown.text]


def test_a_repair_at_the_start_of_a_region_finds_the_claim_just_before_it() -> None:
    """Fails when a region boundary between a statement and its repair leaves the old value current."""

    def target(seq: int) -> str | None:
        said = (("user", "Wait, make that port 29211."), ("assistant", "Noted."))
        messages = tuple(
            read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=20)
            for n, (role, text) in enumerate(said, 60)
        )
        prior = PriorClaim(
            alias="r1.c3", id="x", type="fact", importance=2, text="For marsden-proxy-blue the port is 50555.", seq=seq
        )
        claims = json.loads(extract(Region(messages=messages), [prior]))["claims"]
        found: str | None = claims[0]["supersedes"]
        return found

    assert target(58) == "r1.c3"
    assert target(20) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The lower dock has 40 bays.", False), ("Lower it to 40.", True)],
)
def test_a_word_that_tells_things_apart_marks_no_change(text: str, expected: bool) -> None:
    assert marks_change(text, "en") is expected


def test_a_change_that_names_its_subject_leans_on_nothing() -> None:
    """Two words of its own are a subject where nothing begins as a repair."""
    assert not leans("The new badge reader has been updated to 29.6.21.", "en")
    assert leans("Sorry, the reader is at 29.6.21.", "en")


def test_prepared_means_that_no_table_of_acts_is_built_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a correction on the prompt path has to wait for the tables of its language."""
    prepare()

    def built(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(lexicon, "Lexicon", built)
    assert {lang: ACTS[lang].lang for lang in LANGUAGES} == {lang: lang for lang in LANGUAGES}
