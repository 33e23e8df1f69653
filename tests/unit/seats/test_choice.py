"""A model's name leads to one seat, and where its text may go is decided by its address."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.errors import ConfigurationError
from bobctx.seats.choice import SeatChoice, allow_table, build, choose
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.seats.http_seat import HttpSeat
from bobctx.seats.litellm_seat import LitellmSeat
from bobctx.seats.small import SmallSeat


@pytest.mark.parametrize(
    ("model", "options", "kind", "egress", "provider"),
    [
        ("extractive", {}, "extractive", "local", "local"),
        ("scripted:/tmp/x.json", {}, "scripted", "local", "local"),
        ("deepseek/deepseek-chat", {}, "litellm", "cloud_ok", "deepseek"),
        ("qwen", {"base_url": "http://127.0.0.1:11434/v1"}, "http", "local", "local"),
        ("qwen", {"base_url": "http://localhost:8080/v1"}, "http", "local", "local"),
        ("qwen", {"base_url": "http://10.0.0.5:8080/v1"}, "http", "cloud_ok", "0"),
        ("qwen", {"base_url": "http://10.0.0.5:8080/v1", "place": "local"}, "http", "local", "local"),
        ("deepseek-chat", {"base_url": "https://api.deepseek.com/v1"}, "http", "cloud_ok", "deepseek"),
        ("qwen", {"base_url": "http://127.0.0.1:4000/v1", "place": "cloud"}, "http", "cloud_ok", "0"),
        ("ollama/qwen", {"place": "local"}, "litellm", "local", "local"),
    ],
)
def test_a_name_leads_to_one_seat(model: str, options: Any, kind: str, egress: str, provider: str) -> None:
    found = choose(model, **options)
    assert (found.kind, found.egress, found.provider) == (kind, egress, provider)


@pytest.mark.parametrize(("model", "options"), [("", {}), ("gpt-5", {}), ("x", {"base_url": "ftp://h/v1"})])
def test_a_name_that_leads_nowhere_is_a_configuration_error(model: str, options: Any) -> None:
    with pytest.raises(ConfigurationError):
        choose(model, **options)


def test_each_kind_is_built_without_loading_a_model_library() -> None:
    assert isinstance(build(choose("extractive"), window=1), ExtractiveSeat)
    http = build(choose("m", base_url="http://127.0.0.1:1/v1"), window=8192)
    assert isinstance(http, HttpSeat)
    assert (http.name, http.egress, http.window) == ("m", "local", 8192)
    lite = build(choose("deepseek/a"), window=64_000, fallbacks=("deepseek/b",))
    assert isinstance(lite, LitellmSeat)
    assert (lite.name, lite.egress, lite.window) == ("deepseek/a", "cloud_ok", 64_000)
    with pytest.raises(ConfigurationError):
        build(choose("deepseek/a"), window=1, fallbacks=("openai/b",))


def test_rows_of_the_allowlist_are_read_and_checked() -> None:
    assert allow_table(["Anthropic = deepseek/a", "anthropic=openai"]) == {"anthropic": ["deepseek/a", "openai"]}
    for bad in ("anthropic", "=x", "x="):
        with pytest.raises(ConfigurationError):
            allow_table([bad])


def test_a_choice_names_its_target() -> None:
    assert choose("m", base_url="http://127.0.0.1:1/v1") == SeatChoice(
        kind="http", name="m", egress="local", provider="local", target="http://127.0.0.1:1/v1"
    )


def test_the_small_profile_is_for_seats_on_this_machine() -> None:
    here = choose("qwen", base_url="http://127.0.0.1:1/v1", profile="small")
    assert here.small
    seat = build(here, window=8_192)
    assert isinstance(seat, SmallSeat)
    assert (seat.name, seat.egress, seat.window) == ("qwen", "local", 8_192)
    assert choose("ollama/qwen", place="local", profile="small").small
    assert not choose("extractive", profile="small").small
    for model, url in (("deepseek/a", None), ("qwen", "https://api.example.com/v1")):
        with pytest.raises(ConfigurationError) as error:
            choose(model, base_url=url, profile="small")
        assert error.value.field == "seat_profile"
