"""Values that the cited messages replace."""

from __future__ import annotations

import pytest

from bobctx.core import staleness
from tests.unit.core.claim_cases import case, region, verdict


@pytest.mark.parametrize(
    ("messages", "wrong", "right"),
    [
        (
            ["Backups are kept for 45 days instead of 30 days."],
            "Backups are kept for 30 days.",
            "Backups are kept for 45 days.",
        ),
        (
            ["The meeting is at 10:00.", "Please move the meeting to 11:00."],
            "The meeting is at 10:00.",
            "The meeting is at 11:00.",
        ),
        (
            ["会議は毎週木曜の10:00からです。", "会議の開始は11:00に変更してください。"],
            "会議は10:00に始まる。",
            "会議の開始は11:00になった。",
        ),
    ],
)
def test_the_replaced_value_is_not_current(messages: list[str], wrong: str, right: str) -> None:
    of = region(*messages)
    cites = [m.id for m in of.messages]
    assert verdict(of, wrong, *cites, type="decision") == "stale_value"
    assert verdict(of, right, *cites, type="decision") == "accepted"


def test_a_claim_about_the_past_may_have_it() -> None:
    of = region("Backups are kept for 45 days instead of 30 days.")
    assert verdict(of, "Backups were previously kept for 30 days.") == "accepted"


def test_a_change_of_a_thing_with_another_name_replaces_nothing() -> None:
    """The names have two of their three words in common."""
    said = "We settled on 26.3.36 for kirrin-sync-replica. kirrin-sync-primary now runs 17.13.38 instead of 15.23.32."
    assert verdict(region(said), "kirrin-sync-replica runs 26.3.36.") == "accepted"


DIFF = """here is what I changed by hand:
-max_connections = 200
+max_connections = 350
-work_mem = 8MB
+work_mem = 32MB"""


@pytest.mark.parametrize(
    ("messages", "wrong", "right"),
    [
        ([DIFF], "max_connections is 200.", "max_connections is 350."),
        (
            [
                ("assistant", "Shall I export at 128 kbps or 192 kbps?"),
                "192 kbps. Wait, no, the host caps us, so 128 kbps.",
            ],
            "The export is at 192 kbps.",
            "The export is at 128 kbps.",
        ),
        (
            [("assistant", "Should the pause stay at 14 days?"), "It's 21 days now; the 14 days are obsolete."],
            "The pause is 14 days.",
            "The pause is 21 days.",
        ),
        (
            ["Que el vídeo dure 45 segundos.", "Mejor: en vez de 45 segundos, que el vídeo dure 30."],
            "El vídeo debe durar 45 segundos.",
            "El vídeo debe durar 30 segundos.",
        ),
    ],
)
def test_a_value_is_stale_where_a_diff_a_retraction_or_a_word_says_so(
    messages: list[str | tuple[str, str]], wrong: str, right: str
) -> None:
    of = region(*messages)
    cites = [m.id for m in of.messages]
    assert verdict(of, wrong, *cites, type="decision") == "stale_value"
    assert verdict(of, right, *cites, type="decision") != "stale_value"


def test_a_value_named_again_as_past_is_not_current() -> None:
    """Fails if a later message that says what was wrong with a value counts as stating it."""
    of = region(
        "Rules for the aviary: 21 °C by day, 14 °C by night.",
        "One change: from today it is 15 °C by night, 14 °C was too cold for the chicks.",
    )
    assert verdict(of, "The aviary is kept at 14 °C by night.", "m1", "m2", type="constraint") == "stale_value"
    assert verdict(of, "The aviary is kept at 15 °C by night.", "m1", "m2", type="constraint") == "accepted"


def test_a_place_in_an_order_that_is_turned_later_is_stale() -> None:
    of = region(
        "The raffle comes after the second course.",
        "The caterer changed her mind: the raffle now comes before the second course.",
    )
    assert verdict(of, "The raffle comes after the second course.", "m1", "m2", type="decision") == "stale_value"
    assert verdict(of, "The raffle comes before the second course.", "m1", "m2", type="decision") == "accepted"


