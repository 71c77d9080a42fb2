"""When a call must be over."""

import time


class Deadline:
    """So many seconds from now; None is never."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        """Give the seconds left, 0 at least; None is no bound."""
        return None if self._end is None else max(self._end - time.monotonic(), 0)

    def check(self) -> None:
        """Raise a TimeoutError if it has passed."""
        if self.left() == 0:
            raise TimeoutError(str(self))

    def __str__(self) -> str:
        """Say what has passed with it."""
        return f"no answer within {self._timeout:g} s"
