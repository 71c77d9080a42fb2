import unittest
from unittest import mock

from automatic_rostering import RosteringError, retry


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
