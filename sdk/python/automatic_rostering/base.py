"""What is the same for `Client` and `AsyncClient`."""

import json
import logging
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable
from os import PathLike
from types import EllipsisType
from typing import Any, Generic, Self, TypeAlias, TypeVar, cast

import httpx

from .check import check, check_store, check_timeout
from .clock import wall
from .config import Config
from .plugin import AnyLogger, Plugin, Wasm
from .request import AnyBody, Headers, QueryParams, merged, request_input
from .shared import Shared, Work
from .status import Status
from .tasks import Tasks
from .threads import Threads
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
        self._shared = Shared(config, timeout, max_body, store, logger, plugin, clock or wall, sent, io)
        self._ids: dict[str, str | None] = {}  # of a view
        self._begin()

    def _begin(self) -> None:
        """Open it, unless that waits for the event loop."""

    def list_jobs(
        self, *, headers: Headers = None, customer_id: Id = ..., user_id: Id = ..., timeout: Timeout = ...
    ) -> _Response:
        """Return the service's response to GET /jobs. An argument replaces what the view, client or config has."""
        sent = merged(self._shared.headers, headers)
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
        sent = merged(self._shared.headers, headers)
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
        """Use a token that another client with the same config got. Sends nothing."""
        check("token", token, Token)
        self._change("set_token", token, lambda _: self._shared.holder.forget(is_set=True))

    def clear_token(self) -> None:
        """Forget the token and the backoff after failed token requests. Sends nothing."""
        self._change("clear_token", None, lambda _: self._shared.holder.forget(is_set=False))

    def set_secret(self, secret: str) -> None:
        """Use another client secret from the next token request on, unless it is invalid. Sends nothing."""
        check("secret", secret, str)
        work = _with_secret(secret)
        del secret  # as above
        self._shared.change(work)

    def status(self) -> Status:
        """Return what the client and its views have done. Sends nothing, and waits for nothing."""
        return self._shared.status()

    def close(self, timeout: float | None = None) -> _Done:
        """Wait for the calls in progress, for `timeout` seconds at most, cancel the others, and free the plugin.

        It also waits for what is being written to the store, for two seconds at most. A call that a thread sends
        through your own `http` is canceled when its response has arrived.
        """
        check_timeout("timeout", timeout, zero=True)
        return cast(_Done, self._named("close", self._shared.close(timeout, is_view=bool(self._ids))))

    def __reduce__(self) -> Any:  # noqa: ANN401 - never
        """Say why a client cannot be copied, in place of a message about its locks."""
        kind = type(self).__name__
        raise TypeError(f"cannot pickle or copy a {kind}: open one in each process, from a Config")

    def _change(self, export: str, token: Token | None, then: Callable[[bytes], None]) -> None:
        self._shared.change(lambda plugin: plugin.call(export, _dated(token, self._shared.now()), then))

    def _view(self, name: str, value: str | None) -> Self:
        check(name, value, str, None)
        view = object.__new__(type(self))
        view._shared = self._shared
        view._ids = {**self._ids, name: value}
        return view

    def _call(self, work: Work, timeout: Timeout = ..., name: str = "") -> Any:  # noqa: ANN401
        """Do the work of a call, which `status` counts if it has a name. Returns the result in this client's form."""
        shared = self._shared
        if timeout is ...:
            timeout = shared.timeout
        else:
            check_timeout("timeout", timeout)
        return self._named(name, shared.call(work, timeout, counts=bool(name)))

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
    return lambda shared: shared.service.call(fields, body)


def _getting(refused: str | None, *, force: bool) -> Work:
    return lambda shared: shared.holder.get(refused, force=force)


def _with_secret(secret: str) -> Callable[[Plugin], None]:
    return lambda plugin: plugin.set_secret(secret)


def _dated(token: Token | None, now: int) -> bytes:
    """Return a token object as the plugin takes it, or nothing."""
    return json.dumps({**json.loads(token.to_json()), "now": now}).encode() if token else b""
