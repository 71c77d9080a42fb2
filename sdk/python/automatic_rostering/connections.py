"""Deadlines, and the connections of a client's HTTP client, which keep to them."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_PIECE = 64 << 10  # bytes


class Deadline:
    """A point in time, so many seconds from now; None means never."""

    def __init__(self, seconds: float | None) -> None:
        self._is_canceled = False
        #: The connection that a request reads or writes until then.
        self.stream: Any = None
        self.start(seconds)

    def start(self, seconds: float | None) -> None:
        """Move it to so many seconds from now."""
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left, or None. Raises a TimeoutError if it has passed."""
        left = None if self._end is None else self._end - time.monotonic()
        if self._is_canceled or (left is not None and left <= 0):
            raise TimeoutError
        return left

    def cancel(self) -> None:
        """Let it pass now, which wakes a thread that reads or writes."""
        self._is_canceled = True
        stream = self.stream
        if stream:
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Connections:
    """Has the connections of a client keep to the deadlines of their requests.

    httpx bounds each wait, but not their sum: a server that sends a byte now and then can continue
    forever. So each read and write of a request checks the deadline of its thread. `owned`: no
    other program uses them, so one is shut down to end its request.
    """

    def __init__(self, *, owned: bool) -> None:
        self._owned = owned
        self._thread = threading.local()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Bound a connection that was made; httpcore calls this as its trace extension."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            stream = info["return_value"]
            stream.read = self._bounded_read(stream, stream.read)
            stream.write = self._bounded_write(stream, stream.write)

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Apply a deadline to what this thread reads and writes."""
        self._thread.deadline = deadline
        try:
            yield
        finally:
            deadline.stream = None
            del self._thread.deadline

    def _left(self, stream: Any, timeout: float | None) -> float | None:  # noqa: ANN401
        deadline: Deadline | None = getattr(self._thread, "deadline", None)
        if not deadline:
            return timeout
        deadline.stream = stream if self._owned else None
        left = deadline.left()
        return min(timeout or left, left) if left else timeout

    def _bounded_read(self, stream: Any, read: Callable[..., bytes]) -> Callable[..., bytes]:  # noqa: ANN401
        def bounded(most: int, timeout: float | None = None) -> bytes:
            return read(most, self._left(stream, timeout))

        return bounded

    def _bounded_write(self, stream: Any, write: Callable[..., None]) -> Callable[..., None]:  # noqa: ANN401
        def bounded(buffer: bytes, timeout: float | None = None) -> None:
            for at in range(0, len(buffer), _PIECE):
                write(buffer[at : at + _PIECE], self._left(stream, timeout))

        return bounded
