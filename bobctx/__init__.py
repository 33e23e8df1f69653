"""bobctx keeps long LLM conversations usable: claims that plain code has checked, with citations.

The four functions of cited-claims compaction are importable from here; each is loaded when it is
first used, so that `import bobctx` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself costs more than a hook may
if TYPE_CHECKING:
    from typing import Any

    from bobctx.core.prompts import build_prompt
    from bobctx.core.render import render_claims_block
    from bobctx.core.selection import select_region
    from bobctx.core.validator import validate_claims

__version__ = "0.1.0"

__all__ = ["__version__", "build_prompt", "render_claims_block", "select_region", "validate_claims"]

_HOMES = {
    "build_prompt": "bobctx.core.prompts",
    "render_claims_block": "bobctx.core.render",
    "select_region": "bobctx.core.selection",
    "validate_claims": "bobctx.core.validator",
}


def __getattr__(name: str) -> Any:
    """A public function, loaded on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
