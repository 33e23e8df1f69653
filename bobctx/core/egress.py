"""Which class a message gets from the backend its prompts go to. Pure.

Known cloud backends: `cloud_ok`; local, unknown and unset ones: `local` (design, section 5, Egress).
"""

from __future__ import annotations

from collections.abc import Collection

from bobctx.core.types import EgressClass

CLOUD_PROVIDERS = frozenset(
    {
        "ai21", "anthropic", "anyscale", "azure", "azure_ai", "baseten", "bedrock", "cerebras", "chatgpt", "claude",
        "cloudflare", "cohere", "dashscope", "databricks", "deepinfra", "deepseek", "fireworks", "fireworks_ai",
        "gemini", "google", "grok", "groq", "hyperbolic", "minimax", "mistral", "moonshot", "nebius", "novita",
        "nvidia_nim", "openai", "openrouter", "perplexity", "qwen", "replicate", "sambanova", "together",
        "together_ai", "vertex", "vertex_ai", "volcengine", "watsonx", "xai", "zai", "zhipu",
    }
)  # fmt: skip
"""Providers by the names that gateways and litellm use for them; only exact names count."""


def provider_of(backend: str | None) -> str:
    """The provider part of a backend hint: `openai/gpt-5` and `openai:gpt-5` are both `openai`."""
    return (backend or "").strip().lower().replace(":", "/").split("/", 1)[0]


def egress_of(backend: str | None, *, also_cloud: Collection[str] = ()) -> EgressClass:
    """`cloud_ok` for a known cloud backend or one named in `also_cloud`; else `local`."""
    name = (backend or "").strip().lower()
    if name and (provider_of(name) in CLOUD_PROVIDERS or name in {a.strip().lower() for a in also_cloud}):
        return "cloud_ok"
    return "local"