def test_a_counter_may_stand_between_a_value_and_the_word_that_sets_it_aside() -> None:
    of = region("参加者は30名です。", "参加者は30名ではなく35名にしてください。")
    assert verdict(of, "参加者は30名のままとする。", "m1", "m2", type="decision") == "stale_value"
    assert verdict(of, "参加者は35名とする。", "m1", "m2", type="decision") == "accepted"


def test_a_later_mention_about_another_matter_does_not_keep_a_value() -> None:
    """Fails if `week 18 is for the stocktaking` counts as stating week 18 of the pre-orders."""
    of = region(
        "Please plan the tastings for week 14.",
        "Sorry, the wrong week: tastings are week 16. Week 14 is for the inventory.",
    )
    assert verdict(of, "The tastings are planned for week 14.", "m1", "m2", type="decision") == "stale_value"
    assert verdict(of, "The tastings are in week 16.", "m1", "m2", type="decision") == "accepted"


REVISED = [
    (["The jar holds 5 litres.", "Scrap the 5 litres, it's 4 litres."], "The jar holds {} litres.", "5", "4"),
    (["储藏室的温度设为 8 度。", "温度调到 6 度，8 度太高。"], "储藏室的温度是 {} 度。", "8", "6"),
    (["発表は20分でお願いします。", "20分では長いので、15分にしてください。"], "発表は{}分である。", "20", "15"),
    (["Der Chor hat 31 Mitglieder.", "Wir sind jetzt 28 statt 31."], "Der Chor hat jetzt {} Mitglieder.", "31", "28"),
    (
        [("assistant", "I'd bake 40 rolls."), "Fewer rolls please, 25, half came back last time."],
        "{} rolls are baked.",
        "40",
        "25",
    ),
    (
        ["Le cours commence à 18 h.", "Finalement le cours commence à 18 h 30."],
        "Le cours commence à {}.",
        "18 h",
        "18 h 30",
    ),
    (["Se necesitan 60 sillas.", "Hemos bajado a 52 sillas."], "Se necesitan {} sillas.", "60", "52"),
    (
        ["The choir rehearses at 19:00.", "We've pushed it to 19:30 because of the trains."],
        "The choir rehearses at {}.",
        "19:00",
        "19:30",
    ),
    (["Keep the logs for 14 days.", "Make it 30 days, the 14 were too few."], "Logs are kept for {} days.", "14", "30"),
]


@pytest.mark.parametrize(("messages", "claim", "old", "new"), REVISED)
def test_a_revised_value_counts_and_the_old_one_does_not(
    messages: list[str | tuple[str, str]], claim: str, old: str, new: str
) -> None:
    of = region(*messages)
    cites = [m.id for m in of.messages]
    assert verdict(of, claim.format(old), *cites, type="decision") == "stale_value"
    assert verdict(of, claim.format(new), *cites, type="decision") == "accepted"


@pytest.mark.parametrize(
    ("messages", "claim"),
    [
        (["La visite dure 2 h.", "Le bus part maintenant à 18 h 30."], "La visite dure 2 h."),
        (["The drill needs 18 V.", "The lamp was changed to 12 V."], "The drill needs 18 V."),
        (["24時間前までの取り消しは無料、それ以降は50%です。"], "24時間前までの取り消しは無料。"),
        (
            ["The choir rehearses at 19:00.", "We've pushed the concert to 20:30 because of the trains."],
            "The choir rehearses at 19:00.",
        ),
    ],
)
def test_a_change_of_something_else_leaves_a_value(messages: list[str], claim: str) -> None:
    of = region(*messages)
    assert verdict(of, claim, *(m.id for m in of.messages)) == "accepted"


