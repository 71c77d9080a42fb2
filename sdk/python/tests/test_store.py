import asyncio
import logging
import multiprocessing
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

import redis
import redis.asyncio

from automatic_rostering import MemoryStore, Store
from automatic_rostering.file_store import FileStore
from automatic_rostering.redis_store import AsyncRedisStore, RedisStore

from . import PATIENCE
from .case import InLoop, ServiceCase
from .redis_server import redis_server

KEY = "rostering:https%3A%2F%2Flogin.example.com:a/../b"
LONG = 100  # seconds


class Contract:
    """What each store must do."""

    store: Store

    def test_values(self: Any) -> None:
        self.assertIsNone(self.store.get(KEY))
        self.store.set(KEY, "täxt", LONG)
        self.store.set(KEY + "2", "other", LONG)
        self.assertEqual(self.store.get(KEY), "täxt")
        self.store.set(KEY, "", LONG)
        self.assertEqual(self.store.get(KEY), "")

    def test_add(self: Any) -> None:
        self.assertIs(self.store.add(KEY, "first", LONG), True)
        self.assertIs(self.store.add(KEY, "second", LONG), False)
        self.assertEqual(self.store.get(KEY), "first")

    def test_expiry(self: Any) -> None:
        self.store.set(KEY, "text", 1)
        end = time.monotonic() + PATIENCE
        while not self.store.add(KEY, "next", LONG):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(self.store.get(KEY), "next")


class Memory(Contract, unittest.TestCase):
    def setUp(self) -> None:
        self.store = MemoryStore()


class File(Contract, unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()), "new", "folder")
        self.store = FileStore(self.folder)

    def test_one_process_adds(self) -> None:
        with multiprocessing.get_context("spawn").Pool(3) as pool:
            added = pool.starmap(add, [(self.folder, str(i)) for i in range(30)])
        self.assertEqual(sum(added), 1)
        self.assertEqual(self.store.get(KEY), str(added.index(True)))

    def test_only_the_owner_can_read(self) -> None:
        self.store.set(KEY, "text", LONG)
        for path in (self.folder, *self.folder.iterdir()):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_damaged_file(self) -> None:
        self.store.set(KEY, "text", LONG)
        file = next(self.folder.glob("*.json"))
        for damaged in ("", "{", "[]", "{}", '{"value":"a","expires_at":"b"}'):
            file.write_text(damaged)
            self.assertIsNone(self.store.get(KEY), damaged)
        self.assertTrue(self.store.add(KEY, "text", LONG))


def add(folder: Path, value: str) -> bool:
    return FileStore(folder).add(KEY, value, LONG)


class InRunner:
    """An `AsyncStore` with the methods of a `Store`."""

    def __init__(self, runner: asyncio.Runner, store: AsyncRedisStore) -> None:
        self._run = runner.run
        self._store = store

    def get(self, key: str) -> str | None:
        return self._run(self._store.get(key))

    def add(self, key: str, value: str, ttl: int) -> bool:
        return self._run(self._store.add(key, value, ttl))

    def set(self, key: str, value: str, ttl: int) -> None:
        self._run(self._store.set(key, value, ttl))


class Redis(Contract, unittest.TestCase):
    def setUp(self) -> None:
        url = self.enterContext(redis_server())
        self.store = RedisStore(self.enterContext(redis.Redis.from_url(url)))


class AsyncRedis(Contract, unittest.TestCase):
    def setUp(self) -> None:
        client = redis.asyncio.Redis.from_url(self.enterContext(redis_server()))
        runner = self.enterContext(asyncio.Runner())
        self.addCleanup(lambda: runner.run(client.aclose()))
        self.store = InRunner(runner, AsyncRedisStore(client))


class Sharing(ServiceCase):
    """Clients with a store."""

    def test_one_token_for_all(self) -> None:
        store = MemoryStore()
        first, second = self.open(store=store), self.open(store=store)
        first.list_jobs()
        second.list_jobs()
        self.want_requests(1, 2)

    def test_store_that_fails(self) -> None:
        class Failing:
            def get(self, _: str) -> str:
                raise OSError(SECRET_TEXT)

        self.goes_on(Failing(), "OSError")

    def test_store_that_returns_something_else(self) -> None:
        class Strange:
            def get(self, _: str) -> bytes:
                return b"text"

        self.goes_on(Strange(), "TypeError")

    def test_store_that_does_not_answer(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)

        class Silent:
            def get(self, _: str) -> None:
                release.wait(PATIENCE)

        self.goes_on(Silent(), "TimeoutError")

    def goes_on(self, store: Any, reason: str) -> None:
        client = self.open(store=store)
        with self.assertLogs("automatic_rostering", logging.WARNING) as logs:
            client.list_jobs()
        self.assertEqual(logs.output, [f"WARNING:automatic_rostering:store: get failed: {reason}"])
        self.want_requests(1, 1)


SECRET_TEXT = "quotes a value"


class AsyncSharing(Sharing):
    form = InLoop
