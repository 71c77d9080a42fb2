import os
import subprocess
import sys

from . import PATIENCE
from .case import ServiceCase

# A parent that opens a client, and a child that opens its own, as a worker of `gunicorn --preload`
# does. The child's end is that of a program, not os._exit.
PROGRAM = """
import os, sys
from automatic_rostering import Client, Config
config = Config.from_env()
client = Client(config)
client.list_jobs()
client.list_jobs()  # the next one would need no plugin
if os.fork() == 0:
    try:
        client.list_jobs()
    except RuntimeError as error:
        print(error, flush=True)
    client.close()
    with Client(config) as own:
        own.list_jobs()
    print("in a buffer")
    sys.exit(7)
_, status = os.wait()
client.list_jobs()
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Fork(ServiceCase):
    def test_child_of_a_process_with_a_client(self) -> None:
        ended = subprocess.run(  # noqa: S603
            # Python 3.12 warns of os.fork.
            [sys.executable, "-W", "ignore", "-c", PROGRAM],
            env={**os.environ, **self.sandbox.env},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        want = "the client was opened before a fork: open one in each process\nin a buffer\n"
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (7, want, ""))
        self.want_requests(2, 4)
