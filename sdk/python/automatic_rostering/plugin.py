"""The plugin of a client, for any number of threads."""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .config import Config, plugin_config
from .contract import check_contract
from .error import decode_error
from .extism_host import Instance, Trap

#: The plugin, as a path or bytes.
Wasm = str | os.PathLike[str] | bytes
AnyLogger = logging.Logger | logging.LoggerAdapter[Any]
#: The build without WASI: a copy in a wheel, a link to the output of make build in the repository.
BUNDLED = Path(__file__).with_name("rostering-nowasi.wasm")
CLOSED = "the client is closed; open a new one"


class Plugin:
    """An instance, which does no I/O. `logger` receives its log lines."""

    def __init__(self, wasm: Wasm, config: Config, logger: AnyLogger | None) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._logger = logger
        self._lines: deque[tuple[int, str]] = deque()
        data = wasm if isinstance(wasm, bytes) else Path(wasm).read_bytes()
        try:
            self._instance: Instance | None = Instance(data, plugin_config(config), self._keep_line)
        except Trap as error:
            raise ValueError(f"cannot load the plugin: {error}") from error
        try:
            check_contract(self.call)
            self.call("check", b"")
        except BaseException:
            self.close()
            raise

    @property
    def is_inherited(self) -> bool:
        """Whether this process is a fork of the one that opened this."""
        return self._process != os.getpid()

    def call(self, export: str, data: bytes, then: Callable[[bytes], Any] = bytes) -> Any:  # noqa: ANN401
        """Call an export, and return what `then` makes of its output, the bytes by default.

        That is done before the next call, so what the library keeps changes in the same order as
        the plugin's state. Raises a RosteringError, or a Trap if the plugin failed.
        """
        try:
            with self._lock:
                if not self._instance:
                    raise RuntimeError(CLOSED)
                output, error = self._instance.call(export, data)
                if error:
                    raise decode_error(error)
                return then(output)
        finally:
            self._write_lines()

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""
        with self._lock:
            instance, self._instance = self._instance, None
            if instance:
                instance.close()

    def log(self, level: int, line: str) -> None:
        """Log a line, if there is a logger."""
        if self._logger:
            write_log(self._logger, level, line)

    def _keep_line(self, level: int, line: str) -> None:
        if self._logger:
            self._lines.append((level, line))

    def _write_lines(self) -> None:
        """Log what the plugin has logged. Not in its calls, since a handler may make a call."""
        while self._logger and self._lines:
            with suppress(IndexError):  # another thread was faster
                write_log(self._logger, *self._lines.popleft())


def write_log(logger: AnyLogger, level: int, line: str) -> None:
    """Log a line. A logger that raises fails no call."""
    with suppress(Exception):
        logger.log(level, "%s", line)
