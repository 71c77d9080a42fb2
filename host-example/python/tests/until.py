"""Waits that have an end."""

import time
from collections.abc import Callable

from .case import PATIENCE


def until(met: Callable[[], object]) -> None:
    """Wait until something is so. A TimeoutError if it is not in time."""
    end = time.monotonic() + PATIENCE
    while not met():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)
