"""Makes the plugin's calls by its exports begin and resume: the host sends the requests."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import extism
import httpx

from .deadline import Deadline
from .error import RosteringError
from .plugin import call_export
from .send import send
from .step import Step


class Driver:
    """One instance of the plugin, whose requests `http` sends. Any number of threads may use it.

    They take turns at the instance, which is busy for microseconds. Who asks for a token keeps
    the turn until it is there, so that the others find it. `timeout` bounds one call in seconds,
    with its waiting for turns; None is no bound. `clock` gives Unix seconds.
    """

    def __init__(
        self,
        plugin: extism.Plugin,
        http: httpx.Client,
        *,
        timeout: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._plugin = plugin
        self._http = http
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()

    def call(self, call: str, fields: Mapping[str, object]) -> bytes:
        """Make a call that sends requests. Gives what the export of that name gives."""
        deadline = Deadline(self._timeout)
        with self._turn(deadline):
            step = self._past_token(self._begin(call, fields), deadline)
        body = b""
        while request := step.request:
            answer = send(self._http, request, deadline)  # in nobody's turn: many at once
            body = answer.body
            with self._turn(deadline):
                step = self._past_token(self._resume(step.flow, answer.fields(request)), deadline)
        return body if step.output is None else json.dumps(step.output).encode()

    def tell(self, export: str, data: str) -> None:
        """Call an export that sends no request."""
        with self._turn(Deadline(self._timeout)):
            call_export(self._plugin, export, data)

    def _past_token(self, step: Step, deadline: Deadline) -> Step:
        """Give the step itself, or if it is a token request, make that and give the one after."""
        while (request := step.request) and request.asks_for_token:
            answer = send(self._http, request, deadline)
            step = self._resume(step.flow, answer.fields(request))
        return step

    def _begin(self, call: str, fields: Mapping[str, object]) -> Step:
        return self._step("begin", {"call": call, "input": {"now": self._now(), **fields}})

    def _resume(self, flow: object, answer: Mapping[str, object]) -> Step:
        return self._step("resume", {"flow": flow, "now": self._now(), **answer})

    def _step(self, export: str, fields: Mapping[str, object]) -> Step:
        return Step.decode(call_export(self._plugin, export, json.dumps(fields)))

    def _now(self) -> int:
        return int(self._clock())

    @contextmanager
    def _turn(self, deadline: Deadline) -> Iterator[None]:
        left = deadline.left()
        if not self._lock.acquire(timeout=-1 if left is None else left):
            raise RosteringError("network_error", str(deadline), retryable=True)
        try:
            yield
        finally:
            self._lock.release()
