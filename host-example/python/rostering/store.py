"""What a `Fleet` needs of the place that all its processes share."""

from contextlib import AbstractContextManager
from typing import Protocol


class StoreDown(Exception):  # noqa: N818 - it is no error: a fleet goes on without the store
    """The store cannot be used now."""


class Slot(Protocol):
    """The place of one token."""

    def get(self) -> bytes | None:
        """Give what was put there and has not expired, if anything."""

    def put(self, text: str, seconds: float) -> None:
        """Put a text there, for so many seconds."""

    def lock(self, seconds: float) -> AbstractContextManager[bool]:
        """Keep others from locking it, for so many seconds at most. False if others do."""


class Store(Protocol):
    """Any number of threads may use it."""

    def open(self, key: str) -> AbstractContextManager[Slot]:
        """Open a place. If it cannot be used, now or later, the `with` ends in a StoreDown."""
