"""A cloud seat whose key is nowhere is said to lack it before it is asked, by the name that litellm reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from bobctx.runtime.seat import seating
from bobctx.seats.provider_keys import VARIABLES, missing
from bobctx.settings import Settings


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {"BOBCTX_COMPACTOR_API_KEY", *(n for names in VARIABLES.values() for n in names)}:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("models", "environ", "found"),
    [
        (["deepseek/deepseek-chat"], {}, "DEEPSEEK_API_KEY"),
        (["deepseek/deepseek-chat"], {"DEEPSEEK_API_KEY": ""}, "DEEPSEEK_API_KEY"),
        (["deepseek/deepseek-chat"], {"DEEPSEEK_API_KEY": "k"}, None),
        (["gemini/gemini-2.5-pro"], {"GOOGLE_API_KEY": "k"}, None),
        (["deepseek/a", "openai/b"], {"DEEPSEEK_API_KEY": "k"}, "OPENAI_API_KEY (for openai/b)"),
        (["bedrock/model"], {}, None),
    ],
)
def test_the_variable_that_is_missing(models: list[str], environ: dict[str, str], found: str | None) -> None:
    assert missing(models, environ) == found


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, None),
        ({"compactor_model": "deepseek/deepseek-chat"}, "DEEPSEEK_API_KEY"),
        ({"compactor_model": "deepseek/deepseek-chat", "compactor_api_key": "k"}, None),
        ({"compactor_model": "deepseek/deepseek-chat", "compactor_place": "local"}, None),
        ({"compactor_model": "m", "compactor_base_url": "http://127.0.0.1:9/v1"}, None),
        ({"compactor_model": "m", "compactor_base_url": "http://10.0.0.5:8000/v1"}, None),
        ({"compactor_model": "m", "compactor_base_url": "https://api.deepseek.com/v1"}, "BOBCTX_COMPACTOR_API_KEY"),
    ],
)
def test_what_the_settings_lack(settings: dict[str, str], found: str | None) -> None:
    assert seating(Settings.model_validate(settings)).missing_key == found


ASK = """
import json, litellm
from bobctx.seats.provider_keys import VARIABLES
asked = {p: litellm.validate_environment(model=p + "/model")["missing_keys"] for p in VARIABLES}
print(json.dumps(asked))
"""


@pytest.mark.slow
def test_the_variables_are_those_of_litellm() -> None:
    """Fails if we name another variable than the library reads."""
    environ = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, env=environ, check=True)
    asked = json.loads(done.stdout.splitlines()[-1])
    assert {p: names for p, names in asked.items() if not set(names) <= set(VARIABLES[p]) or not names} == {}
