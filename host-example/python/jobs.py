"""Prints the jobs of the user whom the ROSTERING_* variables name."""

# snippet
import sys

from automatic_rostering import Client, Config, RosteringError

try:
    with Client(Config.from_env()) as client:  # one per process, for all threads
        print(client.list_jobs().text)
except RosteringError as error:
    sys.exit(f"{error}\n{(error.body or '')[:500]}".strip())  # explains how to fix it
# end of snippet
