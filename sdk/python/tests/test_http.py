"""The program's own HTTP client, and values as httpx takes them."""

import asyncio
import copy
import gc
import pickle
import socket
import ssl
import tempfile
import threading
import time
import unittest
from contextlib import closing
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from pathlib import Path
from traceback import TracebackException, format_exception
from typing import Any
from unittest import mock

import httpx

from automatic_rostering import AsyncClient, Client, RosteringAuth, RosteringError
from automatic_rostering.threads import Threads, in_thread

from .service import CONFIG, PATIENCE, Service

RECORD = 16 << 10  # bytes, the most in one of TLS
ANOTHER = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n["another"]'
SENT = httpx.ByteStream(b"[]")
span: ContextVar[str] = ContextVar("span", default="none")


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.service, self.now = Service(), time.time()

    def open(self, **options: Any) -> Client:
        return self.enterContext(Client(CONFIG, http=self.service.http(**options), clock=lambda: self.now))


class NameThatIsNotFound(Case):
    def test_a_lookup_that_does_not_end(self) -> None:
        """Nothing bounds it, but the call ends at its timeout."""
        free, ended, lookup = threading.Event(), threading.Event(), socket.getaddrinfo

        def look_up(host: Any, *args: Any, **options: Any) -> Any:
            if host == "jobs.example.com":
                free.wait(PATIENCE)
                ended.set()
            return lookup("127.0.0.1", *args, **options)

        token = self.open().get_token()
        self.addCleanup(free.set)
        with mock.patch("socket.getaddrinfo", look_up), Client(CONFIG) as client:
            client.set_token(token)
            with self.assertRaises(RosteringError) as raised:
                client.list_jobs(timeout=0.1)
        self.assertEqual(raised.exception.reason, "timeout")
        self.assertFalse(ended.is_set())


class Given(Case):
    """The HTTP client that the program passes."""

    def test_its_settings(self) -> None:
        options: dict[str, Any] = {"auth": ("a", "b"), "follow_redirects": True}
        http = self.service.http(**options, headers={"X-Program": "mine"})
        with Client(CONFIG, http=http) as client:
            client.list_jobs()
            self.service.jobs = lambda: httpx.Response(307, headers={"Location": "/other"})
            with self.assertRaisesRegex(RosteringError, "status 307"):
                client.list_jobs()
        for sent in self.service.requests:
            self.assertEqual(sent.headers["authorization"], "Bearer token-0001")
            self.assertEqual(sent.headers["x-program"], "mine")
        self.assertFalse(http.is_closed)

    def test_every_request_has_the_context_of_its_call(self) -> None:
        seen = []

        def note(_: object) -> None:
            seen.append(span.get())

        async def play() -> None:
            async def note_async(request: object) -> None:
                note(request)

            http = self.service.async_http(event_hooks={"request": [note_async]})
            async with AsyncClient(CONFIG, http=http) as client:
                await client.list_jobs()

        self.addCleanup(span.reset, span.set("the call's"))
        self.open(event_hooks={"request": [note]}).list_jobs()
        asyncio.run(play())
        self.assertEqual(seen, ["the call's"] * 4)


