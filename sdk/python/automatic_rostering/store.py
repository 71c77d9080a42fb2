"""Stores, in which clients share a token."""

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from .clock import monotonic, wall
from .step import Outcome, Step, result_of
from .tasks import Tasks
from .threads import Locked, Threads

_MOST_VALUE = 64 << 10  # bytes
_MOST_CONTENT = 17 + _MOST_VALUE + 1  # with the line of the expiry; one more byte shows that there is too much
_ABANDONED = 60  # seconds after which the process that wrote a temporary file has died
_TEMPORARY = re.compile(r"[0-9a-f]{64}\.tmp\.[0-9a-f]+")
_CONTENT = re.compile(rb"([0-9]{1,16})\n(.*)", re.DOTALL)


class Store(Protocol):
    """A key-value store with expiry, for any number of threads. Who can read it has the token.

    If an operation raises or takes more than a second, the call continues without the store.
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
        self._locked = Locked()
        self._entries: dict[str, tuple[str, float]] = {}

    def get(self, key: str) -> str | None:
        value, end = self._entries.get(key, (None, 0.0))
        return value if monotonic() < end else None

    def add(self, key: str, value: str, ttl: int) -> bool:
        with self._locked.lock:
            absent = self.get(key) is None
            if absent:
                self._entries[key] = (value, monotonic() + ttl)
            return absent

    def set(self, key: str, value: str, ttl: int) -> None:
        with self._locked.lock:
            self._entries[key] = (value, monotonic() + ttl)


class FileStore:
    """A `Store` in files that only their owner can read, without locks.

    Libraries of other languages can share the folder: docs/file-store.md specifies its files. Raises an OSError if the
    folder cannot be created or written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._temporary(self._path(""), "", 0):  # fails now if it would fail later
            pass

    def get(self, key: str) -> str | None:
        with suppress(FileNotFoundError, UnicodeDecodeError):
            with self._path(key).open("rb") as file:
                content = _CONTENT.fullmatch(file.read(_MOST_CONTENT))
            if content and int(content[1]) > wall() * 1000:
                return content[2].decode()
        return None

    def add(self, key: str, value: str, ttl: int) -> bool:
        path = self._path(key)
        with self._temporary(path, value, ttl) as temporary:
            if _link(temporary, path):
                return True
            if self.get(key) is not None:
                return False
            path.unlink(missing_ok=True)  # its value has expired
            return _link(temporary, path)

    def set(self, key: str, value: str, ttl: int) -> None:
        path = self._path(key)
        with self._temporary(path, value, ttl) as temporary:
            for _ in range(20):  # Windows replaces no file while another process reads it
                with suppress(OSError):
                    temporary.replace(path)
                    return
                time.sleep(0.025)
            temporary.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / sha256(key.encode()).hexdigest()

    @contextmanager
    def _temporary(self, path: Path, value: str, ttl: int) -> Iterator[Path]:
        """Yield a new file with a value, and remove it, and those that were left behind."""
        for other in self._folder.iterdir():
            with suppress(FileNotFoundError):
                old = other.stat().st_mtime < wall() - _ABANDONED
                if old and _TEMPORARY.fullmatch(other.name):
                    other.unlink()
        temporary = path.with_name(f"{path.name}.tmp.{secrets.token_hex(16)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as new:
                new.write(f"{int((wall() + ttl) * 1000)}\n{value}".encode())
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


def _link(temporary: Path, path: Path) -> bool:
    try:
        path.hardlink_to(temporary)
    except FileExistsError:  # another process was faster
        return False
    return True


async def carry_out(step: Step, store: Any, io: Threads | Tasks) -> Outcome:  # noqa: ANN401
    """Carry out a step with the store of a client."""
    arguments = (step[name] for name in ("key", "value", "ttl") if name in step)
    operation = partial(getattr(store, step["op"]), *arguments)
    try:
        async with io.timeout(step["timeout"]):
            returned = await io.use(operation)
        match step["op"], returned:
            case "get", str() if len(returned.encode()) > _MOST_VALUE:
                return {"failed": f"the value has more than {_MOST_VALUE >> 10} KiB"}
            case "get", str() | None:
                return {"value": returned}
            case "add", bool():
                return {"added": returned}
            case "set", _:
                return {}
    except Exception as error:  # noqa: BLE001 - whatever the store raises
        return result_of(error)
    return {"failed": f"it returned an object of the type {type(returned).__name__}"}
