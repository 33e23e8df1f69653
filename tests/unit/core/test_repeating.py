"""A claim that repeats a sentence of its source word for word, in whatever language either is read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from bobctx.core.language import LANGUAGES
from bobctx.core.repeating import repeated
from bobctx.core.sources import Sources
from tests.unit.core.claim_cases import raw, region, validate, verdict

PAIRS: Final = Path(__file__).with_name("polarity_pairs")
STEP: Final = 15
"""Every so many of the sources of the pairs are put among sentences of another language."""
CHANGES: Final[Mapping[str, str]] = {
    "en": "The tasting is now on Friday instead of Thursday.",
    "de": "Die Verkostung ist jetzt am Freitag statt am Donnerstag.",
    "fr": "La dégustation a désormais lieu vendredi au lieu de jeudi.",
    "es": "La cata es ahora el viernes en lugar del jueves.",
    "pt": "A prova passa a ser na sexta-feira em vez de quinta-feira.",
    "it": "La degustazione ora è venerdì invece di giovedì.",
    "nl": "De proeverij is nu op vrijdag in plaats van donderdag.",
    "ru": "Дегустация теперь в пятницу вместо четверга.",
    "zh": "品酒会改到星期五，不再是星期四。",
    "ja": "試飲会は木曜日ではなく金曜日に変更します。",
    "ko": "시음회는 목요일이 아니라 금요일로 변경되었습니다.",
    "ar": "التذوق الآن يوم الجمعة بدلا من يوم الخميس.",
}
"""One sentence of change in each language."""


def _sentences(lang: str) -> list[str]:
    rows = (line.split("\t") for line in PAIRS.joinpath(f"{lang}.tsv").read_text("utf-8").splitlines())
    return list(dict.fromkeys(row[2] for row in rows if len(row) == 3))


SENTENCES: Final = {lang: _sentences(lang) for lang in LANGUAGES}


def _among(host: str, sentence: str, at: int) -> str:
    """The sentence in a message of another language."""
    around = SENTENCES[host]
    first, second, third = (around[(3 * at + i) % len(around)] for i in range(3))
    return f"{first} {sentence} {second} {third}"


@pytest.mark.parametrize(("host", "guest"), list(permutations(LANGUAGES, 2)))
def test_a_sentence_of_another_language_than_its_message_is_accepted_word_for_word(host: str, guest: str) -> None:
    """Fails if a message that mixes languages is read with the cues and stems of one of them only."""
    for at, sentence in enumerate(SENTENCES[guest][::STEP]):
        text = _among(host, sentence, at)
        claims = [sentence, SENTENCES[host][(3 * at + 1) % len(SENTENCES[host])]]
        for kind in ("fact", "constraint"):
            accepted, report = validate(
                region(text), *({**raw(c, type=kind), "id": f"c{n}"} for n, c in enumerate(dict.fromkeys(claims)))
            )
            assert len(accepted) == len(set(claims)), report.rejections


@pytest.mark.parametrize(("host", "guest"), list(permutations(LANGUAGES, 2)))
def test_a_change_told_in_another_language_than_its_message_is_a_correction(host: str, guest: str) -> None:
    """Fails if words of change are looked for in the language of most of the message only."""
    assert verdict(region(_among(host, CHANGES[guest], 0)), CHANGES[guest], type="correction") == "accepted"


@pytest.mark.parametrize(("host", "guest"), [("en", "de"), ("de", "en"), ("en", "ru"), ("fr", "ko"), ("ja", "es")])
def test_the_opposite_of_such_a_sentence_is_refused(host: str, guest: str) -> None:
    """Fails if a sentence of another language stands for anything."""
    rows = [line.split("\t") for line in PAIRS.joinpath(f"{guest}.tsv").read_text("utf-8").splitlines()]
    wrong = [r for r in rows if len(r) == 3 and r[0] == "negation_dropped"][:2]
    for _, claim, source in wrong:
        assert verdict(region(_among(host, source, 0)), claim) != "accepted"


def test_a_name_from_another_language_changes_no_reading() -> None:
    """Fails if one foreign name makes the claim be read in its language."""
    of = region("Não-Me-Toque is not on the tour this year. Küßnacht nicht, says Jörg Müßigbrodt.")
    assert verdict(of, "Não-Me-Toque is not on the tour this year.") == "accepted"
    assert verdict(of, "Não-Me-Toque is on the tour this year.") == "negation_dropped"


def _repeats(text: str, message: str) -> bool:
    return repeated(text, Sources(region(message).messages)[0]) is not None


def test_whole_sentences_in_order_count_and_marks_at_their_edges_do_not() -> None:
    """Fails if case, closing marks or a second sentence are taken for other words."""
    message = "Welcome! Keep the oven shut. Nobody opens it before noon."
    assert _repeats("keep the oven shut", message)
    assert _repeats("Keep the oven shut. Nobody opens it before noon!", message)
    assert not _repeats("Nobody opens it before noon. Keep the oven shut.", message)
    assert not _repeats("Keep the oven open.", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("The oven is open.", "The oven is open?"),  # asked, not said
        ("The picnic is cancelled.", "If it rains, the picnic is cancelled."),  # half of a sentence
        ("Restart the queue", "Never do any of this:\nRestart the queue"),  # a line that another announces
        ("Restart the queue", "Please do not\nRestart the queue"),  # a line that goes on
        ("Restart the queue", "Restart the queue\nonly after the backup."),  # a line that is not at its end
        ("Restart the queue.", "> Restart the queue."),  # quoted by the user
    ],
)
def test_less_than_a_sentence_repeats_nothing(text: str, message: str) -> None:
    """Fails if words count that another line or half of the sentence turns around."""
    assert not _repeats(text, message)


def test_what_the_user_refused_or_replaced_is_not_saved_by_repeating_it() -> None:
    """Fails if word for word means that nothing else is asked."""
    of = region(("assistant", "Shall we print on both sides? We could print on both sides."), "No, single-sided.")
    assert verdict(of, "We could print on both sides.", "m1", "m2", type="constraint") != "accepted"
    of = region("The gate closes at 18:00.", "Change that: the gate closes at 19:30 now.")
    assert verdict(of, "The gate closes at 18:00.", "m1", "m2") == "stale_value"
    assert verdict(region(("assistant", "Lock the gate.")), "Lock the gate.", type="constraint") == "authority"
