import asyncio
import unittest
from functools import partial
from typing import Any
from unittest import mock

from automatic_rostering import AsyncClient, RosteringError, async_retry, retry

from .service import CONFIG


class Retry(unittest.TestCase):
    """The clock stands still, except in waits."""

    def want_waits(self, jitter: float, *waits: float, retry_after: int | None = None) -> None:
        error = RosteringError("network_error", "m", retryable=True, retry_after=retry_after)
        call = mock.Mock(side_effect=[*[error] * len(waits), "result"])
        with (
            mock.patch("automatic_rostering.retry.monotonic", return_value=0),
            mock.patch("time.sleep") as sleep,
            mock.patch("random.random", return_value=jitter),
        ):
            self.assertEqual(retry(call), "result")
        self.assertEqual([round(wait.args[0], 3) for wait in sleep.mock_calls], [*waits])

    def test_backoff(self) -> None:
        self.want_waits(0, 1, 2, 4, 8, 16, 30, 30)

    def test_jitter(self) -> None:
        self.want_waits(0.5, 1.05, 2.1)
        self.want_waits(0.5, 10.5, 10.5, retry_after=10)

    def test_async_call_needs_async_retry(self) -> None:
        async def call() -> None:
            self.fail("it began")

        others: list[Any] = [call, AsyncClient(CONFIG).list_jobs]
        for other in others:
            with self.assertRaisesRegex(TypeError, "^the call is async: use async_retry$"):
                retry(other)

    def test_predicate_that_is_async(self) -> None:
        async def retry_if(_: object) -> bool:
            return True

        wrong: list[Any] = [retry_if, lambda _: 1, 7]
        error = RosteringError("network_error", "m", retryable=True)
        for kind, call in ((retry, mock.Mock), (async_retry, mock.AsyncMock)):
            for predicate in wrong:
                run: Any = partial(kind, call(side_effect=error), retry_if=predicate)
                with self.assertRaisesRegex(TypeError, "retry_if"):
                    run() if kind is retry else asyncio.run(run())
