import copy
import pickle
import threading
import time

import extism

from rostering import BaseClient, HttpxClient, RosteringError
from rostering.error import decode_error
from rostering.trap import decode_trap

from .case import PATIENCE, ServiceCase
from .service import JOBS, Answer, Request

EVERY_FIELD = """{"code":"service_error","message":"m","retryable":true,"key":"k","status":503,
    "oauth_error":"o","oauth_error_description":"d","retry_after":7,"body":"b",
    "body_truncated":true,"of_a_later_version":1}"""


class Decode(ServiceCase):
    def test_every_field(self) -> None:
        error = decode_error(EVERY_FIELD)
        want = RosteringError("service_error", "m", True, "k", 503, "o", "d", 7, "b", True)  # noqa: FBT003
        self.assertIsNotNone(error)
        self.assertEqual(vars(error), vars(want))
        self.assertEqual(str(error), "service_error: m")

    def test_other_texts(self) -> None:
        for text in ("", "oom", "{}", "[]", "1", '{"code":"x"}', '{"message":"x"}'):
            with self.subTest(text):
                self.assertIsNone(decode_error(text))
                self.assertIsNone(decode_trap(text, 0, None))

    def test_copies(self) -> None:
        error = decode_error(EVERY_FIELD)
        for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301
            self.assertEqual(vars(other), vars(error))

    def test_time_out_behind_a_trap(self) -> None:
        error = decode_trap("error while executing at wasm backtrace:\n", 0.5, 0.5)
        self.assertEqual(error and error.message, "no answer within 0.5 s")


class Plugin(ServiceCase):
    def test_config(self) -> None:
        error = self.want_error(self.open(environment="test"), "config_invalid")
        self.assertEqual((error.key, error.retryable), ("environment", False))
        self.assertIsNone(error.__cause__)
        self.want_error(self.open(client_id=""), "config_missing")
        for url in ("http://[::1", "login.example.com"):
            self.assertEqual(
                self.want_error(self.open(auth_url=url), "config_invalid").key, "auth_url"
            )
        self.want_requests(0, 0)

    def test_input(self) -> None:
        with self.assertRaises(RosteringError) as caught:
            self.open().list_jobs(customer_id="line\nbreak")
        error = caught.exception
        self.assertEqual((error.code, error.key), ("invalid_input", "customer_id"))

    def test_token_endpoint(self) -> None:
        error = self.want_error(self.open(client_secret="wrong"), "token_endpoint_rejected")
        self.assertEqual((error.status, error.retryable, error.retry_after), (401, False, 1))
        self.assertEqual(error.oauth_error, "invalid_client")
        self.assertEqual(error.oauth_error_description, "unknown")

    def test_service(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: Answer(503, b"busy")
        error = self.want_error(client, "service_error")
        self.assertEqual((error.status, error.retryable), (503, True))
        self.want_body(error, "busy", truncated=False)
        self.service.jobs_answer = lambda _: Answer(403, b"x" * (70 << 10))
        error = self.want_error(client, "service_error")
        self.assertEqual((error.status, error.retryable), (403, False))
        self.want_body(error, "x" * (64 << 10), truncated=True)
        self.service.mend()
        self.want_jobs(client)

    def want_body(self, error: RosteringError, body: str, *, truncated: bool) -> None:
        self.assertEqual((error.body, error.body_truncated), (body, truncated))


class HttpxPlugin(Plugin):
    form = HttpxClient

    def want_body(self, error: RosteringError, body: str, *, truncated: bool) -> None:  # noqa: ARG002
        self.assertEqual((error.body, error.body_truncated), (None, False))


class Network(ServiceCase):
    def test_service_then_success(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: None
        self.want_lost(client)
        self.service.mend()
        self.want_jobs(client)
        self.want_requests(1, 2)

    def test_token_endpoint_then_success(self) -> None:
        client = self.open()
        self.service.token_answer = lambda: None
        self.want_lost(client)
        self.service.mend()
        self.want_jobs_at_last(client)
        self.want_requests(2, 1)

    def test_timeout_keeps_the_token(self) -> None:
        client = self.open(timeout=0.5)
        self.want_jobs_at_last(client)
        tokens = len(self.service.token_requests)
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def answer(_: Request) -> Answer:
            go_on.wait(PATIENCE)
            return Answer(200, JOBS)

        self.service.jobs_answer = answer
        self.assertIn("no answer within 0.5 s", self.want_lost(client).message)
        go_on.set()
        self.service.mend()
        self.want_jobs_at_last(client)
        self.assertEqual(len(self.service.token_requests), tokens)

    def want_lost(self, client: BaseClient) -> RosteringError:
        error = self.want_error(client, "network_error")
        self.assertTrue(error.retryable)
        self.assertIsInstance(error.__cause__, extism.Error)
        self.assertNotIn("wasm", error.message)
        return error

    def want_jobs_at_last(self, client: BaseClient) -> None:
        """Wait out the back-off that a failed token request began."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.want_jobs(client)
            except RosteringError as error:
                self.assertEqual(error.code, "network_error")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            else:
                return


class HttpxNetwork(Network):
    form = HttpxClient

    def want_lost(self, client: BaseClient) -> RosteringError:
        error = self.want_error(client, "network_error")
        self.assertTrue(error.retryable)
        self.assertRegex(
            error.message, r" did not answer \((RemoteProtocolError: |no answer within )"
        )
        # Of httpx's own errors, which hold the request, none comes along.
        self.assertIsNone(error.__cause__)
        self.assertIsInstance(error.__context__, extism.Error)
        return error
