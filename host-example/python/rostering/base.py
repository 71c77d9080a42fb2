"""What both clients have in common: everything but waiting."""

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypedDict

from .call import AsyncBody, Body, Call, unix_time
from .config import Config
from .error import RosteringError
from .exchange import failed
from .plugin import BUNDLED, Plugin
from .step import Detached, Outcome, TokenStep
from .token import Token


class ClientOptions(TypedDict, total=False):
    """Options of a client."""

    #: Bounds each call, in seconds: 30 by default, None is unlimited.
    timeout: float | None
    #: Bounds an answer, in bytes: 64 MiB by default.
    max_body: int
    #: Receives the plugin's log lines, for which this sets up the log of libextism, and failures
    #: of the store. Those go to the logger "rostering" by default.
    logger: logging.Logger
    #: The file of rostering-nowasi.wasm, the package's own by default.
    plugin: str | os.PathLike[str]


class CallOptions(TypedDict, total=False):
    """Options of every call."""

    #: In place of the client's.
    timeout: float | None
    #: Unix seconds, in place of the clock.
    now: float


class RequestOptions(CallOptions, total=False):
    """Options of requests to the service."""

    #: In place of the config's; None leaves the header out.
    customer_id: str | None
    user_id: str | None


class BaseClient:
    """An instance of the plugin, and the options."""

    def __init__(self, config: Config, options: ClientOptions, *, has_store: bool) -> None:
        logger = options.get("logger")
        self._timeout = options.get("timeout", 30.0)
        self._max_body = options.get("max_body", 64 << 20)
        self._has_store = has_store
        self._logger = logger or logging.getLogger("rostering")
        self._plugin = Plugin(options.get("plugin", BUNDLED), config, logger)
        self._lock = threading.Lock()
        self._closed = False
        self._pending: set[Any] = set()  # futures of calls, and of the detached steps they began

    def set_token(self, token: Token, *, now: float | None = None) -> None:
        """Use a token that another client requested. Sends nothing.

        `token_mismatch` if it has expired, or belongs to another client, scope or token URL.
        """
        fields = {**token.to_fields(), "now": unix_time(now)}
        self._plugin.call("set_token", json.dumps(fields).encode())

    def clear_token(self) -> None:
        """Forget the token, and the back-off after failed token requests. Sends nothing."""
        self._plugin.call("clear_token", b"")

    def call(
        self,
        export: str,
        data: bytes,
        now: float | None = None,
        body: Body | AsyncBody | None = None,
    ) -> Call:
        """Prepare a call for `run`, with the JSON input of the export."""
        return Call(self._plugin, export, data, store=self._has_store, now=now, body=body)

    def _call(
        self,
        export: str,
        options: CallOptions,
        fields: Mapping[str, object],
        body: Body | AsyncBody | None = None,
    ) -> tuple[Call, float | None]:
        """Prepare a call, and return it with its time-out. Fields that are None are left out."""
        now, timeout = options.get("now"), options.get("timeout", self._timeout)
        if timeout is not None and timeout <= 0:
            raise ValueError("timeout must be positive, or None")
        given = {name: value for name, value in fields.items() if value is not None}
        ids = {name: value for name, value in options.items() if name.endswith("_id")}
        if body:
            given["body"] = True
        data = json.dumps({**given, **ids, "now": unix_time(now)}).encode()
        return self.call(export, data, now, body), timeout

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
