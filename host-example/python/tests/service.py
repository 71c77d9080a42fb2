"""An identity provider and a service in one, on loopback."""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs

SECRET = "s3cr3t/+ &"
JOBS = b'[{"id":1}]'

# Status and body. None closes the connection instead.
Answer = tuple[int, bytes] | None


class Service:
    """Counts its requests. A test may replace how it answers between calls."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.token_requests: list[dict[str, str]] = []
        self.job_requests: list[dict[str, str]] = []
        self.mend()
        self._server = _Server((address, 0), _Handler)
        self._server.service = self
        host = f"[{address}]" if ":" in address else address
        self.url = f"http://{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def mend(self) -> None:
        """Have it answer well again. Each token is another one."""
        self.token_answer: Callable[[], Answer] = self._good_token
        self.jobs_answer: Callable[[], Answer] = lambda: (200, JOBS)

    def _good_token(self) -> Answer:
        if self.token_requests[-1]["client_secret"] != SECRET:
            return 401, b'{"error":"invalid_client","error_description":"unknown"}'
        token = f"token-{len(self.token_requests)}"
        answer = {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}
        return 200, json.dumps(answer).encode()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    service: Service

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.server.service.token_requests.append(form)
        self._send(self.server.service.token_answer())

    def do_GET(self) -> None:
        headers = {name.upper(): value for name, value in self.headers.items()}
        self.server.service.job_requests.append(headers)
        self._send(self.server.service.jobs_answer())

    def _send(self, answer: Answer) -> None:
        if answer is None:
            return  # HTTP/1.0: the connection is closed
        status, body = answer
        with suppress(ConnectionError):  # a client that waits no longer
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
