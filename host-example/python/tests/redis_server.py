"""Servers in the place of Redis, on loopback."""

import os
import shutil
import socket
import subprocess
import threading
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile

from .case import PATIENCE
from .until import until

PASSWORD = "p:/@ssword"
ESCAPED = "p%3A%2F%40ssword"
# What the README says that the user needs.
RULES = "~rostering:* -@all +get +getrange +set +eval +del"


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a real one, which keeps nothing. Gives its address."""
    program = shutil.which("redis-server")
    if not program and os.environ.get("CI") != "true":
        raise unittest.SkipTest("redis-server is missing: apt-get install redis-server")
    with TemporaryFile("w+") as config:
        port = _free_port()
        config.write(f'bind 127.0.0.1\nport {port}\nsave ""\nappendonly no\nuser default off\n')
        config.write(f"user rostering on >{PASSWORD} {RULES}\n")
        config.seek(0)
        with subprocess.Popen(  # noqa: S603
            [program or "redis-server", "-"], stdin=config, stdout=subprocess.DEVNULL
        ) as server:
            try:
                until(lambda: _listens(port))
                yield f"redis://rostering:{ESCAPED}@127.0.0.1:{port}"
            finally:
                server.kill()


class Stub:
    """A server that gives the same answer to each command, or none; it counts connections."""

    def __init__(self, answer: bytes = b"") -> None:
        self.connections = 0
        self.open = 0
        self._answer = answer
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Stop to listen."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self.connections += 1
                self.open += 1
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while received := connection.recv(1 << 16):
                commands = received.count(b"\r\n*") + received.startswith(b"*")
                connection.sendall(self._answer * commands)
        self.open -= 1


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except OSError:
        return False
    return True
