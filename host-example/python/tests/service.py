"""An identity provider and a service in one, on loopback."""

import json
import threading
from collections.abc import Callable
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
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def jobs(_: Request) -> Answer:
    return Answer(200, JOBS)


class Service:
    """Records its requests. A test may replace how it answers; None closes the connection."""

    def __init__(self) -> None:
        self.token_requests: list[dict[str, str]] = []
        self.job_requests: list[Request] = []
        self.token_answer: Callable[[], Answer | None] = self.token
        self.jobs_answer: Callable[[Request], Answer | None] = jobs
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.service = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def token(self) -> Answer:
        """Answer a token request well. Each token is a new one."""
        if self.token_requests[-1]["client_secret"] != SECRET:
            return Answer(401, b'{"error":"invalid_client","error_description":"unknown"}')
        token = f"token-number-{len(self.token_requests)}"
        answer = {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}
        return Answer(200, json.dumps(answer).encode())

    def refuse_once(self) -> None:
        """Answer the next request to the service with a 401."""

        def refuse(_: Request) -> Answer:
            self.jobs_answer = jobs
            return Answer(401)

        self.jobs_answer = refuse

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
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        service = self.server.service
        if self.path == "/connect/token":
            form = {name: values[0] for name, values in parse_qs(self._body().decode()).items()}
            service.token_requests.append(form)
            self._send(service.token_answer())
            return
        headers = {name.upper(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self._body())
        service.job_requests.append(request)
        self._send(service.jobs_answer(request))

    do_HEAD = do_POST = do_GET  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size + 2)[:-2]
        self.rfile.readline()
        return body

    def _send(self, answer: Answer | None) -> None:
        if answer is None:
            self.close_connection = True
            return
        with suppress(ConnectionError):  # a client that has left
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
