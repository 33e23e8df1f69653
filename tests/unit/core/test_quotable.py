"""What is quoted alone of a text keeps the denial that governs it; what has none comes apart as before."""

from __future__ import annotations

import pytest

from bobctx.core.candidates import shorter
from bobctx.core.markers import markers
from bobctx.core.quotable import LONG_CHARS, MAX_CHARS, denials, pieces
from bobctx.core.text import Span
from tests.unit.core.test_extract import claims, region


def quoted(text: str, lang: str) -> list[str]:
    return [p.text for p in pieces(text, Span(0, len(text)), lang)]


def told(text: str) -> list[tuple[str, str]]:
    """Types and texts of the claims of one message, all accepted."""
    return [(c["type"], c["text"]) for c in claims(region(text, "ok"))]


LONG = {
    "en": [
        "Never restart db-7 during the day, and enable zeta-sync, and touch the ledger, and delete the mirrors in "
        "room 12, and write to the support desk about any of this, however urgent it may look to the people who "
        "call in the night, before I have read the report of the night shift that comes in at six in the morning "
        "on port 8443 of relay-us.",
        "Under no circumstances — and I mean this for all the clusters in the north and in the south and for every "
        "mirror of the ledger, however far it may be behind, and however urgent it may look to the people of the "
        "support desk who call in the night — enable zeta-sync on the billing cluster db-7 because the ledger was "
        "lost twice.",
        "What I forbid for all the clusters in the north and in the south and for every mirror of the ledger, "
        "however far it may be behind, and however urgent it may look to the people of the support desk who call "
        "in the night: enable zeta-sync on the billing cluster db-7, restart relay-us at noon, and write to the "
        "support desk.",
    ],
    "de": [
        "Aktiviere zeta-sync auf db-7, und das gilt für alle Cluster im Norden und im Süden und für jeden Spiegel "
        "des Hauptbuchs, wie weit er auch hinterherhinken mag und wie dringend es den Leuten vom Support auch "
        "erscheinen mag, die in der Nacht anrufen, und starte den Server relay-us am Mittag neu und lösche die "
        "Spiegel im Raum 12 niemals.",
        "Bitte starte db-7 tagsüber, solange die Spiegel mirror-1 und mirror-2 des Hauptbuchs noch hinterherhinken "
        "und die Leute vom Support in der Nacht anrufen und niemand weiß, wo die Schlüssel des alten Büros an der "
        "Hafenstraße sind, nicht neu, und schreibe dem Support, aber erst, wenn der Bericht der Nachtschicht "
        "gelesen ist, keine Mail.",
    ],
    "es": [
        "Nunca habilites zeta-sync en el clúster de facturación db-7, ni siquiera cuando la gente de soporte llame "
        "por la noche y diga que es urgente, y reinicia relay-us al mediodía, y borra los espejos de la sala 12, "
        "aunque los espejos mirror-1 y mirror-2 del libro mayor vayan atrasados y no haya nadie en la oficina de "
        "la calle del puerto.",
    ],
    "ja": [
        "請求クラスタ db-7 の zeta-sync を有効にするのは便利なのですが、夜間バックアップが終わっ"
        "てミラー mirror-1 と mirror-2 が一日の変更に追いついた後であっても、サポート窓口の人"
        "が夜中に電話してきてどんなに急いでいると言っても、古い事務所の鍵を持っている人が休暇中であっても、港通り"
        "の保管庫のテープがすべて揃っていても、台帳の復元に週末が丸ごと必要になった去年のことを考えると、部屋12"
        "のミラーが三十分以上遅れている場合でも、夜勤の報告が朝六時に relay-us のポート 8443 に届"
        "く前でも、誰から頼まれたとしても、どのクラスタであっても、昼間でも夜中でも、休日でも、避けてほしいけど、"
        "relay-us の再起動も、昼間は、絶対にしないでください。",
    ],
}


