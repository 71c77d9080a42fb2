"""A service with FastAPI: GET /jobs. PORT is its port, 0 for a free one."""

import asyncio
import os
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from automatic_rostering import AsyncClient, Config, RosteringError

app = FastAPI()


@app.get("/jobs")
async def list_jobs(request: Request) -> Response:
    """Respond with the jobs of the config's user."""
    jobs = await request.app.state.client.list_jobs()
    return Response(jobs.content, media_type=jobs.headers.get("Content-Type"))


@app.exception_handler(RosteringError)
async def explain(_: Request, error: Exception) -> Response:
    """Respond with 503 if the same request may succeed later, else with 502."""
    assert isinstance(error, RosteringError)  # noqa: S101
    detail = {"code": error.code, "message": error.message}
    if error.retryable:
        return JSONResponse(detail, 503, {"Retry-After": str(error.retry_after or 1)})
    return JSONResponse(detail, 502)


async def main() -> None:
    """Serve until SIGTERM, with one client for all requests."""
    async with AsyncClient(Config.from_env()) as app.state.client:
        with socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8000")))) as listener:
            print(listener.getsockname()[1], flush=True)
            await uvicorn.Server(uvicorn.Config(app)).serve(sockets=[listener])


if __name__ == "__main__":
    # uvicorn lets the requests in progress end, and then raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        asyncio.run(main())
    except RosteringError as error:
        sys.exit(str(error))
