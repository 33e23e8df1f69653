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


LOCAL_PROVIDERS = frozenset(
    {
        "docker_model_runner", "exo", "gpt4all", "hosted_vllm", "jan", "koboldcpp", "lemonade", "llama.cpp",
        "llama_cpp", "llamacpp", "llamafile", "lm_studio", "lmstudio", "local", "localai", "localhost", "mlx", "ollama",
        "ollama_chat", "oobabooga", "ramalama", "sglang", "tabbyapi", "textgen", "tgi", "vllm", "xinference",
    }
)  # fmt: skip
"""Names of servers that run on one's own machine."""


def provider_of(backend: str | None) -> str:
    """The provider part of a backend hint: `openai/gpt-5` and `openai:gpt-5` are both `openai`."""
    return (backend or "").strip().lower().replace(":", "/").split("/", 1)[0]


def egress_of(backend: str | None, *, also_cloud: Collection[str] = ()) -> EgressClass:
    """`cloud_ok` for a known cloud backend or one named in `also_cloud`; else `local`."""
    name = (backend or "").strip().lower()
    if name and (provider_of(name) in CLOUD_PROVIDERS or name in {a.strip().lower() for a in also_cloud}):
        return "cloud_ok"
    return "local"


def readable_by(backend: str | None, *, also_cloud: Collection[str] = ()) -> EgressClass:
    """What a reader with this backend may be given: everything (`local`) where it is local or none is named.

    A name that is neither known as local nor as cloud gets what a cloud may have: `gpt-5` without its provider goes
    there too. Recording guesses the other way (`egress_of`): both ways the guess lets nothing out.
    """
    if backend is None or not backend.strip():
        return "local"
    known = provider_of(backend) in LOCAL_PROVIDERS
    return "local" if known and egress_of(backend, also_cloud=also_cloud) == "local" else "cloud_ok"


def is_known(backend: str | None, *, also_cloud: Collection[str] = ()) -> bool:
    """Whether a backend's name says where it is."""
    return provider_of(backend) in LOCAL_PROVIDERS or egress_of(backend, also_cloud=also_cloud) == "cloud_ok"
