import json
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rostering import Client, HttpxClient, Ids, RosteringError, Token

from .case import PATIENCE, THREADS, WASM, ServiceCase
from .service import JOBS, SECRET, Answer, Request, Service


class Calls(ServiceCase):
    def test_first_call_and_cached_call(self) -> None:
        client = self.open()
        self.want_jobs(client)
        self.want_requests(1, 1)
        self.want_jobs(client)
        self.want_requests(1, 2)

    def test_requests_are_those_of_the_config(self) -> None:
        self.want_jobs(self.open(environment=None, scope="own"))
        form = {
            "grant_type": "client_credentials",
            "client_id": "client",
            "client_secret": SECRET,
            "scope": "own",
        }
        self.assertEqual(self.service.token_requests, [form])
        self.assertEqual(self.service.job_requests[0].headers["AUTHORIZATION"], "Bearer token-1")

    def test_ids(self) -> None:
        client = self.open()
        cases: list[tuple[Ids, str | None, str | None]] = [
            ({}, "customer", "user"),
            ({"customer_id": "c2"}, "c2", "user"),
            ({"user_id": "u2"}, "customer", "u2"),
            ({"customer_id": None, "user_id": None}, None, None),
        ]
        for ids, customer, user in cases:
            with self.subTest(ids=ids):
                client.list_jobs(**ids)
                headers = self.service.job_requests[-1].headers
                self.assertEqual(headers.get("CUSTOMER_ID"), customer)
                self.assertEqual(headers.get("USER_ID"), user)

    def test_token(self) -> None:
        client = self.open(base_url=None, customer_id=None, user_id=None)  # not needed
        first = client.get_token()
        self.assertEqual((first.access_token, first.token_type), ("token-1", "Bearer"))
        left = first.expires_at - datetime.now(UTC)
        self.assertTrue(timedelta() < left <= timedelta(hours=1), left)
        self.assertEqual(client.get_token(), first)
        self.assertEqual(client.get_token(force=True).access_token, "token-2")

    def test_own_request(self) -> None:
        body = self.open().send_request(
            "/jobs/7?full=true",
            method="POST",
            headers={"Content-Type": "text/plain", "X-Trace": "t"},
            body="grün",
            customer_id="c2",
            user_id=None,
        )
        self.assertEqual(body, JOBS)
        self.want_requests(1, 1)
        request = self.service.job_requests[0]
        self.assertEqual((request.method, request.path), ("POST", "/jobs/7?full=true"))
        self.assertEqual(request.body, "grün".encode())
        want = {
            "AUTHORIZATION": "Bearer token-1",
            "CUSTOMER_ID": "c2",
            "CONTENT-TYPE": "text/plain",
            "X-TRACE": "t",
        }
        self.assertEqual(request.headers, request.headers | want)
        self.assertNotIn("USER_ID", request.headers)

    def test_own_request_that_leads_elsewhere(self) -> None:
        with self.assertRaises(RosteringError) as caught:
            self.open().send_request("//other.example.com/jobs")
        self.assertEqual((caught.exception.code, caught.exception.key), ("invalid_input", "path"))
        self.want_requests(0, 0)

    def test_ipv6(self) -> None:
        try:
            service = self.enterContext(Service("::1"))
        except OSError:
            self.skipTest("no IPv6 here")
        self.want_jobs(self.open(auth_url=service.url, base_url=service.url))


class Sharing(ServiceCase):
    def test_token_of_another_client(self) -> None:
        for other in (Client, HttpxClient):
            with self.subTest(other), other(WASM, self.config) as first:
                self.service.token_requests.clear()
                stored = first.get_token().to_json()
                client = self.open()
                client.set_token(Token.from_json(stored))
                self.want_jobs(client)
                self.assertEqual(client.get_token(), Token.from_json(stored))
                self.assertEqual(len(self.service.token_requests), 1)

    def test_token_that_does_not_fit(self) -> None:
        client = self.open()
        token = client.get_token()
        for wrong in (
            replace(token, expires_at=datetime.now(UTC) - timedelta(seconds=1)),
            self.open(client_id="other").get_token(),
        ):
            with self.assertRaises(RosteringError) as caught:
                client.set_token(wrong)
            self.assertEqual(caught.exception.code, "token_mismatch")
            self.assertNotIn(token.access_token, str(caught.exception))
        self.assertEqual(client.get_token(), token)

    def test_forgotten_token(self) -> None:
        client = self.open()
        client.clear_token()
        self.want_jobs(client)
        client.clear_token()
        self.assertEqual(client.get_token().access_token, "token-2")

    def test_forgotten_wait(self) -> None:
        client = self.open()
        self.service.token_answer = lambda: Answer(500, b"")
        self.want_error(client, "token_endpoint_unavailable")
        self.service.mend()
        client.clear_token()
        self.want_jobs(client)

    def test_what_is_no_token(self) -> None:
        good = {"access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k"}
        self.assertEqual(json.loads(Token.from_json(json.dumps(good)).to_json()), good)
        for text in ("", "a-token", "[]", "{}", json.dumps(good | {"expires_at": "a"})):
            with self.subTest(text), self.assertRaises(ValueError) as caught:
                Token.from_json(text)
            self.assertEqual(str(caught.exception), "this is no token object")
            self.assertIsNone(caught.exception.__context__)


class Lifetime(ServiceCase):
    def test_threads_share_one_token(self) -> None:
        client = self.open()
        self.assertEqual(self.at_once(client.list_jobs), [JOBS] * THREADS)
        self.want_requests(1, THREADS)

    def test_close_waits_for_the_call_under_way(self) -> None:
        client = self.open()
        arrived, go_on = threading.Event(), threading.Event()

        def answer(_: Request) -> Answer:
            arrived.set()
            go_on.wait(PATIENCE)
            return Answer(200, JOBS)

        self.service.jobs_answer = answer
        with ThreadPoolExecutor(2) as pool:
            call = pool.submit(client.list_jobs)
            self.assertTrue(arrived.wait(PATIENCE))
            close = pool.submit(client.close)
            self.assertFalse(close.done())
            go_on.set()
            self.assertEqual(call.result(PATIENCE), JOBS)
            close.result(PATIENCE)

    def test_closed_client(self) -> None:
        client = self.open()
        self.want_jobs(client)
        client.close()
        client.close()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            client.list_jobs()

    def test_timeout_that_is_none(self) -> None:
        with self.form(WASM, self.config, timeout=None) as client:
            self.want_jobs(client)
        with self.assertRaises(ValueError):
            self.form(WASM, self.config, timeout=0)

    def test_not_the_plugin(self) -> None:
        with self.assertRaises(FileNotFoundError):
            self.form("none.wasm", self.config)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "other.wasm")
            for content in (b"", b"#!/bin/sh", b"\0asm\1\0\0\0"):
                file.write_bytes(content)
                with self.subTest(content), self.assertRaisesRegex(ValueError, "other.wasm"):
                    self.form(file, self.config)


class Secrets(ServiceCase):
    def test_secret_does_not_show(self) -> None:
        client = self.open()
        token = client.get_token()
        for value in (self.config, client, token):
            text = f"{value!r} {value}"
            self.assertNotIn(SECRET, text)
            self.assertNotIn(token.access_token, text)


class HttpxCalls(Calls):
    form = HttpxClient


class HttpxSharing(Sharing):
    form = HttpxClient


class HttpxLifetime(Lifetime):
    form = HttpxClient


class HttpxSecrets(Secrets):
    form = HttpxClient
