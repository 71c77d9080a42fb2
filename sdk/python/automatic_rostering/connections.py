"""Deadlines, and the connections of a client's HTTP client, which keep to them."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet

_PIECE = 64 << 10  # bytes


class Deadline:
    """A point in time, so many seconds from now; None means never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left, or None. Raises a TimeoutError if it has passed."""
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        return left

    def expire(self) -> None:
        """Move it to now."""
        self._end = time.monotonic()


class Connections:
    """Tracks the sockets, because closing an httpx.Client does not wake threads that read.

    httpx bounds each wait, but not their sum: a server that sends a byte now and then can continue
    forever. So each read and write of a request checks the deadline of its thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: WeakSet[Any] = WeakSet()
        self._closed = False
        self._thread = threading.local()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Track a connection that was made; httpcore calls this as its trace extension."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            stream = info["return_value"]
            stream.read = self._bounded_read(stream.read)
            stream.write = self._bounded_write(stream.write)
            with self._lock:
                self._streams.add(stream)
                if self._closed:
                    stream.close()  # httpx has closed those that it knew

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Apply a deadline to what this thread reads and writes."""
        self._thread.deadline = deadline
        try:
            yield
        finally:
            del self._thread.deadline

    def _left(self, timeout: float | None) -> float | None:
        deadline: Deadline | None = getattr(self._thread, "deadline", None)
        left = deadline.left() if deadline else None
        return min(timeout or left, left) if left else timeout

    def _bounded_read(self, read: Callable[..., bytes]) -> Callable[..., bytes]:
        def bounded(most: int, timeout: float | None = None) -> bytes:
            return read(most, self._left(timeout))

        return bounded

    def _bounded_write(self, write: Callable[..., None]) -> Callable[..., None]:
        def bounded(buffer: bytes, timeout: float | None = None) -> None:
            for at in range(0, len(buffer), _PIECE):
                write(buffer[at : at + _PIECE], self._left(timeout))

        return bounded

    def shut_down(self) -> None:
        """Shut the sockets down, which wakes the threads that use them, and those to come."""
        with self._lock:
            self._closed = True
            streams = list(self._streams)
        for stream in streams:
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
