"""The callback that `config.yaml` names; put both files in one folder and start the proxy there.

The daemon is found as everywhere: `BOBCTX_URL` and `BOBCTX_KEY`, else the default address and the key file of this
account. The key needs the role `gateway`.
"""

from bobctx import runtime, settings
from bobctx.integrations.hosting import Options
from bobctx.integrations.litellm import BobctxLogger

bobctx = BobctxLogger(
    runtime.daemon_of(settings.load()),
    mode="shadow",  # record and compact, show nothing yet; `live` once it has run for a while
    options=Options(backend=None),  # e.g. "openai": lets cloud seats read what clients write
)
