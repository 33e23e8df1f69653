"""structlog, set up once, and the names of all events. Content of messages and claims is never logged.

An event carries ids, counts, codes and durations only; `drop_content` is the last line of defence.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final, TextIO, cast

# structlog imports rich at once where it is installed: 160 ms and several MB that a daemon has no use for.
_RICH = sys.modules.get("rich")
sys.modules["rich"] = cast(Any, None)
try:
    import structlog
finally:
    if _RICH is None:
        del sys.modules["rich"]
    else:
        sys.modules["rich"] = _RICH

DAEMON_READY: Final = "daemon: ready"
DAEMON_STOPPING: Final = "daemon: stopping"
DAEMON_STOPPED: Final = "daemon: stopped"
NOT_ANNOUNCED: Final = "daemon: cannot say beside the database where it is"
KEYS_CREATED: Final = "keys: created"
KEYS_UNREADABLE: Final = "keys: file cannot be read"
REQUEST_FAILED: Final = "http: request failed"
HUNG_UP: Final = "http: client hung up"
ACCESS: Final = "access: originals read"
OPERATOR_ACCESS: Final = "access: by an operator"
UNKNOWN_SETTINGS: Final = "settings: unknown variables"
RECORDED: Final = "context: recorded"
SPEND_CAP: Final = "context: spend cap reached"
SEAT_WINDOW: Final = "context: seat window lowered"
RETENTION: Final = "store: retention applied"
COMPACTION: Final = "context: compaction"
CLAIMS_IN_PROMPT: Final = "context: claims in prompt"
PLAIN_FIT: Final = "context: plain fit"
PROXY_FAILED: Final = "proxy: went on without bobctx"
STORE_FAILED: Final = "store: failed"
VECTORS_FAILED: Final = "vectors: failed"
VECTORS_MISSING: Final = "vectors: packages are missing"
WORKER_STARTED: Final = "worker: started"
WORKER_DIED: Final = "worker: died"

CONTENT_KEYS = frozenset(
    {"content", "text", "body", "messages", "message_text", "query", "snippet", "raw", "claims_text", "prompt", "key"}
)
"""Fields that could carry what people wrote; none reaches a log line."""


def drop_content(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Processor: fields that could carry content become their size."""
    for name in CONTENT_KEYS & event.keys():
        value = event[name]
        event[name] = f"<{len(value)} withheld>" if hasattr(value, "__len__") else "<withheld>"
    return event


def errors_without_values(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Processor: an exception becomes its type and the places it passed, not its text (which may quote input)."""
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = info if isinstance(info, BaseException) else info[1] if isinstance(info, tuple) else None
    if error is not None:
        event["error"] = type(error).__name__
        places = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            places.append(f"{code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}:{code.co_name}")
            trace = trace.tb_next
        event["at"] = places[-8:]
    return event


class _ToStructlog(logging.Handler):
    """Lines of the server library as events, so that there is one format and no content."""

    def emit(self, record: logging.LogRecord) -> None:
        """Forward one record; its message is a fixed text of the library."""
        get_logger().log(
            record.levelno,
            f"{record.name}: {record.msg if isinstance(record.msg, str) else type(record.msg).__name__}".split("\n", 1)[
                0
            ],
            exc_info=record.exc_info,
        )


def configure(*, level: str = "info", format_: str = "json", stream: TextIO | None = None) -> None:
    """Set logging up; called once, by the composition root."""
    number = logging.getLevelNamesMapping()[level.upper()]
    render: Any = (
        structlog.dev.ConsoleRenderer(colors=False) if format_ == "console" else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            errors_without_values,
            drop_content,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "aiosqlite", "mcp"):
        library = logging.getLogger(name)
        library.handlers[:] = [_ToStructlog()]
        library.propagate = False
        library.setLevel(max(number, logging.WARNING))


def get_logger() -> structlog.typing.FilteringBoundLogger:
    """The logger of every module."""
    return cast("structlog.typing.FilteringBoundLogger", structlog.get_logger())
