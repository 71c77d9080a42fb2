"""The client for asyncio."""

import asyncio
import inspect
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Self, Unpack, cast

import httpx

from .base import BaseClient, CallOptions, ClientOptions, RequestOptions, timed_out
from .call import AsyncBody, Call
from .config import Config
from .exchange import Exchange, http_options
from .step import Detached, Done, Outcome, Pending, Result, Step, TokenStep, WaitStep
from .store import AsyncStore, Store
from .thread import in_thread
from .token import Token


class AsyncClient(BaseClient):
    """A `Client` for asyncio. Open one per event loop; any number of tasks may use it.

    The operations of a `Store` run in threads, those of an `AsyncStore` in the event loop.
    Cancelling a call ends its request to the service; a token request continues for other calls.
    """

    def __init__(
        self,
        config: Config,
        *,
        store: Store | AsyncStore | None = None,
        http: httpx.AsyncClient | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._http = http or httpx.AsyncClient(**http_options())
        self._owns_http = http is None
        # Last: if this fails, nothing else holds anything that must be freed.
        super().__init__(config, options, store, asyncio.Event)

    async def list_jobs(self, **options: Unpack[RequestOptions]) -> httpx.Response:
        """Return the service's answer to GET /jobs: status 2xx, its body in memory."""
        return cast(httpx.Response, await self.run(*self._call("list_jobs", options, {})))

    async def send_request(
        self,
        path: str,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: AsyncBody | None = None,
        **options: Unpack[RequestOptions],
    ) -> httpx.Response:
        """Send another request, as `Client.send_request` does."""
        fields = {"path": path, "method": method, "headers": headers}
        call = self._call("send_request", options, fields, body)
        return cast(httpx.Response, await self.run(*call))

    async def get_token(
        self, *, force: bool = False, refused: str | None = None, **options: Unpack[CallOptions]
    ) -> Token:
        """Return the token, as `Client.get_token` does."""
        fields = {"force": force or None, "refused": refused}
        token = await self.run(*self._call("get_token", options, fields))
        return Token.from_fields(cast(dict[str, Any], token))

    async def run(self, call: Call, timeout: float | None) -> Result:  # noqa: ASYNC109
        """Perform the steps of a call."""
        with self._begun(asyncio.get_running_loop().create_future()):
            try:
                async with asyncio.timeout(timeout):
                    step = call.begin()
                    while not isinstance(step, Done):
                        step = await self._perform(call, step)
            except TimeoutError:
                raise timed_out(timeout) from None
        return step.result

    async def close(self) -> None:
        """Wait for the calls that have begun, and free the instance with its token."""
        self._closed = True
        while pending := self._pending.copy():
            await asyncio.wait(pending)
        self._plugin.close()
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the client."""
        await self.close()

    async def _perform(self, call: Call, step: Pending) -> Step:
        if isinstance(step, Detached):
            section = asyncio.create_task(self._section(call, step))
            self._pending.add(section)
            section.add_done_callback(self._pending.discard)
            # asyncio logs an exception that is never retrieved, and the caller may have left.
            section.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            return await asyncio.shield(section)
        if isinstance(step, WaitStep):
            with suppress(TimeoutError):
                async with asyncio.timeout(step.seconds):
                    await step.until.wait()
            return call.resume({})
        with call.content(step) as content:
            exchange = Exchange(step, content, self._max_body)
            outcome = await exchange.send_async(self._http)
        return call.resume(outcome)

    async def _section(self, call: Call, step: Step) -> Step:
        """Perform detached steps to their end, even if their caller has left."""
        try:
            while isinstance(step, Detached):
                step = call.resume(await self._detached(step))
        finally:
            if not isinstance(step, WaitStep):
                self._plugin.end_section()
        return step

    async def _detached(self, step: Detached) -> Outcome:
        try:
            async with asyncio.timeout(step.timeout):
                if isinstance(step, TokenStep):
                    exchange = Exchange(step, step.body, self._max_body)
                    return await exchange.send_async(self._http)
                operation = getattr(self._store, step.op)
                if inspect.iscoroutinefunction(operation):
                    return step.outcome(await operation(*step.arguments))
                returned = in_thread(partial(operation, *step.arguments))
                return step.outcome(await asyncio.wrap_future(returned))
        except Exception as error:  # noqa: BLE001 - from a store, or a hook of httpx
            return self._failed(step, error)
