"""Which text may leave the machine is decided by the backend's name alone, and only known names may."""

from __future__ import annotations

import pytest

from bobctx.core.egress import egress_of, is_known, provider_of, readable_by


@pytest.mark.parametrize("backend", ["openai", "OpenAI/gpt-5", "anthropic:claude", " deepseek ", "openrouter/x/y"])
def test_known_cloud_backends(backend: str) -> None:
    assert egress_of(backend) == "cloud_ok"


@pytest.mark.parametrize(
    "backend", [None, "", "ollama", "ollama/llama3", "my-openai", "openai-proxy", "local", "llama.cpp", "vllm/openai"]
)
def test_local_unknown_and_unset_backends_stay_local(backend: str | None) -> None:
    """Fails if a name is matched by any part of it: `my-openai` may be a server in the cellar."""
    assert egress_of(backend) == "local"


def test_a_lane_can_name_further_cloud_backends() -> None:
    assert egress_of("house-cloud", also_cloud=("House-Cloud",)) == "cloud_ok"
    assert egress_of("house-cloud-2", also_cloud=("house-cloud",)) == "local"


def test_the_provider_is_the_first_part() -> None:
    assert provider_of("OpenAI/gpt-5") == provider_of("openai:gpt-5") == "openai"
    assert provider_of(None) == ""


@pytest.mark.parametrize("backend", [None, "", "ollama/llama3", "vllm:qwen", "Local/mine", "llama.cpp"])
def test_readers_on_this_machine_may_have_everything(backend: str | None) -> None:
    assert readable_by(backend) == "local"


@pytest.mark.parametrize("backend", ["openai/gpt-5", "gpt-5", "somecloud/x", "my-openai"])
def test_every_other_reader_gets_what_a_cloud_may_have(backend: str) -> None:
    assert readable_by(backend) == "cloud_ok"


def test_a_local_name_that_a_lane_calls_a_cloud_is_one() -> None:
    assert readable_by("vllm/ours", also_cloud=("vllm/ours",)) == "cloud_ok"
    assert (is_known("vllm"), is_known("openai"), is_known("gpt-5")) == (True, True, False)
