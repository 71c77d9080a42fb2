"""Random calls, cancellations and closings, in threads and tasks, while all around them fails.

stress.sh runs it. The first violation of these invariants ends it with status 1:

- A call returns, or raises an error of the contract or that of a closed client, within its bound.
- When the faults have ended, calls succeed again.
- When the clients are closed, no thread, task, file or plugin is left, and the memory is flat.
- No error and no log line has a token or the secret, and no exception goes unnoticed.
"""

import asyncio
import faulthandler
import gc
import inspect
import json
import logging
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import format_exception
from typing import Any, NoReturn, cast, get_args

from automatic_rostering import (
    AsyncClient,
    Client,
    Code,
    Config,
    MemoryStore,
    RosteringError,
    Store,
    Token,
)
from automatic_rostering.plugin import CLOSED, Plugin

from .sandbox import Sandbox

SECONDS = float(os.environ.get("STRESS_SECONDS") or 60)
SEED = os.environ.get("STRESS_SEED") or str(random.randrange(10**9))
ROUND = 5.0  # seconds of faults, after which all clients must recover
WORKERS = 12  # of each kind: threads and tasks
SLACK = 60.0  # seconds: a loaded machine is slow, a deadlock does not end
GROWTH = 32 << 20  # bytes: more is no fragmentation
HELD = (Client, AsyncClient, Plugin, asyncio.Task)
TIMEOUTS = (0.01, 0.1, 0.5, 2.0)
FAULTS: list[dict[str, Any]] = [
    *({"server": "jobs", "status": status} for status in (304, 307, 401, 403, 500)),
    *({"server": "auth", "status": status} for status in (307, 400, 500)),
    *(
        {"server": server, **fault}
        for server in ("auth", "jobs")
        for fault in (
            {"hold": True},
            {"cut_off": True},
            {"delay_ms": 300},
            {"status": 429, "headers": {"Retry-After": "1"}, "body": "busy"},
            {"status": 200, "body": "{" * 300_000},
        )
    ),
]

done: Counter[str] = Counter()  # what was done; approximate, as threads count at the same time
failing = threading.Lock()
tokens: list[Token] = []  # some that were seen
secrets = {"eyJ"}  # as every token begins


def fail(why: str, error: BaseException | None = None) -> NoReturn:
    """Report the first violation with all stacks, and end the process."""
    failing.acquire()  # for good
    print(f"STRESS_SEED={SEED}: {why}", *format_exception(error) if error else ())
    for task in [found for found in gc.get_objects() if type(found) is asyncio.Task]:
        task.print_stack(file=sys.stdout)
    sys.stdout.flush()
    faulthandler.dump_traceback(sys.stdout)
    os._exit(1)


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Fail if the block takes much longer than this."""
    watchdog = threading.Timer(seconds + SLACK, fail, [f"{what} hangs"])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        watchdog.join()


def want_no_secret(what: str, *texts: str) -> None:
    if any(secret in text for secret in secrets for text in texts):
        fail(f"a secret is in {what}")


class Log(logging.Handler):
    """Sees every line that any logger has."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            fail(f"{record.name} logs an error: {record.getMessage()}")
        want_no_secret(f"the log of {record.name}", record.getMessage())


