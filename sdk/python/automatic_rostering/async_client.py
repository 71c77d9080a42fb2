"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterable, Coroutine
from typing import Any, Self

import httpx

from .base import BaseClient
from .request import AsyncBody
from .store import AsyncStore, Store
from .tasks import Tasks
from .threads import in_thread
from .token import Token


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

    `async with` opens and closes it; or `await client.open()` and `await client.close()`. Opening
    checks the config, and does not block the event loop.

    The operations of a `Store` run in threads, those of an `AsyncStore` in the event loop.
    Canceling a call ends its request to the service; a token request continues for other calls.
    """

    _io, _iterable = Tasks, AsyncIterable

    @staticmethod
    def _result(work: Coroutine[Any, Any, Any]) -> Coroutine[Any, Any, Any]:
        return work

    async def open(self) -> Self:
        """Open the client in the running event loop, and return it."""
        core, loop = self._core, asyncio.get_running_loop()
        if core.loop:
            _ = core.plugin  # raises an error if it is closed
        else:
            await asyncio.wrap_future(in_thread(core.open))
            core.loop = loop
        return self

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()
