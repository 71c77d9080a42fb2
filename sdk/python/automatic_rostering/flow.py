"""The flow that gets a token from the plugin, apart from the calls that wait for it."""

import json
import random
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from .clock import monotonic
from .error import RosteringError
from .exchange import because, exchange
from .step import Failure, Outcome, Request, Step, result_of
from .store import carry_out
from .token import Token

if TYPE_CHECKING:
    from .holder import Holder

#: The age in seconds at which a step is abandoned. None takes that long, unless the process was frozen.
_MAX_AGE = 30.0


class Refusal(NamedTuple):
    """A token that the service refused."""

    token: str
    used: bool  # as in the contract


class Flow:
    """A token flow of the plugin, whose steps it carries out."""

    def __init__(self, holder: "Holder", refused: Refusal | None, *, force: bool) -> None:
        self._holder = holder
        self.refused, self.force = refused, force  # how it begins
        self.work: Any = None  # can be canceled, once it has started
        self.news: Any = holder.io.event()  # set when there is a token, and at the end
        self.token: Token | None = None  # of the last step that had one
        self.tokens = 0  # how many steps had one that calls may use
        self.writes = False  # whether its step writes to the store
        self.ended = False  # also if it was abandoned
        self.error: Exception | None = None  # with which it ended
        self.touch()

    async def run(self) -> None:
        """Carry it out. Whatever ends it, ends it for all who wait."""
        holder = self._holder
        error: Exception = RuntimeError("the token request was ended by your own code")
        response: Outcome = {}  # the last one, or why none came
        fields: dict[str, object] = {"accepts": ["wait"] if holder.store is None else ["store", "wait"]}
        if self.force:
            fields["force"] = True
        if self.refused:
            fields |= {"refused": self.refused.token, "used": self.refused.used}
        try:
            step = self._ask("begin", fields)
            while step["step"] != "done":
                outcome = await self._carry_out(step)
                if holder.flow is not self:  # abandoned
                    return
                response = outcome if step["step"] == "request" else response
                result = result_of(outcome)
                failed = step["step"] == "store" and "failed" in result
                step = self._ask("resume", {"flow": step["flow"], **result}, warns=failed)
        except Exception as raised:  # noqa: BLE001 - those who wait raise it
            error = because(raised, response)
        finally:
            holder.end(self, error)
            holder.plugin.write_log()  # not before, as a log handler may make a call, which waits

    def _ask(self, export: str, fields: dict[str, object], *, warns: bool = False) -> Step:
        """Return the next step, which is published before the plugin's state changes again."""
        data = json.dumps({**fields, "now": self._holder.now()}).encode()
        step: Step = self._holder.plugin.call(export, data, self._publish, warns=warns)
        return step

    def _publish(self, output: bytes) -> Step:
        step: Step = json.loads(output)
        self._holder.publish(self, step)
        return step

    async def _carry_out(self, step: Step) -> Outcome:
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
        # At random, so that the clients of a store do not all look at once.
        await io.wait(never, step["seconds"] * (1 + random.random() / 2))  # noqa: S311
        return {}

    def raise_error(self) -> None:
        """Raise the error that ended it, if there is one: a copy, since many callers may get it."""
        if isinstance(self.error, RosteringError):
            raise copy(self.error) from self.error.__cause__
        if self.error:
            raise self.error

    async def wait(self, news: Any) -> None:  # noqa: ANN401 - an event
        """Wait for news, or until its step is too old."""
        await self._holder.io.wait(news, max(self._left(), 0) + 0.01)

    def wake(self) -> None:
        """End the waits. Called with the holder's lock."""
        news, self.news = self.news, self._holder.io.event()
        news.set()

    def touch(self) -> None:
        """Begin a step."""
        # The monotonic clock may stop with the machine, and a clock may be set back.
        self._began = self._holder.now(), monotonic()

    def is_stale(self) -> bool:
        """Return whether its step is too old: then it is abandoned (rule 6)."""
        return self._left() < 0

    def _left(self) -> float:
        """Return the seconds until its step is too old, by the clock that shows less."""
        now, mono = self._began
        return _MAX_AGE - max(self._holder.now() - now, monotonic() - mono)
