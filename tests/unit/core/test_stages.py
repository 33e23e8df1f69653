"""How far a text says that something has come, and claims that speak of that themselves."""

from __future__ import annotations

import pytest

from bobctx.core.stages import stages_of, tells_done
from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("lang", "text", "done"),
    [
        ("en", "the fence has been painted", True),
        ("en", "we're going to paint the fence", False),
        ("en", "i have tried to paint the fence", False),
        ("en", "the first coat failed", False),
        ("de", "der zaun wurde gestrichen", True),
        ("de", "der zaun muss gestrichen werden", False),
        ("fr", "la clôture a été peinte", True),
        ("fr", "j'ai essayé de peindre la clôture", False),
        ("it", "ho già dipinto il recinto", True),
        ("ru", "забор уже покрасили", True),
        ("zh", "篱笆已经刷好了", True),
        ("zh", "我们打算刷篱笆", False),
        ("ja", "柵は塗り終わりました", True),
        ("ja", "柵を塗るつもりです", False),
        ("ko", "울타리를 이미 칠했어요", True),
        ("ko", "울타리를 칠할 예정입니다", False),
        ("ar", "تم طلاء السياج", True),
        ("ar", "سنطلي السياج", False),
    ],
)
def test_a_text_tells_something_as_done(lang: str, text: str, done: bool) -> None:
    stages = stages_of(lang)
    assert stages is not None
    assert tells_done(text, stages) is done


def test_a_bare_past_tense_counts_where_it_is_asked_for() -> None:
    stages = stages_of("en")
    assert stages is not None
    assert not tells_done("ann threw it out", stages)
    assert tells_done("ann threw it out", stages, past="ann threw it out")


def test_other_languages_have_no_table() -> None:
    assert stages_of("und") is None


@pytest.mark.parametrize(
    ("source", "claim", "accepted"),
    [
        ("The download was interrupted at 40 %.", "The download did not complete.", True),
        ("The download completed at noon.", "The download did not complete.", False),
        ("Intenté abrir la puerta, pero la cerradura está dañada.", "No se pudo abrir la puerta.", True),
        ("We still have to find a flat.", "A flat has not been found yet.", True),
        ("We found a flat in Leith.", "A flat has not been found yet.", False),
        ("I'd love to sail around Iceland someday.", "The user dreams of sailing around Iceland.", True),
    ],
)
def test_a_claim_may_speak_of_the_stage_itself(source: str, claim: str, accepted: bool) -> None:
    assert (verdict(region(source), claim) == "accepted") is accepted
