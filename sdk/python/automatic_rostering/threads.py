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
    """Run something in a daemon thread, which does not keep the program from ending.

    It has the caller's context variables, as a task does: tracing finds the caller's span there.
    """
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
    """A point in time, so many seconds from now; None means never."""

    def __init__(self, seconds: float | None) -> None:
        self._is_canceled = False
        #: The connection that a request reads or writes until then.
        self.stream: Any = None
        self.start(seconds)

    def start(self, seconds: float | None) -> None:
        """Move it to so many seconds from now."""
        self._end = None if seconds is None else monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left, or None. Raises a TimeoutError if it has passed."""
        left = None if self._end is None else self._end - monotonic()
        if self._is_canceled or (left is not None and left <= 0):
            raise TimeoutError
        return left

    def cut(self, seconds: float | None) -> float | None:
        """Return a time in seconds, or less if less is left."""
        left = self.left()
        return seconds if left is None else min(seconds or left, left)

    def cancel(self) -> None:
        """Let it pass now, which wakes a thread that reads or writes."""
        self._is_canceled = True
        stream = self.stream
        if stream:
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Threads:
    """Waits and sends for the deadline of the thread. None of its coroutines ever suspends.

    httpx bounds each wait, but not their sum: a server that sends a byte now and then can continue
    forever. So each read and write of a connection checks the deadline.
    """

    http_kind = httpx.Client
    event = threading.Event
    http: Any = None
    #: Whether no other program uses its connections, so one is shut down to end its request.
    owned = False

    def __init__(self) -> None:
        self._thread = threading.local()

    def run(self, work: Coroutine[Any, Any, T], deadline: Deadline) -> T:
        """Run work until a deadline."""
        outer = getattr(self._thread, "deadline", None)  # of a call whose hook or log handler calls
        self._thread.deadline = deadline
        try:
            return finish(work)
        finally:
            self._thread.deadline = outer

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> Deadline:
        """Run work in the background, until what this returns is canceled."""
        deadline = Deadline(None)
        in_thread(lambda: self.run(work(), deadline))
        return deadline

    async def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait for an event, for so many seconds at most."""
        event.wait(self._thread.deadline.cut(seconds))
        self.check()

    async def within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """Carry out a part of background work. Raises a TimeoutError if it takes longer."""
        self._thread.deadline.start(seconds)
        try:
            return await work
        finally:
            self._thread.deadline.start(None)

    async def use(self, operation: Callable[[], object]) -> object:
        """Return what an operation of a store returns."""
        return in_thread(operation).result(self._thread.deadline.left())

    def check(self) -> None:
        """Raise a TimeoutError if the deadline has passed."""
        self._thread.deadline.left()

    async def exchange(self, request: httpx.Request, most: Most) -> tuple[httpx.Response, bytes]:
        """Send a request, and return the response with at most so many bytes of its body."""
        deadline: Deadline = self._thread.deadline
        left, timeouts = deadline.left(), request.extensions["timeout"]
        if left is not None:
            timeouts = {name: min(own or left, left) for name, own in timeouts.items()}
        request.extensions |= {"timeout": timeouts, "trace": self._bound}
        try:
            sent = self.http.send(request, stream=True, auth=None, follow_redirects=False)
            with closing(sent) as response:
                limit, body = most(response), bytearray()
                for piece in response.iter_bytes():
                    deadline.left()
                    body += piece
                    if len(body) >= limit:
                        break
                return response, bytes(body[:limit])
        finally:
            deadline.stream = None

    def _bound(self, event: str, info: dict[str, Any]) -> None:
        """Bound a connection that was made; httpcore calls this as its trace extension."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream = info["return_value"]
        read, write = stream.read, stream.write

        def bounded_read(most: int, timeout: float | None = None) -> Any:  # noqa: ANN401
            return read(most, self._cut(stream, timeout))

        def bounded_write(buffer: bytes, timeout: float | None = None) -> None:
            for at in range(0, len(buffer), _PIECE):
                write(buffer[at : at + _PIECE], self._cut(stream, timeout))

        stream.read, stream.write = bounded_read, bounded_write

    def _cut(self, stream: Any, timeout: float | None) -> float | None:  # noqa: ANN401
        deadline: Deadline | None = getattr(self._thread, "deadline", None)
        if not deadline:
            return timeout
        deadline.stream = stream if self.owned else None
        return deadline.cut(timeout)
