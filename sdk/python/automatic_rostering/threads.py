"""How a `Client` waits and sends: in the threads of its callers, until their deadlines."""

import _thread
import socket
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextlib import closing, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

import httpcore
import httpx

from .clock import monotonic
from .signals import of_handler
from .step import Most

T = TypeVar("T")

_PIECE = 64 << 10  # bytes


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Run something in a daemon thread, with the caller's context variables: tracing finds its span there."""
    future: Future[T] = Future()
    run = partial(copy_context().run, _settle, future, work)
    try:
        _want_threads()
        threading.Thread(target=run, daemon=True).start()
    except RuntimeError:
        run()
    return future


def apart(work: Callable[[], T]) -> T:
    """Do something outside of the main thread, where a signal handler can raise an exception at any moment.

    Then it is done nevertheless.
    """
    return elsewhere(work, None) if _in_main() else work()


def elsewhere(work: Callable[[], T], seconds: float | None) -> T:
    """Do something in another thread. Raises a TimeoutError after so many seconds."""
    future: Future[T] = Future()
    ended = Event()  # future.result could raise another error than a signal handler

    def run() -> None:
        _settle(future, work)
        ended.set()

    try:
        _want_threads()
        _thread.start_new_thread(copy_context().run, (run,))
    except RuntimeError:
        return work()
    ended.wait(seconds)
    return future.result(0)


def _in_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _want_threads() -> None:
    """Raise the RuntimeError of a thread that cannot be started, for which Python 3.11 waits forever at its exit."""
    if sys.is_finalizing():
        raise RuntimeError


def _settle(future: "Future[T]", work: Callable[[], T]) -> None:
    try:
        end = partial(future.set_result, work())
    except Exception as error:  # noqa: BLE001 - future.result raises it
        end = partial(future.set_exception, error)
    except BaseException as error:  # noqa: BLE001 - ends no thread but this one
        end = partial(future.set_exception, RuntimeError(type(error).__name__))
    with suppress(InvalidStateError):  # its caller has left
        end()


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a coroutine of a Client has suspended")


class Locked:
    """Has a lock. While Python exits, that is a new one each time: a thread that held the other one runs no more."""

    def __init__(self) -> None:
        self._own_lock = threading.Lock()

    @property
    def lock(self) -> threading.Lock:
        """The lock, to be taken with `with`."""
        return threading.Lock() if sys.is_finalizing() else self._own_lock


class Event:
    """A threading.Event that no exception of a signal handler leaves locked: `set` would never return."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting = deque[threading.Lock]()

    def set(self) -> None:
        """End all waits."""
        self._is_set = True
        with suppress(IndexError):
            while True:
                self._waiting.pop().release()

    def wait(self, seconds: float | None) -> None:
        """Wait until it is set, for so many seconds at most."""
        lock = threading.Lock()
        lock.acquire()  # which `set` releases
        self._waiting.append(lock)
        if not self._is_set:
            lock.acquire(timeout=-1 if seconds is None else seconds)


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
    event = Event
    http: Any = None
    #: Whether no other program uses its connections, so one is shut down to end its request.
    owned = False

    make: Callable[[], httpx.Client]  # another one

    def __init__(self) -> None:
        self._thread = threading.local()
        #: What bounds the requests that each HTTP client sends.
        self._sends = defaultdict[httpx.Client, set[Deadline]](set)
        #: Whether some request may never end: then each has a thread, which its caller can leave.
        self._is_doubtful = False

    def timeout(self, seconds: float | None) -> Deadline:
        """Return what bounds the work in it."""
        return Deadline(self._thread, seconds)

    def cancel(self, deadline: Deadline) -> None:
        """Cancel the work in what `timeout` returned."""
        deadline.cancel()

    def restorer(self) -> Callable[[], object]:
        """Return what restores the thread's deadline, in one step: no signal handler interrupts that."""
        return partial(setattr, self._thread, "deadline", getattr(self._thread, "deadline", None))

    apart = staticmethod(apart)

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> Deadline:
        """Run work in the background, until what this returns is canceled."""
        deadline = self.timeout(None)

        async def run() -> None:
            async with deadline:
                await work()

        in_thread(lambda: finish(run()))
        return deadline

    async def wait(self, event: Event, seconds: float | None) -> None:
        """Wait for an event, for so many seconds at most."""
        event.wait(self._thread.deadline.cut(seconds))
        self.check()

    async def use(self, operation: Callable[[], object]) -> object:
        """Return what an operation of a store returns."""
        return in_thread(operation).result(self._thread.deadline.cut(None))

    def check(self) -> None:
        """Raise a TimeoutError if the deadline has passed."""
        self._thread.deadline.cut(None)

    async def close(self, _: Event) -> None:
        """Close its own connections."""
        if self.owned:
            self.http.close()

    async def exchange(self, request: httpx.Request, most: Most) -> tuple[httpx.Response, bytes]:
        """Send a request, and return the response with at most so many bytes of its body."""
        deadline: Deadline = self._thread.deadline
        try:
            if self._is_doubtful or self._connects(request):
                return elsewhere(lambda: self._exchange(deadline, request, most), deadline.cut(None))
            return self._exchange(deadline, request, most)
        except BaseException as error:
            raised = of_handler(error)
            if not raised:
                raise
            # It may have left a lock of httpx's locked, which some later request would wait for.
            if self.owned:
                self.http, interrupted = apart(self.make), self.http
                apart(lambda: self._close_unused(interrupted))
            else:
                self._is_doubtful = True
            raise raised from raised.__cause__

    def _connects(self, request: httpx.Request) -> bool:
        """Return whether a request begins a connection: nothing bounds the lookup of its host's name."""
        pool = getattr(self.http._transport_for_url(request.url), "_pool", None)  # noqa: SLF001
        if not pool:  # it is no transport of httpx's
            return False
        url = request.url
        origin = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/").origin
        return not any(each.can_handle_request(origin) and each.is_available() for each in pool.connections)

    def _exchange(self, deadline: Deadline, request: httpx.Request, most: Most) -> tuple[httpx.Response, bytes]:
        self._thread.deadline = deadline
        own = request.extensions["timeout"]
        timeouts = {name: deadline.cut(seconds) for name, seconds in own.items()}
        request.extensions |= {"timeout": timeouts, "trace": partial(self._trace, request.extensions["seen"])}
        http = self.http
        try:
            self._sends[http].add(deadline)
            sent = http.send(request, stream=True, auth=None, follow_redirects=False)
            with closing(sent) as response:
                limit, body = most(response), bytearray()
                for piece in response.iter_bytes():
                    self.check()
                    body += piece
                    if len(body) >= limit:
                        break
                return response, bytes(body[:limit])
        finally:
            self._sends[http].discard(deadline)
            deadline.uses(None)
            if http is not self.http:
                self._close_unused(http)

    def _close_unused(self, http: httpx.Client) -> None:
        """Close one that another replaced, after its last request."""
        if not self._sends[http]:
            self._sends.pop(http, None)
            http.close()

    def _trace(self, seen: list[str], event: str, info: dict[str, Any]) -> None:
        """Note an event, and bound a connection that was made; httpcore calls this as its trace extension."""
        seen.append(event)
        if event.endswith(".failed") and (raised := of_handler(info["exception"])):
            raise raised  # httpcore would wait for a response after a request that was not sent
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
