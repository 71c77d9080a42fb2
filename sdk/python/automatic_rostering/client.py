"""The client for threads."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any, Self

import httpx

from .base import BaseClient, Core
from .check import check_timeout
from .config import Config
from .connections import Connections, Deadline
from .exchange import Exchange, http_options
from .holder import Flow, T, Wait, Work
from .plugin import Wasm
from .request import Body
from .step import Outcome, Step
from .store import Store
from .thread import in_thread
from .token import Token


class Client(BaseClient[httpx.Response, Token, Body]):
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

    def __init__(
        self,
        config: Config,
        *,
        timeout: float | None = 30,
        max_body: int = 64 << 20,
        store: Store | None = None,
        http: httpx.Client | None = None,
        logger: logging.Logger | logging.LoggerAdapter[Any] | None = None,
        plugin: Wasm | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        event = threading.Event
        options = (config, timeout, max_body, store, http, logger, plugin, clock)
        super().__init__(Core(*options, event=event, http_kind=httpx.Client))
        self._connections = Connections(owned=http is None)
        urls = (config.auth_url, config.base_url)
        self._core.open(lambda: httpx.Client(**http_options(*urls)), self._start)

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
            core.cancel(Deadline.cancel)
        # Does not wait for a token request that no call waits for.
        core.free()
        if core.owns_http:
            core.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Work[T], timeout: float | None) -> T:
        """Carry out work."""
        deadline = Deadline(timeout)
        with self._core.begun(deadline):
            try:
                return self._steps(work, deadline)
            except TimeoutError:
                raise self._core.ended(timeout) from None

    def _steps(self, work: Work[T], deadline: Deadline) -> T:
        outcome = None
        while True:
            try:
                wanted = work.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, Wait):
                left = deadline.left()
                wanted.event.wait(wanted.seconds if left is None else min(wanted.seconds, left))
                deadline.left()
            else:
                outcome = wanted.send(self._core.http, self._connections, deadline)

    def _start(self, flow: Flow) -> Deadline:
        deadline = Deadline(None)
        in_thread(partial(self._carry_out, flow, deadline))
        return deadline

    def _carry_out(self, flow: Flow, deadline: Deadline) -> None:
        """Carry out a flow, for all calls."""
        outcome: Any = None
        with closing(flow.steps()) as steps, suppress(StopIteration):
            while True:
                step = steps.send(outcome)
                deadline.start(step.timeout)
                outcome = self._outcome(step, deadline)

    def _outcome(self, step: Step, deadline: Deadline) -> Outcome:
        try:
            if step.request:
                exchange = Exchange(step.request, step.request.body, step.limit, step.limit)
                return exchange.send(self._core.http, self._connections, deadline)
            if step.step == "wait":
                time.sleep(step.seconds)
                return {}
        except Exception as error:  # noqa: BLE001 - raised by a hook of the user's HTTP client
            return error
        try:
            operation = in_thread(partial(getattr(self._core.store, step.op), *step.arguments))
            return step.store_outcome(operation.result(step.timeout))
        except Exception as error:  # noqa: BLE001 - raised by the store
            return self._core.store_failed(step, error)
