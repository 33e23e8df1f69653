"""The `bobctx` command: a table of subcommands, each imported only when it runs."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

import click

import bobctx
from bobctx.errors import InvalidInput

AS_JSON = "bobctx.as_json"

EPILOG = """\b
Exit codes:
  0  done, and every check held
  1  a check failed (verify, check, audit, replay, status, doctor, demo)
  2  a bad argument, file or setting
  3  no such conversation, message or claim
  4  the database or the daemon cannot be used now
  5  the request contradicts what is stored
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One subcommand: where it lives and its line in the overview."""

    module: str
    help: str
    hidden: bool = False


COMMANDS: dict[str, Entry] = {
    "demo": Entry("demo", "Play a long conversation through the real daemon and see what is still known."),
    "serve": Entry("serve", "Run the daemon."),
    "status": Entry("status", "Is it working?"),
    "audit": Entry("audit", "What a tool's own compactions left out or turned around."),
    "why": Entry("why", "What became of a message."),
    "pin": Entry("changing", "Pin a text or a claim, list pins, unpin."),
    "doctor": Entry("doctor", "Check the set-up and say what to do."),
    "record": Entry("importing", "Record messages from a file or stdin."),
    "import": Entry("importing", "Record a transcript that another tool wrote."),
    "assemble": Entry("assemble", "The messages of the next model request."),
    "compact": Entry("changing", "Compact what is eligible now."),
    "claims": Entry("reading", "List the claims of a conversation."),
    "chain": Entry("reading", "Show the chain of compactions and where trust ends."),
    "verify": Entry("verify", "Check every stored claim against its messages again."),
    "check": Entry("check", "Would a provider take this message list?"),
    "replay": Entry("replay", "Play a transcript turn by turn: what each prompt holds, repeats and costs."),
    "expand": Entry("reading", "Read original messages back."),
    "search": Entry("reading", "Search the original messages."),
    "compile": Entry("context", "The claims for a task, under a token budget, with the score behind each."),
    "inspect": Entry("context", "Why a prompt or a context is what it is."),
    "conflicts": Entry("context", "Claims that contradict one another; decide one."),
    "feedback": Entry("context", "Say what became of a context or of a claim in it."),
    "export": Entry("reading", "Write a conversation as JSONL."),
    "delete": Entry("changing", "Delete a message or a conversation."),
    "erase": Entry("governing", "Delete everything of one user."),
    "retain": Entry("governing", "How long a user's messages are kept."),
    "egress": Entry("governing", "Change where messages may go."),
    "access": Entry("governing", "Who read originals."),
    "alias": Entry("naming", "Give a conversation a further name, or list its names."),
    "mode": Entry("naming", "A conversation's own mode; pause or resume its compaction."),
    "conversations": Entry("reading", "List a user's conversations."),
    "tools": Entry("tools", "The tool definitions to offer a model."),
    "mcp": Entry("mcp", "Serve the tools to an MCP host over stdin and stdout."),
    "hook": Entry("hook", "Hooks for coding agents: install, uninstall."),
    "backup": Entry("backup", "Copy the whole lane, while it runs."),
    "restore": Entry("backup", "Put such a copy back."),
    "key": Entry("key", "Print the key that local clients send."),
    "version": Entry("version", "Print the version."),
    "worker": Entry("serve", "The compaction worker; the daemon starts it.", hidden=True),
}
"""In the order of the overview. A command `x` is the object `x_command` of its module."""


class _Table(click.Group):
    """A group that reads its commands from `COMMANDS`, and says as JSON what is wrong where JSON was asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See `click.Group.parse_args`."""
        ctx.meta[AS_JSON] = "--json" in args  # the command may not be known, or not be read to its end
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """See `click.Group.invoke`."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not ctx.meta[AS_JSON]:
                raise
            from bobctx.cli.output import BAD_INPUT, fail

            text = error.format_message()
            fail(text, BAD_INPUT, as_json=True, error={"code": InvalidInput.code, "message": text})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return [name for name, entry in COMMANDS.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"bobctx.cli.{entry.module}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


@click.command(cls=_Table, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(bobctx.__version__, prog_name="bobctx", message="%(prog)s %(version)s")
@click.option("--db", help="Database file, for any command; else CONTEXT_DB, else the default place.")
def cli(db: str | None) -> None:
    """Keep long LLM conversations usable: cited claims in place of what no longer fits."""
    if db is not None:
        os.environ["BOBCTX_DB"] = db  # the name that wins; the worker inherits it


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with a documented exit code."""
    cli.main(args=None if args is None else list(args), prog_name="bobctx")
