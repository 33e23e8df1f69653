"""What the environment says, read as the settings read it; without them, for a hook has no time for more."""

from __future__ import annotations

from bobctx import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def variable(environ: Mapping[str, str], *names: str) -> str | None:
    """The first of the variables that is set to something."""
    return next((environ[name] for name in names if environ.get(name)), None)


def database_of(environ: Mapping[str, str]) -> str:
    """The database that the environment names; the same answer as `Settings.db_path`."""
    return places.database(
        variable(environ, "BOBCTX_DB", "CONTEXT_DB"),
        variable(environ, "BOBCTX_MEMORY_SQLITE_PATH", "MEMORY_SQLITE_PATH"),
        variable(environ, "BOBCTX_XDG_DATA_HOME", "XDG_DATA_HOME"),
    )
