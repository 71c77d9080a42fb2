"""Who may still come in, and who is inside."""

import threading
from types import TracebackType


class Gate:
    """Each call is made in a `with` statement, until the gate is closed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def close(self) -> None:
        """Let nobody in any more, and wait until nobody is inside."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._inside)

    def __enter__(self) -> None:
        """Come in. A RuntimeError if the gate is closed."""
        with self._changed:
            if self._closed:
                raise RuntimeError("the client is closed")
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Go out."""
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
