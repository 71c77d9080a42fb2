"""A Redis server on loopback."""

import os
import shutil
import socket
import subprocess
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from . import PATIENCE


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis server that stores nothing on disk, and yield its URL."""
    program = shutil.which("redis-server")
    if not program and os.environ.get("CI") != "true":
        raise unittest.SkipTest("redis-server is missing: apt-get install redis-server")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    options = f"--bind 127.0.0.1 --port {port} --save --appendonly no".split()
    command = [program or "redis-server", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603
        try:
            wait_for(port)
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.kill()


def wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise TimeoutError
