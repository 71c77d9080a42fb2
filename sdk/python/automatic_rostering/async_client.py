"""The client for asyncio."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Self, cast

import httpx

from .base import BaseClient, Core
from .call import AsyncBody, Call
from .check import check_timeout
from .config import Config
from .exchange import Exchange, http_options
from .plugin import Wasm
from .step import Outcome, Result, Step
from .store import AsyncStore, Store
from .thread import T, in_thread
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

    async def open(self) -> Self:
        """Open the client in the running event loop, and return it."""
        core, loop = self._core, asyncio.get_running_loop()
        if core.is_open:
            _ = core.plugin  # raises an error if it is closed
        else:
            urls = (core.config.auth_url, core.config.base_url)
            opening = partial(core.open, lambda: httpx.AsyncClient(**http_options(*urls)))
            await asyncio.wrap_future(in_thread(opening))
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
        for section in core.sections:
            section.cancel()
        if core.sections:
            await asyncio.wait(core.sections)
        core.free()
        if core.owns_http:
            await core.http.aclose()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, call: Call, timeout: float | None) -> Result:
        """Perform the steps of a call."""
        self._check_loop()
        scope = asyncio.timeout(timeout)
        try:
            async with scope:
                with self._core.begun(scope):
                    return await self._steps(call)
        except TimeoutError:
            if not scope.expired():
                raise
            raise self._core.ended(timeout) from None

    async def _steps(self, call: Call) -> Result:
        step = call.begin()
        if call.renews:  # no call waits for it or sees its error, which the plugin has logged
            self._start(self._renew(call.renewal()))
        while step.kind != "done":
            step = await self._perform(call, step)
        return cast(Result, step.result)

    async def _renew(self, call: Call) -> None:
        await self._steps(call)  # asyncio's debug mode logs what a task returns: not the token

    def _start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Start work that outlives its caller."""
        section = asyncio.create_task(work)
        self._core.sections.add(section)
        section.add_done_callback(self._core.sections.discard)
        # asyncio logs an exception that is never retrieved, and the caller may have left.
        section.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return section

    def _check_loop(self) -> None:
        loop, running = self._core.loop, asyncio.get_running_loop()
        if loop not in (None, running):
            message = f"the client belongs to {loop}, in which it was opened, not to {running}"
            raise RuntimeError(f"{message}: open one in each event loop")

    async def _perform(self, call: Call, step: Step) -> Step:
        if step.is_detached:
            return await asyncio.shield(self._start(self._section(call, step)))
        if step.kind == "wait":
            with suppress(TimeoutError):
                async with asyncio.timeout(step.seconds):
                    await step.until.wait()
            return call.resume({})
        with call.content(step) as content:
            exchange = Exchange(step, content, self._core.max_body)
            outcome = await exchange.send_async(self._core.http)
        return call.resume(outcome)

    async def _section(self, call: Call, step: Step) -> Step:
        """Perform detached steps to the end, even if the caller has left."""
        try:
            while step.is_detached:
                step = call.resume(await self._detached(step))
        finally:
            if step.kind != "wait":
                call.plugin.end_section()
        return step

    async def _detached(self, step: Step) -> Outcome:
        if step.kind == "token":
            exchange = Exchange(step, step.body, self._core.max_body)
            try:
                async with asyncio.timeout(step.timeout):
                    return await exchange.send_async(self._core.http)
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
