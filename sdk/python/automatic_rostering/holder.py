"""The token of a client, and the flow that gets another one. No I/O here, and no waiting."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Generator
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from .error import RosteringError
from .plugin import Plugin
from .step import FAILURES, Outcome, Step, result_of
from .token import Token

T = TypeVar("T")
AnyEvent = threading.Event | asyncio.Event
#: Work that a client carries out: it waits and sends what the generator yields.
Work = Generator[Any, Any, T]

#: The age in seconds at which a step is abandoned. None takes that long, unless the process was
#: frozen.
_MOST_AGE = 30.0


@dataclass(frozen=True, repr=False)
class Refusal:
    """A token that the service refused; `used` is the contract's."""

    token: str
    used: bool


@dataclass(frozen=True)
class Wait:
    """A wait for an event, of so many seconds at most."""

    event: Any  # a threading.Event or an asyncio.Event, as the client's form
    seconds: float


class Holder:
    """Holds the token. One flow at a time gets another, apart from the calls that wait for it.

    `event` makes the events that end waits. `start` carries out a flow in the background, until
    what it returns is canceled.
    """

    def __init__(
        self,
        plugin: Plugin,
        now: Callable[[], int],
        event: Callable[[], AnyEvent],
        start: Callable[["Flow"], Any],
        accepts: list[str],
    ) -> None:
        self.plugin, self.now, self.event, self.accepts = plugin, now, event, accepts
        self._start = start
        # AWS Lambda freezes a process after each call: a flow that continued would keep its lock
        # in the store, and lose the response to its token request.
        self._settles = "AWS_LAMBDA_FUNCTION_NAME" in os.environ
        #: Not held while the plugin runs, but taken by what follows on its outcome.
        self.lock = threading.Lock()
        self._kept: Step | None = None  # its token is used until its time
        self._latest = 0  # when a token was looked for
        self._worked: str | None = None  # the last token that the service accepted
        self._refused: Refusal | None = None  # with which the next flow begins
        self._flow: Flow | None = None  # that runs

    def token(self, mine: str | None = None) -> Work[Token]:
        """Get the token for a call. `mine` is the one with which the service refused the call."""
        while True:
            with self.lock:
                now = self.now()
                if now < self._latest:  # the clock was set back
                    self._kept = None
                self._latest = now
                if self._kept and self._kept.token and now < self._kept.until:
                    return self._kept.token
                flow = self._running() or self._begin(force=False)
                seen, wait = flow.tokens, flow.wait()
            yield wait
            if flow.tokens > seen and flow.token:
                return flow.token
            of_another = flow.refused is not None and flow.refused.token != mine
            if not (flow.force or of_another):
                flow.raise_error()

    def get(self, refused: str | None, *, force: bool) -> Work[Token]:
        """Get the token for a program's own requests."""
        if refused is not None:
            self.refuse(refused, first=False)
        return (yield from self.force() if force else self.token(refused))

    def force(self) -> Work[Token]:
        """Get the token of a flow that begins from now on, and ignores the present token."""
        with self.lock:
            before = self._running()
        while True:
            with self.lock:
                flow = self._running() or self._begin(force=True)
                wait = flow.wait()
            yield wait
            if flow.ended and flow.force and flow is not before:
                flow.raise_error()
                if flow.token:
                    return flow.token

    def settled(self, work: Work[T]) -> Work[T]:
        """Return work that waits for a flow that runs, if the process may be frozen after it."""
        return self._settled(work) if self._settles else work

    def _settled(self, work: Work[T]) -> Work[T]:
        try:
            result = yield from work
        except Exception:
            yield from self._settle()
            raise
        yield from self._settle()
        return result

    def _settle(self) -> Work[None]:
        waits_for = None
        while True:
            with self.lock:
                flow = self._running()
                if not flow or flow is not (waits_for or flow):
                    return
                waits_for, wait = flow, flow.wait()
            yield wait

    def accept(self, token: str) -> None:
        """Note that the service did not refuse a token."""
        self._worked = token

    def refuse(self, token: str, *, first: bool) -> None:
        """Note that the service refused a token. The next flow replaces it, if none has done so.

        `first`: it was the first 401 of a call that can be sent again.
        """
        with self.lock:
            if self._kept and self._kept.token and self._kept.token.access_token == token:
                self._kept = None
            replaced = self._flow and self._flow.refused and self._flow.refused.token == token
            if not (self._kept or replaced):
                self._refused = Refusal(token, first and token == self._worked)

    def clear(self) -> None:
        """Drop the token, after clear_token. A flow that runs begins anew in the plugin."""
        with self.lock:
            self._kept = None

    def replace(self) -> None:
        """Drop the token, after set_token or at the end. Who waits for a flow begins another."""
        with self.lock:
            self._kept = self._refused = None
            self._abandon()

    def runs(self, flow: "Flow") -> bool:
        """Return whether a flow has not been abandoned."""
        return self._flow is flow

    def publish(self, flow: "Flow", step: Step) -> None:
        """Use the token of a step, which is called before the plugin changes again."""
        with self.lock:
            if self._flow is not flow:
                return
            flow.touch()
            # The service may refuse a token while it is renewed: steps still have it.
            refused = self._refused.token if self._refused else None
            if step.token and step.token.access_token != refused:
                self._kept, self._refused = step, None
                flow.token = step.token
                flow.tokens += 1
                flow.wake()
            if step.step == "done":  # now, because the service may refuse its token
                flow.token = step.token
                self._finish(flow, None)

    def end(self, flow: "Flow", error: Exception) -> None:
        """End a flow for all who wait, unless it has ended or was abandoned."""
        with self.lock:
            if self._flow is flow:
                self._finish(flow, error)

    # The methods below are called with the lock.

    def _running(self) -> "Flow | None":
        if self._flow and self._flow.age() > _MOST_AGE:
            self._abandon()
        return self._flow

    def _abandon(self) -> None:
        flow, self._flow = self._flow, None
        if flow:
            flow.work.cancel()
            flow.wake()

    def _finish(self, flow: "Flow", error: Exception | None) -> None:
        self._flow, flow.ended, flow.error = None, True, error
        flow.wake()

    def _begin(self, *, force: bool) -> "Flow":
        flow = Flow(self, None if force else self._refused, force=force)
        flow.work = self._start(flow)
        self._flow = flow
        if not force:
            self._refused = None
        return flow


