import logging
import unittest
from contextlib import ExitStack
from traceback import format_exception
from unittest import mock

import redis

from rostering import HttpxClient, RosteringError
from rostering.fleet import Fleet
from rostering.redis_store import RedisStore
from rostering.store import StoreDown

from .case import PATIENCE, WASM, ServiceCase
from .redis_server import ESCAPED, PASSWORD, Stub, redis_server
from .service import JOBS
from .until import until

KEY = "rostering:test"
# Redis quotes the beginning of what it was sent.
QUOTES = b"-ERR unknown command, with args beginning with: token-1\r\n"


class RealRedis(unittest.TestCase):
    def setUp(self) -> None:
        self.url = self.enterContext(redis_server())
        self.store = RedisStore(self.url, timeout=PATIENCE)

    def test_put_and_get(self) -> None:
        with self.store.open(KEY) as slot:
            self.assertIsNone(slot.get())
            slot.put("täxt", PATIENCE)
            self.assertEqual(slot.get(), "täxt".encode())
            slot.put("", PATIENCE)
            self.assertIsNone(slot.get())
            slot.put("x" * 300_000, PATIENCE)
            self.assertLess(len(slot.get() or b""), 140_000)

    def test_expiry(self) -> None:
        with self.store.open(KEY) as slot:
            slot.put("text", 0.05)
            until(lambda: slot.get() is None)
            slot.put("text", 0)
            until(lambda: slot.get() is None)

    def test_lock(self) -> None:
        with self.store.open(KEY) as slot, self.store.open(KEY) as other:
            with slot.lock(PATIENCE) as mine, other.lock(PATIENCE) as others:
                self.assertEqual((mine, others), (True, False))
                with self.store.open(KEY + "2") as another, another.lock(PATIENCE) as free:
                    self.assertTrue(free)
            with other.lock(PATIENCE) as mine:
                self.assertTrue(mine)

    def test_lock_of_another_is_not_ended(self) -> None:
        with self.store.open(KEY) as slot, self.store.open(KEY) as other, ExitStack() as others:
            with slot.lock(0.05) as mine:
                self.assertTrue(mine)
                until(lambda: others.enter_context(other.lock(PATIENCE)))
            with slot.lock(PATIENCE) as mine:
                self.assertFalse(mine)
            others.close()
            with slot.lock(PATIENCE) as mine:
                self.assertTrue(mine)

    def test_other_keys_and_other_users(self) -> None:
        for url, key in (
            (self.url, "other:key"),
            (self.url.replace(ESCAPED, "other"), KEY),
            (self.url.replace(f"rostering:{ESCAPED}@", ""), KEY),
        ):
            with self.subTest(key), self.assertLogs("rostering.redis_store") as logs:
                with (
                    self.assertRaises(StoreDown),
                    RedisStore(url, timeout=PATIENCE).open(key) as slot,
                ):
                    slot.get()
                self.assertNotIn(PASSWORD, str(logs.output))


class Trouble(ServiceCase):
    def down(self, store: RedisStore) -> str:
        """Give what is logged while Redis cannot be used."""
        with self.assertLogs("rostering.redis_store", logging.WARNING) as logs:
            with self.assertRaises(StoreDown) as caught, store.open(KEY) as slot:
                slot.get()
            self.assertNotIn("token-1", "".join(format_exception(caught.exception)))
        return logs.output[0]

    def stub(self, answer: bytes = b"") -> Stub:
        stub = Stub(answer)
        self.addCleanup(stub.close)
        return stub

    def test_refused(self) -> None:
        stub = self.stub()
        stub.close()
        self.assertIn("ConnectionError", self.down(RedisStore(stub.url)))

    def test_silent(self) -> None:
        with mock.patch("redis.Redis.from_url", wraps=redis.Redis.from_url) as connect:
            self.assertIn("TimeoutError", self.down(RedisStore(self.stub().url, timeout=0.1)))
        bounds = connect.call_args.kwargs
        self.assertEqual(bounds["socket_timeout"], 0.1)  # of a command
        self.assertEqual(bounds["socket_connect_timeout"], 0.1)

    def test_noise(self) -> None:
        self.assertIn("InvalidResponse", self.down(RedisStore(self.stub(b"HTTP/1.1 400\r\n").url)))

    def test_error_that_quotes(self) -> None:
        text = self.down(RedisStore(self.stub(QUOTES).url))
        self.assertIn("Redis is not used for 5 s: ResponseError", text)
        self.assertNotIn("token-1", text)

    def test_rests_after_a_failure(self) -> None:
        stub = self.stub(QUOTES)
        store = RedisStore(stub.url)
        self.down(store)
        for _ in range(3):
            with self.assertNoLogs(), self.assertRaises(StoreDown), store.open(KEY):
                self.fail("it opened")
        self.assertEqual(stub.connections, 1)
        store = RedisStore(stub.url, rest=0)
        self.down(store)
        self.down(store)
        self.assertEqual(stub.connections, 3)

    def test_no_connection_is_kept(self) -> None:
        stub = self.stub(b"$-1\r\n")
        with RedisStore(stub.url).open(KEY) as slot:
            self.assertIsNone(slot.get())
            self.assertEqual(stub.open, 1)
        until(lambda: stub.open == 0)
        self.assertEqual(stub.connections, 1)

    def test_fleet_goes_on(self) -> None:
        store = RedisStore(self.stub(QUOTES).url)
        with Fleet(lambda config: HttpxClient(WASM, config), self.config, store) as fleet:
            with self.assertLogs("rostering.redis_store"):
                self.assertEqual(fleet.list_jobs(), JOBS)
            self.assertEqual(fleet.list_jobs(), JOBS)
        self.want_requests(1, 2)

    def test_error_of_a_call_is_not_that_of_the_store(self) -> None:
        with (
            self.assertRaises(RosteringError) as caught,
            RedisStore(self.stub(b"$-1\r\n").url).open(KEY),
        ):
            raise RosteringError("config_missing", "it is not Redis")
        self.assertEqual(caught.exception.code, "config_missing")

    def test_address(self) -> None:
        for url in ("", "localhost:6379", "http://host", "redis://user:secr/et@host:1"):
            with self.subTest(url), self.assertRaises(ValueError) as caught:
                RedisStore(url)
            self.assertNotIn("secr", "".join(format_exception(caught.exception)))
