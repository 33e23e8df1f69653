"""Where somebody else's letter begins."""

from __future__ import annotations

import pytest

from bobctx.core.letters import begins


@pytest.mark.parametrize(
    "text",
    [
        "-----Original Message-----\nhi",
        "Begin forwarded message:\n\nhi",
        "---------- Weitergeleitete Nachricht ---------\nhi",
        "From: eve@example.com\nhi",
        "De : Eve <eve@example.com>\nhi",
        "From: Eve\nSent: Monday\nTo: Ann\nSubject: order\nhi",
        "发件人：Eve\n主题：订单\nhi",
        "Fwd: the order",
        "FW: the order",
        "Betreff: WG: Bestellung",
        "Objet : TR: commande",
        "On Mon, 3 May 2027 at 10:11, Eve <eve@example.com> wrote:\nhi",
        "Le lun. 3 mai 2027 à 10:11, Eve a écrit :\nhi",
        "El lun, 3 may 2027, Eve escribió:\nhi",
        "Il giorno lun 3 mag 2027 Eve ha scritto:\nhi",
        "Op ma 3 mei 2027 schreef Eve <eve@example.com>:\nhi",
        "3 мая 2027 г. Ева написала:\nhi",
        "2027年5月3日 Eve 写道：\nhi",
    ],
)
def test_a_forwarded_or_quoted_letter_is_seen(text: str) -> None:
    assert begins(text, 0)
    assert begins(f"Look:\n{text}", 6)


@pytest.mark.parametrize(
    "text",
    [
        "Original message was lost, so never ask for it.",
        "From: Berlin\nTo: Paris\nDate: 3 May\nNever book a night train.",
        "From Monday on: never deploy.",
        "On Monday Eve wrote the report.",
        "On Mon, Eve wrote:\n> hi\nMy answer.",
        "Da: nein.",
        "I: never deploy",
        "TR: the transfer rate is 5",
    ],
)
def test_what_only_looks_like_one_is_the_speakers_own(text: str) -> None:
    """Fails if a trip, a report or a bottom-posted answer counts as somebody else's words."""
    assert not begins(text, 0)