@pytest.mark.parametrize(("lang", "sentence"), [(lang, s) for lang, all_ in LONG.items() for s in all_])
def test_a_long_ban_is_quoted_whole(lang: str, sentence: str) -> None:
    """Fails if a clause comes out alone that the ban of another one governs (`enable zeta-sync`)."""
    assert LONG_CHARS < len(sentence) <= MAX_CHARS
    assert quoted(sentence, lang) == [sentence]
    assert told(sentence) == [("constraint", sentence)]


WHILE = {
    "en": ("Never enable zeta-sync on db-7, ", "the mirror of the ledger in the {} room is behind by half an hour, "),
    "de": ("Aktiviere niemals zeta-sync auf db-7, ", "der Spiegel im Raum {} hinkt um eine halbe Stunde hinterher, "),
    "es": ("Nunca habilites zeta-sync en db-7, ", "el espejo de la sala {} del libro mayor va media hora atrasado, "),
}
ROOMS = "Oak", "Elm", "Ash", "Fir", "Yew", "Bay", "Fig", "Pine", "Plum", "Pear", "Palm", "Lime"


@pytest.mark.parametrize("lang", WHILE)
def test_a_ban_that_is_too_long_for_a_claim_is_cut_behind_it(lang: str) -> None:
    """Fails if it is left out, or only what comes after the last `and` is kept."""
    ban, reason = WHILE[lang]
    text = ban + "".join(map(reason.format, ROOMS)) + "and restart relay-us at noon."
    [(type_, found)] = told(text)
    assert type_ == "constraint"
    assert found.startswith(ban)
    assert MAX_CHARS - 120 < len(found) <= MAX_CHARS


@pytest.mark.parametrize("lang", WHILE)
def test_a_ban_behind_many_words_is_cut_before_them(lang: str) -> None:
    ban, reason = WHILE[lang]
    text = "".join(map(reason.format, ROOMS)) + ban.strip(", ") + "."
    [found] = quoted(text, lang)
    assert found.endswith(ban.strip(", ") + ".")
    assert len(found) <= MAX_CHARS


def test_of_a_sentence_with_denials_too_far_apart_only_clauses_with_their_own_are_taken() -> None:
    text = (
        "Never restart db-7; enable zeta-sync; "
        + "touch the ledger in room 12 of the old office; " * 13
        + "do not call."
    )
    assert quoted(text, "en") == ["Never restart db-7", "do not call."]


def test_a_long_sentence_that_denies_nothing_comes_apart_and_one_of_an_unknown_language_stays() -> None:
    plain = "The ledger moved to db-7 in May, and the mirrors moved to relay-us; " * 6
    assert len(quoted(plain, "en")) == 12
    unread = "Ποτέ μην επανεκκινήσεις τη βάση; " * 6 + "ενεργοποίησε το zeta-sync; " * 6
    assert quoted(unread, "und") == [unread.strip()]
    assert quoted(unread * 2, "und") == []


UNKNOWN_BANS = [
    ("en", "Shun every one of these: ", "enable zeta-sync on the billing cluster db-7, and restart relay-us at noon; "),
    ("de", "Was ich kaum noch einmal erleben will: ", "aktiviere zeta-sync auf "
     "dem Cluster db-7, und starte relay-us am Mittag neu; "),
    ("es", "Deja de lado lo siguiente: ", "habilita zeta-sync en el clúster db-7, y reinicia relay-us al mediodía; "),
]  # fmt: skip


@pytest.mark.parametrize(("lang", "label", "acts"), UNKNOWN_BANS)
@pytest.mark.parametrize("times", [1, 4, 9])
def test_what_stands_behind_a_label_keeps_it_whatever_the_label_says(
    lang: str, label: str, acts: str, times: int
) -> None:
    """Fails if a ban in words that no table has leaves `restart relay-us at noon` to stand alone."""
    text = label + acts * times + acts.rstrip("; ") + "."
    assert all(found.startswith(label.strip()) for found in quoted(text, lang))
    assert all(part.startswith(label.strip()) for part in shorter(text, lang))
    assert all(found.startswith(label.strip()) for _, found in told(text))


