"""Options that commands share, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bobctx.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

# Named here so that `--help` imports neither the API nor the core; a test holds them to both.
DIALECTS = ("openai", "anthropic", "strict", "responses", "gemini")
POLICIES = ("seed", "pinned", "ranked")
PROFILES = ("default", "long")


class NewFile(click.Path):
    """A file that a command will write: its folder is looked for before the work, not after it."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType.convert`."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}", param, ctx)
        return path


class Share(click.FloatRange):
    """A number in a range; `nan` is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType.convert`."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not a number", param, ctx)
        return number


def common(function: F) -> F:
    """`--db` and `--json`."""
    function = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)
    return click.option(
        "--db",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Database file; else CONTEXT_DB, else the default place.",
    )(function)


def scoped(function: F) -> F:
    """`-c` and `-u`; both may be left out where the database holds one conversation."""
    function = click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose conversation.")(function)
    return click.option("--conversation", "-c", envvar="BOBCTX_CONVERSATION", help="Conversation id.")(function)


def settings_for(db: Path | None, **overrides: Any) -> Settings:
    """Settings from the environment, with the options of the command first."""
    from bobctx.settings import load

    return load(db=db, **overrides)
