"""Which variable litellm reads a provider's key from, so that a missing one is said before anything is asked.

Known here, and not by litellm, which the daemon and the command line never import; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bobctx.core.egress import provider_of

VARIABLES: Mapping[str, tuple[str, ...]] = {
    "ai21": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY", "MISTRAL_AZURE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nebius": ("NEBIUS_API_KEY",),
    "novita": ("NOVITA_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    "xai": ("XAI_API_KEY",),
}
"""Provider -> variables, any of which is enough; the first is the one to name."""


def missing(models: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """The variable that the first of `models` without a key would need; None where nothing is known to be missing."""
    for model in models:
        names = VARIABLES.get(provider_of(model), ())
        if names and not any(environ.get(name) for name in names):
            return names[0] if model == models[0] else f"{names[0]} (for {model})"
    return None
