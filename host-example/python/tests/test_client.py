import gzip
import logging
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import httpx

from rostering import Client, Token

from .case import PATIENCE, InLoop, ServiceCase
from .service import JOBS, SECRET, Answer, Request, jobs

PIECES = [b"a" * 70_000, b"b"]


def read_once() -> Iterator[bytes]:
    yield from PIECES


async def read_once_async() -> AsyncIterator[bytes]:
    for piece in PIECES:
        yield piece


class Calls(ServiceCase):
    #: Gives a body of two pieces that can be read once.
    read_once: ClassVar[Any] = staticmethod(read_once)

    def test_response(self) -> None:
        headers = {"Content-Encoding": "gzip", "X-Trace": "t"}
        self.service.jobs_answer = lambda _: Answer(201, gzip.compress(JOBS), headers)
        response = self.open().list_jobs()
        self.assertEqual((response.status_code, response.json()), (201, [{"id": 1}]))
        self.assertEqual((response.content, response.text), (JOBS, JOBS.decode()))
        self.assertEqual(response.headers["X-Trace"], "t")
        self.assertNotIn("Authorization", response.request.headers)
        self.want_requests(1, 1)

    def test_head(self) -> None:
        self.service.jobs_answer = lambda _: Answer(204, headers={"Content-Encoding": "gzip"})
        self.assertEqual(self.open().send_request("/", method="HEAD").content, b"")

    def test_request(self) -> None:
        headers = MappingProxyType({"X-Trace": " \tt "})
        client = self.open()
        client.send_request("/jobs/7?full=true", headers=headers, customer_id="c2", user_id=None)
        request = self.service.job_requests[0]
        self.assertEqual((request.method, request.path), ("GET", "/jobs/7?full=true"))
        want = {"AUTHORIZATION": "Bearer token-number-1", "CUSTOMER_ID": "c2", "X-TRACE": "t"}
        self.assertEqual(request.headers, request.headers | want)
        self.assertNotIn("USER_ID", request.headers)

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
                self.service.refuse_once()
                client.send_request("/jobs", method="POST", body=body)
                self.assertEqual([r.body for r in self.service.job_requests[-2:]], [want] * 2)

    def test_body_that_can_be_read_once(self) -> None:
        client = self.open()
        client.send_request("/jobs", method="POST", body=self.read_once())
        self.service.refuse_once()
        error = self.want_error(
            "service_unauthorized",
            lambda: client.send_request("/jobs", method="POST", body=self.read_once()),
        )
        self.assertEqual(error.status, 401)
        client.send_request("/jobs", method="POST", body=self.read_once())
        self.assertEqual(self.service.job_requests[-1].body, b"".join(PIECES))
        self.want_requests(2, 3)

    def test_token(self) -> None:
        client = self.open()
        token = client.get_token(now=1_900_000_000)
        want = datetime.fromtimestamp(1_900_003_600, UTC)
        self.assertEqual((token.token_type, token.expires_at), ("Bearer", want))
        self.assertEqual(client.get_token(now=1_900_000_001), token)
        self.assertNotEqual(client.get_token(force=True, now=1_900_000_001), token)

    def test_refused_token(self) -> None:
        client = self.open()
        client.set_token(self.open().get_token())
        self.assertEqual(client.get_token(refused="token-number-1").access_token, "token-number-2")
        self.assertEqual(client.get_token(refused="token-number-1").access_token, "token-number-2")
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
    def test_service(self) -> None:
        self.service.jobs_answer = lambda _: Answer(403, b"x" * (70 << 10))
        error = self.want_error("service_error", self.open().list_jobs)
        self.assertEqual((error.status, error.retryable), (403, False))
        self.assertEqual((error.body, error.body_truncated), ("x" * (64 << 10), True))

    def test_token_endpoint(self) -> None:
        client = self.open(config={"client_secret": "a wrong secret"})
        error = self.want_error("token_endpoint_rejected", client.list_jobs)
        self.assertEqual(
            (error.oauth_error, error.oauth_error_description), ("invalid_client", "unknown")
        )

    def test_config_and_input(self) -> None:
        client = self.open(config={"environment": "test"})
        self.assertEqual(self.want_error("config_invalid", client.list_jobs).key, "environment")
        client = self.open()
        error = self.want_error("invalid_input", lambda: client.list_jobs(customer_id="a\nb"))
        self.assertEqual(error.key, "customer_id")
        with self.assertRaises(UnicodeEncodeError):
            client.send_request("/", method="POST", body="\ud800")
        with self.assertRaisesRegex(ValueError, "timeout"):
            client.list_jobs(timeout=0)

    def test_no_answer(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: None
        error = self.want_error("network_error", client.list_jobs)
        self.assertRegex(error.message, "RemoteProtocolError")
        self.service.jobs_answer = jobs
        self.assertEqual(client.list_jobs().content, JOBS)

    def test_answer_that_is_too_large(self) -> None:
        self.assertEqual(self.open(max_body=len(JOBS)).list_jobs().content, JOBS)
        error = self.want_error("network_error", self.open(max_body=len(JOBS) - 1).list_jobs)
        self.assertIn("more than 9 bytes", error.message)

    def test_timeout(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)
        client = self.open()
        client.get_token()
        self.service.jobs_answer = lambda _: Answer(200) if release.wait(PATIENCE) else None
        error = self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        self.assertEqual((error.message, error.retryable), ("timed out after 0.2 s", True))
        release.set()
        client.list_jobs(timeout=None)

    def test_timeout_does_not_end_the_token_request(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)
        client = self.open()
        self.service.token_answer = lambda: self.service.token() if release.wait(PATIENCE) else None
        self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        release.set()
        client.list_jobs()
        self.want_requests(1, 1)


class Lifetime(ServiceCase):
    def test_close_waits_for_calls(self) -> None:
        arrived, release = threading.Event(), threading.Event()

        def answer(_: Request) -> Answer:
            arrived.set()
            release.wait(PATIENCE)
            return Answer(200, JOBS)

        client = self.open()
        self.service.jobs_answer = answer
        with ThreadPoolExecutor(2) as pool:
            self.addCleanup(release.set)
            call = pool.submit(client.list_jobs)
            self.assertTrue(arrived.wait(PATIENCE))
            close = pool.submit(client.close)
            self.assertFalse(close.done())
            release.set()
            self.assertEqual(call.result(PATIENCE).content, JOBS)
            close.result(PATIENCE)
        client.close()
        for later in (client.list_jobs, client.clear_token):
            with self.assertRaisesRegex(RuntimeError, "the client is closed"):
                later()

    def test_http_client_of_your_own(self) -> None:
        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        http = kind(auth=("a", "b"), follow_redirects=True, headers={"X-Program": "mine"})
        client = self.open(http=http)
        client.list_jobs()
        headers = self.service.job_requests[0].headers
        self.assertEqual(headers["AUTHORIZATION"], "Bearer token-number-1")
        self.assertEqual(headers["X-PROGRAM"], "mine")
        self.service.jobs_answer = lambda _: Answer(307, headers={"Location": "/other"})
        self.assertEqual(self.want_error("service_error", client.list_jobs).status, 307)
        client.close()
        self.assertFalse(http.is_closed)
        client.wait(http.aclose()) if isinstance(client, InLoop) else http.close()

    def test_cookies_are_not_kept(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: Answer(200, JOBS, {"Set-Cookie": "of=customer-1"})
        client.list_jobs()
        client.list_jobs()
        self.assertNotIn("COOKIE", self.service.job_requests[1].headers)

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
            self.assertNotRegex(f"{value!r} {value}", f"{SECRET}|{token.access_token}")

    def test_not_the_plugin(self) -> None:
        with self.assertRaises(FileNotFoundError):
            self.open(plugin="none.wasm")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "other.wasm")
            for content in (b"", b"#!/bin/sh", b"\0asm\1\0\0\0"):
                file.write_bytes(content)
                with self.subTest(content), self.assertRaisesRegex(ValueError, "other.wasm"):
                    self.open(plugin=file)


class AsyncCalls(Calls):
    form = InLoop
    read_once = staticmethod(read_once_async)


class AsyncFailures(Failures):
    form = InLoop


class AsyncLifetime(Lifetime):
    form = InLoop
