"""The token of a client. No I/O here, and no waiting."""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .flow import Flow, Refusal
from .plugin import Plugin
from .step import Step
from .tasks import Tasks
from .threads import Locked, Threads
from .token import Token

Io = Threads | Tasks


class Kept(NamedTuple):
    """The token that calls use until a time, in Unix seconds."""

    token: Token
    until: float


class Holder(Locked):
    """Holds the token of a client. One flow at a time gets another from the plugin, apart from the calls that wait.

    Rules are those of docs/contract.md, A host. The lock is not held during I/O, nor while the plugin runs. The main
    thread of a `Client` never takes it: a signal handler that asks for the status there waits for the plugin's lock,
    whose holder may wait for this one.
    """

    def __init__(self, plugin: Plugin, now: Callable[[], int], io: Io, store: Any) -> None:  # noqa: ANN401
        self.plugin, self.now, self.io, self.store = plugin, now, io, store
        # AWS Lambda freezes a process after each call: a flow that continued would keep its lock in the store, and lose
        # the response to its token request.
        self._settles = bool(os.environ.get("AWS_LAMBDA_FUNCTION_NAME"))
        super().__init__()
        self._kept: Kept | None = None
        self._latest = 0  # time at which a token was looked for
        self._worked: str | None = None  # the last token that the service accepted
        self._refused: Refusal | None = None  # with which the next flow begins
        self.flow: Flow | None = None  # that runs
        self._counting = Locked()
        self.requests = 0  # to the service

    async def token(self, mine: str | None = None) -> Token:
        """Return a token for a call. The service refused the call's last one, `mine`, unless that is None."""
        while True:
            now, kept = self.now(), self._kept
            if kept and self._latest <= now < kept.until:
                self._latest = now
                return kept.token
            found = self.io.apart(self._look)
            if isinstance(found, Token):
                return found
            flow, seen, news = found
            await flow.wait(news)
            if flow.tokens > seen and flow.token:
                return flow.token
            # Rule 2: the error is not that of others.
            if not flow.force and (flow.refused is None or flow.refused.token == mine):
                flow.raise_error()

    async def get(self, refused: str | None, *, force: bool) -> Token:
        """Return the token for a program's own requests."""
        if refused is not None:
            self.refuse(refused, first=False)
        return await (self.force() if force else self.token(refused))

    async def force(self) -> Token:
        """Return the token of a flow that begins from now on, which all share that wait for it (rule 1)."""
        before = self.flow
        while True:
            flow, _, _ = self.io.apart(partial(self._join, force=True))
            await self._wait_for_end(flow)
            if flow.ended and flow.force and flow is not before:
                flow.raise_error()
                if flow.token:
                    return flow.token

    async def settle(self) -> None:
        """Wait for the end of the flow that runs, if the process may be frozen after the call."""
        flow = self.flow
        if self._settles and flow:
            await self._wait_for_end(flow)

    async def written(self) -> None:
        """Wait until the flow that runs does not write to the store, at the end of the client.

        Its lock would stay there, and others wait for it.
        """
        while flow := self.flow:
            news = flow.news  # read first, so no later one is missed
            if not flow.writes or sys.is_finalizing():
                return
            await flow.wait(news)

    def accept(self, token: str) -> None:
        """Note that the service did not refuse a token."""
        self._worked = token

    def refuse(self, token: str, *, first: bool) -> None:
        """Note that the service refused a token. The next flow replaces it, unless it is replaced (rule 3).

        `first` is whether this was the first 401 of a call that can be sent again (rule 4).
        """

        def note() -> None:
            with self.lock:
                if self._kept and self._kept.token.access_token == token:
                    self._kept = None
                flow = self.flow
                is_replaced = flow and flow.refused and flow.refused.token == token
                if not (self._kept or is_replaced):
                    self._refused = Refusal(token, used=first and token == self._worked)

        self.io.apart(note)

    def forget(self, *, is_set: bool) -> None:
        """Forget the token, after clear_token or set_token, or at the end (rule 1).

        The plugin restarts a running flow after clear_token; after set_token, the calls that wait for it begin another.
        """

        def note() -> None:
            with self.lock:
                self._kept = None
                if is_set:
                    self._refused = None
                    self._abandon()

        self.io.apart(note)

    def publish(self, flow: Flow, step: Step) -> None:
        """Have all who wait use the token of a step, before the plugin's state changes again (rule 1)."""
        with self.lock:
            if self.flow is not flow:  # abandoned: its result does not count (rule 6)
                return
            flow.touch()
            wrote, flow.writes = flow.writes, step.get("op") == "set"
            if wrote:
                flow.wake()
            token = Token.from_fields(step["token"]) if "token" in step else None
            # Rule 3: the service may refuse the token while the flow runs.
            if token and not (self._refused and self._refused.token == token.access_token):
                self._kept, self._refused = Kept(token, step["until"]), None
                flow.token = token
                flow.tokens += 1
                flow.wake()
            if step["step"] == "done":
                flow.token = token
                self._end(flow, None)

    def end(self, flow: Flow, error: Exception) -> None:
        """End a flow with an error, for all who wait, unless it has ended or was abandoned (rule 2)."""
        with self.lock:
            if self.flow is flow:
                self._end(flow, error)

    def count_request(self) -> None:
        """Count a request to the service."""
        with self._counting.lock:
            self.requests += 1

    def _look(self) -> Token | tuple[Flow, int, Any]:
        """Return the token that is kept, or else a flow to wait for."""
        with self.lock:
            now = self.now()
            if now < self._latest:  # the clock was set back (rule 7)
                self._kept = None
            self._latest = now
            if self._kept and now < self._kept.until:
                return self._kept.token
        return self._join(force=False)

    def _join(self, *, force: bool) -> tuple[Flow, int, Any]:
        """Return the flow that runs or begins, and its tokens and news so far."""
        with self.lock:
            running = self._running()
            flow = running or self._begin(force=force)
            joined = flow, flow.tokens, flow.news
        if not running:
            self._start(flow)
        return joined

    def _start(self, flow: Flow) -> None:
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

    async def _wait_for_end(self, flow: Flow) -> None:
        """Wait until a flow has ended or was abandoned. It locks nothing, as above."""
        while True:
            news = flow.news  # read first, so no later one is missed
            if self.flow is not flow or flow.is_stale():
                return
            await flow.wait(news)

    # The methods below are called with the lock.

    def _running(self) -> Flow | None:
        """Return the flow that runs. One whose step is too old is abandoned (rule 6)."""
        has_stopped = sys.is_finalizing()  # with its thread
        if self.flow and (has_stopped or self.flow.is_stale()):
            self._abandon()
        return self.flow

    def _begin(self, *, force: bool) -> Flow:
        """Begin a flow, which does not end with the call that began it (rule 2)."""
        self.flow = flow = Flow(self, None if force else self._refused, force=force)
        if not force:
            self._refused = None
        return flow

    def _abandon(self) -> None:
        """End the flow that runs, without a result."""
        flow, self.flow = self.flow, None
        if flow:
            if flow.work:
                flow.work.cancel()
            flow.wake()

    def _end(self, flow: Flow, error: Exception | None) -> None:
        flow.ended, flow.error, self.flow = True, error, None  # in this order, for `_wait_for_end`
        flow.wake()