class Own(Case):
    """The HTTP client that a client makes."""

    def test_connection_reads_by_name(self) -> None:
        """As httpcore does to speak to a SOCKS proxy."""
        stream = mock.Mock(read=lambda max_bytes, timeout: (max_bytes, timeout))
        Threads()._trace([], "connection.connect_tcp.complete", {"return_value": stream})
        self.assertEqual(stream.read(max_bytes=2, timeout=1), (2, 1))

    def test_response_to_no_request_in_tls(self) -> None:
        """The surplus response comes in a separate TLS record. The suite's hostile servers have no TLS.

        The host has a trailing dot, which is no part of the name that TLS has.
        """
        tls = [ssl.SSLContext(kind) for kind in (ssl.PROTOCOL_TLS_SERVER, ssl.PROTOCOL_TLS_CLIENT)]
        for context in tls:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("AECDH-AES256-SHA:@SECLEVEL=0")  # without certificates
        names = set[str | None]()
        tls[0].sni_callback = lambda _, name, __: names.add(name)
        server = tls[0].wrap_socket(socket.create_server(("127.0.0.1", 0)), server_side=True)
        self.enterContext(closing(server))
        self.addCleanup(server.shutdown, socket.SHUT_RDWR)  # ends its thread
        resolve = socket.getaddrinfo
        self.enterContext(
            mock.patch("socket.getaddrinfo", lambda _, *more, **named: resolve("127.0.0.1", *more, **named))
        )
        url = f"https://idp.example.:{server.getsockname()[1]}"
        config = replace(CONFIG, auth_url=url, base_url=url)
        in_thread(lambda: self.serve(server))
        seen: list[str] = []

        async def call() -> None:
            async with AsyncClient(config) as client:
                seen.extend([(await client.list_jobs()).json() for _ in range(2)])

        with mock.patch("automatic_rostering.exchange._tls", return_value=tls[1]):
            with Client(config) as client:
                seen.extend([client.list_jobs().json() for _ in range(2)])
            asyncio.run(call())
        self.assertEqual((seen, names), ([["mine"]] * 4, {"idp.example"}))

    def test_handshake_that_is_left_is_closed(self) -> None:
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        server.settimeout(PATIENCE)

        async def play() -> None:
            async with AsyncClient(replace(CONFIG, auth_url=f"https://127.0.0.1:{server.getsockname()[1]}")) as client:
                call = asyncio.create_task(client.get_token())
                connection = (await asyncio.to_thread(server.accept))[0]
                with connection:
                    connection.settimeout(PATIENCE)
                    while len(await asyncio.to_thread(connection.recv, 10_000)) == 0:
                        pass
                    client._shared.holder.flow.work.cancel()  # type: ignore[union-attr]
                    self.assertEqual(await asyncio.to_thread(connection.recv, 10_000), b"")
                call.cancel()

        gc.disable()
        self.addCleanup(gc.enable)
        asyncio.run(play())

    def serve(self, server: socket.socket) -> None:
        """Respond to each request, and once more."""
        token = self.service.new_token().content
        while True:
            connection = server.accept()[0]
            in_thread(partial(self.respond, connection, token))

    def respond(self, connection: socket.socket, token: bytes) -> None:
        with connection:
            while request := connection.recv(10_000):
                body = b'["mine"]' if request.startswith(b"GET") else token
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX: " % len(body)
                head += b"x" * (RECORD - len(head + body) - 4)
                for corked in 1, 0:  # both records in one segment
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, corked)
                    if corked:
                        connection.sendall(head + b"\r\n\r\n" + body + ANOTHER)


