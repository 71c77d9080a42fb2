import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rostering import Client, Ids

from .case import PATIENCE, WASM, ServiceCase
from .service import JOBS, SECRET, Answer, Service


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
        self.assertEqual(self.service.job_requests[0]["AUTHORIZATION"], "Bearer token-1")

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
                headers = self.service.job_requests[-1]
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

    def test_ipv6(self) -> None:
        try:
            service = self.enterContext(Service("::1"))
        except OSError:
            self.skipTest("no IPv6 here")
        self.want_jobs(self.open(auth_url=service.url, base_url=service.url))


class Lifetime(ServiceCase):
    def test_threads_share_one_token(self) -> None:
        threads = 20
        client = self.open()
        with ThreadPoolExecutor(threads) as pool:
            answers = list(pool.map(lambda _: client.list_jobs(), range(threads), timeout=PATIENCE))
        self.assertEqual(answers, [JOBS] * threads)
        self.want_requests(1, threads)

    def test_close_waits_for_the_call_under_way(self) -> None:
        client = self.open()
        arrived, go_on = threading.Event(), threading.Event()

        def answer() -> Answer:
            arrived.set()
            go_on.wait(PATIENCE)
            return 200, JOBS

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
        with Client(WASM, self.config, timeout=None) as client:
            self.want_jobs(client)
        with self.assertRaises(ValueError):
            Client(WASM, self.config, timeout=0)

    def test_not_the_plugin(self) -> None:
        with self.assertRaises(FileNotFoundError):
            Client("none.wasm", self.config)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "other.wasm")
            for content in (b"", b"#!/bin/sh", b"\0asm\1\0\0\0"):
                file.write_bytes(content)
                with self.subTest(content), self.assertRaisesRegex(ValueError, "other.wasm"):
                    Client(file, self.config)


class Secrets(ServiceCase):
    def test_secret_does_not_show(self) -> None:
        client = self.open()
        token = client.get_token()
        for value in (self.config, client, token):
            text = f"{value!r} {value}"
            self.assertNotIn(SECRET, text)
            self.assertNotIn(token.access_token, text)
