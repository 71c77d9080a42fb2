"""An instance of the plugin in libextism."""

import logging
import os
import threading
from pathlib import Path

import extism

from . import log
from .config import Config
from .error import decode_error

#: The build without WASI: in the repository a link to what make build makes, in a wheel a copy.
BUNDLED = Path(__file__).with_name("rostering-nowasi.wasm")


class Plugin:
    """One instance, which holds the token and has no HTTP. Any number of threads may use it.

    `logger` receives its log lines.
    """

    def __init__(
        self, wasm: str | os.PathLike[str], config: Config, logger: logging.Logger | None
    ) -> None:
        data = Path(wasm).read_bytes()
        manifest = {"wasm": [{"data": data}], "config": config.keys(), "allowed_hosts": []}
        try:
            # By default, `functions` is every host function that the program has registered.
            self._instance = extism.Plugin(manifest, wasi=False, functions=[])
        except extism.Error as error:
            raise ValueError(f"cannot load {os.fspath(wasm)}: {error}") from error
        if not self._instance.function_exists("resume"):
            raise ValueError(f"{os.fspath(wasm)} is not the rostering plugin")
        # libextism serializes calls, but the output is read after the call.
        self._lock = threading.Lock()
        self._closed = False
        self._logs = logger is not None
        if logger:
            log.connect(self._instance, logger)

    def call(self, export: str, data: bytes) -> bytes:
        """Call an export. Raises a RosteringError, or an extism.Error if the instance failed."""
        try:
            with self._lock:
                if self._closed:
                    raise RuntimeError("the client is closed")
                output: bytes = self._instance.call(export, data)
                return output
        except extism.Error as error:
            own = decode_error(str(error))
            if not own:
                raise
        finally:
            if self._logs:
                log.drain()
        raise own  # not above, where the SDK's error is its context

    def close(self) -> None:
        """Free the instance and its token."""
        with self._lock:
            if not self._closed:
                self._closed = True
                log.disconnect(self._instance)
                self._instance.__exit__(None, None, None)  # type: ignore[no-untyped-call]