class Flow:
    """A token flow of the plugin. It does not end with the call that began it."""

    def __init__(self, holder: Holder, refused: Refusal | None, *, force: bool) -> None:
        self._holder = holder
        self.refused, self.force = refused, force
        self.work: Any = None  # can be canceled
        self._news = holder.event()
        self.token: Token | None = None  # of the last step that had one
        self.tokens = 0  # how many steps had one that calls may use
        self.ended = False
        self.error: Exception | None = None
        self.touch()

    def steps(self) -> Generator[Step, Outcome, None]:
        """Yield the steps to carry out. Whatever ends it, ends it for all who wait."""
        error: Exception = RuntimeError("the token request was ended by your own code")
        failure: Exception | None = None  # why its request has no response
        try:
            refused = self.refused
            fields: dict[str, object] = {"accepts": self._holder.accepts}
            fields |= {"force": True} if self.force else {}
            fields |= {"refused": refused.token, "used": refused.used} if refused else {}
            step = self._call("begin", fields)
            while step.step != "done":
                outcome = yield step
                failure = outcome if isinstance(outcome, Exception) else failure
                if not self._holder.runs(self):
                    return
                step = self._call("resume", {"flow": step.flow, **result_of(outcome)})
        except Exception as raised:  # noqa: BLE001 - those who wait raise it
            error = raised
            if isinstance(failure, FAILURES):
                error.__cause__ = failure
            elif failure:  # a bug of a hook
                error = failure
        finally:
            self._holder.end(self, error)

    def _call(self, export: str, fields: dict[str, object]) -> Step:
        data = json.dumps({**fields, "now": self._holder.now()}).encode()
        step: Step = self._holder.plugin.call(export, data, self._publish)
        return step

    def _publish(self, output: bytes) -> Step:
        step = Step.decode(output)
        self._holder.publish(self, step)
        return step

    def raise_error(self) -> None:
        """Raise the error that ended it, if there is one: a copy, since many callers may get it."""
        if isinstance(self.error, RosteringError):
            raise copy(self.error) from self.error.__cause__
        if self.error:
            raise self.error

    def wait(self) -> Wait:
        """Return the wait for its next token, its end, or until its step is too old."""
        return Wait(self._news, max(_MOST_AGE - self.age(), 0) + 0.01)

    def wake(self) -> None:
        """End the waits. Called with the holder's lock."""
        news, self._news = self._news, self._holder.event()
        news.set()

    def touch(self) -> None:
        """Begin a step."""
        # The monotonic clock may stop with the machine, and a clock may be set back.
        self._began = self._holder.now(), time.monotonic()

    def age(self) -> float:
        """Return the age of its step, by the clock that shows more."""
        now, mono = self._began
        return max(self._holder.now() - now, time.monotonic() - mono)
