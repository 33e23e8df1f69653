"""The command line. Nothing heavy is imported before a command needs it."""

from bobctx.cli.frame import main

__all__ = ["main"]
