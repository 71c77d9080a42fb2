"""The clocks. They ignore freezegun, which stops those of `time` in some frames only."""

import time
from functools import partial

if hasattr(time, "clock_gettime"):
    wall = partial(time.clock_gettime, time.CLOCK_REALTIME)
    monotonic = partial(time.clock_gettime, time.CLOCK_MONOTONIC)
else:
    wall, monotonic = partial(time.time), partial(time.monotonic)
