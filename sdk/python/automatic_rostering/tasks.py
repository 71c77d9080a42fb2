"""How an `AsyncClient` waits and sends: in the tasks of an event loop."""

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, TypeVar

import httpx

from .step import Most
from .threads import in_thread

T = TypeVar("T")

#: How many requests an HTTP client of our own sends at a time. httpcore needs the square of its connections for each.
_MOST_REQUESTS = 50


class Tasks:
    """As `Threads`, for tasks: a call is bounded by its caller."""

    http_kind = httpx.AsyncClient
    event = asyncio.Event
    http: Any = None
    owned = False
    make: Callable[[], httpx.AsyncClient]  # another one

    def __init__(self) -> None:
        #: What runs in the background.
        self.running: set[asyncio.Task[None]] = set()
        #: How many requests each HTTP client sends.
        self.sends = Counter[httpx.AsyncClient]()

    timeout = staticmethod(asyncio.timeout)

    def restorer(self) -> Callable[[], object]:
        """Return what does nothing: the deadline of a task is its own."""
        return bool

    def apart(self, work: Callable[[], T]) -> T:
        """Do something, without another thread: this one alone changes tasks."""
        return work()

    def cancel(self, timeout: asyncio.Timeout) -> None:
        """Cancel the work in what `timeout` returned."""
        with suppress(RuntimeError):  # it is about to end
            timeout.reschedule(asyncio.get_running_loop().time())

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Run work in the background, until what this returns is canceled."""
        task = asyncio.create_task(work())
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Wait for an event, for so many seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()

    async def use(self, operation: "partial[Any]") -> object:
        """Return what an operation of a store returns."""
        try:
            if inspect.iscoroutinefunction(operation.func):
                return await operation()
            return await asyncio.wrap_future(in_thread(operation))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task and task.cancelling():
                raise
        raise RuntimeError("CancelledError")  # the store's own: nobody has canceled the task

    def check(self) -> None:
        """Do nothing: a task whose time is over is canceled."""

    async def close(self, idle: asyncio.Event) -> None:
        """Wait for the last calls, and close its own connections."""
        await idle.wait()
        if self.running:
            await asyncio.wait(self.running)
        if self.owned:
            await self.http.aclose()

    async def exchange(self, request: httpx.Request, most: Most) -> tuple[httpx.Response, bytes]:
        """Send a request, and return the response with at most so many bytes of its body."""
        free = (http for http in (self.http, *self.sends) if self.sends[http] < _MOST_REQUESTS or not self.owned)
        http = next(free, None) or self.make()
        self.sends[http] += 1
        streams: list[Any] = []

        async def trace(event: str, info: dict[str, Any]) -> None:
            request.extensions["seen"].append(event)
            if event.endswith(".connect_tcp.complete"):
                streams.append(info["return_value"])
            elif event.endswith(".start_tls.failed"):  # if it timed out, httpcore leaves its connection open
                await streams.pop().aclose()

        request.extensions |= {"trace": trace}
        try:
            sent = await http.send(request, stream=True, auth=None, follow_redirects=False)
            async with aclosing(sent) as response:
                limit, body = most(response), bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) >= limit:
                        break
                return response, bytes(body[:limit])
        finally:
            self.sends[http] -= 1
            if http is not self.http and not self.sends[http]:
                del self.sends[http]
                await http.aclose()
