import asyncio
import unittest
from collections.abc import Callable
from unittest import mock

from automatic_rostering import RosteringError, async_retry, retry


def failure(retry_after: int | None = None, *, retryable: bool = True) -> RosteringError:
    return RosteringError("network_error", "m", retryable=retryable, retry_after=retry_after)


class Retry(unittest.TestCase):
    """The clock stands still, except in waits."""

    def setUp(self) -> None:
        self.now, self.waits = 0.0, list[float]()
        self.jitter = 0.0
        clock = self.enterContext(mock.patch("automatic_rostering.retry.time"))
        clock.monotonic = lambda: self.now
        clock.sleep = self.sleep
        self.enterContext(mock.patch("random.random", side_effect=lambda: self.jitter))

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.now += seconds

    def play(self, *results: object, deadline: float | None = 60) -> object:
        return retry(mock.Mock(side_effect=results), deadline)

    def test_retry(self) -> None:
        self.assertEqual(self.play(failure(7), failure(), failure(1), "result"), "result")
        self.assertEqual(self.waits, [7, 2, 1])

    def test_retry_backs_off(self) -> None:
        failures = [failure() for _ in range(7)]
        self.assertEqual(self.play(*failures, "result", deadline=None), "result")
        self.assertEqual(self.waits, [1, 2, 4, 8, 16, 30, 30])

    def test_retry_has_jitter(self) -> None:
        self.jitter = 0.5
        self.play(failure(), failure(10), "result")
        self.assertEqual(self.waits, [1.05, 10.5])

    def test_retry_not(self) -> None:
        final = failure(retryable=False)
        self.want_raised(final, lambda: self.play(failure(), final))
        self.assertEqual(self.waits, [1])
        self.want_raised(KeyError(), lambda: self.play(KeyError()))

    def test_retry_until_the_deadline(self) -> None:
        late = failure(54)
        self.want_raised(late, lambda: self.play(failure(7), late))
        self.assertEqual(self.waits, [7])
        self.assertEqual(self.play(failure(7), failure(53), "result"), "result")

    def want_raised(self, error: Exception, play: Callable[[], object]) -> None:
        with self.assertRaises(type(error)) as caught:
            play()
        if isinstance(error, RosteringError):
            self.assertIs(caught.exception, error)


class AsyncRetry(Retry):
    def setUp(self) -> None:
        super().setUp()
        sleep = mock.AsyncMock(side_effect=self.sleep)
        self.enterContext(mock.patch("automatic_rostering.retry.asyncio.sleep", sleep))

    def play(self, *results: object, deadline: float | None = 60) -> object:
        return asyncio.run(async_retry(mock.AsyncMock(side_effect=results), deadline))
