"""The direct form: the plugin sends its requests itself, through libextism."""

import json
import math
import os
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack

import extism

from .base import DEFAULT_TIMEOUT, BaseClient, check_timeout
from .config import Config
from .plugin import call_export, open_plugin
from .trap import decode_trap


class Client(BaseClient):
    """One instance of the plugin, in the file `wasm`, and the token in it.

    Share it: any number of threads may use a client, and take turns, because an instance does
    one call at a time. `timeout` bounds one call with all its requests, in seconds; None is no
    bound, and waiting for a turn does not count.

    A client sends nothing before its first call. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        wasm: str | os.PathLike[str],
        config: Config,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> None:
        check_timeout(timeout)
        self._timeout = timeout
        # libextism takes turns as well, but the output of a call is read after its turn.
        self._turn = threading.Lock()
        self._closed = False
        timeout_ms = None if timeout is None else math.ceil(timeout * 1000)
        with ExitStack() as stack:
            self._plugin = stack.enter_context(
                open_plugin(wasm, config, allowed_hosts=config.hosts(), timeout_ms=timeout_ms)
            )
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Wait for the call under way, if any, and free the instance with its token."""
        with self._turn:
            self._closed = True
            self._stack.close()

    def _call(self, call: str, fields: Mapping[str, object]) -> bytes:
        return self._export(call, json.dumps(fields))

    def _tell(self, export: str, data: str) -> None:
        self._export(export, data)

    def _export(self, export: str, data: str) -> bytes:
        with self._turn:
            if self._closed:
                raise RuntimeError("the client is closed")
            start = time.monotonic()
            try:
                return call_export(self._plugin, export, data)
            except extism.Error as error:
                if lost := decode_trap(str(error), time.monotonic() - start, self._timeout):
                    raise lost from error
                raise
