"""What `bobctx doctor` looks at, from outside and in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bobctx.cli.checks import counting, files, hosts, running, service
from bobctx.cli.checks.finding import Finding

if TYPE_CHECKING:
    from bobctx.settings import Settings

CHECKS: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
    files.database,
    files.owners,
    files.disk,
    running.daemon,
    service.key_file,
    service.switches,
    counting.windows,
    service.seat,
    counting.learned,
    service.vectors,
    service.worker,
    hosts.hooks,
    hosts.who_compacts_first,
    files.clock,
)

__all__ = ["CHECKS", "Finding"]
