"""An identity provider and a service in one, on loopback."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs

SECRET = "s3cr3t/+ &"
JOBS = b'[{"id":1}]'


@dataclass
class Request:
    """A request to the service. The headers' names are in upper case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """An answer. A body in pieces has no length announced."""

    status: int
    body: bytes | Iterator[bytes]
    headers: dict[str, str] = field(default_factory=dict)


def jobs(_: Request) -> Answer:
    """Answer well."""
    return Answer(200, JOBS)


class Service:
    """Counts its requests. A test may replace how it answers; None closes the connection."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.connections = 0
        self.lifetime = 3600
        self.token_requests: list[dict[str, str]] = []
        self.job_requests: list[Request] = []
        self.mend()
        self._server = _Server((address, 0), _Handler)
        self._server.service = self
        host = f"[{address}]" if ":" in address else address
        self.url = f"http://{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def mend(self) -> None:
        """Have it answer well again. Each token is another one."""
        self.token_answer: Callable[[], Answer | None] = self._good_token
        self.jobs_answer: Callable[[Request], Answer | None] = jobs

    def _good_token(self) -> Answer:
        if self.token_requests[-1]["client_secret"] != SECRET:
            return Answer(401, b'{"error":"invalid_client","error_description":"unknown"}')
        token = f"token-{len(self.token_requests)}"
        answer = {"access_token": token, "expires_in": self.lifetime, "token_type": "Bearer"}
        return Answer(200, json.dumps(answer).encode())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    service: Service
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server.service.connections += 1

    def do_POST(self) -> None:
        if self.path != "/connect/token":
            self.do_GET()
            return
        form = {name: values[0] for name, values in parse_qs(self._body().decode()).items()}
        self.server.service.token_requests.append(form)
        self._send(self.server.service.token_answer())

    def do_GET(self) -> None:
        headers = {name.upper(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self._body())
        self.server.service.job_requests.append(request)
        self._send(self.server.service.jobs_answer(request))

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _send(self, answer: Answer | None) -> None:
        if answer is None:
            self.close_connection = True
            return
        with suppress(ConnectionError):  # a client that waits no longer
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if isinstance(answer.body, bytes):
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            else:
                self.send_header("Connection", "close")
                self.end_headers()
                for piece in answer.body:
                    self.wfile.write(piece)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
