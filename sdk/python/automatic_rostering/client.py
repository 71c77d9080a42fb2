"""The client for threads."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Self, Unpack, cast

import httpx

from .base import BaseClient, CallOptions, ClientOptions, RequestOptions, timed_out
from .call import Body, Call
from .config import Config
from .exchange import Deadline, Exchange, http_options
from .step import Detached, Done, Outcome, Pending, Result, Step, TokenStep, WaitStep
from .store import Store
from .thread import in_thread
from .token import Token


class Client(BaseClient):
    """A client of the service. Open one per process; any number of threads may use it.

    `store` shares the token with other clients. `http` sends the requests, through a proxy or
    with certificates of your own; its time-outs apply where they are shorter, and it stays yours
    to close.

    Sends nothing before the first call. Close it, or use it in a `with` statement.

    A call raises a `RosteringError` that says what to do; a RuntimeError if the client is closed.
    Opening raises a `RosteringError` if the config is wrong, and a ValueError if `plugin` is not a
    plugin of this package's `CONTRACT`.
    """

    def __init__(
        self,
        config: Config,
        *,
        store: Store | None = None,
        http: httpx.Client | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._http = http or httpx.Client(**http_options())
        self._owns_http = http is None
        # Last: if this fails, nothing else holds anything that must be freed.
        super().__init__(config, options, store, threading.Event)

    def list_jobs(self, **options: Unpack[RequestOptions]) -> httpx.Response:
        """Return the service's answer to GET /jobs: status 2xx, its body in memory."""
        return cast(httpx.Response, self.run(*self._call("list_jobs", options, {})))

    def send_request(
        self,
        path: str,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Body | None = None,
        **options: Unpack[RequestOptions],
    ) -> httpx.Response:
        """Send another request to the service, and return its answer.

        `path` follows the config's base_url: "/jobs/1?full=true". The plugin adds the headers
        Authorization, CUSTOMER_ID and USER_ID, and repeats the request once after a 401.
        """
        fields = {"path": path, "method": method, "headers": headers}
        return cast(httpx.Response, self.run(*self._call("send_request", options, fields, body)))

    def get_token(
        self, *, force: bool = False, refused: str | None = None, **options: Unpack[CallOptions]
    ) -> Token:
        """Return the token, or request a new one if it is missing or about to expire.

        `force` requests a new one in any case. `refused` is an access token that the service
        answered 401 to: it is replaced, unless another call has replaced it already.
        """
        fields = {"force": force or None, "refused": refused}
        token = self.run(*self._call("get_token", options, fields))
        return Token.from_fields(cast(dict[str, Any], token))

    def run(self, call: Call, timeout: float | None) -> Result:
        """Perform the steps of a call."""
        deadline = Deadline(timeout)
        with self._begun(Future[None]()):
            try:
                step = call.begin()
                while not isinstance(step, Done):
                    step = self._perform(call, step, deadline)
            except TimeoutError:
                raise timed_out(timeout) from None
        return step.result

    def close(self) -> None:
        """Wait for the calls that have begun, and free the instance with its token."""
        with self._lock:
            self._closed = True
        while pending := self._pending.copy():
            wait(pending)
        self._plugin.close()
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the client."""
        self.close()

    def _perform(self, call: Call, step: Pending, deadline: Deadline) -> Step:
        if isinstance(step, Detached):
            section = in_thread(partial(self._section, call, step))
            self._pending.add(section)
            section.add_done_callback(self._pending.discard)
            return section.result(deadline.left())
        left = deadline.left()
        if isinstance(step, WaitStep):
            step.until.wait(step.seconds if left is None else min(step.seconds, left))
            deadline.left()
            return call.resume({})
        with call.content(step) as content:
            exchange = Exchange(step, content, self._max_body)
            outcome = exchange.send(self._http, deadline)
        return call.resume(outcome)

    def _section(self, call: Call, step: Step) -> Step:
        """Perform detached steps to their end, even if their caller has left."""
        try:
            while isinstance(step, Detached):
                step = call.resume(self._detached(step))
        finally:
            if not isinstance(step, WaitStep):
                self._plugin.end_section()
        return step

    def _detached(self, step: Detached) -> Outcome:
        try:
            if isinstance(step, TokenStep):
                exchange = Exchange(step, step.body, self._max_body)
                return exchange.send(self._http, Deadline(step.timeout))
            operation = in_thread(partial(getattr(self._store, step.op), *step.arguments))
            return step.outcome(operation.result(step.timeout))
        except Exception as error:  # noqa: BLE001 - from a store, or a hook of httpx
            return self._failed(step, error)
