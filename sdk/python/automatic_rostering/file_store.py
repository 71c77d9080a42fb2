"""A store in a folder, for the processes of one machine, such as functions that start per call."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from .clock import wall

_ABANDONED = 60  # seconds after which the process that wrote a temporary file has died
_TEMPORARY = re.compile(r"[0-9a-f]{64}\.tmp\.[0-9a-f]+")
_CONTENT = re.compile(rb"([0-9]{1,16})\n(.*)", re.DOTALL)


class FileStore:
    """A `Store` in files that only their owner can read, without locks.

    Libraries of other languages can share the folder: docs/fleet.md specifies its files. Raises an
    OSError if the folder cannot be created or written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._temporary(self._path(""), "", 0):  # fails now if it would fail later
            pass

    def get(self, key: str) -> str | None:
        try:
            content = _CONTENT.fullmatch(self._path(key).read_bytes())
            if content and int(content[1]) > wall() * 1000:
                return content[2].decode()
        except (FileNotFoundError, UnicodeDecodeError):
            pass
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