class Forms(Case):
    def test_function_that_opens_a_body(self) -> None:
        files = []
        path = Path(self.enterContext(tempfile.TemporaryDirectory()), "body")
        path.write_bytes(b"of a file")

        def body() -> Any:
            files.append(path.open("rb"))
            return files[-1]

        def refuse() -> httpx.Response:
            bodies.append(self.service.requests[-1].read())
            return httpx.Response(401 if len(bodies) == 1 else 200)

        bodies: list[bytes] = []
        self.service.jobs = refuse
        client = self.open()
        client.get_token()
        self.now += 60  # a younger token is not replaced
        client.send_request("/jobs", method="PUT", content=body)
        self.assertEqual(bodies, [b"of a file"] * 2)
        self.assertEqual([file.closed for file in files], [True] * 2)

    def test_secrets_are_not_shown(self) -> None:
        client = self.open()
        token = client.get_token()
        shown = f"{CONFIG!r} {client!r} {token!r} {token}"
        self.assertNotIn(CONFIG.client_secret, shown)
        self.assertNotIn(token.access_token, shown)
        self.assertNotIn("Authorization", client.list_jobs().request.headers)

    def test_variables_in_a_traceback(self) -> None:
        """Tools show them. Other tracebacks are checked by the suite's adapter."""
        token = self.open().get_token()
        config = replace(CONFIG, client_id="another")
        self.service.token = lambda: httpx.Response(503)
        with Client(config, http=self.service.http()) as client:
            for call in (
                lambda: client.set_token(token),
                lambda: client.set_secret(f"\n{token.access_token}"),
                lambda: client.get_token(refused=token.access_token),
            ):
                try:
                    call()
                except RosteringError as error:
                    shown = TracebackException.from_exception(error, capture_locals=True)
                    text = "".join(shown.format())
                    self.assertIn("client = <", text)
                    self.assertNotIn(token.access_token, text)
                else:
                    self.fail("no error")

    def test_cause_that_quotes_the_request(self) -> None:
        def respond(request: httpx.Request) -> Any:
            if request.url.path != "/jobs":
                return self.service.respond(request)
            error = failure(f"cannot send {dict(request.headers)}")
            vars(error)["sent"] = f"{request.headers}"
            raise error from ValueError(f"{request.headers}")

        for failure in (httpx.ConnectError, httpx.InvalidURL, OSError, ConnectionResetError):
            http = httpx.Client(transport=httpx.MockTransport(respond))
            with self.subTest(failure), Client(CONFIG, http=http) as client:
                token = client.get_token().access_token
                with self.assertRaises(RosteringError) as caught:
                    client.list_jobs()
                cause = caught.exception.__cause__
                self.assertIs(type(cause), failure)
                self.assertIn("[redacted]", str(caught.exception))
                shown = f"{''.join(format_exception(caught.exception))} {vars(cause)}"
                self.assertNotIn(token, shown)

    def test_client_cannot_be_pickled(self) -> None:
        for client in (self.open(), AsyncClient(CONFIG)):
            for copied in (pickle.dumps, copy.copy):
                with self.assertRaisesRegex(TypeError, "open one in each process, from a Config$"):
                    copied(client)
        self.assertEqual(pickle.loads(pickle.dumps(CONFIG)), CONFIG)  # noqa: S301

    def test_copies_of_an_error(self) -> None:
        error = RosteringError("service_error", "m", retryable=True, status=503, body="b")
        for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301
            self.assertEqual((other.to_dict(), str(other)), (error.to_dict(), str(error)))


class Codings(Case):
    def test_what_is_no_coding_has_no_effect(self) -> None:
        for name in ("UTF-8", "none", "8bit", ""):
            self.service.jobs = partial(httpx.Response, 200, headers={"Content-Encoding": name}, text="[]")
            with self.subTest(name):
                self.assertEqual(self.open().list_jobs().json(), [])
        for name in ("br", "gzip, utf-8, gzip", "x-gzip"):
            self.service.jobs = partial(httpx.Response, 200, headers={"Content-Encoding": name}, stream=SENT)
            with self.subTest(name), self.assertRaises(RosteringError) as caught:
                self.open().list_jobs()
            self.assertIsInstance(caught.exception.__cause__, httpx.DecodingError)


class Auth(Case):
    """`RosteringAuth`."""

    def test_request_that_is_sent_again(self) -> None:
        refused = httpx.Response(401, stream=httpx.ByteStream(b"no"))
        responses = iter([refused, httpx.Response(200), httpx.Response(200)])
        self.service.jobs = lambda: next(responses)

        def token() -> httpx.Response:
            # Its connection must be free, as the HTTP client may have one alone.
            self.assertEqual(refused.is_closed, self.service.tokens > 1)
            return self.service.new_token()

        self.service.token = token
        client = self.open()
        client.get_token()
        self.now += 60  # a younger token is not replaced
        http = self.service.http(base_url=CONFIG.base_url, auth=RosteringAuth(client))
        request = http.build_request("GET", "/jobs")
        for _ in range(2):
            self.assertEqual(http.send(request).status_code, 200)
            self.assertNotIn("Authorization", request.headers)
        self.assertEqual(self.service.tokens, 2)

    def test_the_other_kind_of_client(self) -> None:
        async def get() -> None:
            http = self.service.async_http(auth=RosteringAuth(self.open()))
            await http.get(f"{CONFIG.base_url}")

        with self.assertRaisesRegex(TypeError, "needs an AsyncClient, not a Client"):
            asyncio.run(get())
        http = self.service.http(auth=RosteringAuth(AsyncClient(CONFIG)))
        with self.assertRaisesRegex(TypeError, "needs a Client, not an AsyncClient"):
            http.get(f"{CONFIG.base_url}")
