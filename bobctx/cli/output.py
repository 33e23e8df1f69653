"""What every command prints: JSON on request, else tables; and errors as one line with a next step."""

from __future__ import annotations

import errno
import functools
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec

import click

from bobctx.errors import BobctxError, ConfigurationError, StoreUnavailable

P = ParamSpec("P")

OK, FAILED, BAD_INPUT, NOT_FOUND, UNAVAILABLE, CONFLICT = range(6)
BY_STATUS = {400: BAD_INPUT, 404: NOT_FOUND, 409: CONFLICT, 413: BAD_INPUT, 415: BAD_INPUT, 422: BAD_INPUT}


def exit_code(error: BobctxError) -> int:
    """The documented exit code of an error."""
    if isinstance(error, ConfigurationError):
        return BAD_INPUT
    return BY_STATUS.get(error.status, UNAVAILABLE)


def emit_json(value: Any) -> None:
    """One JSON value on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def fail(message: str, code: int, *, as_json: bool = False, error: dict[str, Any] | None = None) -> NoReturn:
    """End with one line on stderr, or the error object on stdout where JSON was asked for."""
    try:
        if as_json:
            emit_json({"error": error or {"code": "failed", "message": message}})
            sys.exit(code)
    except OSError:
        pass  # stdout is what failed
    click.echo(f"bobctx: {message}", err=True)
    sys.exit(code)


def plain_errors(function: Callable[P, None]) -> Callable[P, None]:
    """A command whose expected failures end in one line and an exit code, not in a traceback."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json"))
        try:
            function(*args, **kwargs)
        except BobctxError as error:
            data = {"code": error.code, "message": error.message, **({"field": error.field} if error.field else {})}
            fail(str(error), exit_code(error), as_json=as_json, error=data)
        except sqlite3.Error as error:
            text = f"the database cannot be used: {error}; run `bobctx doctor`"
            fail(text, UNAVAILABLE, as_json=as_json, error={"code": StoreUnavailable.code, "message": text})
        except UnicodeEncodeError:
            text = "an argument or a file name is not UTF-8"
            fail(text, BAD_INPUT, as_json=as_json, error={"code": "invalid_input", "message": text})
        except BrokenPipeError:
            sys.stderr.close()  # the reader (head, less) has gone: nothing more to say
            sys.exit(OK)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError) as error:
            text = f"{error.filename or 'a file'}: {error.strerror}"
            fail(text, BAD_INPUT, as_json=as_json, error={"code": "bad_path", "message": text})
        except PermissionError as error:
            text = f"{error.filename or 'a file'} may not be used: {error.strerror}; run `bobctx doctor`"
            fail(text, UNAVAILABLE, as_json=as_json, error={"code": "permission", "message": text})
        except OSError as error:  # a full or read-only disk, a device that fails, a name that is too long
            if error.errno == errno.ENAMETOOLONG:
                text = f"{error.filename or 'a file'}: {error.strerror}"
                fail(text, BAD_INPUT, as_json=as_json, error={"code": "bad_path", "message": text})
            text = f"{error.filename or 'reading or writing'} failed: {error.strerror or error}"
            fail(text, UNAVAILABLE, as_json=as_json, error={"code": "os_error", "message": text})

    return wrapped


def console() -> Any:
    """A Rich console for stdout (imported when first needed)."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def several(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `no claims`, `1 claim`, `1,200 claims`."""
    plural = many or f"{one}s"
    return f"no {plural}" if count == 0 else f"1 {one}" if count == 1 else f"{count:,} {plural}"


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A readable table below its title; a column that is empty in every row is left out, and so is an empty table.

    Args:
        title: One line.
        columns: `#name` holds numbers, `=name` is not broken over lines while another column can be, `+name` stands
            below its row where the screen is too narrow.
        rows: Cells; their text is never read as markup.
    """
    from bobctx.cli import tables

    if title:
        click.echo(title)
    cells = list(rows)
    shown = [index for index in range(len(columns)) if any(row[index] for row in cells)]
    if not shown:
        return
    made = [tables.Column.of(columns[index], [row[index] for row in cells]) for index in shown]
    heading, *body = tables.lines(made, console().width)
    click.secho(f"\n{heading}", bold=True)
    click.echo("\n".join([*body, ""]))


def elided(rows: Sequence[Sequence[str]], most: int) -> list[Sequence[str]]:
    """The first and last rows of a long table, with a row between them that says how many are not shown."""
    if len(rows) <= most:
        return list(rows)
    half = most // 2
    left_out = f"… {len(rows) - 2 * half:,} more (--json gives all)"
    return [*rows[:half], (*[""] * (len(rows[0]) - 1), left_out), *rows[-half:]]


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """A sign on stderr that work goes on, where someone is looking."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(label):
        yield


def confirm(question: str) -> None:
    """Ask before something is done for good; where nobody answers, say how to go on without being asked.

    The question stands on stderr with `--json`, whose stdout is for one JSON value.
    """
    as_json = bool(click.get_current_context().params.get("as_json"))
    try:
        agreed = click.confirm(question, err=as_json)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=as_json)
        raise click.UsageError("nobody answers here: add --yes to go on without being asked") from None
    if not agreed:
        raise click.Abort


def link_status(status: str) -> str:
    """The status of a compaction for reading; `--json` gives the stored one."""
    return {"shadow_ok": "claims", "empty": "no claims"}.get(status, status)


def held(chain: dict[str, Any]) -> str:
    """How far a chain reaches, and how far its claims do: a region may have none."""
    links = chain["links"]
    if not links:
        return f"nothing is compacted yet (of {several(chain['messages'], 'message')})"
    spoken_for = sum(link["messages"] for link in links if link["claims"])
    compacted = sum(link["messages"] for link in links)
    return (
        f"{several(len(links), 'region')} of {several(compacted, 'message')} "
        f"(of {chain['messages']}); claims stand for {spoken_for} of them"
    )


def removed(receipt: dict[str, Any]) -> str:
    """What a deletion took away that people know of; `--json` gives every table."""
    words = (("messages", "message"), ("claims", "claim"), ("pins", "pin"), ("feedback", "vote"))
    counts = receipt["deleted"]
    return ", ".join(several(counts[key], one) for key, one in words if counts.get(key)) or "nothing"


def one_line(text: str, width: int = 100) -> str:
    """A text on one line, cut with an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def age(seconds: float) -> str:
    """A duration for reading: `12 s`, `5 min`, `3 h`, `2 d`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"
