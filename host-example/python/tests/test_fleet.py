import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from traceback import format_exception
from types import SimpleNamespace
from typing import Any
from unittest import mock

from rostering import Client, Config, HttpxClient, RosteringError, Token
from rostering.cache_key import cache_key
from rostering.fleet import Fleet

from .case import PATIENCE, THREADS, WASM, ServiceCase
from .memory_store import MemoryStore
from .service import JOBS, SECRET, Answer, Request
from .until import until

UNAVAILABLE = b'{"error":"unavailable"}'


class CacheKey(ServiceCase):
    def test_is_that_of_a_token(self) -> None:
        for changes in (
            {},
            {"environment": "production"},
            {"environment": None, "scope": "own scope/2"},
            {"scope": "own"},
            {"auth_url": f"{self.service.url}//"},
            {"client_id": "a b/ü&~*'()!-._:+%"},
        ):
            with self.subTest(changes):
                token = self.open(**changes).get_token()
                self.assertEqual(cache_key(replace(self.config, **changes)), token.cache_key)

    def test_path(self) -> None:
        self.service.jobs_answer = lambda _: Answer(
            200, b'{"access_token":"token","token_type":"Bearer"}'
        )
        config = replace(self.config, auth_url=f"{self.service.url}/a%20b/c~d/")
        token = self.open(auth_url=config.auth_url).get_token()
        self.assertEqual(cache_key(config), token.cache_key)

    def test_long_one_is_whole(self) -> None:
        key = cache_key(replace(self.config, client_id="x" * 600))
        token = self.open(client_id="x" * 600).get_token()
        self.assertEqual(len(token.cache_key), 512)
        self.assertEqual(token.cache_key[:400], key[:400])
        self.assertGreater(len(key), 600)


class FleetCase(ServiceCase):
    """Processes are clients here, each with a plugin of its own."""

    def setUp(self) -> None:
        super().setUp()
        self.store = MemoryStore()
        self.key = cache_key(self.config)

    def open_fleet(self, lock: float = PATIENCE, **changes: Any) -> Fleet:  # noqa: ANN401
        def open_client(config: Config) -> Client | HttpxClient:
            return self.form(WASM, config, timeout=PATIENCE)

        config = replace(self.config, **changes)
        return self.enterContext(Fleet(open_client, config, self.store, lock=lock))

    def want_answers(self, *fleets: Fleet) -> None:
        for fleet in fleets:
            self.assertEqual(fleet.list_jobs(), JOBS)

    def want_tokens(self, number: int) -> None:
        self.assertEqual(len(self.service.token_requests), number)

    def used(self) -> str:
        """Give the token of the last request to the service."""
        return self.service.job_requests[-1].headers["AUTHORIZATION"].removeprefix("Bearer ")

    def stored(self) -> Token:
        return Token.from_json(self.store.values[self.key])

    def later(self) -> None:
        """Have the fleets find that their tokens are to be renewed; the plugin does not."""
        late = SimpleNamespace(
            time=lambda: time.time() + self.service.lifetime - 30,
            monotonic=time.monotonic,
            sleep=time.sleep,
        )
        self.enterContext(mock.patch("rostering.fleet.time", late))


