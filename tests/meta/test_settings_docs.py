"""The settings page and the table agree, and every setting can be set by every name it lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx import settings
from bobctx.api.assemble import AssemblerConfig
from bobctx.client import ASSEMBLE_TIMEOUT_S
from bobctx.core.policy import COOLDOWN_S, MAX_REGIONS, QUIET_S
from bobctx.core.region import REGION_CAP
from bobctx.errors import ConfigurationError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
ROWS = settings.table()
SEED_NAMES = {
    "CONTEXT_DB": "db",
    "MEMORY_SQLITE_PATH": "memory_sqlite_path",
    "BOB_COMPACTOR_REGION_TOKENS": "compactor_region_tokens",
    "BOB_CLAIMS_IN_PROMPT": "claims_in_prompt",
    "BOB_COMPACTOR_ENABLED": "compactor_enabled",
    "BOB_COMPACTOR_SHADOW": "compactor_enabled",
    "BOB_CONTEXT_FIT_ENABLED": "context_fit_enabled",
}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for item in ROWS:
        for variable in item.env:
            monkeypatch.delenv(variable, raising=False)


def test_the_page_is_what_the_table_generates() -> None:
    """Fails after any change of the table: run `python -m bobctx.settings > docs/settings.md`."""
    assert PAGE.read_text("utf-8") == settings.as_markdown()


@pytest.mark.parametrize("item", ROWS, ids=lambda r: r.name)
def test_every_setting_has_help_and_a_prefixed_variable(item: settings.Row) -> None:
    assert item.help.endswith((".", ")"))
    assert item.env[0] == f"BOBCTX_{item.name.upper()}"


def test_every_setting_is_read_somewhere() -> None:
    """Fails when a row is added that changes nothing."""
    package = PAGE.parents[1] / "bobctx"
    readers = [*(package / "runtime").glob("*.py"), *(package / "cli").glob("*.py")]
    source = "".join(path.read_text("utf-8") for path in readers)
    own = (package / "settings.py").read_text("utf-8")
    unread = [r.name for r in ROWS if f"settings.{r.name}" not in source and f"self.{r.name}" not in own]
    assert unread == []


def test_the_names_of_the_first_design_are_aliases() -> None:
    listed = {variable: item.name for item in ROWS for variable in item.env}
    assert SEED_NAMES.items() <= listed.items()


def example(name: str) -> tuple[str, object]:
    """A text for the environment and the value it must become, different from the default."""
    default = settings.Settings.model_fields[name].default
    special: dict[str, tuple[str, object]] = {
        "synchronous": ("FULL", "FULL"),
        "log_level": ("debug", "debug"),
        "log_format": ("console", "console"),
        "mode": ("fit", "fit"),
        "proxy_mode": ("live", "live"),
        "profile": ("long", "long"),
        "policy": ("seed", "seed"),
        "style": ("compact", "compact"),
        "window": ("9000", 9000),
        "compactor_window": ("9000", 9000),
        "compactor_place": ("local", "local"),
        "seat_profile": ("small", "small"),
        "history_share": ("0.4", 0.4),
        "anchor_step": ("0.25", 0.25),
        "compile_per_kind": ("3", 3),
        "recall_max_distance": ("0.6", 0.6),
    }
    if name in special:
        return special[name]
    if isinstance(default, bool):
        return ("false" if default else "true"), not default
    if isinstance(default, int):
        return str(default + 1), default + 1
    if isinstance(default, float):
        return str(default / 2), default / 2
    if default == ():
        return "a, b", ("a", "b")
    if isinstance(default, str):
        return "0.0.0.0", "0.0.0.0"
    annotation = str(settings.Settings.model_fields[name].annotation)
    return ("/x/y", Path("/x/y")) if "Path" in annotation else ("http://h", "http://h")


@pytest.mark.parametrize(
    ("name", "variable"), [(r.name, v) for r in ROWS for v in r.env], ids=lambda v: v if isinstance(v, str) else ""
)
def test_each_variable_sets_its_setting(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, value = example(name)
    monkeypatch.setenv(variable, text)
    assert getattr(settings.load(), name) == value


def test_the_prefixed_name_wins_and_an_argument_wins_over_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXT_DB", "/a.db")
    monkeypatch.setenv("BOBCTX_DB", "/b.db")
    assert settings.load().db_path == Path("/b.db")
    assert settings.load(db="/c.db").db_path == Path("/c.db")


def test_short_names_of_the_environment_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOST", "PORT", "DB", "KEY", "URL", "MODE", "SOCKET"):
        monkeypatch.setenv(name, "1")
    assert settings.load() == settings.Settings()


@pytest.mark.parametrize("variable", ["BOBCTX_PORT", "BOB_COMPACTOR_REGION_TOKENS"])
def test_a_bad_value_names_its_variable(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "many")
    with pytest.raises(ConfigurationError) as caught:
        settings.load()
    prefixed = variable if variable.startswith("BOBCTX_") else "BOBCTX_COMPACTOR_REGION_TOKENS"
    assert prefixed in caught.value.message
    assert "many" not in caught.value.message


def test_the_database_stands_beside_the_memory_database_else_in_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/xdg")
    assert settings.load().db_path == Path("/xdg/bobctx/bobctx.db")
    monkeypatch.setenv("MEMORY_SQLITE_PATH", "/lane/memory.db")
    assert settings.load().db_path == Path("/lane/bobclaw_context.db")


def test_defaults_that_the_core_has_too_are_the_same_ones() -> None:
    """Fails if a lane without settings fits otherwise than the library does."""
    plain = settings.Settings()
    core = AssemblerConfig()
    assert (plain.anchor_step, plain.history_max_tokens) == (core.step, core.history_max)
    assert (plain.policy, plain.style, plain.profile, plain.mode) == (core.policy, core.style, core.profile, core.mode)
    assert plain.assemble_deadline_ms == core.deadline_s * 1000
    assert plain.compactor_region_tokens == REGION_CAP
    assert (plain.cooldown_s, plain.quiet_s, plain.regions_per_run) == (COOLDOWN_S, QUIET_S, MAX_REGIONS)
    assert plain.client_timeout_ms == ASSEMBLE_TIMEOUT_S * 1000


@pytest.mark.parametrize("variable", ["BOBCTX_DB", "MEMORY_SQLITE_PATH", "BOBCTX_KEY_FILE"])
@pytest.mark.parametrize("place", ["/", "~nobody-here/b.db", "{links}/one.db"])
def test_a_place_that_can_be_no_file_is_said_with_its_variable(
    variable: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if a root, an unknown home or links in a circle end in a traceback of the first command that opens it."""
    (tmp_path / "one.db").symlink_to(tmp_path / "two.db")
    (tmp_path / "two.db").symlink_to(tmp_path / "one.db")
    monkeypatch.setenv(variable, place.format(links=tmp_path))
    with pytest.raises(ConfigurationError, match=variable):
        settings.load()
