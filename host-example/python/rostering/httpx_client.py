"""The form in which the host sends the plugin's requests, with httpx."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

import httpx

from .base import DEFAULT_TIMEOUT, BaseClient, check_timeout
from .config import Config
from .driver import Driver
from .gate import Gate
from .plugin import open_plugin
from .send import new_http


class HttpxClient(BaseClient):
    """One instance of the plugin, in the file `wasm`, and the token in it.

    Share it: any number of threads may use a client, and their requests are under way at the
    same time; all wait for one token request. `timeout` bounds one call with all its requests
    and its waiting, in seconds; None is no bound. What goes wrong with a request is a
    `network_error` whose message has the reason.

    `http` sends the requests, for a proxy or certificates of your own; its time-outs count where
    they are shorter, and it is yours to close. `clock` gives Unix seconds.

    A client sends nothing before its first call. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        wasm: str | os.PathLike[str],
        config: Config,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        http: httpx.Client | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_timeout(timeout)
        self._gate = Gate()
        with ExitStack() as stack:
            plugin = stack.enter_context(open_plugin(wasm, config))
            http = http or stack.enter_context(new_http())
            self._driver = Driver(plugin, http, timeout=timeout, clock=clock)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Wait for the calls under way, if any, and free the instance with its token."""
        self._gate.close()
        self._stack.close()

    def _call(self, call: str, fields: Mapping[str, object]) -> bytes:
        with self._gate:
            return self._driver.call(call, fields)

    def _tell(self, export: str, data: str) -> None:
        with self._gate:
            self._driver.tell(export, data)