def test_behind_orders_that_a_colon_ends_nothing_is_taken_apart() -> None:
    orders = "Enable zeta-sync on db-7, and restart relay-us at noon, and delete the mirrors in the old room; " * 2
    text = orders.rstrip("; ") + ": you can shun all of that, " + "as the people of the desk know, " * 18 + "for now."
    assert quoted(text, "en") == []


BANS = [
    ("en", "Abstain from enabling zeta-sync on db-7, and restarting relay-us at noon."),
    ("en", "Cancel the plan to enable zeta-sync on db-7, and restart relay-us at noon."),
    ("de", "Hüte dich davor, zeta-sync auf db-7 zu aktivieren, und relay-us um 12 Uhr neu zu starten."),
    ("de", "Sieh davon ab, zeta-sync auf db-7 zu aktivieren, und relay-us um 12 Uhr neu zu starten."),
    ("de", "zeta-sync auf db-7 zu aktivieren, und relay-us um 12 Uhr neu zu starten, das lässt du bleiben."),
    ("fr", "Je m'oppose à activer zeta-sync sur db-7, et à redémarrer relay-us à midi."),
    ("es", "Te prohíbo habilitar zeta-sync en db-7, y reiniciar relay-us al mediodía."),
    ("it", "Guardati dal attivare zeta-sync su db-7, e riavviare relay-us a mezzogiorno."),
    ("pt", "Abstém-te de ativar o zeta-sync no db-7, e de reiniciar o relay-us ao meio-dia."),
    ("nl", "Zie ervan af om zeta-sync op db-7 aan te zetten, en relay-us om twaalf uur te herstarten."),
    ("ru", "Откажись от включения zeta-sync на db-7, и от перезапуска relay-us в полдень."),
    ("ja", "db-7 の zeta-sync を有効にして、relay-us を正午に再起動するのはやめてください。"),
    ("ar", "كف عن تفعيل zeta-sync على الخادم db-7، وإعادة تشغيل relay-us ظهرا."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ja", "本番環境で使うのはnginxです。"),
        ("nl", "Laat het na de vergadering om twee uur even weten aan de helpdesk."),
        ("ar", "توقف عن الاستجابة الخادم db-7 عند الساعة الثالثة صباحا."),
    ],
)
def test_what_only_begins_like_such_words_forbids_nothing(lang: str, text: str) -> None:
    assert "forbid" not in markers(text, lang)


@pytest.mark.parametrize(("lang", "text"), BANS)
def test_bans_in_further_words_are_quoted_whole(lang: str, text: str) -> None:
    assert told(text) == [("constraint", text)]


LISTS = [
    ("Do not:\n- enable zeta-sync\n- restart db-7", ["Do not: enable zeta-sync", "Do not: restart db-7"]),
    ("Never do this on prod:\n\n1. enable zeta-sync\n2. restart db-7",
     ["Never do this on prod: enable zeta-sync", "Never do this on prod: restart db-7"]),
    ("## Never do this\n- enable zeta-sync\n- restart db-7",
     ["Never do this: enable zeta-sync", "Never do this: restart db-7"]),
    ("These are the things that you must not do\n\n* enable zeta-sync\n* restart db-7",
     ["These are the things that you must not do: enable zeta-sync",
      "These are the things that you must not do: restart db-7"]),
    ("Never on prod:\nenable zeta-sync\nrestart db-7",
     ["Never on prod: enable zeta-sync", "Never on prod: restart db-7"]),
    ("Folgendes ist verboten:\n- zeta-sync aktivieren\n- db-7 neu starten",
     ["Folgendes ist verboten: zeta-sync aktivieren", "Folgendes ist verboten: db-7 neu starten"]),
    ("Está prohibido:\n- habilitar zeta-sync\n- reiniciar db-7",
     ["Está prohibido: habilitar zeta-sync", "Está prohibido: reiniciar db-7"]),
    ("次のことは禁止です：\n- zeta-sync を有効にする\n- 昼に db-7 を再起動する",
     ["次のことは禁止です： zeta-sync を有効にする", "次のことは禁止です： 昼に db-7 を再起動する"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rules"), LISTS)
def test_an_item_under_a_ban_is_quoted_with_it(text: str, rules: list[str]) -> None:
    """Fails if `enable zeta-sync` becomes a claim of its own."""
    assert sorted(told(text)) == sorted(("constraint", rule) for rule in rules)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do not:\n- enable zeta-sync\n\nFacts:\n- the port is 8443",
         ["Do not: enable zeta-sync", "Facts:", "- the port is 8443"]),
        ("- never on prod:\n  - enable zeta-sync\n- the port is 8443",
         ["never on prod: enable zeta-sync", "- the port is 8443"]),
        ("I did not have time.\n- restart db-7", ["I did not have time.", "- restart db-7"]),
        ("Please do:\n- restart db-7", ["Please do:", "- restart db-7"]),
        ("Never do this:\n- enable it. It broke the ledger.\n  Twice.",
         ["Never do this: enable it. It broke the ledger. Twice."]),
    ],
)  # fmt: skip
def test_a_ban_reaches_as_far_as_its_list(text: str, expected: list[str]) -> None:
    assert quoted(text, "en") == expected