class FailingStore:
    """A store that fails, hangs or returns something else now and then."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner

    def get(self, key: str) -> str | None:
        return cast(str | None, self._perform(self._inner.get, key))

    def add(self, key: str, value: str, ttl: int) -> bool:
        return cast(bool, self._perform(self._inner.add, key, value, ttl))

    def set(self, key: str, value: str, ttl: int) -> None:
        self._perform(self._inner.set, key, value, ttl)

    def _perform(self, operation: Callable[..., object], *arguments: object) -> object:
        match random.randrange(20):
            case 0:
                raise ConnectionError(*arguments)
            case 1:
                time.sleep(1.5)  # a client waits for a second
            case 2:
                return b"of another type"
        return operation(*arguments)


async def pieces() -> AsyncIterator[bytes]:
    yield b"piece"


def pick(rng: random.Random, client: Any) -> tuple[Callable[[], Any], float]:
    """Return a random call, and its timeout."""
    timeout = rng.choice(TIMEOUTS)
    once = pieces() if isinstance(client, AsyncClient) else iter([b"piece"])
    body = rng.choice([b"bytes", lambda: "made", once])
    view = client.for_customer(rng.choice(["acme", "", None])) if rng.random() < 0.3 else client
    token = rng.choice(tokens) if tokens else None
    calls: dict[Callable[[], Any], int] = {
        lambda: view.list_jobs(timeout=timeout): 12,
        lambda: view.send_request("/jobs", params={"a": "b"}, timeout=timeout): 4,
        lambda: view.send_request("/jobs", method="POST", content=body, timeout=timeout): 4,
        lambda: client.get_token(timeout=timeout): 4,
        lambda: client.get_token(force=True, timeout=timeout): 1,
        client.clear_token: 1,
    }
    if token:
        calls[lambda: client.set_token(token)] = 1
        calls[lambda: client.get_token(refused=token.access_token, timeout=timeout)] = 1
    return rng.choices(list(calls), list(calls.values()))[0], timeout


def note(result: object) -> None:
    """Note how a call has ended. Fail if it must not end so."""
    done["calls"] += 1
    if isinstance(result, Token):
        tokens[:] = [*tokens[-20:], result]
    elif isinstance(result, RosteringError) and result.code in get_args(Code):
        if result.key == "flow":
            fail("the library passed a flow that is not its call's", result)
        done[result.code] += 1
        want_no_secret("an error", json.dumps(result.to_dict()), *format_exception(result))
    elif isinstance(result, BaseException):
        done["errors of a closed client"] += 1
        if not isinstance(result, RuntimeError) or str(result) != CLOSED:
            fail("no call may raise this", result)


async def settle(result: Any) -> Any:
    """Return the result of a call of either kind of client."""
    return await result if inspect.isawaitable(result) else result


class Clients:
    """Some clients of one kind, each of which is replaced now and then."""

    def __init__(self, form: Any, config: Config, stores: list[Store | None]) -> None:
        self._form, self._config, self._stores = form, config, stores
        self._clients: list[Any] = []
        self._lock = threading.Lock()

    async def open(self) -> None:
        self._clients = [await self._make(store) for store in self._stores]

    async def work(self, rng: random.Random, end: float) -> None:
        """Make random calls until the end."""
        while time.monotonic() < end:
            n = rng.randrange(len(self._clients))
            if rng.random() < 0.03:
                await self._replace(n, rng.choice([None, 0, 0.2]))
            call, timeout = pick(rng, self._clients[n])
            with within(timeout, f"a call of a {self._form.__name__}"):
                await self._call(call, rng)

    async def recover(self) -> None:
        for client in self._clients:
            with within(60, "recovery"):
                while True:
                    try:
                        await settle(client.list_jobs())
                        break
                    except RosteringError as error:
                        await asyncio.sleep(min(error.retry_after or 0.1, 1))

    async def close(self) -> None:
        for client in self._clients:
            with within(0, "closing"):
                await settle(client.close())

    async def _make(self, store: Store | None) -> Any:
        client = self._form(self._config, store=store, logger=logging.getLogger("stress"))
        return await client.open() if isinstance(client, AsyncClient) else client

    async def _replace(self, n: int, timeout: float | None) -> None:
        new = await self._make(self._stores[n])
        with self._lock:
            old, self._clients[n] = self._clients[n], new
        with within(max(TIMEOUTS), "closing"):
            await settle(old.close(timeout))
        done["closings"] += 1

    async def _call(self, call: Callable[[], Any], rng: random.Random) -> None:
        task = asyncio.ensure_future(self._noted(call))
        if self._form is AsyncClient and rng.random() < 0.4:
            await asyncio.sleep(rng.random() / 5)
            done["cancellations"] += task.cancel()
        await asyncio.wait([task])

    async def _noted(self, call: Callable[[], Any]) -> None:
        try:
            note(await settle(call()))
        except Exception as error:
            note(error)


def disturb(sandbox: Sandbox, rng: random.Random, end: float) -> None:
    """Switch faults on and off, and revoke tokens."""
    while time.monotonic() < end:
        match rng.randrange(6):
            case 0 | 1:
                sandbox.clear_faults()
            case 2:
                sandbox.revoke()
            case _:
                sandbox.fault(**rng.choice(FAULTS), requests=rng.choice([1, 10, 1000]))
                done["faults"] += 1
        time.sleep(rng.random() / 4)
    sandbox.clear_faults()


async def play(sandbox: Sandbox, name: str) -> None:
    """Play a round: faults, recovery, the end of all clients."""
    asyncio.get_running_loop().slow_callback_duration = 0.001  # -X dev logs slower ones
    store = MemoryStore()
    stores: list[Store | None] = [None, FailingStore(store), FailingStore(store)]
    kinds = [Clients(form, sandbox.config, stores) for form in (Client, AsyncClient)]
    for kind in kinds:
        await kind.open()
    threaded, tasks = kinds
    end = time.monotonic() + ROUND

    def work(n: int) -> None:
        asyncio.run(threaded.work(random.Random(f"{name} thread {n}"), end))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(WORKERS)]
    threads.append(threading.Thread(target=disturb, args=(sandbox, random.Random(name), end)))
    for thread in threads:
        thread.start()
    rngs = [random.Random(f"{name} task {n}") for n in range(WORKERS)]
    await asyncio.gather(*(tasks.work(rng, end) for rng in rngs))
    for thread in threads:
        await asyncio.to_thread(thread.join)
    for kind in kinds:
        await kind.recover()
        await kind.close()


def held() -> Counter[str]:
    """Count what must not pile up."""
    gc.collect()
    counts = Counter(type(found).__name__ for found in gc.get_objects() if type(found) in HELD)
    counts["threads"] = threading.active_count()
    counts["files"] = len(list(Path("/proc/self/fd").iterdir()))
    return counts


def want_nothing_left(before: Counter[str]) -> None:
    end = time.monotonic() + SLACK  # for the threads in which a store hangs
    while left := held() - before:
        if time.monotonic() > end:
            fail(f"there are left, more than before: {left}")
        time.sleep(0.05)


def resident() -> int:
    """Return the size of the process's memory, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def stress() -> None:
    logging.basicConfig(level=logging.DEBUG, handlers=[Log()])
    threading.excepthook = lambda hook: fail("a thread raises an exception", hook.exc_value)
    sys.unraisablehook = lambda hook: fail(f"unraisable: {hook.err_msg}", hook.exc_value)
    print(f"STRESS_SEED={SEED}", flush=True)
    random.seed(SEED)
    sizes: list[int] = []
    with Sandbox() as sandbox:
        secrets.add(sandbox.config.client_secret)
        sandbox.set_lifetime(4)  # seconds: renewals are part of it
        with Client(sandbox.config, logger=logging.getLogger("stress")):
            pass  # loads what stays
        before = held()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            asyncio.run(play(sandbox, f"{SEED} round {len(sizes)}"))
            want_nothing_left(before)
            sizes.append(resident())
    if sizes[-1] > sizes[len(sizes) // 3] + GROWTH:
        fail(f"the memory grows: {sizes}")
    print(
        f"{len(sizes)} rounds passed:", ", ".join(f"{done[what]} {what}" for what in sorted(done))
    )


if __name__ == "__main__":
    stress()
