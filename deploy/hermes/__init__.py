"""The Hermes plugin: copy this folder to `~/.hermes/plugins/bobctx`, then set in `~/.hermes/config.yaml`

    plugins: {enabled: [bobctx]}
    context: {engine: bobctx}

and leave the toolset `context_engine` on. The daemon is found as everywhere: `BOBCTX_URL` and `BOBCTX_KEY`, else the
default address and this account's key file.
"""

from typing import Any

from bobctx import runtime, settings
from bobctx.integrations.hermes import BobctxEngine


def register(ctx: Any) -> None:
    """Called by Hermes when it loads its plugins."""
    engine = BobctxEngine(runtime.daemon_of(settings.load()))
    ctx.register_context_engine(engine)
    ctx.register_hook("post_llm_call", engine.shared.record)
