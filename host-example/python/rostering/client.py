"""One instance of the plugin, for a whole process."""

import json
import math
import os
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict, Unpack

import extism

from .config import Config
from .error import decode_error
from .token import Token, decode_token
from .trap import decode_trap

DEFAULT_TIMEOUT = 30.0


class Ids(TypedDict, total=False):
    """Replaces the config's ids in one call. None leaves the header out."""

    customer_id: str | None
    user_id: str | None


class Client:
    """One instance of the plugin, in the file `wasm`, and the token in it.

    Share it: any number of threads may use a client, and take turns, because an instance does
    one call at a time. `timeout` bounds one call with all its requests, in seconds; None is no
    bound, and waiting for a turn does not count.

    A client sends nothing before its first call. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        wasm: str | os.PathLike[str],
        config: Config,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> None:
        if timeout is not None and timeout <= 0:
            raise ValueError("timeout must be positive, or None")
        self._timeout = timeout
        # libextism takes turns as well, but the output of a call is read after its turn.
        self._turn = threading.Lock()
        self._closed = False
        with ExitStack() as stack:
            self._plugin = stack.enter_context(_open(wasm, config, timeout))
            if not all(map(self._plugin.function_exists, ("get_token", "list_jobs"))):
                raise ValueError(f"{os.fspath(wasm)} is not the rostering plugin")
            self._stack = stack.pop_all()

    def list_jobs(self, **ids: Unpack[Ids]) -> bytes:
        """Give the service's answer, byte for byte."""
        return self._call("list_jobs", ids)

    def get_token(self, *, force: bool = False) -> Token:
        """Give the token that the plugin has, or a new one; with `force` a new one in any case."""
        return decode_token(self._call("get_token", {"force": force}))

    def close(self) -> None:
        """Wait for the call under way, if any, and free the instance with its token."""
        with self._turn:
            self._closed = True
            self._stack.close()

    def __enter__(self) -> Self:
        """Give the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the client."""
        self.close()

    def _call(self, export: str, fields: Mapping[str, object]) -> bytes:
        with self._turn:
            if self._closed:
                raise RuntimeError("the client is closed")
            start = time.monotonic()
            try:
                output: bytes = self._plugin.call(export, json.dumps(fields))
            except extism.Error as error:
                if own := decode_error(str(error)):
                    raise own from None
                if lost := decode_trap(str(error), time.monotonic() - start, self._timeout):
                    raise lost from error
                raise
            return output


def _open(wasm: str | os.PathLike[str], config: Config, timeout: float | None) -> extism.Plugin:
    manifest: dict[str, object] = {
        "wasm": [{"data": Path(wasm).read_bytes()}],
        "config": config.keys(),
        "allowed_hosts": config.hosts(),
    }
    if timeout is not None:
        # Other than in some hosts, an instance and its token live on when this has passed.
        manifest["timeout_ms"] = math.ceil(timeout * 1000)
    try:
        # Without functions=[], the plugin would get all host functions of the program.
        return extism.Plugin(manifest, wasi=True, functions=[])
    except extism.Error as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"cannot load {os.fspath(wasm)}: {reason}") from error
