"""Work that continues after its caller has left."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Run something in a daemon thread, which does not keep the program from ending."""
    future: Future[T] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - future.result raises it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
