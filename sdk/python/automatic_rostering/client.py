"""The client for threads."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any, Self, cast

import httpx

from .base import BaseClient, Core
from .call import Body, Call
from .check import check_timeout
from .config import Config
from .connections import Connections, Deadline
from .exchange import Exchange, http_options
from .plugin import Wasm
from .step import Outcome, Result, Step
from .store import Store
from .thread import T, in_thread
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
        self._connections = Connections()
        urls = (config.auth_url, config.base_url)
        self._core.open(lambda: httpx.Client(**http_options(*urls)))

    def close(self, timeout: float | None = None) -> None:
        """Wait for the calls in progress, and free the plugin with its token.

        After `timeout` seconds, calls that have not ended are canceled: they raise a RuntimeError.
        One that waits for a response through your own `http` does so when that ends.
        """
        check_timeout("timeout", timeout, zero=True)
        core = self._core
        if not core.begin_close():
            return
        canceled = not core.idle.wait(timeout)
        if canceled:
            core.cancel(Deadline.expire)
            for section in core.sections.copy():
                with suppress(InvalidStateError):
                    section.set_exception(TimeoutError())
        # Does not wait for a token request that no call waits for.
        core.free()
        if core.owns_http:
            self._connections.shut_down()
            core.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, call: Call, timeout: float | None) -> Result:
        """Perform the steps of a call."""
        deadline = Deadline(timeout)
        with self._core.begun(deadline):
            try:
                return self._steps(call, deadline)
            except TimeoutError:
                raise self._core.ended(timeout) from None

    def _steps(self, call: Call, deadline: Deadline) -> Result:
        step = call.begin()
        if call.renews:  # no call waits for it or sees its error, which the plugin has logged
            with suppress(RuntimeError):  # the interpreter is shutting down, and starts no threads
                self._start(partial(self._steps, call.renewal(), Deadline(None)))
        while step.kind != "done":
            step = self._perform(call, step, deadline)
        return cast(Result, step.result)

    def _start(self, work: Callable[[], T]) -> "Future[T]":
        """Start work that outlives its caller."""
        section = in_thread(work)
        self._core.sections.add(section)
        section.add_done_callback(self._core.sections.discard)
        return section

    def _perform(self, call: Call, step: Step, deadline: Deadline) -> Step:
        if step.is_detached:
            section = self._start(partial(self._section, call, step))
            return section.result(deadline.left())
        left = deadline.left()
        if step.kind == "wait":
            step.until.wait(step.seconds if left is None else min(step.seconds, left))
            deadline.left()
            return call.resume({})
        with call.content(step) as content:
            exchange = Exchange(step, content, self._core.max_body)
            outcome = exchange.send(self._core.http, self._connections, deadline)
        return call.resume(outcome)

    def _section(self, call: Call, step: Step) -> Step:
        """Perform detached steps to the end, even if the caller has left."""
        try:
            while step.is_detached:
                step = call.resume(self._detached(step))
        finally:
            if step.kind != "wait":
                call.plugin.end_section()
        return step

    def _detached(self, step: Step) -> Outcome:
        if step.kind == "token":
            exchange = Exchange(step, step.body, self._core.max_body)
            try:
                return exchange.send(self._core.http, self._connections, Deadline(step.timeout))
            except Exception as error:  # noqa: BLE001 - raised by a hook of the user's HTTP client
                return error
        try:
            operation = in_thread(partial(getattr(self._core.store, step.op), *step.arguments))
            return step.store_outcome(operation.result(step.timeout))
        except Exception as error:  # noqa: BLE001 - raised by the store
            return self._core.store_failed(step, error)
