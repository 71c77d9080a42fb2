"""Work that continues after its caller has left."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import TypeVar

T = TypeVar("T")


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Run something in a daemon thread, which does not keep the program from ending.

    It has the caller's context variables, as a task does: tracing finds the caller's span there.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - future.result raises it
            end = partial(future.set_exception, error)
        else:
            end = partial(future.set_result, result)
        with suppress(InvalidStateError):  # its caller has left
            end()

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return future
