"""The command line. Nothing heavy is imported before a command needs it; a hook never needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with a documented exit code."""
    given = list(sys.argv[1:] if args is None else args)
    if given[:1] == ["hook"]:
        from bobctx.hooks.run import is_event, refuse_unknown, run

        if is_event(given):
            run(given[1:])
        refuse_unknown(given)
    if sys.stdin is None:  # closed by whoever started this: nothing comes from there
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    from bobctx.cli.frame import main as whole

    whole(given)


__all__ = ["main"]
