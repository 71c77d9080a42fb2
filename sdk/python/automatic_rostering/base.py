"""What both clients have in common: everything but waiting."""

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypedDict

from .call import AnyBody, Call, unix_time
from .config import Config, plugin_config
from .error import RosteringError
from .exchange import failed
from .plugin import BUNDLED, AnyEvent, Plugin, Wasm
from .step import Detached, Outcome, TokenStep
from .store import AsyncStore, Store
from .token import Token

AnyStore = Store | AsyncStore | None


class ClientOptions(TypedDict, total=False):
    """Options of a client."""

    timeout: float | None  #: of each call, in seconds: 30 by default, None is unlimited
    max_body: int  #: of an answer, in bytes: 64 MiB by default
    #: Receives failures of the store, which go to the logger "automatic_rostering" by default, and the
    #: plugin's log lines, for which the client sets up the log of libextism.
    logger: logging.Logger
    plugin: Wasm  #: rostering-nowasi.wasm, a file or bytes; by default the one in the package


class CallOptions(TypedDict, total=False):
    """Options of every call."""

    timeout: float | None  #: in place of the client's
    now: float  #: Unix seconds, in place of the clock


class RequestOptions(CallOptions, total=False):
    """Options of requests to the service. An id replaces the config's; None sends no header."""

    customer_id: str | None
    user_id: str | None


class BaseClient:
    """An instance of the plugin, and the options."""

    def __init__(
        self,
        config: Config,
        options: ClientOptions,
        store: AnyStore,
        event: Callable[[], AnyEvent],
    ) -> None:
        logger = options.get("logger")
        self._timeout = options.get("timeout", 30)
        self._max_body = options.get("max_body", 64 << 20)
        self._base_url = plugin_config(config).get("base_url")
        self._store = store
        self._logger = logger or logging.getLogger("automatic_rostering")
        self._plugin = Plugin(options.get("plugin", BUNDLED), config, event, logger)
        self._lock = threading.Lock()
        self._closed = False
        self._pending: set[Any] = set()  # futures of calls, and of the detached steps they began

    def set_token(self, token: Token, *, now: float | None = None) -> None:
        """Use a token that another client requested. Sends nothing.

        `token_mismatch` if it has expired, or belongs to another client, scope or token URL.
        """
        fields = {**json.loads(token.to_json()), "now": unix_time(now)}
        with self._begun(Future[None]()):
            self._plugin.call("set_token", json.dumps(fields).encode())

    def clear_token(self) -> None:
        """Forget the token, and the back-off after failed token requests. Sends nothing."""
        with self._begun(Future[None]()):
            self._plugin.call("clear_token", b"")

    def _call(
        self,
        export: str,
        options: CallOptions,
        fields: Mapping[str, object],
        body: AnyBody = None,
    ) -> tuple[Call, float | None]:
        """Prepare a call, and return it with its time-out. Fields that are None are left out."""
        now, timeout = options.get("now"), options.get("timeout", self._timeout)
        if timeout is not None and timeout <= 0:
            raise ValueError("timeout must be positive, or None")
        given = {name: value for name, value in fields.items() if value is not None}
        ids = {name: value for name, value in options.items() if name.endswith("_id")}
        body = body.encode() if isinstance(body, str) else body
        if body:
            given["body"] = True
        data = json.dumps({**given, **ids, "now": unix_time(now)}, default=dict).encode()
        return Call(self._plugin, export, data, self._store is not None, now, body), timeout

    @contextmanager
    def _begun(self, ended: Any) -> Iterator[None]:  # noqa: ANN401 - a future of either kind
        with self._lock:
            if self._closed:
                raise RuntimeError("the client is closed")
            self._pending.add(ended)
        try:
            yield
        finally:
            self._pending.discard(ended)
            ended.set_result(None)

    def _failed(self, step: Detached, error: Exception) -> Outcome:
        if isinstance(step, TokenStep):
            return failed(error)
        # The text of an error of Redis can quote the value.
        self._logger.warning("store: %s failed: %s", step.op, type(error).__name__)
        return {"failed": type(error).__name__}


def timed_out(timeout: float | None) -> RosteringError:
    """Make the error of a call whose time-out has passed."""
    return RosteringError("network_error", f"timed out after {timeout} s", retryable=True)
