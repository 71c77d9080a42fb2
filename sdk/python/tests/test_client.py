import gzip
import logging
import os
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar
from unittest import mock

import httpx

from automatic_rostering import Client, Token, __version__
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
    #: Makes a body of two pieces that can be read only once.
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

    def test_not_modified(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", status=304, headers={"ETag": '"7"'})
        for _ in range(2):  # the first has requested the token
            response = client.send_request("/jobs", headers={"If-None-Match": '"7"'})
            self.assertEqual((response.status_code, response.headers["ETag"]), (304, '"7"'))
        self.want_requests(1, 2)

    def test_json_body(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", status=200)
        send = partial(client.send_request, "/jobs", method="PUT")
        for value, want in (
            ({"a": "grün"}, '{"a":"grün"}'),
            ([], "[]"),
            (0, "0"),
            (False, "false"),
        ):
            send(json=value)
            self.want_bodies(want.encode())
            headers = self.sandbox.job_requests()[-1]["headers"]
            self.assertEqual(headers["content-type"], "application/json")
        send(json=1, headers={"content-type": "application/merge-patch+json"})
        headers = self.sandbox.job_requests()[-1]["headers"]
        self.assertEqual(headers["content-type"], "application/merge-patch+json")

    def test_query_parameters(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", status=200)
        cases: list[tuple[str, Any, str]] = [
            ("/jobs", {"a": "b&c", "d": [1, True]}, "/jobs?a=b%26c&d=1&d=true"),
            ("/jobs?x=1", [("a", "ü")], "/jobs?x=1&a=%C3%BC"),
            ("/jobs", httpx.QueryParams("a=b"), "/jobs?a=b"),
            ("/jobs", {}, "/jobs"),
        ]
        for path, params, want in cases:
            client.send_request(path, params=params)
            self.assertEqual(self.sandbox.job_requests()[-1]["target"], want)

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

    def test_bodies_that_are_retried(self) -> None:
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
        client.send_request("/jobs", method="POST", content=body)

    def want_bodies(self, *bodies: bytes) -> None:
        for request, body in zip(self.sandbox.job_requests()[-len(bodies) :], bodies, strict=True):
            self.assertEqual(request["length"], len(body))
            self.assertEqual(request["body"], body[:8192].decode(errors="replace"))

    def test_token(self) -> None:
        client = self.open()
        token = client.get_token()
        self.assertEqual(token.token_type, "Bearer")
        self.assertLess(datetime.now(UTC), token.expires_at)
        self.assertEqual(client.get_token(), token)
        self.assertNotEqual(client.get_token(force=True), token)

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
        send: Any = client.send_request
        for key, wrong in (("method", ""), ("method", "put"), ("path", ""), ("path", "jobs")):
            call = partial(send, **{"path": "/", key: wrong})
            self.assertEqual(self.want_error("invalid_input", call).key, key)
        self.want_requests(0, 0)

    def test_error_cause(self) -> None:
        client = self.open()
        for server in ("auth", "jobs"):
            self.sandbox.fault(server, cut_off=True)
            error = self.want_error("network_error", client.list_jobs)
            self.assertRegex(error.message, "RemoteProtocolError")
            cause = error.__cause__
            assert isinstance(cause, httpx.RemoteProtocolError)
            self.assertNotIn("Authorization", cause.request.headers)
            self.assertEqual(cause.request.content, b"")
            if server == "auth":
                self.assertEqual(error.retry_after, 1)
                client.clear_token()
            self.sandbox.clear_faults()
        client.list_jobs()

    def test_bug_in_a_hook_is_no_network_error(self) -> None:
        async def fail_async(_: object) -> None:
            raise KeyError

        def fail(_: object) -> None:
            raise KeyError

        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        hook = fail_async if self.form is InLoop else fail
        client = self.open(http=kind(event_hooks={"request": [hook]}))
        with self.assertRaises(KeyError):
            client.list_jobs()

    def test_not_2xx(self) -> None:
        headers = {"ETag": '"7"', "Retry-After": "9"}
        self.sandbox.fault("jobs", status=503, headers=headers, body="why")
        error = self.want_error("service_error", self.open().list_jobs)
        self.assertEqual((error.status, error.body, error.retry_after), (503, "why", 9))
        assert error.headers
        self.assertEqual(error.headers["ETag"], '"7"')
        self.assertEqual(str(error)[-12:], "(status 503)")


class Lifetime(ServiceCase):
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

    def test_every_request_has_the_context_of_its_call(self) -> None:
        span: ContextVar[str] = ContextVar("span", default="none")
        seen = []

        def note(_: object) -> None:
            seen.append(span.get())

        async def note_async(_: object) -> None:
            seen.append(span.get())

        hook: Any = note_async if self.form is InLoop else note
        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        client = self.open(http=kind(event_hooks={"request": [hook]}))
        reset = span.set("the call's")
        self.addCleanup(span.reset, reset)
        client.list_jobs()
        self.assertEqual(seen, ["the call's"] * 2)

    def test_proxy_of_the_environment(self) -> None:
        # The sandbox takes a request for another host as one for itself.
        elsewhere = {"auth_url": "http://identity.invalid", "allow_http": True}
        with mock.patch.dict(os.environ, {"HTTP_PROXY": self.config.auth_url, "NO_PROXY": ""}):
            self.open(config=elsewhere).get_token()
        self.want_requests(1, 0)

    def test_user_agent(self) -> None:
        want = f"automatic-rostering/{__version__} (python)"
        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        for http, agent in (
            (None, want),
            (kind(), want),
            (kind(headers={"User-Agent": "mine"}), "mine"),
        ):
            client = self.open(http=http)
            client.list_jobs()
            client.send_request("/jobs", headers={"user-agent": "once"})
            client.list_jobs()
            agents = [sent["headers"]["user-agent"] for sent in self.sandbox.requests()[-4:]]
            self.assertEqual(agents, [agent, agent, "once", agent])

    def test_loopback_proxy(self) -> None:
        proxy = {"HTTP_PROXY": "http://127.0.0.1:2", "http_proxy": "http://127.0.0.1:2"}
        with mock.patch.dict(os.environ, {**proxy, "NO_PROXY": "", "no_proxy": ""}):
            self.open().list_jobs()
        self.want_requests(1, 1)

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

    def test_custom_plugin(self) -> None:
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
