"""The store: one SQLite file per lane, one writer, a few readers (design, section 3)."""

from bobctx.store.place import holder, in_use
from bobctx.store.store import SqliteStore

__all__ = ["SqliteStore", "holder", "in_use"]
