"""How a `Client` waits and sends: in the threads of its callers, until their deadlines."""

import socket
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextlib import closing, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

import httpx

from .clock import monotonic
from .step import Most

T = TypeVar("T")

_PIECE = 64 << 10  # bytes


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Run something in a daemon thread, with the caller's context variables: tracing finds its span there."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            end = partial(future.set_result, work())
        except Exception as error:  # noqa: BLE001 - future.result raises it
            end = partial(future.set_exception, error)
        except BaseException as error:  # noqa: BLE001 - ends no thread but this one
            end = partial(future.set_exception, RuntimeError(type(error).__name__))
        with suppress(InvalidStateError):  # its caller has left
            end()

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return future


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a coroutine of a Client has suspended")


class Deadline:
    """For threads what asyncio.timeout is for tasks: it bounds the waits of the thread in it."""

    def __init__(self, thread: threading.local, seconds: float | None) -> None:
        self._thread = thread
        self._end = None if seconds is None else monotonic() + seconds
        self._is_canceled = False
        self._outer: Deadline | None = None
        self._stream: Any = None  # of the connection that is read or written until then

    async def __aenter__(self) -> None:
        self._outer = getattr(self._thread, "deadline", None)
        self._thread.deadline = self

    async def __aexit__(self, *_: object) -> None:
        self._thread.deadline = self._outer

    def expired(self) -> bool:
        """Return whether it has passed."""
        return self._is_canceled or (self._end is not None and monotonic() >= self._end)

    def cut(self, seconds: float | None) -> float | None:
        """Return a time in seconds, or less if less is left. Raises a TimeoutError at the end."""
        if self.expired():
            raise TimeoutError
        if self._end is not None:
            left = max(self._end - monotonic(), 0.001)
            seconds = min(seconds or left, left)
        return self._outer.cut(seconds) if self._outer else seconds

    def uses(self, stream: Any) -> None:  # noqa: ANN401
        """Note which connection `cancel` has to shut down."""
        self._stream = stream
        if self._outer:
            self._outer.uses(stream)

    def cancel(self) -> None:
        """Let it pass now, which wakes a thread that reads or writes."""
        self._is_canceled = True
        stream = self._stream
        if stream:
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Threads:
    """Waits and sends for the deadline of the thread. None of its coroutines ever suspends.

    httpx bounds each wait, but not their sum: a server that sends a byte now and then can continue forever. So each
    read and write of a connection checks the deadline.
    """

    http_kind = httpx.Client
    event = threading.Event
    http: Any = None
    #: Whether no other program uses its connections, so one is shut down to end its request.
    owned = False

    def __init__(self) -> None:
        self._thread = threading.local()

    def timeout(self, seconds: float | None) -> Deadline:
        """Return what bounds the work in it."""
        return Deadline(self._thread, seconds)

    def cancel(self, deadline: Deadline) -> None:
        """Cancel the work in what `timeout` returned."""
        deadline.cancel()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> Deadline:
        """Run work in the background, until what this returns is canceled."""
        deadline = self.timeout(None)

        async def run() -> None:
            async with deadline:
                await work()

        in_thread(lambda: finish(run()))
        return deadline

    async def wait(self, event: threading.Event, seconds: float | None) -> None:
        """Wait for an event, for so many seconds at most."""
        event.wait(self._thread.deadline.cut(seconds))
        self.check()

    async def use(self, operation: Callable[[], object]) -> object:
        """Return what an operation of a store returns."""
        return in_thread(operation).result(self._thread.deadline.cut(None))

    def check(self) -> None:
        """Raise a TimeoutError if the deadline has passed."""
        self._thread.deadline.cut(None)

    async def close(self, _: threading.Event) -> None:
        """Close its own connections."""
        if self.owned:
            self.http.close()

    async def exchange(self, request: httpx.Request, most: Most) -> tuple[httpx.Response, bytes]:
        """Send a request, and return the response with at most so many bytes of its body."""
        deadline: Deadline = self._thread.deadline
        own = request.extensions["timeout"]
        timeouts = {name: deadline.cut(seconds) for name, seconds in own.items()}
        request.extensions |= {"timeout": timeouts, "trace": self._bound}
        try:
            sent = self.http.send(request, stream=True, auth=None, follow_redirects=False)
            with closing(sent) as response:
                limit, body = most(response), bytearray()
                for piece in response.iter_bytes():
                    self.check()
                    body += piece
                    if len(body) >= limit:
                        break
                return response, bytes(body[:limit])
        finally:
            deadline.uses(None)

    def _bound(self, event: str, info: dict[str, Any]) -> None:
        """Bound a connection that was made; httpcore calls this as its trace extension."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream = info["return_value"]
        read, write = stream.read, stream.write

        def bounded_read(max_bytes: int, timeout: float | None = None) -> Any:  # noqa: ANN401
            return read(max_bytes, self._cut(stream, timeout))

        def bounded_write(buffer: bytes, timeout: float | None = None) -> None:
            for at in range(0, len(buffer), _PIECE):
                write(buffer[at : at + _PIECE], self._cut(stream, timeout))

        stream.read, stream.write = bounded_read, bounded_write

    def _cut(self, stream: Any, timeout: float | None) -> float | None:  # noqa: ANN401
        deadline: Deadline | None = getattr(self._thread, "deadline", None)
        if not deadline:
            return timeout
        deadline.uses(stream if self.owned else None)
        return deadline.cut(timeout)
