"""Measures list_jobs compared with httpx alone and the same requests, in alternating batches."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from statistics import median

import httpx

from automatic_rostering import AsyncClient, Client, Config, Token
from automatic_rostering.exchange import http_options

PAIRS, CALLS = 25, 100
CONFIG = Config.from_env()
URL = f"{str(CONFIG.base_url).rstrip('/')}/jobs"
HTTP = {**http_options(), "timeout": 30}  # as the library's client and calls


def headers(token: Token) -> dict[str, str]:
    ids = {"CUSTOMER_ID": str(CONFIG.customer_id), "USER_ID": str(CONFIG.user_id)}
    return {**ids, "Authorization": f"Bearer {token.access_token}"}


def ratios(*batches: Callable[[], object]) -> str:
    """Return the medians of the first batch's CPU and wall time as multiples of the second's."""
    pairs = []
    for n in range(PAIRS + 1):
        took = {}
        for batch in batches if n % 2 else batches[::-1]:
            cpu, wall = time.process_time(), time.perf_counter()
            batch()
            took[batch] = time.process_time() - cpu, time.perf_counter() - wall
        (cpu, wall), (bare_cpu, bare_wall) = (took[batch] for batch in batches)
        pairs.append((cpu / bare_cpu, wall / bare_wall))
    cpu, wall = map(median, zip(*pairs[1:], strict=True))  # the first pair warms up
    return f"CPU {cpu:.2f}, time {wall:.2f}"


def for_threads() -> str:
    with Client(CONFIG) as client, httpx.Client(**HTTP) as http:
        sent = headers(client.get_token())
        return ratios(
            lambda: [client.list_jobs() for _ in range(CALLS)],
            lambda: [http.get(URL, headers=sent).raise_for_status() for _ in range(CALLS)],
        )


def for_asyncio() -> str:
    with asyncio.Runner() as runner:
        client, http = runner.run(AsyncClient(CONFIG).open()), httpx.AsyncClient(**HTTP)
        sent = headers(runner.run(client.get_token()))

        async def repeat(call: Callable[[], Awaitable[httpx.Response]]) -> None:
            for _ in range(CALLS):
                (await call()).raise_for_status()

        shown = ratios(
            lambda: runner.run(repeat(client.list_jobs)),
            lambda: runner.run(repeat(lambda: http.get(URL, headers=sent))),
        )
        runner.run(client.close())
        runner.run(http.aclose())
        return shown


if __name__ == "__main__":
    print(f"Python: list_jobs next to httpx: {for_threads()}; with asyncio: {for_asyncio()}")
