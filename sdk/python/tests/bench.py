"""Measures the library's calls next to the same requests with httpx alone. bench.sh runs it.

Each line on standard input is {"who":"library"|"bare","calls":500,"at_once":16,"pause_ms":0}: so
many calls by so many threads, each of which pauses after each call. The response is a line with
the CPU time of the process and the time of each call: {"cpu_us":12345,"wall_us":[…]}. With the
argument "async", it measures `AsyncClient` in tasks.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx

from automatic_rostering import AsyncClient, Client, Config, Token
from automatic_rostering.exchange import http_options

CONFIG = Config.from_env()
URL = f"{str(CONFIG.base_url).rstrip('/')}/jobs"
HTTP = {**http_options(CONFIG.base_url), "timeout": 30}  # as the library's client and calls


def headers(token: Token) -> dict[str, str]:
    ids = {"CUSTOMER_ID": str(CONFIG.customer_id), "USER_ID": str(CONFIG.user_id)}
    return {**ids, "Authorization": f"Bearer {token.access_token}"}


def shares(calls: int, at_once: int) -> Iterator[int]:
    """Yield how many calls each thread or task makes."""
    return (calls // at_once + (n < calls % at_once) for n in range(at_once))


def report(cpu: int, walls: list[list[int]]) -> None:
    cpu_us = (time.process_time_ns() - cpu) // 1000
    wall_us = [ns // 1000 for share in walls for ns in share]
    print(json.dumps({"cpu_us": cpu_us, "wall_us": wall_us}), flush=True)


def threads(call: Callable[[], object], calls: int, at_once: int, pause_ms: float) -> None:
    def make(share: int) -> list[int]:
        wall = []
        for _ in range(share):
            begun = time.perf_counter_ns()
            call()
            wall.append(time.perf_counter_ns() - begun)
            time.sleep(pause_ms / 1000)
        return wall

    cpu = time.process_time_ns()
    with ThreadPoolExecutor(at_once) as pool:
        report(cpu, list(pool.map(make, shares(calls, at_once))))


async def tasks(
    call: Callable[[], Awaitable[object]], calls: int, at_once: int, pause_ms: float
) -> None:
    async def make(share: int) -> list[int]:
        wall = []
        for _ in range(share):
            begun = time.perf_counter_ns()
            await call()
            wall.append(time.perf_counter_ns() - begun)
            await asyncio.sleep(pause_ms / 1000)
        return wall

    cpu = time.process_time_ns()
    report(cpu, await asyncio.gather(*map(make, shares(calls, at_once))))


def bench() -> None:
    with Client(CONFIG) as client, httpx.Client(**HTTP) as http:
        client.list_jobs()
        get = partial(http.get, URL, headers=headers(client.get_token()))
        who: dict[str, Callable[[], object]]
        who = {"library": client.list_jobs, "bare": lambda: get().raise_for_status()}
        for order in map(json.loads, sys.stdin):
            threads(who[order.pop("who")], **order)


async def bench_async() -> None:
    async with AsyncClient(CONFIG) as client, httpx.AsyncClient(**HTTP) as http:
        await client.list_jobs()
        get = partial(http.get, URL, headers=headers(await client.get_token()))

        async def bare() -> None:
            (await get()).raise_for_status()

        who: dict[str, Callable[[], Awaitable[object]]]
        who = {"library": client.list_jobs, "bare": bare}
        for order in map(json.loads, sys.stdin):
            await tasks(who[order.pop("who")], **order)


if __name__ == "__main__":
    if sys.argv[1:] == ["async"]:
        asyncio.run(bench_async())
    else:
        bench()
