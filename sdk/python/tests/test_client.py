import gzip
import logging
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import httpx

from automatic_rostering import Client, Token
from automatic_rostering.plugin import BUNDLED

from .case import InLoop, ServiceCase

JOBS = b'[{"id":1}]'
PIECES = [b"a" * 70_000, b"b"]


def read_once() -> Iterator[bytes]:
    yield from PIECES


async def read_once_async() -> AsyncIterator[bytes]:
    for piece in PIECES:
        yield piece


class Calls(ServiceCase):
    #: Makes a body of two pieces that can be read once.
    read_once: ClassVar[Any] = staticmethod(read_once)

    def test_response(self) -> None:
        body = b64encode(gzip.compress(JOBS)).decode()
        headers = {"Content-Encoding": "gzip", "X-Trace": "t"}
        self.sandbox.fault("jobs", status=201, headers=headers, body_base64=body)
        response = self.open().list_jobs()
        self.assertEqual((response.status_code, response.json()), (201, [{"id": 1}]))
        self.assertEqual((response.content, response.text), (JOBS, JOBS.decode()))
        self.assertEqual(response.headers["X-Trace"], "t")
        self.assertNotIn("Authorization", response.request.headers)
        self.want_requests(1, 1)

    def test_head(self) -> None:
        self.sandbox.fault("jobs", status=204, headers={"Content-Encoding": "gzip"})
        self.assertEqual(self.open().send_request("/", method="HEAD").content, b"")

    def test_request(self) -> None:
        headers = MappingProxyType({"X-Trace": " \tt "})
        client = self.open()
        self.sandbox.fault("jobs", status=200)
        client.send_request("/jobs/7?full=true", headers=headers, customer_id="c2", user_id=None)
        request = self.sandbox.job_requests()[0]
        self.assertEqual((request["method"], request["target"]), ("GET", "/jobs/7?full=true"))
        bearer = f"Bearer {client.get_token().access_token}"
        want = {"authorization": bearer, "customer_id": "c2", "x-trace": "t"}
        self.assertEqual(request["headers"], request["headers"] | want)
        self.assertNotIn("user_id", request["headers"])

    def test_bodies_that_are_sent_again(self) -> None:
        client = self.open()
        for body, want in (
            ("grün", "grün".encode()),
            (b"\xff", b"\xff"),
            (lambda: b"made", b"made"),
            (self.read_once, b"".join(PIECES)),
        ):
            with self.subTest(body):
                client.get_token(force=True)
                self.sandbox.fault("jobs", status=401, requests=1)
                error = self.want_error("service_error", partial(self.post, client, body))
                self.assertEqual(error.status, 405)  # no fault: /jobs takes no POST
                self.want_bodies(want, want)

    def test_body_that_can_be_read_once(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", status=201)
        self.post(client, self.read_once())
        self.sandbox.fault("jobs", status=401)
        error = self.want_error("service_unauthorized", lambda: self.post(client, self.read_once()))
        self.assertEqual((error.status, error.retryable), (401, True))
        self.sandbox.fault("jobs", status=201)
        self.post(client, self.read_once())
        self.want_bodies(*[b"".join(PIECES)] * 3)
        self.want_requests(2, 3)

    def post(self, client: Client, body: Any) -> None:
        client.send_request("/jobs", method="POST", body=body)

    def want_bodies(self, *bodies: bytes) -> None:
        for request, body in zip(self.sandbox.job_requests()[-len(bodies) :], bodies, strict=True):
            self.assertEqual(request["length"], len(body))
            self.assertEqual(request["body"], body[:8192].decode(errors="replace"))

    def test_token(self) -> None:
        client = self.open()
        token = client.get_token(now=1_900_000_000)
        want = datetime.fromtimestamp(1_900_003_600, UTC)
        self.assertEqual((token.token_type, token.expires_at), ("Bearer", want))
        self.assertEqual(client.get_token(now=1_900_000_001), token)
        self.assertNotEqual(client.get_token(force=True, now=1_900_000_001), token)

    def test_refused_token(self) -> None:
        client = self.open()
        refused = self.open().get_token()
        client.set_token(refused)
        token = client.get_token(refused=refused.access_token)
        self.assertNotEqual(token.access_token, refused.access_token)
        self.assertEqual(client.get_token(refused=refused.access_token), token)
        self.want_requests(2, 0)

    def test_token_of_another_client(self) -> None:
        text = self.open().get_token().to_json()
        for form in (Client, InLoop):
            with form(self.config) as client:
                client.set_token(Token.from_json(text))
                client.list_jobs()
        self.want_requests(1, 2)
        wrong = replace(Token.from_json(text), cache_key="other")
        self.want_error("token_mismatch", lambda: self.open().set_token(wrong))

    def test_what_is_not_a_token(self) -> None:
        for text in ("", "a-token", "[]", "{}", '{"access_token":"a","expires_at":"a"}'):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "^not a token") as caught:
                Token.from_json(text)
            self.assertIsNone(caught.exception.__context__)


