"""The client for threads."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Self

import httpx

from .base import BaseClient, Call, Work
from .check import check_timeout
from .request import Body
from .store import Store
from .threads import Deadline, Threads
from .token import Token


class Client(BaseClient[httpx.Response, Token, Body, httpx.Client, Store]):
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

    _io, _iterable = Threads, Iterable

    def _begin(self) -> None:
        self._core.open()

    def close(self, timeout: float | None = None) -> None:
        """Wait for the calls in progress, and free the plugin with its token.

        After `timeout` seconds, calls that have not ended are canceled: they raise a RuntimeError.
        One that waits for a response through your own `http` does so when that ends.
        """
        check_timeout("timeout", timeout, zero=True)
        core = self._core
        if not core.begin_close():
            return
        if not core.idle.wait(timeout):
            core.cancel()
        # Does not wait for a token request that no call waits for.
        core.free()
        if core.io.owned:
            core.io.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Work, timeout: float | None) -> Any:  # noqa: ANN401
        """Carry out work."""
        core, deadline = self._core, Deadline(timeout)
        with Call(core, deadline.cancel):
            with suppress(TimeoutError):
                return core.io.run(work(core), deadline)
            raise core.ended(timeout)
