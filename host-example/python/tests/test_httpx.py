import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx

from rostering import BaseClient, HttpxClient, RosteringError

from .case import PATIENCE, THREADS, WASM, ServiceCase
from .service import JOBS, SECRET, Answer, Request, Service, jobs


class HttpxCase(ServiceCase):
    form = HttpxClient

    def open_with(self, http: httpx.Client, *, timeout: float = PATIENCE) -> HttpxClient:
        self.enterContext(http)
        return self.enterContext(HttpxClient(WASM, self.config, http=http, timeout=timeout))

    def open_mocked(self, handler: Callable[[httpx.Request], httpx.Response]) -> HttpxClient:
        return self.open_with(httpx.Client(transport=httpx.MockTransport(handler)))


class AtOnce(HttpxCase):
    def setUp(self) -> None:
        super().setUp()
        self.now = time.time()
        clock = lambda: self.now  # noqa: E731
        self.client = self.enterContext(HttpxClient(WASM, self.config, clock=clock))

    def want_jobs_at_once(self) -> None:
        self.assertEqual(self.at_once(self.client.list_jobs), [JOBS] * THREADS)

    def test_one_token_request_at_the_start(self) -> None:
        self.want_jobs_at_once()
        self.want_requests(1, THREADS)

    def test_one_token_request_at_a_renewal(self) -> None:
        self.want_jobs(self.client)
        self.now += self.service.lifetime - 30
        self.want_jobs_at_once()
        self.want_requests(2, 1 + THREADS)

    def test_one_token_request_after_a_revocation(self) -> None:
        self.want_jobs(self.client)
        all_there = threading.Barrier(THREADS)

        def answer(request: Request) -> Answer:
            if request.headers["AUTHORIZATION"] == "Bearer token-2":
                return Answer(200, JOBS)
            all_there.wait(PATIENCE)
            return Answer(401, b"")

        self.service.jobs_answer = answer
        self.want_jobs_at_once()
        self.want_requests(2, 1 + 2 * THREADS)

    def test_requests_to_the_service_do_not_wait_for_each_other(self) -> None:
        all_there = threading.Barrier(THREADS)

        def answer(request: Request) -> Answer:
            all_there.wait(PATIENCE)
            return jobs(request)

        self.service.jobs_answer = answer
        self.want_jobs_at_once()

    def test_close_waits_for_all_calls(self) -> None:
        all_there = threading.Barrier(THREADS + 1)
        go_on = threading.Event()

        def answer(request: Request) -> Answer:
            all_there.wait(PATIENCE)
            go_on.wait(PATIENCE)
            return jobs(request)

        self.service.jobs_answer = answer
        with ThreadPoolExecutor(THREADS + 1) as pool:
            self.addCleanup(go_on.set)
            calls = [pool.submit(self.client.list_jobs) for _ in range(THREADS)]
            all_there.wait(PATIENCE)
            close = pool.submit(self.client.close)
            self.want_closed()
            self.assertFalse(close.done())
            go_on.set()
            self.assertEqual([call.result(PATIENCE) for call in calls], [JOBS] * THREADS)
            close.result(PATIENCE)

    def want_closed(self) -> None:
        """Wait until the client takes no further calls."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                self.client.get_token()
            except RuntimeError as error:
                self.assertEqual(str(error), "the client is closed")
                return
        self.fail("it still takes calls")


class Redirects(HttpxCase):
    def setUp(self) -> None:
        super().setUp()
        self.other = self.enterContext(Service())
        location = {"Location": f"{self.other.url}/connect/token"}
        self.redirect = Answer(307, b"", location)

    def test_token_endpoint(self) -> None:
        self.service.token_answer = lambda: self.redirect
        error = self.want_error(self.open(), "token_endpoint_rejected")
        self.want_stopped(error)

    def test_service(self) -> None:
        self.service.jobs_answer = lambda _: self.redirect
        error = self.want_error(self.open(), "service_error")
        self.want_stopped(error)

    def test_http_client_that_follows(self) -> None:
        self.service.token_answer = lambda: self.redirect
        client = self.open_with(httpx.Client(follow_redirects=True))
        self.want_stopped(self.want_error(client, "token_endpoint_rejected"))

    def want_stopped(self, error: RosteringError) -> None:
        self.assertEqual(error.status, 307)
        self.assertEqual(self.other.connections, 0)


class Failures(HttpxCase):
    def test_nobody_listens(self) -> None:
        with Service() as gone:
            pass
        client = self.open(base_url=gone.url)
        self.want_reason(client, "ConnectError: .*refused")
        self.assertEqual(client.get_token().access_token, "token-1")

    def test_answer_that_breaks_off(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: Answer(200, iter([b"["]), {"Content-Length": "9"})
        self.want_reason(client, "RemoteProtocolError: peer closed")
        self.service.mend()
        self.want_jobs(client)

    def test_answer_that_trickles_in(self) -> None:
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def drops() -> Iterator[bytes]:
            for _ in range(1000):  # 20 s
                if not go_on.wait(0.02):
                    yield b" "

        client = self.open(timeout=0.5)
        client.set_token(self.open().get_token())
        self.service.jobs_answer = lambda _: Answer(200, drops())
        self.want_reason(client, "no answer within 0.5 s")

    def test_shorter_timeout_of_the_http_client(self) -> None:
        go_on = threading.Event()
        self.addCleanup(go_on.set)
        client = self.open_with(httpx.Client(timeout=0.5))
        client.set_token(self.open().get_token())
        self.service.jobs_answer = lambda _: Answer(200, b"late") if go_on.wait(PATIENCE) else None
        self.want_reason(client, "ReadTimeout")

    def test_waiting_for_a_token_is_bounded(self) -> None:
        asked, go_on = threading.Event(), threading.Event()

        def handler(_: httpx.Request) -> httpx.Response:
            asked.set()
            go_on.wait(PATIENCE)
            return httpx.Response(500)

        http = httpx.Client(transport=httpx.MockTransport(handler))
        client = self.open_with(http, timeout=0.5)
        with ThreadPoolExecutor(1) as pool:
            self.addCleanup(go_on.set)
            first = pool.submit(self.want_error, client, "token_endpoint_unavailable")
            self.assertTrue(asked.wait(PATIENCE))
            error = self.want_error(client, "network_error")
            self.assertEqual(error.message, "no answer within 0.5 s")
            self.assertFalse(first.done())
            go_on.set()
            first.result(PATIENCE)

    def test_retry_after(self) -> None:
        client = self.open()
        self.service.token_answer = lambda: Answer(429, b"{}", {"Retry-After": "1234"})
        self.assertEqual(self.want_error(client, "token_endpoint_unavailable").retry_after, 1234)
        self.want_error(client, "token_endpoint_unavailable")
        self.want_requests(1, 0)

    def test_reason_quotes_neither_headers_nor_secrets(self) -> None:
        def handler(_: httpx.Request) -> httpx.Response:
            raise failure

        client = self.open_mocked(handler)
        for failure, want in (
            (httpx.LocalProtocolError("Illegal header value b'a token'"), r"header value …\)"),
            (httpx.RemoteProtocolError("illegal line: bytearray(b'x')"), r"illegal line: …\)"),
            (httpx.ConnectError(f"no {SECRET}"), r"no \[redacted\]\)"),
            (UnicodeError("label too long"), "UnicodeError: label too long"),
        ):
            with self.subTest(failure):
                client.clear_token()
                self.want_reason(client, want)

    def want_reason(self, client: BaseClient, reason: str) -> None:
        error = self.want_error(client, "network_error")
        self.assertTrue(error.retryable)
        self.assertRegex(error.message, rf" did not answer \(.*{reason}")


class Http(HttpxCase):
    def test_connection_is_used_again(self) -> None:
        client = self.open()
        for _ in range(3):
            self.want_jobs(client)
        self.assertEqual(self.service.connections, 1)

    def test_cookies_are_not_kept(self) -> None:
        client = self.open()
        self.service.jobs_answer = lambda _: Answer(200, JOBS, {"Set-Cookie": "of=customer-1"})
        self.want_jobs(client)
        self.want_jobs(client)
        self.assertNotIn("COOKIE", self.service.job_requests[1].headers)

    def test_http_client_of_your_own(self) -> None:
        urls: list[str] = []
        http = httpx.Client(
            auth=("someone", "else"),
            headers={"X-Program": "mine"},
            event_hooks={"request": [lambda request: urls.append(str(request.url))]},
        )
        client = self.open_with(http)
        self.want_jobs(client)
        client.close()
        self.assertFalse(http.is_closed)
        self.assertEqual(urls, [f"{self.service.url}/connect/token", f"{self.service.url}/jobs"])
        headers = self.service.job_requests[0].headers
        self.assertEqual(headers["AUTHORIZATION"], "Bearer token-1")
        self.assertEqual(headers["X-PROGRAM"], "mine")

    def test_white_space_around_a_header(self) -> None:
        self.open().send_request("/", headers={"X-Trace": " \tt "})
        self.assertEqual(self.service.job_requests[0].headers["X-TRACE"], "t")
