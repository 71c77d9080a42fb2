"""The clients, for threads and for asyncio."""

import asyncio
import inspect
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable
from functools import wraps
from typing import Any, Self

import httpx

from .base import BaseClient
from .request import AsyncBody, Body
from .store import AsyncStore, Store
from .tasks import Tasks
from .threads import Threads, finish, in_thread
from .token import Token


class Client(BaseClient[httpx.Response, Token, None, Body, httpx.Client, Store]):
    """A client of the service. Open one per process; any number of threads may use it.

    `timeout` bounds each call, in seconds; None is unlimited. `max_body` bounds a response, in bytes. `store` shares
    the token with other clients. `http` is your own HTTP client, for example with a proxy or a private CA; its timeouts
    apply if they are shorter, and it remains yours to close. `logger` receives the plugin's log lines, and failures of
    the store, which go to the logger "automatic_rostering" by default. `plugin` is another rostering-core.wasm, as a
    path or bytes. `clock` replaces time.time as the clock by which tokens expire, for tests.

    Opening and calls raise a `RosteringError`, a TypeError or a ValueError for an invalid argument, such as a `plugin`
    of another `CONTRACT`, and a RuntimeError if the client is closed.
    """

    _io, _iterable, _result = Threads, Iterable, staticmethod(finish)

    def _begin(self) -> None:
        self._shared.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(
    BaseClient[
        Coroutine[Any, Any, httpx.Response],
        Coroutine[Any, Any, Token],
        Coroutine[Any, Any, None],
        AsyncBody,
        httpx.AsyncClient,
        Store | AsyncStore,
    ]
):
    """A `Client` for asyncio, with the same options. Open one per event loop, for all its tasks.

    `async with` opens and closes it; or `await client.open()` and `await client.close()`. Opening checks the config,
    and does not block the event loop.

    The operations of a `Store` run in threads, those of an `AsyncStore` in the event loop. Canceling a call ends its
    request to the service; a token request continues for other calls.
    """

    _io, _iterable = Tasks, AsyncIterable

    @staticmethod
    def _result(work: Coroutine[Any, Any, Any]) -> Coroutine[Any, Any, Any]:
        return work

    async def open(self) -> Self:
        """Open the client in the running event loop, and return it."""
        shared, loop = self._shared, asyncio.get_running_loop()
        if shared.loop:
            _ = shared.plugin  # raises an error if it is closed
        else:
            await asyncio.wrap_future(in_thread(shared.open))
            shared.loop = loop
        return self

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _marked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that unittest.mock takes for what it behaves as, a coroutine function."""

    @wraps(method)
    def marked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        return method(*args, **kwargs)

    mark: Any = getattr(inspect, "markcoroutinefunction", None)
    coroutines: Any = asyncio.coroutines
    if mark:
        mark(marked)
    else:  # Python 3.11
        vars(marked)["_is_coroutine"] = coroutines._is_coroutine  # noqa: SLF001
    return marked


for _name in "list_jobs", "send_request", "get_token", "close":
    setattr(AsyncClient, _name, _marked(getattr(BaseClient, _name)))
