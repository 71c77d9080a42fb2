"""A store in a folder, for the processes of one machine, such as functions that start per call."""

import os
import re
import secrets
import time
from hashlib import sha256
from pathlib import Path

_ATTEMPTS = 100
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
        self._temporary("0" * 64, b"").unlink()  # fails now if it would fail later

    def get(self, key: str) -> str | None:
        """Return the value, or None if it is absent or has expired."""
        name = _name(key)
        for _ in range(_ATTEMPTS):
            try:
                return self._read(name, max(self._numbers(name), default=0))
            except FileNotFoundError:  # another process has replaced it
                continue
        raise self._failure()

    def add(self, key: str, value: str, ttl: int) -> bool:
        """Set a value if the key is absent."""
        return self._write(_name(key), value, ttl, absent=True)

    def set(self, key: str, value: str, ttl: int) -> None:
        """Set a value."""
        self._write(_name(key), value, ttl, absent=False)

    def _write(self, name: str, value: str, ttl: int, *, absent: bool) -> bool:
        """Write the next file of a key, and remove those before it."""
        self._remove_abandoned()
        content = f"{int((time.time() + ttl) * 1000)}\n{value}".encode()
        temporary = self._temporary(name, content)
        try:
            for _ in range(_ATTEMPTS):
                last = max(self._numbers(name), default=0)
                own = self._folder / f"{name}.{last + 1}"
                try:
                    if absent and self._read(name, last) is not None:
                        return False
                    own.hardlink_to(temporary)
                except (FileNotFoundError, FileExistsError):  # another process was faster
                    continue
                numbers = self._numbers(name)
                if absent and max(numbers, default=0) > last + 1:
                    own.unlink(missing_ok=True)  # a newer value is there
                    continue
                for number in numbers:
                    if number <= last:
                        (self._folder / f"{name}.{number}").unlink(missing_ok=True)
                return True
        finally:
            temporary.unlink(missing_ok=True)
        raise self._failure()

    def _numbers(self, name: str) -> list[int]:
        """Return the numbers of a key's files."""
        pattern = re.compile(name + r"\.([1-9][0-9]{0,15})")
        found = [
            int(m[1]) for file in self._folder.iterdir() if (m := pattern.fullmatch(file.name))
        ]
        return [number for number in found if number < 1 << 53]

    def _read(self, name: str, number: int) -> str | None:
        """Return the value in a file; None if it has expired or is damaged, or for the number 0."""
        content = (self._folder / f"{name}.{number}").read_bytes() if number else b""
        match = _CONTENT.fullmatch(content)
        if not match or int(match[1]) <= time.time() * 1000:
            return None
        try:
            return match[2].decode()
        except UnicodeDecodeError:
            return None

    def _temporary(self, name: str, content: bytes) -> Path:
        path = self._folder / f"{name}.tmp.{secrets.token_hex(16)}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        return path

    def _remove_abandoned(self) -> None:
        for entry in os.scandir(self._folder):
            if _TEMPORARY.fullmatch(entry.name):
                path = Path(entry.path)
                try:
                    if path.stat().st_mtime < time.time() - _ABANDONED:
                        path.unlink()
                except FileNotFoundError:
                    continue

    def _failure(self) -> OSError:
        return OSError(f"{self._folder} changes too often; try again later")


def _name(key: str) -> str:
    return sha256(key.encode()).hexdigest()
