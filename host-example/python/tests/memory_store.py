"""A store in the tests' own process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rostering.store import StoreDown


class MemoryStore:
    """A `Store` for all fleets of one test. Nothing in it expires."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.locked = threading.Lock()
        self.down = False
        self.opened = 0
        self.before_lock: Callable[[], object] = lambda: None

    @contextmanager
    def open(self, key: str) -> Iterator["MemorySlot"]:
        self.opened += 1
        yield MemorySlot(self, key)


class MemorySlot:
    def __init__(self, store: MemoryStore, key: str) -> None:
        self._store = store
        self._key = key

    def get(self) -> bytes | None:
        self._check()
        return self._store.values.get(self._key)

    def put(self, text: str, seconds: float) -> None:
        self._check(seconds)
        self._store.values[self._key] = text.encode()

    @contextmanager
    def lock(self, seconds: float) -> Iterator[bool]:
        self._check(seconds)
        self._store.before_lock()
        mine = self._store.locked.acquire(blocking=False)
        try:
            yield mine
        finally:
            if mine:
                self._store.locked.release()

    def _check(self, seconds: float = 1) -> None:
        if seconds <= 0:
            raise ValueError(seconds)
        if self._store.down:
            raise StoreDown
