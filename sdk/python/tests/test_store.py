import asyncio
import logging
import multiprocessing
import os
import tempfile
import threading
import time
import unittest
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import redis
import redis.asyncio

from automatic_rostering import MemoryStore, Store
from automatic_rostering.file_store import FileStore
from automatic_rostering.redis_store import AsyncRedisStore, RedisStore

from . import PATIENCE
from .case import InLoop, ServiceCase
from .redis_server import redis_server

KEY = "rostering:https%3A%2F%2Flogin.example.com:a/../b"
HASH = sha256(KEY.encode()).hexdigest()
LONG = 100  # seconds
QUOTE = "quotes a value"


class Contract:
    """The tests of every store."""

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

    def files(self) -> list[str]:
        return sorted(file.name.replace(HASH, "HASH") for file in self.folder.iterdir())

    def test_one_process_adds(self) -> None:
        with multiprocessing.get_context("spawn").Pool(3) as pool:
            added = pool.starmap(add, [(self.folder, str(i)) for i in range(30)])
        self.assertEqual(sum(added), 1)
        self.assertEqual(self.store.get(KEY), str(added.index(True)))

    def test_only_the_owner_can_read(self) -> None:
        self.store.set(KEY, "text", LONG)
        for path in (self.folder, *self.folder.iterdir()):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_format(self) -> None:
        for value in ("tä\n1", "tä\n2"):
            self.store.set(KEY, value, LONG)
            self.assertEqual(self.files(), ["HASH"])
        expiry, value = (self.folder / HASH).read_text().split("\n", 1)
        self.assertAlmostEqual(int(expiry), (time.time() + LONG) * 1000, delta=LONG * 1000)
        self.assertEqual(value, "tä\n2")
        (self.folder / HASH).write_text(f"{'9' * 13}\nfrom another\nlanguage")
        self.assertEqual(self.store.get(KEY), "from another\nlanguage")
        self.assertFalse(self.store.add(KEY, "text", LONG))

    def test_damaged_file(self) -> None:
        for damaged in (b"", b"{", b"9", b"x\na", b"-9\na", b"9" * 13 + b"\n\xff"):
            (self.folder / HASH).write_bytes(damaged)
            self.assertIsNone(self.store.get(KEY), damaged)
            self.assertTrue(self.store.add(KEY, "text", LONG))
            self.assertEqual((self.store.get(KEY), self.files()), ("text", ["HASH"]))

    def test_processes_that_died(self) -> None:
        abandoned, young = (self.folder / f"{HASH}.tmp.{name}" for name in ("0a", "1b"))
        for file in (abandoned, young):
            file.touch()
        os.utime(abandoned, (0, time.time() - 61))
        self.store.set(KEY + "2", "text", LONG)
        self.assertEqual((abandoned.exists(), young.exists()), (False, True))

    def test_another_process_is_faster(self) -> None:
        real = Path.hardlink_to

        def link(own: Path, temporary: Path) -> None:
            self.store.set(KEY, "the other's", LONG)
            real(own, temporary)

        with mock.patch.object(Path, "hardlink_to", link):
            self.assertFalse(self.store.add(KEY, "own", LONG))
        self.assertEqual((self.store.get(KEY), self.files()), ("the other's", ["HASH"]))

    def test_folder_that_cannot_be_created(self) -> None:
        file = self.folder / "file"
        file.touch()
        for path in (file, file / "below"):
            with self.assertRaisesRegex(OSError, str(path)):
                FileStore(path)


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

    def test_store_warning(self) -> None:
        class Failing:
            def get(self, _: str) -> str:
                raise PermissionError(13, "Permission denied", "/store")

            add = set = get

        self.continues(Failing(), "PermissionError (Permission denied)")

    def test_store_warning_omits_the_text(self) -> None:
        for error, reason in (
            (ValueError(QUOTE), "ValueError"),
            (OSError(QUOTE), "OSError"),
            (OSError("key", QUOTE), "OSError"),
            (OSError(5, QUOTE), "OSError (Input/output error)"),
        ):
            store = mock.Mock(spec=MemoryStore)
            store.get.side_effect = store.add.side_effect = store.set.side_effect = error
            with self.subTest(error), self.assertLogs("automatic_rostering") as logs:
                self.open(store=store).list_jobs()
            want = [f"WARNING:automatic_rostering:store: get failed: {reason}"]
            self.assertEqual(logs.output, want)

    def test_store_that_returns_something_else(self) -> None:
        class Strange:
            def get(self, _: str) -> bytes:
                return b"text"

            add = set = get

        self.continues(Strange(), "TypeError")

    def test_store_that_does_not_respond(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)

        class Silent:
            def get(self, _: str) -> None:
                release.wait(PATIENCE)

            add = set = get

        self.continues(Silent(), "TimeoutError")

    def continues(self, store: Any, reason: str) -> None:
        client = self.open(store=store)
        with self.assertLogs("automatic_rostering", logging.WARNING) as logs:
            client.list_jobs()
            client.clear_token()
            client.list_jobs()  # within the same minute
            want = [f"WARNING:automatic_rostering:store: get failed: {reason}"]
            self.assertEqual(logs.output, want)
            with mock.patch("automatic_rostering.base._QUIET", 0):
                client._core._next_warning = 0
                client.clear_token()
                client.list_jobs()
        self.assertEqual(logs.output, want * 2)
        self.want_requests(3, 3)


class AsyncSharing(Sharing):
    form = InLoop
