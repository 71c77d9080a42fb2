"""What a client and its views share: everything except waiting."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .check import check
from .config import Config
from .error import Code, RosteringError, cut
from .exchange import new_http
from .holder import Holder
from .plugin import CLOSED, AnyLogger, Plugin, Wasm, bundled
from .send import Service
from .signals import of_handler
from .status import Status
from .tasks import Tasks
from .threads import Locked, apart, in_thread

#: What a call does.
Work = Callable[["Shared"], Coroutine[Any, Any, Any]]

#: How many seconds writing to the store takes at most: each operation has one.
_WRITES = 2


@dataclass(eq=False, repr=False)
class Shared(Locked):
    """The options, the plugin, and the calls in progress."""

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
        result, failure, has_ended = None, None, False
        try:
            async with scope:
                try:
                    result = await work(self)
                except TimeoutError:
                    raise
                except Exception as error:  # noqa: BLE001 - raised below
                    failure = error
                has_ended = True
                await self.holder.settle()
        except TimeoutError as error:
            if of_handler(error) or not scope.expired():
                raise
        if failure:
            raise failure
        if has_ended:  # also if the time was over before the flow was
            return result
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
        await self._wait(timeout, self._calls_end)
        if calls := self.calls.copy():
            self._canceled = True
            for call in calls:
                self.io.cancel(call)
        else:
            self.idle.set()
        await self._wait(_WRITES, self.holder.written)
        # Does not wait for a token request that no call waits for.
        self.holder.forget(is_set=True)
        with suppress(Exception):  # a clock of the program's
            self._plugin.status(self.now())
        self._plugin.close()
        await self.io.close(self.idle)

    async def _calls_end(self) -> None:
        while self.calls:  # an exception of a signal handler may have ended one in silence
            await self.io.wait(self.idle, 1)

    async def _wait(self, seconds: float | None, event: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Wait for something, for so many seconds at most."""
        scope = self.io.timeout(seconds)
        restore = self.io.restorer()
        try:
            async with scope:
                await event()
        except TimeoutError as error:
            if of_handler(error) or not scope.expired():
                raise
        finally:
            restore()

    def _check_loop(self) -> None:
        if self.loop and self.loop is not (running := asyncio.get_running_loop()):
            belongs = f"the client belongs to {self.loop}, in which it was opened, not to {running}"
            raise RuntimeError(f"{belongs}: open one in each event loop")