def test_a_correction_may_give_the_old_and_the_new_value() -> None:
    of = region(("assistant", "Shall I scale it to 12 people?"), "Yes. But 13 people, Jo signed up last night.")
    told = "The recipe is scaled to {} people rather than {}, because Jo signed up last night."
    assert verdict(of, told.format("13", "12"), "m1", "m2", type="correction") == "accepted"
    assert verdict(of, told.format("12", "13"), "m1", "m2", type="correction") == "stale_value"


def test_a_second_value_with_words_of_its_own() -> None:
    for source, wrong, right in (
        ("Entry is 12 €, 7 € for pupils.", "Entry for pupils is 12 €.", "Pupils pay 7 € entry."),
        (
            "La cuota es de 25 €, 15 € para los menores.",
            "La cuota para los menores es de 25 €.",
            "La cuota para los menores es de 15 €.",
        ),
    ):
        assert verdict(region(source), wrong) == "binding"
        assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("messages", "claim"),
    [
        (
            ["Der Maler kommt Montag 3, der Elektriker Mittwoch 5.", "Der Elektriker rutscht auf Donnerstag 6."],
            "Der Elektriker kommt Donnerstag 6 statt Mittwoch 5.",
        ),
        (["Перепутал: урок не в 17:00, а в 18:30."], "Урок в 18:30, а не в 17:00."),
        (
            ["The fee is 40 euros.", ("assistant", "Last year's fee was 45 euros, I've replaced it.")],
            "The fee was lowered from 45 euros last year to 40 euros.",
        ),
    ],
)
def test_both_values_of_a_correction(messages: list[str | tuple[str, str]], claim: str) -> None:
    of = region(*messages)
    assert verdict(of, claim, *(m.id for m in of.messages), type="correction") == "accepted"


def test_a_new_value_of_one_of_two_is_not_the_other_ones() -> None:
    of = region("Anna pays 40 euros, Bo pays 25 euros.", "Bo now pays 30 euros.")
    for claim, expected in (
        ("Anna pays 30 euros.", "binding"),
        ("Bo pays 30 euros.", "accepted"),
        ("Anna pays 40 euros.", "accepted"),
        ("Bo pays 25 euros.", "stale_value"),
    ):
        assert verdict(of, claim, "m1", "m2") == expected, claim


@pytest.mark.parametrize(
    ("messages", "wrong", "right"),
    [
        (
            ["We need 40 folding chairs for the picnic.", "I got the number of folding chairs wrong. Make it 55."],
            "40 folding chairs are needed for the picnic.",
            "55 folding chairs are needed for the picnic.",
        ),
        (
            ["Wir brauchen 40 Klappstühle fürs Picknick.", "Die Zahl der Klappstühle war falsch. Mach 55 daraus."],
            "Fürs Picknick braucht es 40 Klappstühle.",
            "Fürs Picknick braucht es 55 Klappstühle.",
        ),
        (
            [("assistant", "Burner 3 is at 80% for the syrup."), "Bring burner 3 down to 45%, it boils over."],
            "Burner 3 is at 80% for the syrup.",
            "Burner 3 goes to 45%.",
        ),
        (
            [
                "In the relay Noor has slot 2 and Ben has slot 5.",
                "Sorry, I mixed up the slots: Noor has slot 5 and Ben has slot 2.",
            ],
            "Ben has slot 5 in the relay.",
            "Ben has slot 2 in the relay.",
        ),
        (
            [
                "In der Staffel hat Mia Platz 2 und Tom Platz 5.",
                "Ich habe die Plätze verwechselt: Mia hat Platz 5 und Tom hat Platz 2.",
            ],
            "Tom hat in der Staffel Platz 5.",
            "Tom hat in der Staffel Platz 2.",
        ),
    ],
)
def test_a_value_is_set_right_by_what_leads_to_it(messages: list[str], wrong: str, right: str) -> None:
    """Fails if the sentence before, the numbered thing or an exchange says nothing of the old value."""
    assert verdict(region(*messages), wrong, *(f"m{i + 1}" for i in range(len(messages)))) == "stale_value"
    assert verdict(region(*messages), right, *(f"m{i + 1}" for i in range(len(messages)))) == "accepted"


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        (
            "Drums are not allowed before 4 pm, and nothing may be heavier than 3 kg.",
            "Drums may be played from 4 pm on.",
        ),
        (
            "Both doors keep a delay of 20 in the tests; afterwards both go to 900.",
            "After the tests the delay of both doors goes to 900.",
        ),
        ("Burner 3 is at 80%. Bring burner 2 down to 45%.", "Burner 3 is at 80%."),
    ],
)
def test_a_value_beside_it_replaces_none(message: str, claim: str) -> None:
    """Fails if a measure of another kind or of an earlier time stands for the value."""
    assert verdict(region(message), claim) == "accepted"


