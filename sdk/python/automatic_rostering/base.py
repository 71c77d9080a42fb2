"""What `Client` and `AsyncClient` share: everything except waiting."""

import json
import logging
import os
import threading
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar

import httpx

from .check import check, check_max_body, check_store, check_timeout
from .config import Config
from .error import RosteringError
from .holder import AnyEvent, Flow, Holder, Work
from .plugin import BUNDLED, CLOSED, AnyLogger, Plugin, Wasm, write_log
from .request import AnyBody, QueryParams, request_input
from .send import Service
from .step import Outcome, Step
from .thread import in_thread
from .token import Token


class Default(Enum):
    """The default of arguments for which None has a meaning."""

    DEFAULT = "default"

    def __repr__(self) -> str:
        return self.name


DEFAULT: Literal[Default.DEFAULT] = Default.DEFAULT
#: An id that replaces that of the view or the config; None sends no header.
Id: TypeAlias = str | Default | None
#: A timeout in seconds that replaces the client's; None is unlimited.
Timeout: TypeAlias = float | Default | None

_Response = TypeVar("_Response")  # or an awaitable
_Token = TypeVar("_Token")
_Body = TypeVar("_Body", bound=AnyBody)

_QUIET = 60.0  # seconds between two warnings about the store


@dataclass(eq=False, repr=False)
class Core:
    """What a client and its views share: options, the plugin, and the calls in progress."""

    config: Config
    timeout: float | None
    max_body: int
    store: Any
    http: Any  # None: the client makes its own
    logger: AnyLogger | None
    wasm: Wasm | None
    clock: Callable[[], float] | None
    event: Callable[[], AnyEvent]
    http_kind: type

    def __post_init__(self) -> None:
        """Validate the options."""
        check("config", self.config, Config)
        check_timeout("timeout", self.timeout)
        check_max_body(self.max_body)
        check_store(self.store, asynchronous=self.http_kind is httpx.AsyncClient)
        check("http", self.http, self.http_kind, None)
        check("logger", self.logger, (logging.Logger, logging.LoggerAdapter), None)
        check("plugin", self.wasm, (str, PathLike, bytes), None)
        if not (self.clock is None or callable(self.clock)):
            raise TypeError(f"clock must be a function, not {type(self.clock).__name__}")
        self.owns_http = self.http is None
        self.loop: Any = None  # of an AsyncClient that is open
        self._plugin: Plugin | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._canceled = False
        self._next_warning = 0.0
        #: What `cancel` ends the calls in progress by.
        self.calls: set[Any] = set()
        #: Set when the client is closed and its last call has ended.
        self.idle: Any = self.event()

    def open(self, make_http: Callable[[], Any], start: Callable[[Flow], Any]) -> None:
        """Load the plugin, which checks the config, and make an HTTP client if none was given."""
        if self._closed:
            raise RuntimeError(CLOSED)
        # It loads the certificates for as long as the plugin compiles: one beside the other.
        making = in_thread(lambda: self.http or make_http())
        plugin = Plugin(self.wasm or BUNDLED, self.config, self.logger)
        try:
            self.http = making.result()
        except BaseException:
            plugin.close()
            raise
        accepts = [] if self.store is None else ["store"]
        self.holder = Holder(plugin, self.now, self.event, start, accepts)
        self.service = Service(plugin, self.holder, self.max_body)
        self._plugin = plugin

    def now(self) -> int:
        """Return the time by which tokens expire, in Unix seconds."""
        if not self.clock:
            return int(time.time())
        now = self.clock()
        check("what clock returns", now, (float, int))
        return int(now)

    @property
    def plugin(self) -> Plugin:
        """The plugin. Raises a RuntimeError before opening, after closing and in a forked child."""
        if self._plugin and self._plugin.is_inherited:
            raise RuntimeError("the client was opened before a fork: open one in each process")
        if self._closed:
            raise RuntimeError(CLOSED)
        if not self._plugin:
            raise RuntimeError("the client is not open: use async with, or await client.open()")
        return self._plugin

    @contextmanager
    def begun(self, end: object) -> Iterator[None]:
        """Register a call in progress, which `cancel` ends by its `end`."""
        with self._lock:
            _ = self.plugin
            self.calls.add(end)
        try:
            yield
        finally:
            with self._lock:
                self.calls.discard(end)
                if self._closed and not self.calls:
                    self.idle.set()

    def begin_close(self) -> bool:
        """Refuse further calls. Return whether this process has something to free."""
        if not self._plugin or self._plugin.is_inherited:
            return False
        with self._lock:
            self._closed = True
            if not self.calls:
                self.idle.set()
        return True

    def cancel(self, end: Callable[[Any], None]) -> None:
        """Cancel the calls in progress, each by `end`."""
        self._canceled = True
        for call in self.calls.copy():
            end(call)

    def free(self) -> None:
        """Abandon a flow that runs, and free the plugin."""
        self.holder.replace()
        if self._plugin:
            self._plugin.close()

    def ended(self, timeout: float | None) -> Exception:
        """Return the error of a call that its timeout or `cancel` has ended."""
        if self._canceled:
            return RuntimeError(CLOSED)
        message = f"the call timed out after {timeout} s; call again, or set a longer timeout"
        return RosteringError("network_error", message, retryable=True)

    def store_failed(self, step: Step, error: Exception) -> Outcome:
        """Log a failure of the store, and return it as the outcome of a step.

        The text of the exception is not shown, because it could quote the value.
        """
        name = type(error).__name__
        if time.monotonic() >= self._next_warning:
            self._next_warning = time.monotonic() + _QUIET
            logger = self.logger or logging.getLogger("automatic_rostering")
            number = error.errno if isinstance(error, OSError) else None
            why = os.strerror(number) if isinstance(number, int) else None
            line = f"store: {step.op} failed: {name}" + (f" ({why})" if why else "")
            write_log(logger, logging.WARNING, line)
        return {"failed": name}


