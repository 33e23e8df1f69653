"""Which text may leave the machine is decided by the backend's name alone, and only known names may."""

from __future__ import annotations

import pytest

from bobctx.core.egress import egress_of, provider_of


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
