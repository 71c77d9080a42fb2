"""The client for threads."""

from collections.abc import Iterable
from typing import Self

import httpx

from .base import BaseClient
from .request import Body
from .store import Store
from .threads import Threads, finish
from .token import Token


class Client(BaseClient[httpx.Response, Token, None, Body, httpx.Client, Store]):
    """A client of the service. Open one per process; any number of threads may use it.

    `timeout` bounds each call, in seconds; None is unlimited. `max_body` bounds a response, in
    bytes. `store` shares the token with other clients. `http` is your own HTTP client, for example
    with a proxy or a private CA; its timeouts apply if they are shorter, and it remains yours to
    close. `logger` receives the plugin's log lines, and failures of the store, which go to the
    logger "automatic_rostering" by default. `plugin` is another rostering-nowasi.wasm, as a path or
    bytes. `clock` replaces time.time as the clock by which tokens expire, for tests.

    Sends nothing before the first call. Close it, or use it in a `with` statement.

    Opening and calls raise a `RosteringError` whose message explains how to fix it, a TypeError or
    a ValueError for an invalid argument, such as a `plugin` of another `CONTRACT`, and a
    RuntimeError if the client is closed.
    """

    _io, _iterable, _result = Threads, Iterable, staticmethod(finish)

    def _begin(self) -> None:
        self._core.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