MOVED = [
    (
        "Our weekly report goes out on Mondays.",
        "The weekly report now goes out on Tuesdays.",
        "On Mondays the weekly report goes out.",
        "On Tuesdays the weekly report goes out.",
    ),
    (
        "Der Wochenbericht geht montags raus.",
        "Der Wochenbericht geht jetzt dienstags raus.",
        "Montags geht der Wochenbericht raus.",
        "Dienstags geht der Wochenbericht raus.",
    ),
    (
        "El informe semanal sale los lunes.",
        "El informe semanal ahora sale los martes.",
        "Los lunes sale el informe semanal.",
        "Los martes sale el informe semanal.",
    ),
    (
        "The 10 km walk sets off at 9:15.",
        "Please shift the 10 km to 9:45.",
        "The 10 km walk begins at 9:15.",
        "The 10 km walk begins at 9:45.",
    ),
    (
        "Die 10 km beginnen um 9:15.",
        "Verschieb die 10 km auf 9:45.",
        "Der Start der 10 km ist um 9:15.",
        "Der Start der 10 km ist um 9:45.",
    ),
    (
        "Room AX-17 is booked until 14:30.",
        "AX-17 is now ours until 16:00.",
        "AX-17 is booked until 14:30.",
        "AX-17 is booked until 16:00.",
    ),
    (
        "The discount for members is 15 %.",
        "15 % is too generous. Make the discount 10 %.",
        "Members get a discount of 15 %.",
        "Members get a discount of 10 %.",
    ),
    (
        "Der Rabatt beträgt 15 %.",
        "15 % ist zu großzügig. Mach beim Rabatt 10 %.",
        "Es gibt einen Rabatt von 15 %.",
        "Es gibt einen Rabatt von 10 %.",
    ),
    (
        "We plan the series with 10 episodes.",
        "10 episodes is too few, make it 12 episodes.",
        "The series has 10 episodes.",
        "The series has 12 episodes.",
    ),
]


@pytest.mark.parametrize(("before", "after", "wrong", "right"), MOVED)
def test_days_and_things_named_again_move_to_their_new_value(before: str, after: str, wrong: str, right: str) -> None:
    """Fails if a day, a thing that is named by a value, or one found wrong keeps its old value."""
    of = region(before, after)
    assert staleness.check(case(of, wrong, "m1", "m2", type="decision")) is not None
    assert verdict(of, wrong, "m1", "m2", type="decision") == "stale_value"
    assert verdict(of, right, "m1", "m2", type="decision") == "accepted"


def test_a_sentence_that_replaces_another_value_leaves_this_one() -> None:
    """Fails if `10 is too few, make it 12` replaces the 8 of which it does not speak."""
    of = region("The season has 8 parts for kids.", "10 episodes is too few, make it 12 episodes.")
    assert staleness.check(case(of, "For kids the season has 8 parts.", "m1", "m2", type="decision")) is None
    of = region(("assistant", "How many episodes? I have 10 so far."), "10 episodes is too few, make it 12.")
    assert verdict(of, "The series has 12 episodes.", "m1", "m2", type="decision") == "accepted"
