"""A denial in a claim needs one in its sources."""

from __future__ import annotations

import pytest

from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims
from tests.unit.core.claim_cases import region, verdict

FILLER = " ".join(f"Step {n} of the rollout went through without any trouble at the site." for n in range(11, 40))


@pytest.mark.parametrize(
    ("source", "claim", "refused"),
    [
        ("The upload cache was added to the image proxy.", "The upload cache was not added to the image proxy.", True),
        ("The upload cache was not added to the image proxy.", "The upload cache was not added to it.", False),
        ("Ibuprofen is off limits for her mother.", "Ibuprofen is not off limits for her mother.", True),
        ("The slogan is final: 'fresh every day'.", "The slogan is not 'fresh every day'.", True),
        ("Only the field crew may delete rows from the log.", "The field crew may not delete rows from the log.", True),
        ("Deploy only after the review.", "Do not deploy before the review.", False),
        ("We skip the upload cache of the image proxy.", "The upload cache of the image proxy is not used.", False),
    ],
)
@pytest.mark.parametrize("around", ["", FILLER])
def test_a_not_must_come_from_its_sources(source: str, claim: str, refused: bool, around: str) -> None:
    """Fails if an added negation passes, in a brief or a long message, or an honest one is refused."""
    content = f"{source}\n{around}"
    region = Region(messages=(read_message({"id": "m1", "role": "user", "content": content}),))
    raw = {"id": "c1", "type": "fact", "importance": 2, "text": claim, "cites": ["m1"], "supersedes": None}
    _, report = validate_claims([raw], region)
    assert bool(report.rejections) is refused, report.rejections


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Never remove the seal from the cabinet.", "The seal must be removed from the cabinet."),
        ("Entfernt niemals das Siegel am Schrank.", "Das Siegel am Schrank muss entfernt werden."),
        ("Ne retirez jamais le scellé de l'armoire.", "Le scellé de l'armoire doit être retiré."),
        ("No retiréis nunca el precinto del armario.", "El precinto del armario debe ser retirado."),
        ("Nunca retire o lacre do armário.", "O lacre do armário deve ser retirado."),
        ("Non togliete mai il sigillo dall'armadio.", "Il sigillo dall'armadio deve essere tolto."),
        ("Verwijder nooit het zegel van de kast.", "Het zegel van de kast moet verwijderd worden."),
        ("Не снимайте пломбу со шкафа.", "Пломбу со шкафа надо снимать."),
        ("不要拆掉柜子上的封条。", "柜子上的封条要拆掉。"),
        ("棚の封印は絶対に外さないでください。", "棚の封印は外さなければならない。"),
        ("캐비닛의 봉인을 절대 떼지 마세요.", "캐비닛의 봉인을 떼야 한다."),
    ],
)
def test_a_verb_of_taking_away_is_no_denial_of_itself(source: str, claim: str) -> None:
    """Fails if `removed` counts as a negation and so makes up for the one that the claim drops."""
    assert verdict(region(source), claim, type="constraint") == "negation_dropped"
