"""What the clients in Python share.

They read {"calls": n} per line, and print how the calls ended.
"""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor


def env(name: str) -> str:
    return os.environ[f"ROSTERING_{name}"]


TOKEN_URL = env("AUTH_URL") + "/connect/token"
SCOPE = "automatic-rostering-stage"
JOBS_URL = env("BASE_URL") + "/jobs"
HEADERS = {"CUSTOMER_ID": env("CUSTOMER_ID"), "USER_ID": env("USER_ID")}


def describe(error: BaseException) -> str:
    """All that a program would log of an error."""
    return f"{error!r} {error} {''.join(traceback.format_exception(error))}"


def serve(call: Callable[[], None]) -> None:
    def attempt(_: int) -> str | None:
        try:
            call()
        except Exception as error:
            return describe(error)
        return None

    with ThreadPoolExecutor(50) as pool:
        for line in sys.stdin:
            ends = list(pool.map(attempt, range(json.loads(line)["calls"])))
            print(json.dumps({"errors": [e for e in ends if e]}), flush=True)


async def serve_async(call: Callable[[], Awaitable[None]]) -> None:
    while line := await asyncio.to_thread(sys.stdin.readline):
        calls = [call() for _ in range(json.loads(line)["calls"])]
        ends = await asyncio.gather(*calls, return_exceptions=True)
        errors = [describe(e) for e in ends if isinstance(e, BaseException)]
        print(json.dumps({"errors": errors}), flush=True)
