"""Tool text is quoted where its values come back, at its own level of structure, with the name it stands under."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.observations import PER_RESULT, observations
from bobctx.core.parts import read_message
from bobctx.core.types import Region

PASSENGER = {"first_name": "Ann", "seat": "12A", "notes": "x" * 80}
DATA = {
    "user_id": "ann_kim_4411",
    "orders": ["W8821", "W8822", "W8823"],
    "address": {"street": "5 Elm Road " * 6, "zip": "77243"},
    "flights": [
        {"number": "HAT041", "date": "2027-05-27", "price": 138, "passengers": [PASSENGER]},
        {"number": "HAT266", "date": "2027-05-28", "price": 131, "passengers": [PASSENGER]},
    ],
}


def made(result: str, later: str, **fields: Any) -> list[tuple[str, str]]:
    body = {"role": "tool", "tool_call_id": "t", "content": result, **fields}
    messages = (
        read_message(body, id="a", seq=1),
        read_message({"role": "assistant", "content": later}, id="b", seq=2),
    )
    return [(o.type, o.text) for o in observations(Region(messages=messages))]


def test_only_values_that_come_back_are_quoted() -> None:
    assert made(json.dumps(DATA), "I will look at it.") == []
    found = made(json.dumps(DATA), "Flight HAT266 is the one.")
    assert found == [("fact", '"number": "HAT266", "date": "2027-05-28", "price": 131')]


def test_a_list_keeps_the_name_it_stands_under() -> None:
    assert made(json.dumps(DATA), "Order W8822 is open.") == [("fact", '"orders": ["W8821", "W8822", "W8823"]')]


def test_a_short_line_is_quoted_whole() -> None:
    assert made("id    status\njob-4711  done at noon\njob-4712  ok", "I looked at job-4711.") == [
        ("fact", "job-4711 done at noon")
    ]


@pytest.mark.parametrize("question", ["Why not 80? ", "Ready? Set? ", "为什么不用80？"])
def test_what_a_line_asks_first_is_not_quoted_with_what_it_says(question: str) -> None:
    assert made(f"{question}It failed with exit code 137.", "ok") == [("failure", "It failed with exit code 137.")]


@pytest.mark.parametrize("line", ["ValueError: bad port 99999", "fatal: not a git repository", "exit code 137"])
def test_an_error_is_a_failure(line: str) -> None:
    assert ("failure", line) in made(f"line one\n{line}\nline three", "Hm.")


def test_a_file_that_a_call_writes_is_an_artifact() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "write_file", "arguments": '{"path": "/srv/app.py"}'}}
    message = read_message({"role": "assistant", "content": None, "tool_calls": [call]}, id="a", seq=1)
    found = observations(Region(messages=(message,)))
    assert [(o.type, o.text) for o in found] == [("artifact", "write_file: /srv/app.py")]


def test_one_result_yields_few_quotes() -> None:
    lines = "\n".join(f"row id-{n}-abc" for n in range(50))
    assert len(made(lines, " ".join(f"id-{n}-abc" for n in range(50)))) <= PER_RESULT


PADDING = {
    "en": "as the mirror of the ledger in the oak room is behind by half an hour and the operators have gone home, ",
    "de": "weil der Spiegel des Hauptbuchs im Raum um eine halbe Stunde hinterherhinkt und alle nach Hause sind, ",
    "es": "porque el espejo del libro mayor de la sala va media hora atrasado y todos los operadores se han ido, ",
}
BANS = [
    ("en", "Please do not, {}use host-1234 for the nightly dump"),
    ("de", "Bitte nimm auf keinen Fall, {}host-1234 für die nächtliche Sicherung"),
    ("de", "Nimm host-1234 für die nächtliche Sicherung, {}auf keinen Fall"),
    ("es", "Por favor nunca, {}uses host-1234 para la copia nocturna"),
]


@pytest.mark.parametrize(
    "form", ["{}.", '{{"id": "x1", "note": "{}", "more": "' + "y" * 200 + '"}}', "# Notes\n\n{}.\n"]
)
@pytest.mark.parametrize(("lang", "ban"), BANS)
def test_a_value_is_quoted_with_the_ban_on_it(lang: str, ban: str, form: str) -> None:
    """Fails if the line is cut between them: `use host-1234` would be the opposite of what the tool said."""
    said = ban.format(PADDING[lang])
    [(_, found)] = made(form.format(said), "host-1234 is named.")
    assert found.removesuffix(".") == said


def test_a_value_in_a_list_under_a_ban_is_quoted_with_it() -> None:
    found = made("Never do this:\n- restart relay-us-17\n- enable zeta-sync-99\n", "relay-us-17 it is.")
    assert found == [("fact", "Never do this: restart relay-us-17")]


def test_a_value_whose_ban_is_too_far_away_is_left_out() -> None:
    far = "Never, whatever they say, " + PADDING["en"] * 7 + "use host-1234."
    assert made(far, "host-1234 is named.") == []


def test_what_another_field_or_line_denies_makes_no_quote_longer() -> None:
    row = json.dumps({"note": "never again " * 9, "host": "host-1234", "port": 80, "z": "y" * 200})
    assert made(row, "host-1234 is named.") == [("fact", '"host": "host-1234"')]
    log = "Checking the mirrors\nhost-99: never again\nhost-1234 ok\n"
    assert made(log, "host-1234 is named.") == [("fact", "host-1234 ok")]
