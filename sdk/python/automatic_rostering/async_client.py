"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Self

import httpx

from .base import BaseClient, Call, Work
from .check import check_timeout
from .request import AsyncBody
from .store import AsyncStore, Store
from .tasks import Tasks
from .threads import in_thread
from .token import Token


class AsyncClient(
    BaseClient[
        Coroutine[Any, Any, httpx.Response],
        Coroutine[Any, Any, Token],
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

    async def open(self) -> Self:
        """Open the client in the running event loop, and return it."""
        core, loop = self._core, asyncio.get_running_loop()
        if core.loop:
            _ = core.plugin  # raises an error if it is closed
        else:
            await asyncio.wrap_future(in_thread(core.open))
            core.loop = loop
        return self

    async def close(self, timeout: float | None = None) -> None:
        """Wait for the calls in progress, and free the plugin with its token.

        After `timeout` seconds, calls that have not ended are canceled: they raise a RuntimeError.
        """
        check_timeout("timeout", timeout, zero=True)
        core = self._core
        self._check_loop()
        if not core.begin_close():
            return
        try:
            async with asyncio.timeout(timeout):
                await core.idle.wait()
        except TimeoutError:
            core.cancel()
            await core.idle.wait()
        # Does not wait for a token request that no call waits for.
        core.free()
        if core.io.running:
            await asyncio.wait(core.io.running)
        if core.io.owned:
            await core.io.http.aclose()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, work: Work, timeout: float | None) -> Any:  # noqa: ANN401
        """Carry out work."""
        self._check_loop()
        core, scope = self._core, asyncio.timeout(timeout)
        with Call(core, partial(_expire, scope)):
            try:
                async with scope:
                    return await work(core)
            except TimeoutError:
                if not scope.expired():
                    raise
            raise core.ended(timeout)

    def _check_loop(self) -> None:
        loop, running = self._core.loop, asyncio.get_running_loop()
        if loop not in (None, running):
            message = f"the client belongs to {loop}, in which it was opened, not to {running}"
            raise RuntimeError(f"{message}: open one in each event loop")


def _expire(call: asyncio.Timeout) -> None:
    with suppress(RuntimeError):  # it is about to end
        call.reschedule(asyncio.get_running_loop().time())
