"""One call, step by step: the plugin decides the steps, a client performs them. No I/O here."""

import json
import random
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from http import HTTPStatus
from io import IOBase
from typing import Any, cast

import httpx

from .error import RosteringError
from .plugin import AnyEvent, Plugin
from .step import FAILURES, Outcome, Step
from .token import Token

Content = str | bytes | Iterable[bytes]
AsyncContent = str | bytes | AsyncIterable[bytes]
#: A request body. What can be read only once, such as a generator or an open file, cannot be sent
#: again after a 401. A function that opens it can: lambda: open(path, "rb").
Body = Content | Callable[[], Content]
AsyncBody = AsyncContent | Callable[[], AsyncContent]
AnyContent = Content | AsyncContent | None
AnyBody = Body | AsyncBody | None


@dataclass(eq=False, repr=False)
class Call:
    """A call of an export, made by `begin` and `resume`.

    `clock` returns the time for `now`; `body` is sent if the input has `"body": true`.
    """

    plugin: Plugin
    export: str
    input: Mapping[str, object]
    store: bool
    clock: Callable[[], int]
    body: AnyBody = None
    #: Whether it renews the token in the background.
    is_renewal: bool = False
    #: Whether the plugin asked for `renewal` to be made in the background.
    renews: bool = field(default=False, init=False)
    _step: Step | None = field(default=None, init=False)
    _response: httpx.Response | None = field(default=None, init=False)

    def begin(self) -> Step:
        """Return the first step."""
        kept, now = self.plugin.kept, self.clock()
        key = self.export, json.dumps(self.input)
        self._step = kept.find(key, now)
        if self._step:
            return self._step
        # Read first: the plugin may change before the step is kept.
        generation = kept.generation
        accepts = ["wait"] + ["store"] * self.store + ["renew"] * (not self.is_renewal)
        data = {"call": self.export, "accepts": accepts, "input": {**self.input, "now": now}}
        until, step = self._next("begin", data, changes="refused" in self.input)
        if until:
            kept.keep(key, step, until, generation)
        return step

    def renewal(self) -> "Call":
        """Return the call that renews the token in the background."""
        return Call(self.plugin, "get_token", {}, self.store, self.clock, is_renewal=True)

    def resume(self, outcome: Outcome) -> Step:
        """Return the next step, after this outcome of the last one."""
        step, fields, cause = cast(Step, self._step), outcome, None
        if isinstance(outcome, httpx.Response):
            accepted = outcome.is_success or outcome.status_code == HTTPStatus.NOT_MODIFIED
            if step.kind == "service":
                self._response = outcome
                if step.last and accepted:
                    return Step("done", result=outcome)
            fields = {"status": outcome.status_code, "headers": dict(outcome.headers)}
            if step.kind == "token" or not accepted:
                fields["body"] = outcome.content.decode(errors="replace")
            if outcome.status_code == HTTPStatus.UNAUTHORIZED and self._sent_once(step):
                fields["repeatable"] = False
        elif isinstance(outcome, Exception):
            fields, cause = {"failed": _reason(outcome)}, outcome
        data = {"flow": step.flow, "now": self.clock(), **cast(dict[str, object], fields)}
        try:
            return self._next("resume", data)[1]
        except RosteringError as error:
            if cause and not isinstance(cause, FAILURES):
                raise cause from None
            error.__cause__ = cause
            if isinstance(outcome, httpx.Response) and self._response is outcome:
                error.headers = outcome.headers
            raise

    @contextmanager
    def content(self, step: Step) -> Iterator[AnyContent]:
        """Yield the body of a request, and close it if it was opened here."""
        body = step.body if step.body is not True else self.body
        if not callable(body):
            yield body
            return
        content = body()
        with content if isinstance(content, IOBase) else nullcontext():
            yield content

    def _sent_once(self, step: Step) -> bool:
        """Return whether this was a request to the service, with a body that can be read once."""
        sent = step.kind == "service" and step.body is True
        return sent and isinstance(self.body, Iterator | AsyncIterator)

    def _next(self, export: str, data: object, *, changes: bool = True) -> tuple[float, Step]:
        """Return the next step, and the time until which it may be kept, or 0."""
        # Read first: the call to wait for may end before the wait begins.
        section_ended = self.plugin.section_ended
        fields = json.loads(self.plugin.call(export, json.dumps(data).encode(), changes=changes))
        until, self.renews = fields.pop("until", 0), fields.pop("renew", False)
        self._step = self._decode(section_ended, fields)
        return until, self._step

    def _decode(self, section_ended: AnyEvent, fields: dict[str, Any]) -> Step:
        kind, reason, flow = fields["step"], fields.get("for"), fields.get("flow")
        if kind == "wait":
            seconds, until = fields["seconds"], section_ended
            if reason != "call":  # jitter, so that the clients of a store do not all look at once
                seconds *= 1 + random.random() / 2  # noqa: S311
                until = self.plugin.canceled
            return Step("wait", flow, seconds=seconds, until=until)
        if kind == "store":
            arguments = tuple(fields[name] for name in ("key", "value", "ttl") if name in fields)
            return Step("store", flow, fields["timeout"], op=fields["op"], arguments=arguments)
        if kind == "done":
            output = fields.get("output")
            return Step("done", result=Token.from_fields(output) if output else self._response)
        about = {name: fields[name] for name in ("timeout", "limit", "last") if name in fields}
        return Step("token" if reason == "token" else "service", flow, **fields["request"], **about)


def _reason(error: Exception) -> str:
    """Return why there is no response. The plugin redacts it."""
    text = str(error) or ("timed out" if isinstance(error, TimeoutError) else "")
    return f"{type(error).__name__}: {text}"
