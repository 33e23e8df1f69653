"""Hooks go into a host's settings and out again, and nothing else in the files changes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from bobctx.errors import InvalidInput
from bobctx.hooks import splicing
from bobctx.hooks.install import (
    EVENTS,
    _with,
    _without,
    command_line,
    commands_in,
    install,
    is_ours,
    leanest,
    uninstall,
    works,
)

COMMAND = "bobctx hook claude-code"
OTHER = {"hooks": [{"type": "command", "command": "notify done"}]}
WRITTEN = """{
    "model" : "opus", "weight": 1.50e1,
    "permissions": {"allow": ["Bash(ls:*)"],   "deny": []},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say \\u00fcber"}]}
        ]
    },
    "last": null
}
"""


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "claude" / "settings.json"


def test_hooks_are_added_where_there_was_no_file_and_it_goes_away_again(settings: Path) -> None:
    (change,) = install("claude-code", settings, COMMAND)
    assert (change.done, change.copy) == ("installed", None)
    assert commands_in(settings, "claude-code") == dict.fromkeys(EVENTS["claude-code"], COMMAND)
    assert uninstall("claude-code", settings)[0].done == "removed"
    assert not settings.exists()


@pytest.mark.parametrize("old_copy", [False, True])
def test_a_file_that_an_installation_made_goes_away_after_it_was_brought_up_to_date(
    settings: Path, old_copy: bool
) -> None:
    """Fails when the update keeps a copy of the file with our hooks as what was before: `{}` would be left."""
    install("claude-code", settings, COMMAND)
    if old_copy:  # as earlier versions made it
        settings.with_name("settings.json.before-bobctx").write_text(settings.read_text())
    assert install("claude-code", settings, COMMAND + " --keep RULES.md")[0].done == "updated"
    uninstall("claude-code", settings)
    assert [p.name for p in settings.parent.iterdir()] == []


def test_everything_else_stays_byte_for_byte(settings: Path) -> None:
    """Fails when the file is written anew from its values: spaces, escapes and number forms would change."""
    settings.parent.mkdir()
    settings.write_text(WRITTEN)
    settings.chmod(0o640)
    install("claude-code", settings, COMMAND)
    text = settings.read_text()
    for piece in ('"model" : "opus", "weight": 1.50e1,', '"allow": ["Bash(ls:*)"],   "deny"', "say \\u00fcber"):
        assert piece in text
    value = json.loads(text)
    assert list(value) == ["model", "weight", "permissions", "hooks", "last"]
    assert value["hooks"]["Stop"][0]["hooks"][0]["command"] == "say über"
    assert len(value["hooks"]["Stop"]) == 2
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert uninstall("claude-code", settings)[0].done == "restored"
    assert settings.read_text() == WRITTEN
    assert [p.name for p in settings.parent.iterdir()] == ["settings.json"]


def test_installing_twice_changes_nothing_and_a_new_command_replaces_the_old(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text(WRITTEN)
    install("claude-code", settings, COMMAND)
    first = settings.read_bytes()
    assert install("claude-code", settings, COMMAND)[0].done == "unchanged"
    assert settings.read_bytes() == first
    assert install("claude-code", settings, COMMAND + " --keep RULES.md")[0].done == "updated"
    found = commands_in(settings, "claude-code")
    assert set(found.values()) == {COMMAND + " --keep RULES.md"}
    uninstall("claude-code", settings)
    assert settings.read_text() == WRITTEN


@pytest.mark.parametrize(
    "text", ['{"hooks": {"Stop": []}, "x": 1}', '{"hooks":{}}', '{ "hooks": {"Stop": [], "Other": []} }']
)
def test_lists_that_stood_empty_before_stand_there_again(settings: Path, text: str) -> None:
    settings.parent.mkdir()
    settings.write_text(text)
    install("claude-code", settings, COMMAND)
    assert uninstall("claude-code", settings)[0].done == "restored"
    assert settings.read_text() == text


def test_what_the_user_changed_meanwhile_survives_the_uninstall(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text(WRITTEN)
    install("claude-code", settings, COMMAND)
    settings.write_text(settings.read_text().replace('"opus"', '"haiku"'))
    assert uninstall("claude-code", settings)[0].done == "removed"
    assert settings.read_text() == WRITTEN.replace('"opus"', '"haiku"')


def test_our_command_beside_another_one_in_a_group_is_taken_out_alone(settings: Path) -> None:
    settings.parent.mkdir()
    both = {"hooks": {"Stop": [{"hooks": [*OTHER["hooks"], {"type": "command", "command": COMMAND}]}]}}
    settings.write_text(json.dumps(both, indent=2))
    uninstall("claude-code", settings)
    assert json.loads(settings.read_text()) == {"hooks": {"Stop": [OTHER]}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{ not json", "not valid"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', "`hooks` is no object"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` is no list"),
        ("[" * 100_000, "not valid"),
    ],
)
def test_a_file_that_the_host_cannot_read_either_is_left_alone(settings: Path, text: str, why: str) -> None:
    settings.parent.mkdir()
    settings.write_text(text)
    with pytest.raises(InvalidInput, match=why):
        install("claude-code", settings, COMMAND)
    assert settings.read_text() == text
    assert list(settings.parent.iterdir()) == [settings]


def test_a_file_that_is_no_text_is_left_alone(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_bytes(b"\xff\xfe{}")
    with pytest.raises(InvalidInput, match="UTF-8"):
        install("claude-code", settings, COMMAND)


def test_a_link_to_the_file_stays_a_link(settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    settings.parent.mkdir()
    settings.symlink_to(real)
    install("claude-code", settings, COMMAND)
    assert settings.is_symlink()
    assert commands_in(real, "claude-code")


def test_hooks_of_the_other_host_are_not_ours(settings: Path) -> None:
    install("claude-code", settings, COMMAND)
    assert commands_in(settings, "codex") == {}


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "model": VALUES,
        "ümlaut": VALUES,
        "hooks": st.dictionaries(
            st.sampled_from(["Stop", "PreToolUse", "SessionStart"]),
            st.lists(st.just(OTHER), min_size=1, max_size=2),
            min_size=1,
            max_size=3,
        ),
    },
)


@hypothesis(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(FILES, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_taking_out_is_the_exact_opposite_of_putting_in(value: object, indent: int | str | None, ascii_: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_) + "\n"
    added = text
    for event in EVENTS["claude-code"]:
        added = _with(added, event, {"hooks": [{"type": "command", "command": COMMAND, "timeout": 5}]})
    assert splicing.read(added)["hooks"].keys() >= set(EVENTS["claude-code"])
    assert _without(added, "claude-code") == text


# -- Codex ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "config",
    [
        None,
        "",
        'model = "o9"  # mine\n',
        '[features]\nweb = true\n\n[profiles.x]\nmodel = "a"\n',
        "[features] # some\n",
        "no_newline = 1",
    ],
)
def test_codex_gets_its_feature_switched_on_and_off_again(tmp_path: Path, config: str | None) -> None:
    toml = tmp_path / "config.toml"
    if config is not None:
        toml.write_text(config)
    hooks, switch = install("codex", tmp_path / "hooks.json", "bobctx hook codex")
    assert (hooks.done, switch.done) == ("installed", "installed")
    assert tomllib.loads(toml.read_text())["features"]["hooks"] is True
    assert install("codex", tmp_path / "hooks.json", "bobctx hook codex")[1].done == "unchanged"
    uninstall("codex", tmp_path / "hooks.json")
    assert (toml.read_text() if toml.exists() else None) == config
    assert not (tmp_path / "hooks.json").exists()


def test_a_switch_that_is_off_is_the_users_and_is_said(tmp_path: Path) -> None:
    toml = tmp_path / "config.toml"
    toml.write_text("[features]\nhooks = false\n")
    switch = install("codex", tmp_path / "hooks.json", "bobctx hook codex")[1]
    assert "switched off" in switch.note
    assert toml.read_text() == "[features]\nhooks = false\n"


@pytest.mark.parametrize("config", ["[features", "features = 1\n", "features = {web = true}\n"])
def test_a_config_that_cannot_be_changed_safely_is_left_alone(tmp_path: Path, config: str) -> None:
    toml = tmp_path / "config.toml"
    toml.write_text(config)
    with pytest.raises(InvalidInput):
        install("codex", tmp_path / "hooks.json", "bobctx hook codex")
    assert toml.read_text() == config


def test_paths_with_spaces_make_one_word_each(tmp_path: Path) -> None:
    line = command_line(["/opt/my tools/bobctx"], "codex", db=tmp_path / "a b.db", keep=[tmp_path / "my rules.md"])
    assert line.startswith("'/opt/my tools/bobctx' hook codex --db '")
    assert os.fspath(tmp_path / "my rules.md") in line


def test_the_leanest_command_starts_here_and_is_known_again(tmp_path: Path) -> None:
    """Without `site`: it needs neither PYTHONPATH nor a package beside the standard library."""
    program = leanest(sys.executable)
    assert works(program, "claude-code")
    line = command_line(program, "claude-code", db=tmp_path / "x.db", keep=())
    assert is_ours(line, "claude-code")
    assert not is_ours(line, "codex")
    done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, env={}, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_whose_package_is_gone_does_not_block_its_host() -> None:
    """Hosts read exit code 2 as a wish to stop what they were about to do."""
    words = leanest(sys.executable)
    words[-1] = "from bobctx.hooks.run import main; main()"
    assert not works(words, "claude-code")
    done = subprocess.run([*words, "hook", "claude-code"], input=b"{}", capture_output=True, check=False)
    assert done.returncode == 1


def test_a_program_that_is_not_there_does_not_work() -> None:
    assert not works(["/no/such/python"], "claude-code")
