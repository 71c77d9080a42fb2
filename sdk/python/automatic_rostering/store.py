"""Stores, in which clients share a token."""

import threading
import time
from typing import Protocol


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
        return value if time.monotonic() < end else None

    def add(self, key: str, value: str, ttl: int) -> bool:
        with self._lock:
            absent = self.get(key) is None
            if absent:
                self._entries[key] = (value, time.monotonic() + ttl)
            return absent

    def set(self, key: str, value: str, ttl: int) -> None:
        with self._lock:
            self._entries[key] = (value, time.monotonic() + ttl)
