"""A store in a folder, for the processes of one machine, such as functions that start per call."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path


class FileStore:
    """A `Store` with a file for each key, which its owner alone can read. Needs POSIX locks."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def get(self, key: str) -> str | None:
        """Return the value, or None if it is absent or has expired."""
        try:
            entry = json.loads(self._file(key).read_bytes())
            value: str = entry["value"]
            return value if time.time() < entry["expires_at"] else None
        except (FileNotFoundError, ValueError, LookupError, TypeError):  # absent, or damaged
            return None

    def add(self, key: str, value: str, ttl: int) -> bool:
        """Set a value if the key is absent."""
        with self._locked():
            absent = self.get(key) is None
            if absent:
                self._write(key, value, ttl)
            return absent

    def set(self, key: str, value: str, ttl: int) -> None:
        """Set a value."""
        with self._locked():
            self._write(key, value, ttl)

    def _file(self, key: str) -> Path:
        return self._folder / f"{sha256(key.encode()).hexdigest()}.json"

    def _write(self, key: str, value: str, ttl: int) -> None:
        new = self._file(key).with_suffix(".new")
        new.touch(0o600)
        new.write_text(json.dumps({"value": value, "expires_at": time.time() + ttl}))
        new.replace(self._file(key))  # readers see the old file or the new one

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder. The system unlocks it when the process dies."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
