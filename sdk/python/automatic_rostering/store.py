"""Stores, in which clients share a token."""

import logging
import os
import threading
from functools import partial
from typing import Any, Protocol

from .clock import monotonic
from .plugin import Plugin
from .step import Outcome, Step
from .tasks import Tasks
from .threads import Threads

_QUIET = 60.0  # seconds between two warnings


class Store(Protocol):
    """A key-value store with expiry. Any number of threads may use it at the same time.

    If an operation raises or takes more than a second, the call continues without the store. A
    value can hold the access token: anyone who can read it can call the service, anyone who can
    write it chooses the token.
    """

    def get(self, key: str) -> str | None:
        """Return the value, or None if it is absent or has expired."""

    def add(self, key: str, value: str, ttl: int) -> bool:
        """Set an absent key for `ttl` seconds, atomically. Return whether it was set."""

    def set(self, key: str, value: str, ttl: int) -> None:
        """Set a value for `ttl` seconds."""


class AsyncStore(Protocol):
    """A `Store` for asyncio."""

    async def get(self, key: str) -> str | None: ...

    async def add(self, key: str, value: str, ttl: int) -> bool: ...

    async def set(self, key: str, value: str, ttl: int) -> None: ...


class MemoryStore:
    """A `Store` for the clients of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, tuple[str, float]] = {}

    def get(self, key: str) -> str | None:
        value, end = self._entries.get(key, (None, 0.0))
        return value if monotonic() < end else None

    def add(self, key: str, value: str, ttl: int) -> bool:
        with self._lock:
            absent = self.get(key) is None
            if absent:
                self._entries[key] = (value, monotonic() + ttl)
            return absent

    def set(self, key: str, value: str, ttl: int) -> None:
        with self._lock:
            self._entries[key] = (value, monotonic() + ttl)


class SharedStore:
    """The store of a client, whose failures are logged."""

    def __init__(self, store: Any, plugin: Plugin) -> None:  # noqa: ANN401
        self._store, self._plugin = store, plugin
        self._next_warning = 0.0

    async def carry_out(self, step: Step, io: Threads | Tasks) -> Outcome:
        """Carry out a step."""
        arguments = (step[name] for name in ("key", "value", "ttl") if name in step)
        operation = partial(getattr(self._store, step["op"]), *arguments)
        try:
            async with io.timeout(step["timeout"]):
                returned = await io.use(operation)
            match step["op"], returned:
                case "get", str() | None:
                    return {"value": returned}
                case "add", bool():
                    return {"added": returned}
                case "set", _:
                    return {}
            raise TypeError  # noqa: TRY301 - a store may not return this
        except Exception as error:  # noqa: BLE001 - whatever the store raises
            self._warn(step, error)
            return {"failed": type(error).__name__}

    def _warn(self, step: Step, error: Exception) -> None:
        """Log a failure, without the text of the exception, which could quote the value."""
        if monotonic() < self._next_warning:
            return
        self._next_warning = monotonic() + _QUIET
        number = error.errno if isinstance(error, OSError) else None
        why = f" ({os.strerror(number)})" if isinstance(number, int) else ""
        line = (
            f"the token store's {step['op']} failed; calls continue, but the token is not shared"
            f" (logged once a minute): {type(error).__name__}{why}"
        )
        self._plugin.log(logging.WARNING, line, always=True)
