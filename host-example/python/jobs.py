"""The minimal program. README.md lists the environment variables."""

import os

from main import read_config
from rostering import Client, RosteringError

config = read_config(os.environ)
# snippet
with Client(config) as client:  # one per process, for all threads
    try:
        jobs = client.list_jobs().json()
    except RosteringError as error:
        print(error)
        if error.retryable:
            print(f"call again in {error.retry_after or 1} s")
    else:
        print(jobs)
# end of snippet
