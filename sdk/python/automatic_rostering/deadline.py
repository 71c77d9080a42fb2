"""The deadline of a call."""

import time


class Deadline:
    """A point in time, so many seconds from now; None means never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left, or None. Raises a TimeoutError if it has passed."""
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        return left

    def expire(self) -> None:
        """Move it to now."""
        self._end = time.monotonic()