class BaseClient(Generic[_Response, _Token, _Body]):
    """A `Client` or an `AsyncClient`, whose calls return awaitables: what is the same for both."""

    #: What `send_request` takes as a body that comes in pieces.
    _iterable: type[Iterable[Any] | AsyncIterable[Any]] = Iterable

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ids: dict[str, str | None] = {}

    def list_jobs(
        self, *, customer_id: Id = DEFAULT, user_id: Id = DEFAULT, timeout: Timeout = DEFAULT
    ) -> _Response:
        """Return the service's response to GET /jobs: status 2xx, its body in memory.

        An id replaces that of the view or the config; None sends no header. `timeout` replaces the
        client's.
        """
        return self._send(self._sent_ids(customer_id, user_id), None, timeout)

    def send_request(
        self,
        path: str,
        *,
        method: str | None = None,
        params: QueryParams | None = None,
        headers: Mapping[str, str] | None = None,
        content: _Body | None = None,
        json: Any = None,  # noqa: ANN401
        customer_id: Id = DEFAULT,
        user_id: Id = DEFAULT,
        timeout: Timeout = DEFAULT,
    ) -> _Response:
        """Send another request to the service, and return its response: status 2xx, or 304.

        `path` follows the config's base_url: "/jobs/1?full=true". The other arguments are httpx's.
        The plugin adds the headers Authorization, CUSTOMER_ID and USER_ID, and retries the request
        with another token after a 401.
        """
        fields, body = request_input(path, method, params, headers, content, json, self._iterable)
        fields |= self._sent_ids(customer_id, user_id)
        return self._send(fields, body, timeout)

    def get_token(
        self, *, force: bool = False, refused: str | None = None, timeout: Timeout = DEFAULT
    ) -> _Token:
        """Return the token, or request a new one if it is missing or about to expire.

        `force` requests a new one in any case. `refused` is an access token that the service
        refused with a 401: it is replaced, unless another call has replaced it already.
        """
        check("force", force, bool)
        check("refused", refused, str, None)
        if force and refused is not None:
            raise ValueError("set force or refused, not both")
        token: _Token = self._call(lambda core: core.holder.get(refused, force=force), timeout)
        return token

    def for_customer(self, customer_id: str | None) -> Self:
        """Return a view of this client whose calls send this customer id; None sends no header.

        A view shares the token and everything else. Closing it closes the client.
        """
        return self._view("customer_id", customer_id)

    def for_user(self, user_id: str | None) -> Self:
        """Return a view of this client whose calls send this user id, as `for_customer` does."""
        return self._view("user_id", user_id)

    def set_token(self, token: Token) -> None:
        """Use a token that another client requested. Sends nothing.

        Raises a `RosteringError` (token_mismatch) if it has expired, or belongs to another client,
        scope or token endpoint.
        """
        check("token", token, Token)
        fields = {**json.loads(token.to_json()), "now": self._core.now()}
        core = self._core
        core.plugin.call("set_token", json.dumps(fields).encode(), lambda _: core.holder.replace())

    def clear_token(self) -> None:
        """Forget the token and the backoff after failed token requests. Sends nothing."""
        core = self._core
        core.plugin.call("clear_token", b"", lambda _: core.holder.clear())

    def _view(self, name: str, value: str | None) -> Self:
        check(name, value, str, None)
        view = copy(self)
        view._ids = {**self._ids, name: value}  # noqa: SLF001 - its own class
        return view

    def _send(self, fields: dict[str, object], body: AnyBody, timeout: Timeout) -> _Response:
        response: _Response = self._call(lambda core: core.service.call(fields, body), timeout)
        return response

    def _call(self, work: Callable[[Core], Work[Any]], timeout: Timeout = DEFAULT) -> Any:  # noqa: ANN401
        """Do the work of a call, and return its result in this client's form."""
        core = self._core
        if timeout is DEFAULT:
            timeout = core.timeout
        else:
            check_timeout("timeout", timeout)
        _ = core.plugin  # raises an error unless it is open
        return self._run(core.holder.settled(work(core)), timeout)

    def _run(self, work: Work[Any], timeout: float | None) -> Any:  # noqa: ANN401
        """Carry out work."""
        raise NotImplementedError

    def _sent_ids(self, customer_id: Id, user_id: Id) -> dict[str, object]:
        """Return the ids that replace the config's: the call's, or else the view's."""
        given = {"customer_id": customer_id, "user_id": user_id}
        own = {name: value for name, value in given.items() if value is not DEFAULT}
        for name, value in own.items():
            check(name, value, str, None)
        return {**self._ids, **own}
