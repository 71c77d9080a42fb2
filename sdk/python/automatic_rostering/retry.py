"""Retries calls that may succeed later."""

import asyncio
import inspect
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from .check import check, check_timeout
from .clock import monotonic
from .error import RosteringError

T = TypeVar("T")
_LONGEST = 30.0  # seconds, unless the error asks for more
#: Returns whether to retry after an error.
RetryIf = Callable[[RosteringError], bool]


def retry(call: Callable[[], T], deadline: float | None = 60, retry_if: RetryIf | None = None) -> T:
    """Make a call, retry it while its `RosteringError` is retryable, and return its result.

        jobs = retry(client.list_jobs).json()
        retry(lambda: client.send_request("/jobs/7", method="PUT", json=job), deadline=300)

    The waits are the errors' `retry_after`, or else 1 s, doubling to 30 s. Raises the last error if the wait would end
    later than `deadline` seconds from now; None is no limit. `retry_if` decides in place of the error's `retryable`.
    """
    waits = _Waits(deadline, retry_if)
    while True:
        try:
            result = call()
            if not inspect.isawaitable(result):
                return result
            if inspect.iscoroutine(result):
                result.close()
            raise TypeError("the call is async: use async_retry")
        except RosteringError as error:
            wait = waits.next(error)
        time.sleep(wait)


async def async_retry(
    call: Callable[[], Awaitable[T]], deadline: float | None = 60, retry_if: RetryIf | None = None
) -> T:
    """Make a call of an `AsyncClient` and retry it, as `retry` does."""
    waits = _Waits(deadline, retry_if)
    while True:
        try:
            return await call()
        except RosteringError as error:
            wait = waits.next(error)
        await asyncio.sleep(wait)


class _Waits:
    def __init__(self, deadline: float | None, retry_if: RetryIf | None) -> None:
        check_timeout("deadline", deadline)
        if inspect.iscoroutinefunction(retry_if) or not (retry_if is None or callable(retry_if)):
            raise TypeError("retry_if must be a function that is not async")
        self._retry_if = retry_if or (lambda error: error.retryable)
        self._end = None if deadline is None else monotonic() + deadline
        self._backoff = 1.0

    def next(self, error: RosteringError) -> float:
        """Return the seconds to wait after an error, or raise it."""
        seconds = self._backoff if error.retry_after is None else error.retry_after
        seconds *= 1 + random.random() / 10  # noqa: S311
        self._backoff = min(2 * self._backoff, _LONGEST)
        retries = self._retry_if(error)
        check("what retry_if returns", retries, bool)
        if not retries or (self._end is not None and monotonic() + seconds > self._end):
            raise error
        return seconds
