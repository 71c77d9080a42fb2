"""The plugin of a client, for any number of threads."""

import json
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from .config import Config, plugin_config
from .error import decode_error
from .extism_host import Instance, Trap

#: The version of the contract between this package and the plugin.
CONTRACT = 1

#: The plugin, as a path or bytes.
Wasm = str | os.PathLike[str] | bytes
AnyLogger = logging.Logger | logging.LoggerAdapter[Any]
CLOSED = "the client is closed; open a new one"


def bundled() -> bytes:
    """Return the build without WASI."""
    return files(__package__).joinpath("rostering-nowasi.wasm").read_bytes()


class Plugin:
    """An instance, which does no I/O. `logger` receives its log lines."""

    def __init__(self, wasm: Wasm, config: Config, logger: AnyLogger | None) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._logger = logger
        self._lines: deque[tuple[AnyLogger, int, str]] = deque()
        data = wasm if isinstance(wasm, bytes) else Path(wasm).read_bytes()
        self._instance: Instance | None = None
        try:
            self._instance = Instance(data, plugin_config(config), self.log)
        except Trap as error:
            reason = str(error)  # the error itself refers to the config, with the secret
        if not self._instance:
            raise ValueError(f"cannot load the plugin: {reason}")
        try:
            _check_contract(self.call)
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
        with self._lock:
            if not self._instance:
                raise RuntimeError(CLOSED)
            output, error = self._instance.call(export, data)
            if error:
                raise decode_error(error)
            return then(output)

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""
        with self._lock:
            instance, self._instance = self._instance, None
            if instance:
                instance.close()

    def log(self, level: int, line: str, *, always: bool = False) -> None:
        """Keep a line for `write_log`, if there is a logger, or `always`."""
        logger = self._logger or (logging.getLogger(__package__) if always else None)
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
            except Exception:  # noqa: BLE001 - shown as logging shows a handler's own; fails no call
                logging.Handler().handleError(logging.makeLogRecord({"msg": line}))


def _check_contract(call: Callable[[str, bytes], bytes]) -> None:
    """Raise a ValueError unless a plugin has this contract version. `call` calls its exports."""
    try:
        found = f"contract {json.loads(call('version', b''))['contract']}"
    except (Trap, ValueError, LookupError, TypeError):
        found = 'no export "version": it is not a build of Automatic Rostering'
    if found != f"contract {CONTRACT}":
        raise ValueError(
            f"this library needs a plugin of contract {CONTRACT}, and this one has {found};"
            " use the library from the plugin's release"
        )
