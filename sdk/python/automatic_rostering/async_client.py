"""The client for asyncio."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterable, Callable, Coroutine
from contextlib import closing, suppress
from functools import partial
from typing import Any, Self

import httpx

from .base import BaseClient, Core
from .check import check_timeout
from .config import Config
from .exchange import Exchange, http_options
from .holder import Flow, T, Wait, Work
from .plugin import Wasm
from .request import AsyncBody
from .step import Outcome, Step
from .store import AsyncStore, Store
from .thread import in_thread
from .token import Token


class AsyncClient(
    BaseClient[Coroutine[Any, Any, httpx.Response], Coroutine[Any, Any, Token], AsyncBody]
):
    """A `Client` for asyncio, with the same options. Open one per event loop, for all its tasks.

    `async with` opens and closes it; or `await client.open()` and `await client.close()`. Opening
    checks the config, and does not block the event loop.

    The operations of a `Store` run in threads, those of an `AsyncStore` in the event loop.
    Canceling a call ends its request to the service; a token request continues for other calls.
    """

    _iterable = AsyncIterable

    def __init__(
        self,
        config: Config,
        *,
        timeout: float | None = 30,
        max_body: int = 64 << 20,
        store: Store | AsyncStore | None = None,
        http: httpx.AsyncClient | None = None,
        logger: logging.Logger | logging.LoggerAdapter[Any] | None = None,
        plugin: Wasm | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        event = asyncio.Event
        options = (config, timeout, max_body, store, http, logger, plugin, clock)
        super().__init__(Core(*options, event=event, http_kind=httpx.AsyncClient))
        self._flows: set[asyncio.Task[None]] = set()

    async def open(self) -> Self:
        """Open the client in the running event loop, and return it."""
        core, loop = self._core, asyncio.get_running_loop()
        if core.loop:
            _ = core.plugin  # raises an error if it is closed
        else:
            urls = (core.config.auth_url, core.config.base_url)
            opening = in_thread(
                lambda: core.open(lambda: httpx.AsyncClient(**http_options(*urls)), self._start)
            )
            await asyncio.wrap_future(opening)
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
            core.cancel(_expire)
            await core.idle.wait()
        # Does not wait for a token request that no call waits for.
        core.free()
        if self._flows:
            await asyncio.wait(self._flows)
        if core.owns_http:
            await core.http.aclose()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, work: Work[T], timeout: float | None) -> T:
        """Carry out work."""
        self._check_loop()
        scope = asyncio.timeout(timeout)
        try:
            async with scope:
                with self._core.begun(scope):
                    return await self._steps(work)
        except TimeoutError:
            if not scope.expired():
                raise
            raise self._core.ended(timeout) from None

    async def _steps(self, work: Work[T]) -> T:
        outcome = None
        while True:
            try:
                wanted = work.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, Wait):
                with suppress(TimeoutError):
                    async with asyncio.timeout(wanted.seconds):
                        await wanted.event.wait()
            else:
                outcome = await wanted.send_async(self._core.http)

    def _start(self, flow: Flow) -> asyncio.Task[None]:
        task = asyncio.create_task(self._carry_out(flow))
        self._flows.add(task)
        task.add_done_callback(self._flows.discard)
        return task

    def _check_loop(self) -> None:
        loop, running = self._core.loop, asyncio.get_running_loop()
        if loop not in (None, running):
            message = f"the client belongs to {loop}, in which it was opened, not to {running}"
            raise RuntimeError(f"{message}: open one in each event loop")

    async def _carry_out(self, flow: Flow) -> None:
        """Carry out a flow, for all calls."""
        outcome: Any = None
        with closing(flow.steps()) as steps, suppress(StopIteration):
            while True:
                outcome = await self._outcome(steps.send(outcome))

    async def _outcome(self, step: Step) -> Outcome:
        try:
            if step.request:
                exchange = Exchange(step.request, step.request.body, step.limit, step.limit)
                async with asyncio.timeout(step.timeout):
                    return await exchange.send_async(self._core.http)
            if step.step == "wait":
                await asyncio.sleep(step.seconds)
                return {}
        except Exception as error:  # noqa: BLE001 - raised by a hook of the user's HTTP client
            return error
        try:
            async with asyncio.timeout(step.timeout):
                operation = getattr(self._core.store, step.op)
                if inspect.iscoroutinefunction(operation):
                    return step.store_outcome(await operation(*step.arguments))
                returned = in_thread(partial(operation, *step.arguments))
                return step.store_outcome(await asyncio.wrap_future(returned))
        except Exception as error:  # noqa: BLE001 - raised by the store
            return self._core.store_failed(step, error)


def _expire(call: asyncio.Timeout) -> None:
    with suppress(RuntimeError):  # it is about to end
        call.reschedule(asyncio.get_running_loop().time())