class Sharing(FleetCase):
    def test_plugin_does_not_renew_before_its_time(self) -> None:
        margins: list[int | None] = []

        def open_client(config: Config) -> Client:
            margins.append(config.refresh_margin)
            return Client(WASM, config)

        Fleet(open_client, replace(self.config, refresh_margin=30), self.store).close()
        self.assertEqual(margins, [0])

    def test_one_token_for_all(self) -> None:
        fleets = [self.open_fleet() for _ in range(3)]
        self.want_answers(*fleets, *fleets)
        self.want_tokens(1)
        self.assertEqual({fleet.get_token().access_token for fleet in fleets}, {"token-1"})
        self.assertEqual(self.stored(), fleets[0].get_token())

    def test_another_form(self) -> None:
        self.want_answers(self.open_fleet())
        with mock.patch.object(self, "form", HttpxClient):
            self.want_answers(self.open_fleet())
        self.want_tokens(1)

    def test_other_clients_have_other_tokens(self) -> None:
        self.want_answers(self.open_fleet(), self.open_fleet(scope="other"))
        self.want_tokens(2)
        self.assertEqual(len(self.store.values), 2)

    def test_store_is_left_alone_while_the_token_is_good(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        opened = self.store.opened
        self.want_answers(fleet, fleet)
        self.assertEqual(fleet.send_request("/other", method="POST", body="{}"), JOBS)
        self.assertEqual(self.store.opened, opened)

    def test_threads(self) -> None:
        fleets = [self.open_fleet(), self.open_fleet()]
        with ThreadPoolExecutor(THREADS) as pool:
            calls = [pool.submit(fleets[i % 2].list_jobs) for i in range(THREADS)]
            for call in calls:
                self.assertEqual(call.result(PATIENCE), JOBS)
        self.want_tokens(1)

    def test_renewal(self) -> None:
        one, other = self.open_fleet(), self.open_fleet()
        self.want_answers(one, other)
        self.later()
        self.want_answers(one, other)
        self.want_tokens(2)
        self.assertEqual(self.stored().access_token, "token-2")
        self.assertEqual(self.used(), "token-2")

    def test_others_go_on_while_one_thread_waits_for_the_store(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        self.later()
        slow, answer = threading.Event(), threading.Event()

        def wait() -> None:
            slow.set()
            answer.wait(PATIENCE)

        self.store.before_lock = wait
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(fleet.list_jobs)
            self.assertTrue(slow.wait(PATIENCE))
            self.want_answers(fleet)
            self.want_tokens(1)
            answer.set()
            self.assertEqual(first.result(PATIENCE), JOBS)
        self.want_tokens(2)

    def test_revoked_token(self) -> None:
        fleet, later = self.open_fleet(), self.open_fleet()
        self.want_answers(fleet)
        self.service.jobs_answer = refuse("token-1")
        self.want_answers(fleet)
        self.assertEqual(self.stored().access_token, "token-2")
        self.want_answers(later)
        self.want_tokens(2)

    def test_revoked_token_and_an_error_after_it(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        self.service.jobs_answer = refuse("token-1", then=Answer(503, b"busy"))
        with self.assertRaises(RosteringError) as caught:
            fleet.list_jobs()
        self.assertEqual(caught.exception.code, "service_error")
        self.assertEqual(self.stored().access_token, "token-2")

    def test_token_that_comes_just_before_the_lock(self) -> None:
        one, other = self.open_fleet(), self.open_fleet()

        def come() -> None:
            self.store.before_lock = lambda: None
            self.want_answers(one)

        self.store.before_lock = come
        self.want_answers(other)
        self.want_tokens(1)


class Locked(FleetCase):
    def setUp(self) -> None:
        super().setUp()
        self.store.locked.acquire()  # by another process, which is asking for a token

    def test_waits_for_the_token(self) -> None:
        fleet = self.open_fleet()
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(fleet.list_jobs)
            until(lambda: self.store.opened > 0)
            token = self.open().get_token()
            self.store.values[self.key] = token.to_json().encode()
            self.assertEqual(call.result(PATIENCE), JOBS)
        self.want_tokens(1)

    def test_asks_when_the_lock_has_ended_without_a_token(self) -> None:
        fleet = self.open_fleet()
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(fleet.list_jobs)
            until(lambda: self.store.opened > 0)
            self.want_tokens(0)
            self.store.locked.release()
            self.assertEqual(call.result(PATIENCE), JOBS)
        self.want_tokens(1)
        self.assertEqual(self.stored().access_token, "token-1")

    def test_does_not_wait_for_ever(self) -> None:
        self.want_answers(self.open_fleet(lock=0.1))
        self.want_tokens(1)
        self.assertEqual(self.stored().access_token, "token-1")

    def test_old_token_will_do(self) -> None:
        self.store.locked.release()
        fleet = self.open_fleet()
        self.want_answers(fleet)
        self.later()
        self.store.locked.acquire()
        self.want_answers(fleet)
        opened = self.store.opened
        self.want_answers(fleet)
        self.assertEqual(self.store.opened, opened)
        self.want_tokens(1)


class Failures(FleetCase):
    def test_store_that_is_down(self) -> None:
        self.store.down = True
        fleets = [self.open_fleet(), self.open_fleet()]
        self.want_answers(*fleets, *fleets)
        self.want_tokens(2)
        self.later()
        self.want_answers(*fleets)
        self.want_tokens(4)

    def test_token_that_was_replaced_while_the_store_was_down(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        self.service.jobs_answer = refuse("token-1")
        self.store.down = True
        self.want_answers(fleet)
        self.want_requests(2, 3)
        self.store.down = False
        self.later()
        self.want_answers(fleet)  # not with token-1, which is still in the store
        self.want_requests(3, 4)
        self.assertEqual(self.stored().access_token, "token-3")

    def test_store_that_breaks_while_the_token_is_asked_for(self) -> None:
        good = self.service.token_answer

        def answer() -> Answer | None:
            self.store.down = True
            return good()

        self.service.token_answer = answer
        fleet = self.open_fleet()
        self.want_answers(fleet, fleet)
        self.want_tokens(1)

    def test_what_the_store_holds_is_not_trusted(self) -> None:
        token = json.loads(self.open().get_token().to_json())
        self.want_tokens(1)
        for asked, text in enumerate(
            [
                b"\xff\x00",
                b"null",
                b"[" * 100_000,
                b'{"access_token":' * 5_000,
                b"{}",
                *(
                    json.dumps(token | changed).encode()
                    for changed in (
                        {"access_token": ""},
                        {"access_token": "line\r\nbreak"},
                        {"access_token": ["poison"]},
                        {"access_token": "\ud800"},
                        {"token_type": "poison"},
                        {"expires_at": 1_700_000_000},
                        {"expires_at": 1e300},
                        {"expires_at": -1e18},
                        {"expires_at": "poison"},
                        {"cache_key": "poison"},
                        {"poison": 1},
                    )
                ),
            ],
            start=2,
        ):
            with self.subTest(text[:80]):
                self.store.values[self.key] = text
                fleet = self.open_fleet()
                self.want_answers(fleet)
                self.want_tokens(asked)
                self.assertEqual(self.stored().access_token, f"token-{asked}")

    def test_token_that_the_service_does_not_know(self) -> None:
        token = self.open().get_token()
        far = replace(token, access_token="poison", expires_at=token.expires_at.replace(year=9000))
        self.store.values[self.key] = far.to_json().encode()
        self.service.jobs_answer = refuse("poison")
        self.want_answers(self.open_fleet(), self.open_fleet())
        self.want_tokens(2)
        self.assertEqual(self.stored().access_token, "token-2")

    def test_renewal_that_fails(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        self.later()
        self.service.token_answer = lambda: Answer(503, UNAVAILABLE)
        self.want_answers(fleet)
        opened = self.store.opened
        self.want_answers(fleet)
        self.assertEqual(self.store.opened, opened)
        self.want_tokens(2)
        self.assertFalse(self.store.locked.locked())

    def test_no_token_at_all(self) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"client_secret": "wrong"}, "token_endpoint_rejected"),
            ({"environment": "test"}, "config_invalid"),
            ({"client_id": ""}, "config_missing"),
        ]
        for changes, code in wrong:
            for down in (False, True):
                with self.subTest(code, down=down), self.assertRaises(RosteringError) as caught:
                    self.store.down = down
                    self.open_fleet(**changes).list_jobs()
                error = caught.exception
                self.assertEqual(error.code, code)
                self.assertNotIn("StoreDown", "".join(format_exception(error)))
                self.assertFalse(self.store.locked.locked())

    def test_call_that_ends_after_close(self) -> None:
        fleet = self.open_fleet()
        self.want_answers(fleet)
        arrived, go_on = threading.Event(), threading.Event()

        def answer(_: Request) -> Answer:
            arrived.set()
            go_on.wait(PATIENCE)
            return Answer(200, JOBS)

        self.service.jobs_answer = answer
        with ThreadPoolExecutor(2) as pool:
            call = pool.submit(fleet.list_jobs)
            self.assertTrue(arrived.wait(PATIENCE))
            close = pool.submit(fleet.close)
            go_on.set()
            self.assertEqual(call.result(PATIENCE), JOBS)
            close.result(PATIENCE)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            fleet.list_jobs()

    def test_nothing_shows(self) -> None:
        fleet = self.open_fleet()
        token = fleet.get_token()
        for text in (f"{fleet!r} {fleet}", f"{token!r} {token}"):
            self.assertNotIn(SECRET, text)
            self.assertNotIn(token.access_token, text)


class HttpxSharing(Sharing):
    form = HttpxClient


class HttpxLocked(Locked):
    form = HttpxClient


class HttpxFailures(Failures):
    form = HttpxClient


def refuse(token: str, then: Answer | None = None) -> Any:  # noqa: ANN401
    """Make a service that refuses one token, and answers others well."""

    def answer(request: Request) -> Answer:
        if request.headers["AUTHORIZATION"] == f"Bearer {token}":
            return Answer(401, b"")
        return then or Answer(200, JOBS)

    return answer
