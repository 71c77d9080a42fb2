"""The token of a client, and the flow that gets another one. No I/O here, and no waiting."""

import json
import os
import random
import sys
from collections.abc import Callable, Coroutine
from copy import copy
from functools import partial
from typing import Any, TypeVar

from .clock import monotonic
from .error import RosteringError
from .exchange import because, exchange
from .plugin import Plugin
from .step import Failure, Outcome, Request, Step, result_of
from .store import carry_out
from .tasks import Tasks
from .threads import Locked, Threads
from .token import Token

T = TypeVar("T")
Io = Threads | Tasks

#: The age in seconds at which a step is abandoned. None takes that long, unless the process was frozen.
_MOST_AGE = 30.0


class Holder(Locked):
    """Holds the token. One flow at a time gets another, apart from the calls that wait for it."""

    def __init__(self, plugin: Plugin, now: Callable[[], int], io: Io, store: Any) -> None:  # noqa: ANN401
        self.plugin, self.now, self.io, self.store = plugin, now, io, store
        # AWS Lambda freezes a process after each call: a flow that continued would keep its lock in the store, and lose
        # the response to its token request.
        self._settles = bool(os.environ.get("AWS_LAMBDA_FUNCTION_NAME"))
        #: Its lock is not held while the plugin runs, but taken by what follows on its outcome.
        super().__init__()
        self._kept: Token | None = None
        self._until = 0.0  # the time until which it is used
        self._latest = 0  # when a token was looked for
        self._worked: str | None = None  # the last token that the service accepted
        self._refused: dict[str, Any] = {}  # fields with which the next flow begins
        self.flow: Flow | None = None  # that runs
        self.requests = 0  # to the service

    async def token(self, mine: str | None = None) -> Token:
        """Get the token for a call. `mine` is the one with which the service refused the call."""
        while True:
            with self.lock:
                now = self.now()
                if now < self._latest:  # the clock was set back
                    self._kept = None
                self._latest = now
                if self._kept and now < self._until:
                    return self._kept
            flow, seen, news = self.io.apart(self._join)
            await flow.wait(news)
            if flow.tokens > seen and flow.token:
                return flow.token
            if not flow.force and flow.fields.get("refused", mine) == mine:
                flow.raise_error()

    async def get(self, refused: str | None, *, force: bool) -> Token:
        """Get the token for a program's own requests."""
        if refused is not None:
            self.refuse(refused, first=False)
        return await (self.force() if force else self.token(refused))

    async def force(self) -> Token:
        """Get the token of a flow that begins from now on, and ignores the present token."""
        with self.lock:
            before = self._running()
        while True:
            flow, _, _ = self.io.apart(partial(self._join, force=True))
            await self._wait_for_end(flow)
            if flow.ended and flow.force and flow is not before:
                flow.raise_error()
                if flow.token:
                    return flow.token

    async def settle(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of work, after the flow that runs if the process may be frozen then."""
        raised = None
        try:
            result = await work
        except Exception as error:  # noqa: BLE001 - raised below
            raised = error
        if self._settles:
            with self.lock:
                flow = self._running()
            if flow:
                await self._wait_for_end(flow)
        if raised:
            raise raised
        return result

    async def _wait_for_end(self, flow: "Flow") -> None:
        """Wait until a flow has ended or was abandoned. It locks nothing, for signal handlers."""
        while True:
            news = flow.news  # read first, so no later one is missed
            if self.flow is not flow or flow.age() > _MOST_AGE:
                return
            await flow.wait(news)

    def accept(self, token: str) -> None:
        """Note that the service did not refuse a token."""
        self._worked = token

    def refuse(self, token: str, *, first: bool) -> None:
        """Note that the service refused a token; `first`: the first one of a call that can be sent again."""
        with self.lock:
            if self._kept and self._kept.access_token == token:
                self._kept = None
            replaced = self.flow and self.flow.fields.get("refused") == token
            if not (self._kept or replaced):
                self._refused = {"refused": token, "used": first and token == self._worked}

    def forget(self, *, is_set: bool) -> None:
        """Forget the token, after clear_token or set_token, or at the end.

        The plugin restarts a running flow after clear_token; after set_token, who waits for it begins another.
        """
        with self.lock:
            self._kept = None
            if is_set:
                self._refused = {}
                self._abandon()

    def publish(self, flow: "Flow", step: Step) -> None:
        """Use the token of a step, which is called before the plugin changes again."""
        with self.lock:
            if self.flow is not flow:
                return
            flow.touch()
            # The service may refuse a token while it is renewed: steps still have it.
            token = Token.from_fields(step["token"]) if "token" in step else None
            if token and token.access_token != self._refused.get("refused"):
                self._kept, self._until, self._refused = token, step["until"], {}
                flow.token = token
                flow.tokens += 1
                flow.wake()
            if step["step"] == "done":  # now, because the service may refuse its token
                flow.token = token
                self._finish(flow, None)

    def end(self, flow: "Flow", error: Exception) -> None:
        """End a flow for all who wait, unless it has ended or was abandoned."""
        with self.lock:
            if self.flow is flow:
                self._finish(flow, error)

    async def write_log(self) -> None:
        """Log what the plugin has written."""
        self.plugin.write_log()

    def _join(self, *, force: bool = False) -> "tuple[Flow, int, Any]":
        """Return the flow that runs or begins, and its tokens and news so far."""
        with self.lock:
            running = self._running()
            flow = running or self._begin(force=force)
            joined = flow, flow.tokens, flow.news
        if not running:
            self._start(flow)
        return joined

    def _start(self, flow: "Flow") -> None:
        """Start a flow. Not with the lock: an eager task runs at once."""
        try:
            flow.work = self.io.start(flow.run)
        except BaseException:
            with self.lock:
                if self.flow is flow:
                    self._abandon()
            raise
        with self.lock:
            if self.flow is not flow and not flow.ended:  # abandoned meanwhile
                flow.work.cancel()

    # The methods below are called with the lock.

    def _running(self) -> "Flow | None":
        has_stopped = sys.is_finalizing()  # with its thread
        if self.flow and (has_stopped or self.flow.age() > _MOST_AGE):
            self._abandon()
        return self.flow

    def _abandon(self) -> None:
        flow, self.flow = self.flow, None
        if flow:
            if flow.work:
                flow.work.cancel()
            flow.wake()

    def _finish(self, flow: "Flow", error: Exception | None) -> None:
        flow.ended, flow.error, self.flow = True, error, None  # in this order, for `_wait_for_end`
        flow.wake()

    def _begin(self, *, force: bool) -> "Flow":
        self.flow = flow = Flow(self, {"force": True} if force else self._refused)
        if not force:
            self._refused = {}
        return flow


class Flow:
    """A token flow of the plugin. It does not end with the call that began it."""

    def __init__(self, holder: Holder, fields: dict[str, Any]) -> None:
        self._holder = holder
        self.fields, self.force = fields, "force" in fields
        self.work: Any = None  # can be canceled, once it has started
        self.news: Any = holder.io.event()  # set when there is something new
        self.token: Token | None = None  # of the last step that had one
        self.tokens = 0  # how many steps had one that calls may use
        self.ended = False
        self.error: Exception | None = None
        self.touch()

    async def run(self) -> None:
        """Carry it out. Whatever ends it, ends it for all who wait."""
        holder = self._holder
        error: Exception = RuntimeError("the token request was ended by your own code")
        response: Outcome = {}  # the last one, or why none came
        try:
            accepts = ["wait"] if holder.store is None else ["store", "wait"]
            step = self._call("begin", {"accepts": accepts, **self.fields})
            while step["step"] != "done":
                outcome = await self._outcome(step)
                if holder.flow is not self:  # abandoned
                    return
                response = outcome if step["step"] == "request" else response
                result = result_of(outcome)
                failed = step["step"] == "store" and "failed" in result
                step = self._call("resume", {"flow": step["flow"], **result}, warns=failed)
                if failed:  # in the background, as a log handler may make a call, which waits
                    holder.io.start(holder.write_log)
        except Exception as raised:  # noqa: BLE001 - those who wait raise it
            error = because(raised, response)
        finally:
            holder.end(self, error)
            holder.plugin.write_log()  # not before, for the same reason

    async def _outcome(self, step: Step) -> Outcome:
        io = self._holder.io
        if step["step"] == "request":
            request = Request(**step["request"])
            limit = step["limit"]
            try:
                async with io.timeout(step["timeout"]):
                    return await exchange(io, request, request.body, limit, limit)
            except TimeoutError:
                return Failure(TimeoutError("timed out"), "timeout")
        if step["step"] == "store":
            return await carry_out(step, self._holder.store, io)
        never: Any = io.event()
        # Jitter, so that the clients of a store do not all look at once.
        await io.wait(never, step["seconds"] * (1 + random.random() / 2))  # noqa: S311
        return {}

    def _call(self, export: str, fields: dict[str, object], *, warns: bool = False) -> Step:
        data = json.dumps({**fields, "now": self._holder.now()}).encode()
        step: Step = self._holder.plugin.call(export, data, self._publish, warns=warns)
        return step

    def _publish(self, output: bytes) -> Step:
        step: Step = json.loads(output)
        self._holder.publish(self, step)
        return step

    def raise_error(self) -> None:
        """Raise the error that ended it, if there is one: a copy, since many callers may get it."""
        if isinstance(self.error, RosteringError):
            raise copy(self.error) from self.error.__cause__
        if self.error:
            raise self.error

    async def wait(self, news: Any) -> None:  # noqa: ANN401 - an event
        """Wait for its next token, its end, or until its step is too old."""
        await self._holder.io.wait(news, max(_MOST_AGE - self.age(), 0) + 0.01)

    def wake(self) -> None:
        """End the waits. Called with the holder's lock."""
        news, self.news = self.news, self._holder.io.event()
        news.set()

    def touch(self) -> None:
        """Begin a step."""
        # The monotonic clock may stop with the machine, and a clock may be set back.
        self._began = self._holder.now(), monotonic()

    def age(self) -> float:
        """Return the age of its step, by the clock that shows more."""
        now, mono = self._began
        return max(self._holder.now() - now, monotonic() - mono)
