"""The clocks. They ignore freezegun, which stops those of `time` in some frames only, and time-machine."""

import sys
import time
from contextlib import suppress
from functools import partial

if hasattr(time, "clock_gettime"):
    _wall = partial(time.clock_gettime, time.CLOCK_REALTIME)
    monotonic = partial(time.clock_gettime, time.CLOCK_MONOTONIC)
else:
    _wall, monotonic = partial(time.time), partial(time.monotonic)


def wall() -> float:
    """Return the time in Unix seconds."""
    hatch = getattr(sys.modules.get("time_machine"), "escape_hatch", None)
    with suppress(ValueError):  # it does not travel
        if hatch:
            return float(hatch.time.time())
    return _wall()
