"""A fixed share of conversations that see no claims, so that what claims save can be measured. Pure.

The same conversation is always on the same side: its name decides, not chance, time or memory.
"""

from __future__ import annotations

import hashlib

from bobctx.core.types import Scope


def held_out(scope: Scope, share: float) -> bool:
    """Whether a conversation belongs to the `share` (0..1) that stays in `shadow`."""
    if share <= 0:
        return False
    name = f"{scope.user_id}\x00{scope.conversation_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(b"bobctx-holdout\x00" + name).digest()[:8], "big") < share * 2**64
