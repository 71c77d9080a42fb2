"""Errors are data, of which logs get what is harmless."""

import asyncio
import json
import logging
import os
import pprint
import socket
import ssl
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from typing import Any
from unittest import TestCase, mock

import httpcore
import httpx

from automatic_rostering import AsyncClient, Client, Config, RosteringAuth, RosteringError
from automatic_rostering.proxy import proxies
from automatic_rostering.threads import in_thread

from .service import CONFIG, PATIENCE, Service

HTTP = 80


def error_of(call: Callable[[], object]) -> RosteringError:
    try:
        call()
    except RosteringError as error:
        return error
    raise AssertionError("no error")


class Fields(TestCase):
    def test_reasons_of_a_proxy_and_a_name(self) -> None:
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))

        def refuse() -> None:
            with suppress(OSError):
                while True:
                    with server.accept()[0] as connection:
                        connection.recv(10_000)
                        connection.sendall(b"HTTP/1.1 403 secret\r\n\r\n")

        in_thread(refuse)
        with Client(CONFIG, http=Service().http()) as client:
            self.token = client.get_token()
        busy = server.getsockname()[1]
        for reason, variables in (("proxy", {"https_proxy": f"http://127.0.0.1:{busy}"}), ("name_resolution", {})):
            config = replace(CONFIG, base_url="https://jobs.example")
            resolve = socket.gaierror if reason == "name_resolution" else socket.getaddrinfo
            with (
                self.subTest(reason),
                mock.patch.dict(os.environ, variables),
                mock.patch("socket.getaddrinfo", side_effect=resolve),
            ):
                for call in (partial(self.get, config), partial(self.get_async, config)):
                    error = error_of(call)
                    self.assertEqual((error.code, error.reason, error.retryable), ("network_error", reason, True))
                    self.assertNotIn("secret", str(error))

    def get(self, config: Config) -> None:
        with Client(config, timeout=PATIENCE) as client:
            client.set_token(self.token)
            client.list_jobs()

    def get_async(self, config: Config) -> None:
        async def get() -> None:
            async with AsyncClient(config, timeout=PATIENCE) as client:
                client.set_token(self.token)
                await client.list_jobs()

        asyncio.run(get())

    def test_certificates_that_cannot_be_loaded(self) -> None:
        with mock.patch.dict(os.environ, SSL_CERT_FILE="/none.pem"):
            self.assertRegex(str(error_of(lambda: Client(CONFIG))), "^config_invalid: .*SSL_CERT_FILE.*: No such file")


class Logs(TestCase):
    def test_what_loggers_show_has_no_response(self) -> None:
        service, written = Service(), StringIO()
        service.jobs = lambda: httpx.Response(422, headers={"Set-Cookie": "canary=1"}, text="canary")
        logger = logging.Logger("test")  # noqa: LOG001 - goes with the test
        logger.addHandler(logging.StreamHandler(written))
        with Client(CONFIG, http=service.http()) as client:
            error = error_of(client.list_jobs)
        logger.error("%s %r", error, error, exc_info=error, extra={"error": error})
        texts = [written.getvalue(), pprint.pformat(error), json.dumps(error.to_dict())]
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.assertNotIn("canary", "".join([*texts, *shown.format()]))
        full: Any = error.full()
        self.assertEqual((full["body"], full["headers"]["set-cookie"]), ("canary", "canary=1"))
        self.assertEqual({**full, **error.to_dict()}, full)


class Proxies(TestCase):
    def want(self, url: str, proxy: str | None, **variables: str) -> None:
        with self.subTest(url, **variables), mock.patch.dict(os.environ, variables, clear=True):
            (found,) = proxies([url]).values()
            self.assertEqual(found and str(found.url), proxy)

    def test_exempt_servers(self) -> None:
        at = "http://proxy.example:3128"
        for url, lists in (
            ("https://[::1]", ("",)),
            ("http://localhost:8080", ("",)),
            (
                "https://a.example",
                ("*", "a.example", "example", ".example", "b, a.example", "b a.example", "a.example:443"),
            ),
            ("https://[fd00::7]:8443", ("[fd00::7]", "fd00::7", "fd00::/8", "[fd00::7]:8443")),
            ("https://10.1.2.3", ("10.0.0.0/8", "10.1.2.3")),
        ):
            for no_proxy in lists:
                self.want(url, None, https_proxy=at, http_proxy=at, no_proxy=no_proxy)
        for no_proxy in ("", "b.example", "xample", "[::1]", "10.0.0.0/8", "a.example:8443"):
            self.want("https://a.example", at, https_proxy=at, no_proxy=no_proxy)

    def test_which_variable(self) -> None:
        self.want("https://a.example", "http://b:1", HTTPS_PROXY="b:1", ALL_PROXY="socks://c:1")
        self.want("http://a.example", "socks5://c:1", HTTPS_PROXY="b:1", ALL_PROXY="socks5://c:1")

    def test_invalid_proxy(self) -> None:
        calls: list[Callable[[], object]] = [lambda: Client(CONFIG), lambda: asyncio.run(AsyncClient(CONFIG).open())]
        for proxy in ("socks://c:1", "http://u:canary#canary@c:1", "http://u:canary@c:99999", "http://"):
            for call in calls:
                with self.subTest(proxy), mock.patch.dict(os.environ, {"ALL_PROXY": proxy}, clear=True):
                    error = error_of(call)
                    self.assertRegex(str(error), "^config_invalid: ALL_PROXY must be")
                    self.assertNotIn("canary", str(error))


class Wire(httpcore.MockBackend):
    """Redirects from http to https, and notes what is sent."""

    def __init__(self) -> None:
        super().__init__([])
        self.sent: dict[int, bytes] = {}

    def connect_tcp(self, host: str, port: int, **_: Any) -> Any:  # type: ignore[override]  # noqa: ARG002
        response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        if port == HTTP:
            response = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: https://localhost/jobs\r\n\r\n"
        stream: Any = httpcore.MockStream([response])
        self.sent[port] = b""

        def write(data: bytes, timeout: float | None = None) -> None:  # noqa: ARG001 - as httpcore has it
            self.sent[port] += data

        stream.write = write
        return stream


class Upgrades(TestCase):
    def test_token_stays_on_its_scheme(self) -> None:
        wire, service = Wire(), Service()
        transport = httpx.HTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        transport._pool = httpcore.ConnectionPool(network_backend=wire)
        with (
            Client(replace(CONFIG, base_url="http://localhost"), http=service.http()) as client,
            httpx.Client(transport=transport, auth=RosteringAuth(client), follow_redirects=True) as http,
        ):
            self.assertEqual(http.get("http://localhost/jobs").status_code, 200)
        self.assertEqual([port for port, data in wire.sent.items() if b"Bearer" in data], [HTTP])
        self.assertEqual(list(wire.sent), [HTTP, 443])
