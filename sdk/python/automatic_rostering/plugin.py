"""The plugin of a client, for any number of threads."""

import asyncio
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
from .kept import KeptSteps

#: The plugin, as a path or bytes.
Wasm = str | os.PathLike[str] | bytes
AnyEvent = threading.Event | asyncio.Event
AnyLogger = logging.Logger | logging.LoggerAdapter[Any]
#: The build without WASI: a copy in a wheel, a link to the output of make build in the repository.
BUNDLED = Path(__file__).with_name("rostering-nowasi.wasm")
CLOSED = "the client is closed; open a new one"


class Plugin:
    """An instance, which holds the token and does no I/O.

    `event` makes the events that end waits; `logger` receives the instance's log lines.
    """

    def __init__(
        self,
        wasm: Wasm,
        config: Config,
        event: Callable[[], AnyEvent],
        logger: AnyLogger | None,
    ) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._logger = logger
        self._lines: deque[tuple[int, str]] = deque()
        self.kept = KeptSteps()
        self._event = event
        #: Set when the next section ends in anything but a wait.
        self.section_ended = event()
        #: Set when calls are canceled.
        self.canceled = event()
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

    def call(self, export: str, data: bytes, *, changes: bool = True) -> bytes:
        """Call an export. Raises a RosteringError, or a Trap if the plugin failed.

        `changes`: the call may change the plugin's state, so the kept steps are dropped.
        """
        try:
            with self._lock:
                if not self._instance:
                    raise RuntimeError(CLOSED)
                if changes:
                    self.kept.drop()
                output, error = self._instance.call(export, data)
        finally:
            self._write_lines()
        if error:
            raise decode_error(error)
        return output

    def end_section(self) -> None:
        """End the waits for a call, whose section has ended."""
        with self._lock:
            ended, self.section_ended = self.section_ended, self._event()
        ended.set()

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""
        with self._lock:
            self.kept.drop()
            instance, self._instance = self._instance, None
            if instance:
                instance.close()

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
