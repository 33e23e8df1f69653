"""The daemon with routes to compare with: an empty one, one that validates, one that also hashes and counts."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import Response

from bobctx import logs
from bobctx import runtime as composition
from bobctx.api import calls, posted, schemas
from bobctx.api.server import listen
from bobctx.settings import load

ANSWERS: dict[str, bytes] = {}
"""What `/bench/empty` gives back: the bytes of a real answer."""


async def keep(request: Request) -> Response:
    """Set the bytes that `/bench/empty` answers with."""
    ANSWERS["empty"] = await request.body()
    return Response(b"{}", media_type="application/json")


async def empty(request: Request) -> Response:
    """Read the body, do nothing, answer the same bytes as the real route."""
    await request.body()
    return Response(ANSWERS["empty"], media_type="application/json")


async def validate(request: Request) -> Response:
    """Parse and validate a recording, nothing else."""
    asked, _ = await calls.read(request, schemas.RecordRequest)
    posted.check_all(asked.messages, "messages", at_most=10_000)
    return Response(b"{}", media_type="application/json")


async def hash_and_count(request: Request) -> Response:
    """Parse, validate, hash and count."""
    asked, _ = await calls.read(request, schemas.RecordRequest)
    messages = posted.read_all(posted.check_all(asked.messages, "messages", at_most=10_000))
    await request.app.state.lane.counting.tokens(messages)
    return Response(b"{}", media_type="application/json")


async def serve(db: Path, compacting: bool) -> None:
    """Serve on a free port until the standard input ends; one line of JSON says where."""
    settings = load(db=db, port=0, log_level="error", compactor_enabled=compacting)
    listener, url = listen(settings.host, settings.port)
    async with composition.open(settings, background=compacting) as runtime:
        for path, handler in (
            ("keep", keep),
            ("empty", empty),
            ("validate", validate),
            ("hash", hash_and_count),
        ):
            runtime.app.add_route(f"/bench/{path}", handler, methods=["POST"])  # type: ignore[attr-defined]
        await runtime.lane.assembler.warm()
        config = uvicorn.Config(
            runtime.app,
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            ws="none",
            http="httptools",
        )
        server = uvicorn.Server(config)
        print(json.dumps({"url": url}), flush=True)
        stop = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        stop.add_done_callback(lambda _: setattr(server, "should_exit", True))
        await server.serve(sockets=[listener])


def main() -> None:
    """`python -m evals.bench.server DB [compacting]`."""
    import uvloop

    logs.configure(level="error")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(Path(sys.argv[1]), "compacting" in sys.argv[2:]))


if __name__ == "__main__":
    main()
