"""What `Client` and `AsyncClient` share: everything except waiting."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from types import EllipsisType
from typing import Any, Generic, Self, TypeAlias, TypeVar, cast

import httpx

from .check import check, check_store, check_timeout
from .clock import wall
from .config import Config
from .error import Code, RosteringError, cut
from .exchange import new_http
from .holder import Holder
from .plugin import CLOSED, AnyLogger, Plugin, Wasm, bundled
from .request import AnyBody, Headers, QueryParams, merged, request_input
from .send import Service
from .signals import of_handler
from .status import Status
from .tasks import Tasks
from .threads import Locked, Threads, apart, in_thread
from .token import Token

#: An id that replaces that of the view or the config; None sends no header, ... replaces none.
Id: TypeAlias = str | EllipsisType | None
#: A timeout in seconds that replaces the client's; None is unlimited.
Timeout: TypeAlias = float | EllipsisType | None

_Response = TypeVar("_Response")  # or an awaitable
_Token = TypeVar("_Token")
_Done = TypeVar("_Done")
_Body = TypeVar("_Body", bound=AnyBody)
_Http = TypeVar("_Http", bound=httpx.Client | httpx.AsyncClient)
_Store = TypeVar("_Store")

#: What a call does.
Work = Callable[["Core"], Coroutine[Any, Any, Any]]


@dataclass(eq=False, repr=False)
class Core(Locked):
    """What a client and its views share: options, the plugin, and the calls in progress."""

    config: Config
    timeout: float | None
    max_body: int
    store: Any
    logger: AnyLogger | None
    wasm: Wasm | None
    clock: Callable[[], float]
    headers: dict[str, str]
    io: Any  # Threads or Tasks

    def __post_init__(self) -> None:
        """Begin without a plugin."""
        self.loop: Any = None  # of an AsyncClient that is open
        self._plugin: Plugin | None = None
        Locked.__init__(self)
        self.is_closed = False
        self._canceled = False
        #: What bounds those in progress.
        self.calls: set[Any] = set()
        #: How many calls began, and failed, by the code of the error.
        self.began, self.failed = 0, Counter[Code]()
        #: Set when the client is closed and its last call has ended.
        self.idle: Any = self.io.event()

    def open(self) -> None:
        """Load the plugin, which checks the config, and make an HTTP client if none was given."""
        if self.is_closed:
            raise RuntimeError(CLOSED)
        # Loading the certificates takes as long as compiling the plugin, so both run concurrently.
        urls = [url for url in (self.config.auth_url, self.config.base_url) if url]
        self.io.make = lambda: new_http(self.io.http_kind, urls)
        making = in_thread(lambda: self.io.http or self.io.make())
        try:
            wasm, in_loop = self.wasm or bundled(), isinstance(self.io, Tasks)
            plugin = Plugin(wasm, self.config, self.headers, self.logger, in_loop=in_loop)
        except BaseException as error:
            cut(error)
            raise
        try:
            self.io.http = apart(making.result)
        except BaseException:
            plugin.close()
            raise
        self.holder = Holder(plugin, self.now, self.io, self.store)
        self.service = Service(self.holder, self.max_body)
        self._plugin = plugin

    def now(self) -> int:
        """Return the time by which tokens expire, in Unix seconds."""
        now = self.clock()
        check("the time that clock returns", now, (float, int))
        return int(now)

    @property
    def plugin(self) -> Plugin:
        """The plugin. Raises a RuntimeError before opening, after closing and in a forked child."""
        if self._plugin and self._plugin.is_inherited:
            raise RuntimeError("the client was opened before a fork: open one in each process")
        if self.is_closed:
            raise RuntimeError(CLOSED)
        if not self._plugin:
            raise RuntimeError("the client is not open: use async with, or await client.open()")
        return self._plugin

    def status(self) -> Status:
        """Return what the client has done so far, also when it is closed. It locks nothing, for signal handlers."""
        plugin = self._plugin if self._plugin and not self._plugin.is_inherited else self.plugin
        fields, holder = plugin.status(self.now()), self.holder
        counts = {"calls": self.began, "failed_calls": dict(self.failed), "service_requests": holder.requests}
        return Status.from_plugin(fields, renewing=holder.flow is not None, **counts)

    async def call(self, work: Work, timeout: float | None, *, counts: bool) -> Any:  # noqa: ANN401
        """Do the work of a call, which `status` counts, or not."""
        self._check_loop()
        scope = self.io.timeout(timeout)
        restore = self.io.restorer()
        try:
            self._begin(scope, counts=counts)
            return await self._bounded(work, scope, timeout)
        except BaseException as error:
            self._failed(error, counts=counts)
            raise
        finally:
            # Each is the first thing that is done, and one step, so an exception of a signal handler prevents neither.
            try:
                self.calls.discard(scope)
            finally:
                restore()
            self._ended()

    async def _bounded(self, work: Work, scope: Any, timeout: float | None) -> Any:  # noqa: ANN401
        try:
            async with scope:
                return await self.holder.settle(work(self))
        except TimeoutError as error:
            if of_handler(error) or not scope.expired():
                raise
        if self._canceled:
            raise RuntimeError(CLOSED)
        message = f"the call timed out after {timeout} s; call again, or set a longer timeout"
        raise RosteringError("network_error", message, retryable=True, reason="timeout")

    def change(self, work: Callable[[Plugin], object]) -> None:
        """Make a call that sends nothing."""
        scope = self.io.timeout(None)
        try:
            self._begin(scope, counts=False)
            work(self.plugin)
        except BaseException as error:
            self._failed(error, counts=False)
            raise
        finally:
            self.calls.discard(scope)
            self._ended()

    def _begin(self, scope: object, *, counts: bool) -> None:
        with self.lock:
            _ = self.plugin
            self.calls.add(scope)
            self.began += counts

    def _failed(self, error: BaseException, *, counts: bool) -> None:
        if counts and isinstance(error, RosteringError):
            with self.lock:
                self.failed[error.code] += 1
        cut(error)

    def _ended(self) -> None:
        if self.is_closed and not self.calls:
            self.idle.set()
        if self._plugin and not self._plugin.is_inherited:
            self._plugin.write_log()

    async def close(self, timeout: float | None, *, is_view: bool) -> None:
        """Refuse further calls, wait for those in progress, and free the plugin."""
        self._check_loop()
        if is_view or not self._plugin or self._plugin.is_inherited:
            return
        with self.lock:
            self.is_closed = True
        scope = self.io.timeout(timeout)
        restore = self.io.restorer()
        try:
            async with scope:
                while self.calls:  # an exception of a signal handler may have ended one in silence
                    await self.io.wait(self.idle, 1)
        except TimeoutError as error:
            if of_handler(error) or not scope.expired():
                raise
        finally:
            restore()
        if calls := self.calls.copy():
            self._canceled = True
            for call in calls:
                self.io.cancel(call)
        else:
            self.idle.set()
        # Does not wait for a token request that no call waits for.
        self.holder.forget(is_set=True)
        with suppress(Exception):  # a clock of the program's
            self._plugin.status(self.now())
        self._plugin.close()
        await self.io.close(self.idle)

    def _check_loop(self) -> None:
        if self.loop and self.loop is not (running := asyncio.get_running_loop()):
            belongs = f"the client belongs to {self.loop}, in which it was opened, not to {running}"
            raise RuntimeError(f"{belongs}: open one in each event loop")


class BaseClient(Generic[_Response, _Token, _Done, _Body, _Http, _Store]):
    """A `Client` or an `AsyncClient`, whose calls return awaitables: what is the same for both."""

    _io: type[Threads | Tasks]
    #: Returns the result of a coroutine, or an awaitable of it.
    _result: Callable[[Coroutine[Any, Any, Any]], Any]
    #: What `send_request` takes as a body that comes in pieces.
    _iterable: type[Iterable[Any] | AsyncIterable[Any]]

    def __init__(
        self,
        config: Config,
        *,
        timeout: float | None = 30,
        max_body: int = 64 << 20,
        store: _Store | None = None,
        http: _Http | None = None,
        logger: AnyLogger | None = None,
        plugin: Wasm | None = None,
        clock: Callable[[], float] | None = None,
        headers: Headers = None,
    ) -> None:
        check("config", config, Config)
        check_timeout("timeout", timeout)
        check("max_body", max_body, int)
        if max_body <= 0:
            raise ValueError("max_body must be positive")
        check_store(store, asynchronous=self._io is Tasks)
        check("http", http, self._io.http_kind, None)
        check("logger", logger, (logging.Logger, logging.LoggerAdapter), None)
        check("plugin", plugin, (str, PathLike, bytes), None)
        if not (clock is None or callable(clock)):
            raise TypeError(f"clock must be a function, not {type(clock).__name__}")
        io = self._io()
        io.http, io.owned = http, http is None
        sent = merged({}, headers)
        self._core = Core(config, timeout, max_body, store, logger, plugin, clock or wall, sent, io)
        self._ids: dict[str, str | None] = {}  # of a view
        self._begin()

    def _begin(self) -> None:
        """Open it, unless that waits for the event loop."""

    def list_jobs(
        self, *, headers: Headers = None, customer_id: Id = ..., user_id: Id = ..., timeout: Timeout = ...
    ) -> _Response:
        """Return the service's response to GET /jobs. An argument replaces what the view, client or config has."""
        sent = merged(self._core.headers, headers)
        work = _sending(self._sent_ids(customer_id, user_id) | ({"headers": sent} if sent else {}), None)
        del headers, sent  # a tool may show the variables of a traceback
        return cast(_Response, self._call(work, timeout, "list_jobs"))

    def send_request(
        self,
        path: str,
        *,
        method: str | None = None,
        params: QueryParams | None = None,
        headers: Headers = None,
        content: _Body | None = None,
        json: Any = None,  # noqa: ANN401
        customer_id: Id = ...,
        user_id: Id = ...,
        timeout: Timeout = ...,
    ) -> _Response:
        """Send another request to the service, and return its response: status 2xx, or 304.

        `path` follows the config's base_url: "/jobs/1?full=true". The other arguments are httpx's, or `list_jobs`'s.
        """
        sent = merged(self._core.headers, headers)
        fields, body = request_input(path, method, params, sent, content, json, self._iterable)
        work = _sending(fields | self._sent_ids(customer_id, user_id), body)
        del path, params, headers, content, json, sent, fields, body  # as above
        return cast(_Response, self._call(work, timeout, "send_request"))

    def get_token(self, *, force: bool = False, refused: str | None = None, timeout: Timeout = ...) -> _Token:
        """Return the token, with `force` a new one, or another one than the access token that the service `refused`."""
        check("force", force, bool)
        check("refused", refused, str, None)
        if force and refused is not None:
            raise ValueError("set force or refused, not both")
        work = _getting(refused, force=force)
        del refused  # as above
        return cast(_Token, self._call(work, timeout, "get_token"))

    def for_customer(self, customer_id: str | None) -> Self:
        """Return a view of this client whose calls send this customer id; None sends no header."""
        return self._view("customer_id", customer_id)

    def for_user(self, user_id: str | None) -> Self:
        """Return a view of this client whose calls send this user id, as `for_customer` does."""
        return self._view("user_id", user_id)

    def set_token(self, token: Token) -> None:
        """Use a token of the same client, scope and token endpoint. Sends nothing."""
        check("token", token, Token)
        self._change("set_token", token, lambda _: self._core.holder.forget(is_set=True))

    def clear_token(self) -> None:
        """Forget the token and the backoff after failed token requests. Sends nothing."""
        self._change("clear_token", None, lambda _: self._core.holder.forget(is_set=False))

    def set_secret(self, secret: str) -> None:
        """Use another client secret from the next token request on, unless it is invalid. Sends nothing."""
        check("secret", secret, str)
        work = _with_secret(secret)
        del secret  # as above
        self._core.change(work)

    def status(self) -> Status:
        """Return what the client and its views have done. Sends nothing, and waits for nothing."""
        return self._core.status()

    def close(self, timeout: float | None = None) -> _Done:
        """Wait for the calls in progress, for `timeout` seconds at most, cancel the others, and free the plugin.

        One that a thread sends through your own `http` is canceled when its response has arrived.
        """
        check_timeout("timeout", timeout, zero=True)
        return cast(_Done, self._named("close", self._core.close(timeout, is_view=bool(self._ids))))

    def __reduce__(self) -> Any:  # noqa: ANN401 - never
        """Say why a client cannot be copied, in place of a message about its locks."""
        kind = type(self).__name__
        raise TypeError(f"cannot pickle or copy a {kind}: open one in each process, from a Config")

    def _change(self, export: str, token: Token | None, then: Callable[[bytes], None]) -> None:
        self._core.change(lambda plugin: plugin.call(export, _dated(token, self._core.now()), then))

    def _view(self, name: str, value: str | None) -> Self:
        check(name, value, str, None)
        view = object.__new__(type(self))
        view._core = self._core
        view._ids = {**self._ids, name: value}
        return view

    def _call(self, work: Work, timeout: Timeout = ..., name: str = "") -> Any:  # noqa: ANN401
        """Do the work of a call, which `status` counts if it has a name. Returns the result in this client's form."""
        core = self._core
        if timeout is ...:
            timeout = core.timeout
        else:
            check_timeout("timeout", timeout)
        return self._named(name, core.call(work, timeout, counts=bool(name)))

    def _named(self, name: str, work: Any) -> Any:  # noqa: ANN401 - a coroutine
        """Return the result of a coroutine. Python names it if an await is forgotten."""
        work.__qualname__ = f"{type(self).__name__}.{name}"
        return self._result(work)

    def _sent_ids(self, customer_id: Id, user_id: Id) -> dict[str, object]:
        """Return the ids that replace the config's: the call's, or else the view's."""
        ids: dict[str, object] = {**self._ids}
        for name, value in ("customer_id", customer_id), ("user_id", user_id):
            if value is not ...:
                check(name, value, str, None)
                ids[name] = value
        return ids


def _sending(fields: dict[str, object], body: AnyBody) -> Work:
    return lambda core: core.service.call(fields, body)


def _getting(refused: str | None, *, force: bool) -> Work:
    return lambda core: core.holder.get(refused, force=force)


def _with_secret(secret: str) -> Callable[[Plugin], None]:
    return lambda plugin: plugin.set_secret(secret)


def _dated(token: Token | None, now: int) -> bytes:
    """Return a token object as the plugin takes it, or nothing."""
    return json.dumps({**json.loads(token.to_json()), "now": now}).encode() if token else b""