class Failures(ServiceCase):
    def test_token_endpoint(self) -> None:
        client = self.open(config={"client_secret": "a wrong secret"})
        error = self.want_error("token_endpoint_rejected", client.list_jobs)
        self.assertEqual(error.oauth_error, "invalid_client")
        self.assertTrue(error.oauth_error_description)

    def test_input(self) -> None:
        client = self.open()
        for wrong in ("a\nb", ""):
            call = partial(client.list_jobs, customer_id=wrong)
            self.assertEqual(self.want_error("invalid_input", call).key, "customer_id")
        with self.assertRaises(UnicodeEncodeError):
            client.send_request("/", method="POST", body="\ud800")
        with self.assertRaisesRegex(ValueError, "timeout"):
            client.list_jobs(timeout=0)

    def test_no_answer(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", cut_off=True)
        error = self.want_error("network_error", client.list_jobs)
        self.assertRegex(error.message, "RemoteProtocolError")
        self.sandbox.clear_faults()
        client.list_jobs()

    def test_answer_that_is_too_large(self) -> None:
        self.sandbox.fault("jobs", status=200, body=JOBS.decode())
        self.assertEqual(self.open(max_body=len(JOBS)).list_jobs().content, JOBS)
        error = self.want_error("network_error", self.open(max_body=len(JOBS) - 1).list_jobs)
        self.assertIn("more than 9 bytes", error.message)
        self.sandbox.fault("jobs", status=500, body="a" * 70_000)
        error = self.want_error("service_error", self.open(max_body=64 << 10).list_jobs)
        self.assertTrue(error.body_truncated)

    def test_timeout(self) -> None:
        client = self.open()
        client.get_token()
        self.sandbox.fault("jobs", hold=True)
        error = self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        self.assertEqual((error.message, error.retryable), ("timed out after 0.2 s", True))
        self.sandbox.clear_faults()
        client.list_jobs(timeout=None)


class Lifetime(ServiceCase):
    def test_close(self) -> None:
        client = self.open()
        client.list_jobs()
        client.close()
        client.close()
        for later in (client.list_jobs, client.clear_token):
            with self.assertRaisesRegex(RuntimeError, "the client is closed"):
                later()

    def test_http_client_of_your_own(self) -> None:
        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        http = kind(auth=("a", "b"), follow_redirects=True, headers={"X-Program": "mine"})
        client = self.open(http=http)
        client.list_jobs()
        headers = self.sandbox.job_requests()[0]["headers"]
        self.assertEqual(headers["authorization"], f"Bearer {client.get_token().access_token}")
        self.assertEqual(headers["x-program"], "mine")
        self.sandbox.fault("jobs", status=307, headers={"Location": "/other"})
        self.assertEqual(self.want_error("service_error", client.list_jobs).status, 307)
        client.close()
        self.assertFalse(http.is_closed)
        client.wait(http.aclose()) if isinstance(client, InLoop) else http.close()

    def test_cookies_are_not_kept(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", status=200, headers={"Set-Cookie": "of=customer-1"})
        client.list_jobs()
        client.list_jobs()
        self.assertNotIn("cookie", self.sandbox.job_requests()[1]["headers"])

    def test_log(self) -> None:
        logger, other = logging.getLogger("first"), logging.getLogger("second")
        client, silent = self.open(logger=logger), self.open(logger=other)
        with self.assertLogs(logger, logging.DEBUG) as logs, self.assertNoLogs(other):
            client.get_token()
        self.assertRegex(logs.output[0], "^DEBUG:first:HTTP 200 to POST 127.0.0.1")
        silent.close()

    def test_secrets_are_not_shown(self) -> None:
        client = self.open()
        token = client.get_token()
        for value in (self.config, client, token):
            for secret in (self.config.client_secret, token.access_token):
                self.assertNotIn(secret, f"{value!r} {value}")

    def test_plugin_of_your_own(self) -> None:
        for plugin in (BUNDLED, str(BUNDLED), BUNDLED.read_bytes()):
            self.open(plugin=plugin).list_jobs()
        with self.assertRaises(FileNotFoundError):
            self.open(plugin="none.wasm")
        with self.assertRaisesRegex(ValueError, "^cannot load the plugin: "):
            self.open(plugin=b"#!/bin/sh")


class AsyncCalls(Calls):
    form = InLoop
    read_once = staticmethod(read_once_async)


class AsyncFailures(Failures):
    form = InLoop


class AsyncLifetime(Lifetime):
    form = InLoop
