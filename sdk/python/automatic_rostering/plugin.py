"""The plugin of a client, for any number of threads."""

import json
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from .config import Config, plugin_config
from .error import RosteringError, decode_error, line_of, plugin_failed
from .extism_host import Instance

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

    def __init__(self, wasm: Wasm, config: Config, headers: Mapping[str, str], logger: AnyLogger | None) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._logger = logger
        self._lines: deque[tuple[AnyLogger, int, str]] = deque()
        self._config = plugin_config(config)
        data = wasm if isinstance(wasm, bytes) else Path(wasm).read_bytes()
        self._instance: Instance | None = None
        self._warns = False
        self._status: dict[str, Any] = {}
        try:
            self._instance = Instance(data, self._config, self.log)
        except Exception as error:  # noqa: BLE001 - of wasmtime
            reason = line_of(error)  # the error itself refers to the config, with the secret
        if not self._instance:
            hint = ": it is a build with WASI; pass rostering-nowasi.wasm" if "wasi_" in reason else ""
            raise ValueError(f"cannot load the plugin: {reason}{hint}")
        try:
            self._check_contract()
            self.call("check", b"")
            if headers and config.base_url:
                self.call("request", json.dumps({"headers": headers, "customer_id": None, "user_id": None}).encode())
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
        with self._lock:
            self._warns = warns
            return then(self._run(export, data))

    def _check_contract(self) -> None:
        try:
            found = f"contract {json.loads(self.call('version', b''))['contract']}"
        except (RosteringError, ValueError, LookupError, TypeError):
            found = 'no export "version": it is not a build of Automatic Rostering'
        if found != f"contract {CONTRACT}":
            advice = "use the library from the plugin's release"
            raise ValueError(f"this library needs a plugin of contract {CONTRACT}, and this one has {found}; {advice}")

    def set_secret(self, secret: str) -> None:
        """Change the client secret, unless the plugin finds it invalid: a RosteringError."""
        with self._lock:
            before = dict(self._config)
            self._config[b"client_secret"] = secret.encode(errors="surrogatepass")
            try:
                self._run("check", b"")
            except BaseException:
                self._config.update(before)
                raise

    def status(self, now: int) -> dict[str, Any]:
        """Return the output of the export status: after closing, the last one."""
        with self._lock:
            if self._instance:
                self._status = json.loads(self._run("status", b'{"now":%d}' % now))
            return self._status

    def _run(self, export: str, data: bytes) -> bytes:
        """Call an export with the lock."""
        if not self._instance:
            raise RuntimeError(CLOSED)
        try:
            output, error = self._instance.call(export, data)
        except Exception as failure:  # noqa: BLE001 - of wasmtime, or of memory
            raise plugin_failed(failure) from None
        if error:
            raise decode_error(error)
        return output

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""
        with self._lock:
            instance, self._instance = self._instance, None
            if instance:
                instance.close()

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
            except Exception:  # noqa: BLE001 - shown as logging shows a handler's own; fails no call
                logging.Handler().handleError(logging.makeLogRecord({"msg": line}))
