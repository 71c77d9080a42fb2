"""The plugin of a client, for any number of threads."""

import json
import logging
import os
from collections import deque
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from .config import Config, plugin_config, plugin_values
from .error import RosteringError, decode_error, line_of, plugin_failed
from .instance import FAILURES, Instance
from .signals import of_handler
from .threads import Locked, apart

#: The version of the contract between this package and the plugin.
CONTRACT = 1

#: The plugin, as a path or bytes.
Wasm = str | os.PathLike[str] | bytes
AnyLogger = logging.Logger | logging.LoggerAdapter[Any]
CLOSED = "the client is closed; open a new one"


def bundled() -> bytes:
    """Return the plugin of this package."""
    return files(__package__).joinpath("rostering-core.wasm").read_bytes()


class Plugin(Locked):
    """An instance with its state, which does no I/O. `logger` receives its log lines.

    With `in_loop`, the thread of an event loop makes all calls, and alone may do what follows on them.
    """

    def __init__(
        self, wasm: Wasm, config: Config, headers: Mapping[str, str], logger: AnyLogger | None, *, in_loop: bool = False
    ) -> None:
        self._in_loop = in_loop
        self._process = os.getpid()
        super().__init__()
        self._logger = logger
        self._lines: deque[tuple[AnyLogger, int, str]] = deque()
        self._instance: Instance | None = None
        self._state = b""
        self._warns = False
        self._status: dict[str, Any] = {}
        self.runs = 0  # how often the plugin was called
        data = wasm if isinstance(wasm, bytes) else Path(wasm).read_bytes()
        apart(lambda: self._open(data, config, headers))

    def _open(self, wasm: bytes, config: Config, headers: Mapping[str, str]) -> None:
        try:
            self._instance = Instance(wasm)
        except FAILURES as error:
            raise ValueError(f"cannot load the plugin: {line_of(error)}; pass a build of rostering-core.wasm") from None
        try:
            self._check_contract()
            self._configure(plugin_config(config))
            if headers and config.base_url:
                self._run("request", json.dumps({"headers": headers, "customer_id": None, "user_id": None}).encode())
        except BaseException:
            self.close()
            raise

    @property
    def is_inherited(self) -> bool:
        """Whether this process is a fork of the one that opened this."""
        return self._process != os.getpid()

    def call(self, export: str, data: bytes, then: Callable[[bytes], Any] = bytes, *, warns: bool = False) -> Any:  # noqa: ANN401
        """Call an export, and return what `then` makes of its output, the bytes by default.

        That is done before the next call, so what the library keeps changes in the same order as the plugin's state.
        With `warns`, a warning is logged even without a logger. Raises a RosteringError.
        """

        def call(then: Callable[[bytes], Any] = bytes) -> Any:  # noqa: ANN401
            with self.lock:
                self._warns = warns
                return then(self._run(export, data))

        return then(apart(call)) if self._in_loop else apart(lambda: call(then))

    def _check_contract(self) -> None:
        try:
            found = f"contract {json.loads(self._run('version', b''))['contract']}"
        except (RosteringError, ValueError, LookupError, TypeError):
            found = 'no export "version": it is not a build of rostering-core.wasm'
        if found != f"contract {CONTRACT}":
            advice = "use the library from the plugin's release"
            raise ValueError(f"this library needs a plugin of contract {CONTRACT}, and this one has {found}; {advice}")

    def set_secret(self, secret: str) -> None:
        """Change the client secret, unless the plugin finds it invalid: a RosteringError."""

        def change() -> None:
            with self.lock:
                self._configure(plugin_values({"client_secret": secret}))

        apart(change)

    def _configure(self, config: bytes) -> None:
        """Change the config, or nothing if it would be invalid."""
        before = self._state
        try:
            self._run("configure", config)
            self._run("check", b"")
        except BaseException:
            self._state = before
            raise

    def status(self, now: int) -> dict[str, Any]:
        """Return the output of the export status: after closing, the last one."""

        def read() -> dict[str, Any]:
            with self.lock:
                if self._instance:
                    self._status = json.loads(self._run("status", b'{"now":%d}' % now))
                return self._status

        return apart(read)

    def _run(self, export: str, data: bytes) -> bytes:
        """Call an export with the lock."""
        if not self._instance:
            raise RuntimeError(CLOSED)
        self.runs += 1
        try:
            result = self._instance.call(export, self._state, data)
        except FAILURES as failure:  # the state from before stays
            raise plugin_failed(failure) from None
        self._state = result.state
        for line in filter(None, result.log.decode(errors="replace").split("\n")):
            self.log(logging.WARNING if line[0] == "w" else logging.DEBUG, line[1:])
        if result.failed:
            raise decode_error(result.output)
        return result.output

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""

        def close() -> None:
            with self.lock:
                instance, self._instance, self._state = self._instance, None, b""
                if instance:
                    instance.close()

        apart(close)

    def log(self, level: int, line: str) -> None:
        """Keep a line for `write_log`, if there is a logger for it."""
        logger = self._logger
        if not logger and self._warns and level == logging.WARNING:
            logger = logging.getLogger(__package__)
        if logger:
            self._lines.append((logger, level, line))

    def write_log(self) -> None:
        """Log what was kept. No lock is held, and no flow waits, as a handler may make a call."""
        while self._lines:
            try:
                logger, level, line = self._lines.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                logger.log(level, "%s", line)
            except BaseException as error:  # shown as logging shows a handler's own; fails no call
                if of_handler(error):
                    raise
                logging.Handler().handleError(logging.makeLogRecord({"msg": line}))
