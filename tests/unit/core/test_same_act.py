"""A denied act told in another word for it: who did not touch a thing has not changed it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

FALSE = [
    ("en", "Please don't touch the seating plan, I'll do it myself.", "The seating plan should be changed."),
    ("en", "Leave the old drafts alone.", "The old drafts should be edited."),
    ("en", "Hands off the north cellar, please.", "The north cellar has to be cleaned."),
    ("en", "We looked through the attic and there is no trace of woodworm.", "Woodworm was found in the attic."),
    ("en", "Don't put my surname on the door list.", "The user's surname should be added to the door list."),
    ("de", "Den Sitzplan bitte nicht anfassen.", "Der Sitzplan soll geändert werden."),
    ("fr", "Surtout ne touche pas au plan de table.", "Le plan de table doit être modifié."),
    ("es", "No toquéis el plano de mesas.", "Hay que modificar el plano de mesas."),
    ("pt", "Não mexa no mapa das mesas.", "É preciso alterar o mapa das mesas."),
    ("it", "Non toccate la pianta dei tavoli.", "Bisogna modificare la pianta dei tavoli."),
    ("nl", "Blijf van de oude tafelindeling af.", "De oude tafelindeling moet gewijzigd worden."),
    ("ru", "Не трогайте план рассадки гостей.", "План рассадки гостей нужно изменить."),
    ("zh", "别碰座位表的草稿。", "要修改座位表的草稿。"),
    ("ja", "座席表の下書きには触らないでください。", "座席表の下書きを修正する必要がある。"),
    ("ar", "لا تلمس مخطط المقاعد.", "يجب تعديل مخطط المقاعد."),
]
TRUE = [
    ("en", "Please don't touch the seating plan.", "The seating plan must not be changed."),
    ("en", "Please don't touch the seating plan, I'll update it myself.", "The user updates the seating plan himself."),
    ("en", "Don't touch the seating plan, but please tidy the guest list.", "The guest list should be tidied."),
    ("en", "We found no woodworm in the attic, but we found damp in the cellar.", "Damp was found in the cellar."),
    ("de", "Den Sitzplan bitte nicht anfassen.", "Der Sitzplan soll unverändert bleiben."),
    ("fr", "Surtout ne touche pas au plan de table.", "Le plan de table ne doit pas être modifié."),
    ("it", "Non toccate la pianta dei tavoli.", "La pianta dei tavoli non va modificata."),
    ("nl", "Blijf van de oude tafelindeling af.", "De oude tafelindeling mag niet gewijzigd worden."),
    ("ru", "Не трогайте план рассадки гостей.", "План рассадки гостей нельзя менять."),
    ("zh", "别碰座位表的草稿。", "座位表的草稿不能修改。"),
]


@pytest.mark.parametrize(("_lang", "source", "claim"), FALSE)
def test_a_denied_act_is_not_told_in_another_word(_lang: str, source: str, claim: str) -> None:
    assert verdict(region(source), claim) != "accepted"


@pytest.mark.parametrize(("_lang", "source", "claim"), TRUE)
def test_what_keeps_the_denial_is_told(_lang: str, source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"
