"""An instance of the plugin in libextism."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import extism

from . import log
from .config import Config, plugin_config
from .contract import check_contract
from .error import decode_error
from .fork import Inherited
from .kept import KeptSteps

#: The plugin, as a path or bytes.
Wasm = str | os.PathLike[str] | bytes
AnyEvent = threading.Event | asyncio.Event
#: The build without WASI: a copy in a wheel, a link to the output of make build in the repository.
BUNDLED = Path(__file__).with_name("rostering-nowasi.wasm")
CLOSED = "the client is closed; open a new one"


class Plugin(Inherited):
    """One instance, which holds the token and cannot do HTTP. Any number of threads may use it.

    `event` makes the events that end waits; `logger` receives the instance's log lines.
    """

    def __init__(
        self,
        wasm: Wasm,
        config: Config,
        event: Callable[[], AnyEvent],
        logger: log.AnyLogger | None,
    ) -> None:
        self._instance: Any = None  # of the SDK
        super().__init__()
        data = wasm if isinstance(wasm, bytes) else Path(wasm).read_bytes()
        manifest = {"wasm": [{"data": data}], "config": plugin_config(config), "allowed_hosts": []}
        try:
            # The default of `functions` is every host function that the program has registered.
            self._instance = extism.Plugin(manifest, wasi=False, functions=[])
        except extism.Error as error:
            raise ValueError(f"cannot load the plugin: {error}") from error
        # libextism serializes calls, but the output is read after the call.
        self._lock = threading.Lock()
        self._id = self._instance.id if logger else None
        if logger and self._id:
            log.connect(self._id, logger)
        self.kept = KeptSteps()
        self._event = event
        #: Set when the next section ends in anything but a wait.
        self.section_ended = event()
        #: Set when calls are canceled.
        self.canceled = event()
        try:
            check_contract(self.call)
            self.call("check", b"")
        except BaseException:
            self.close()
            raise

    def call(self, export: str, data: bytes, *, changes: bool = True) -> bytes:
        """Call an export. Raises a RosteringError, or an extism.Error if the plugin trapped.

        `changes`: the call may change the plugin's state, so the kept steps are dropped.
        """
        try:
            with self._lock:
                if not self._instance:
                    raise RuntimeError(CLOSED)
                if changes:
                    self.kept.drop()
                output: bytes = self._instance.call(export, data)
                return output
        except extism.Error as error:
            own = decode_error(str(error))
            if not own:
                raise
        finally:
            if self._id:
                log.drain()
        raise own  # not above, where the SDK's error is its context

    def end_section(self) -> None:
        """End the waits for a call, whose section has ended."""
        with self._lock:
            ended, self.section_ended = self.section_ended, self._event()
        ended.set()

    def close(self) -> None:
        """Free the instance and its token. Later calls raise a RuntimeError."""
        if self._id:
            log.disconnect(self._id)
        with self._lock:
            self.kept.drop()
            instance, self._instance = self._instance, None
            if instance:
                instance.__exit__(None, None, None)

    def leave(self) -> None:
        """Keep the SDK from freeing the parent's instance, which another thread may have locked."""
        if self._instance:
            vars(self._instance).clear()
