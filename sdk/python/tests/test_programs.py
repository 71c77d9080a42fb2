import subprocess
import sys
import unittest
from typing import Any

from .service import PATIENCE

# A parent that opens a client, and a child that opens its own, as a worker of `gunicorn --preload`
# does. The child ends as a program does, not by os._exit.
PROGRAM = """
import os, sys
from automatic_rostering import Client
from tests.service import CONFIG, Service
client = Client(CONFIG, http=Service().http())
client.list_jobs()
client.list_jobs()  # the next one would need no plugin
if os.fork() == 0:
    try:
        client.list_jobs()
    except RuntimeError as error:
        print(error, flush=True)
    client.close()
    service = Service()
    with Client(CONFIG, http=service.http()) as own:
        own.list_jobs()
    print(f"{service.tokens} token in a buffer")
    sys.exit(7)
_, status = os.wait()
client.list_jobs()
sys.exit(os.waitstatus_to_exitcode(status))
"""

# Programs that forget to close a client, whose renewal hangs.
FORGETS = """
import time
from automatic_rostering import Client
from tests.service import CONFIG, PATIENCE, Service
now, service = time.time(), Service()
client = Client(CONFIG, http=service.http(), clock=lambda: now)
client.list_jobs()
service.token = lambda: time.sleep(3 * PATIENCE)
now += 3550
client.list_jobs()
"""
FORGETS_ASYNC = """
import asyncio, time
from automatic_rostering import AsyncClient
from tests.service import CONFIG, PATIENCE, Service
now, service = time.time(), Service()
async def main():
    global now
    client = await AsyncClient(CONFIG, http=service.async_http(), clock=lambda: now).open()
    await client.list_jobs()
    service.token = lambda: asyncio.sleep(3 * PATIENCE)
    now += 3550
    await client.list_jobs()
asyncio.run(main())
"""


FORGETS_AWAIT = """
import asyncio
from automatic_rostering import AsyncClient
from tests.service import CONFIG, Service
async def main():
    async with AsyncClient(CONFIG, http=Service().async_http()) as client:
        client.list_jobs()
        client.for_user("eve").get_token()
    client.close()
asyncio.run(main())
"""


# A program whose calls begin when Python ends, which starts no more threads then.
AT_EXIT = """
import atexit
from automatic_rostering import Client
from tests.service import CONFIG, Service
class Late:
    def __init__(self):
        self.client = Client(CONFIG, http=Service().http(), timeout=5)
        self.print = print
    def call(self):
        self.print(self.client.get_token().token_type)
    __del__ = call
late = Late()
atexit.register(late.call)
"""

# A program whose daemon threads stop at its end while they hold the client's lock, and run a flow.
STOPPED_AT_EXIT = """
import threading, time, types
from automatic_rostering import Client
from tests.service import CONFIG, Service
stops = threading.Event()
def stopping():
    if threading.current_thread() is not threading.main_thread() and not stops.is_set():
        stops.set()
        time.sleep(60)
    return time.time()
class Late:
    def __init__(self):
        # This copy has other globals: a running function keeps its globals, and late would be one of them.
        clock = types.FunctionType(stopping.__code__, {{"threading": threading, "time": time, "stops": stops}})
        self.client = Client(CONFIG, http=Service().http(), timeout=5, clock=clock)
        self.print = print
    def __del__(self):
        self.print(self.client.get_token().token_type)
late = Late()
threading.Thread(target=late.client.{call}, daemon=True).start()
stops.wait()
"""

# A signal handler that asks for the status, at many moments.
IN_HANDLER = """
import signal
from automatic_rostering import Client
from tests.service import CONFIG, Service
with Client(CONFIG, http=Service().http()) as client:
    signal.signal(signal.SIGALRM, lambda *_: client.status())
    for n in range(400):
        signal.setitimer(signal.ITIMER_REAL, 1e-5 * (n + 1))
        client.list_jobs()
        client.get_token(force=True)
    signal.setitimer(signal.ITIMER_REAL, 0)
"""


class Programs(unittest.TestCase):
    def run_program(self, program: str, *options: str, seconds: float = PATIENCE, code: int = 0) -> Any:
        """Run a program, which ends with a code, and return what it wrote."""
        command = [sys.executable, *options, "-c", program]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)  # noqa: S603
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended

    def test_await_that_is_forgotten(self) -> None:
        shown = self.run_program(FORGETS_AWAIT, "-W", "default").stderr
        for name in ("list_jobs", "get_token", "close"):
            self.assertIn(f"coroutine 'AsyncClient.{name}' was never awaited", shown)

    def test_calls_at_exit(self) -> None:
        ended = self.run_program(AT_EXIT)
        self.assertEqual(ended.stdout, "Bearer\n" * 2, ended.stderr)

    def test_threads_that_stop_at_exit(self) -> None:
        for call in "get_token", "status":  # within the lock of the holder, and of the plugin
            ended = self.run_program(STOPPED_AT_EXIT.format(call=call))
            self.assertEqual(ended.stdout, "Bearer\n", ended.stderr)

    def test_status_in_a_signal_handler(self) -> None:
        # 800 token and service requests, which take long on a busy machine.
        self.run_program(IN_HANDLER, seconds=5 * PATIENCE)

    def test_renewal_does_not_hold_a_program(self) -> None:
        for program in FORGETS, FORGETS_ASYNC:
            self.run_program(program)

    def test_child_of_a_process_with_a_client(self) -> None:
        ended = self.run_program(PROGRAM, "-W", "ignore", code=7)  # Python 3.12 warns of os.fork
        want = "the client was opened before a fork: open one in each process\n1 token in a buffer\n"
        self.assertEqual((ended.stdout, ended.stderr), (want, ""))
