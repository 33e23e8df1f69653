"""Which of two things a sentence takes and which it sets aside."""

from __future__ import annotations

import pytest

from bobctx.core.choices import answered, choices


@pytest.mark.parametrize(
    ("lang", "text", "aside", "kept"),
    [
        ("en", "We hired a fiddler instead of a singer.", "singer", "fiddler"),
        ("en", "Replace the gravel with bark.", "gravel", "bark"),
        ("en", "The gravel is replaced by bark.", "gravel", "bark"),
        ("en", "Not the gate but the fence is rusty.", "gate", "fenc"),
        ("de", "Wir nehmen Schiefer statt Ziegel.", "ziegel", "schief"),
        ("fr", "On prend le tram plutôt que le bus.", "bus", "tram"),
        ("nl", "Koop kurk in plaats van vinyl.", "vinyl", "kurk"),
        ("ru", "Возьми лодку, а не плот.", "плот", "лодк"),
        ("zh", "名册按年龄排，别按身高排。", "身高", "年龄"),
        ("ja", "砂糖の代わりに蜂蜜を使う。", "砂糖", "蜂蜜"),
        ("ko", "설탕 대신 꿀을 넣어요.", "설탕", "꿀을"),
    ],
)
def test_the_mark_tells_the_side_set_aside(lang: str, text: str, aside: str, kept: str) -> None:
    """Fails if a mark is not seen, or the two sides are taken for each other."""
    found = choices(text, lang)
    assert any(c.aside[0].startswith(aside[:5]) and any(k.startswith(kept[:4]) for k in c.kept) for c in found)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "I would rather not pay more than 40 euros."),
        ("en", "Not only the choir but also the band plays."),
        ("en", "I replaced the strings yesterday."),
        ("de", "Nicht nur der Chor, sondern auch die Band spielt."),
        ("ja", "歌だけでなく踊りもあります。"),
        ("ja", "ここで撮影しないでください。"),
        ("zh", "我们去爬山，别的以后再说。"),
    ],
)
def test_what_chooses_nothing_has_no_sides(lang: str, text: str) -> None:
    """Fails if an amount, a `not only` or a ban is read as a choice of one thing for another."""
    assert not [c for c in choices(text, lang) if c.firm]


def test_a_reply_takes_one_of_two() -> None:
    """Fails if what the reply names of a question's two things is not what it takes."""
    found = answered("Should the sign be in the round font or the square one?", "The square one.", "en")
    assert found is not None
    assert "round" in found.aside
    assert found.kept == ("squar",)
    assert answered("Should the sign be round or square?", "Ask Mia.", "en") is None
