"""A program of docs/operations.md, whose test is in test_watch.py."""

# snippet
from collections.abc import Callable

import httpx
from prometheus_client import Histogram

from automatic_rostering import RosteringError

SECONDS = Histogram("rostering_call_seconds", "time of a call", ["outcome"])


def timed(call: Callable[[], httpx.Response]) -> httpx.Response:  # timed(client.list_jobs)
    with SECONDS.time() as timer:
        try:
            response = call()
        except BaseException as error:
            timer.labels(error.code if isinstance(error, RosteringError) else "canceled")
            raise
        timer.labels(str(response.status_code))
        return response
        # end of snippet