WRAPPED = [
    ("en", "Please never under any circumstances, whatever they say,\nenable zeta-sync as the ledger\nwas lost."),
    ("en", "zeta-sync on db-7 must under no\ncircumstances be enabled on prod. Thanks."),
    ("en", "Never restart db-7 (e.g. on Mon. or Tue. at 4 p.m.) before relay-us is up."),
    ("de", "Aktiviere zeta-sync auf db-7 unter gar keinen\nUmständen, und starte relay-us am Mittag\nauch nicht neu."),
    ("es", "Por favor, bajo ninguna circunstancia,\nhabilites zeta-sync en el clúster db-7."),
    ("ja", "zeta-sync は、本番では、\n絶対に有効にしないでください。"),
]  # fmt: skip


@pytest.mark.parametrize(("lang", "text"), WRAPPED)
def test_a_ban_that_was_wrapped_is_quoted_over_its_lines(lang: str, text: str) -> None:
    whole = text.replace("\n", " ").removesuffix(" Thanks.")
    assert quoted(text, lang)[0] == whole
    assert ("constraint", whole) in told(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("> Do not:\n> - use order W88213-A", "Do not: use order W88213-A"),
        ("> Never, whatever they say,\n> use order W88213-A.", "Never, whatever they say, use order W88213-A."),
    ],
)
def test_what_a_quoted_ban_governs_is_not_quoted_without_it(text: str, fact: str) -> None:
    """An order of somebody else is left out, or reported with its denial."""
    assert quoted(text, "en") == [f"> {fact}" if text.count("- ") == 0 else fact]
    assert all("o not" in found or "ever" in found for _, found in told(f"See:\n{text}") if "W88213" in found)


def test_lines_that_say_something_each_stay_apart() -> None:
    text = "Never restart db-7 at noon\nThe port is 8443\n\nenable zeta-sync"
    assert quoted(text, "en") == ["Never restart db-7 at noon", "The port is 8443", "enable zeta-sync"]
    assert quoted("never turn it on\nthe port is 8443", "en") == ["never turn it on", "the port is 8443"]
    assert quoted("Schalte db-7 nie ein\nDer Port ist 8443", "de") == ["Schalte db-7 nie ein", "Der Port ist 8443"]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "at night nobody is to restart db-7, but enable zeta-sync on the billing cluster"),
        ("de", "nachts soll niemand db-7 neu starten, aber zeta-sync auf dem Cluster aktivieren"),
        ("es", "de noche que nadie reinicie db-7, pero habilite zeta-sync en el clúster"),
    ],
)
def test_what_is_shortened_keeps_its_denials(lang: str, text: str) -> None:
    assert denials(text, lang)
    assert all(denials(part, lang) for part in shorter(text, lang))
