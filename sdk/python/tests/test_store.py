import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import TestCase, mock

from automatic_rostering import AsyncClient, Client, FileStore, MemoryStore

from .service import CONFIG, Service


class Unprintable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise ValueError


class Files(TestCase):
    def test_huge_value(self) -> None:
        folder = self.enterContext(TemporaryDirectory())
        store = FileStore(folder)
        store.set("key", "value", 60)
        for path in Path(folder).iterdir():
            os.truncate(path, 1 << 40)
        self.assertLess(len(store.get("key") or ""), 1 << 17)
        self.assertGreater(len(store.get("key") or ""), 64 << 10)  # which a client refuses


class Failing(TestCase):
    """A failing store is logged as a warning, with its error."""

    def want_warning(self, reason: str, store: Any) -> None:
        with (
            self.subTest(reason),
            self.assertLogs("automatic_rostering") as logs,
            Client(CONFIG, http=Service().http(), store=store) as client,
        ):
            client.list_jobs()
        self.want_log(reason, logs.output)
        with self.subTest(reason, form="async"), self.assertLogs("automatic_rostering") as logs:
            asyncio.run(self.list_jobs(store))
        self.want_log(reason, logs.output)

    def want_log(self, reason: str, lines: list[str]) -> None:
        self.assertEqual([line.partition("minute): ")[2] for line in lines], [reason])

    async def list_jobs(self, store: Any) -> None:
        async with AsyncClient(CONFIG, http=Service().async_http(), store=store) as client:
            await client.list_jobs()

    def test_what_it_raises(self) -> None:
        for error, reason in (
            (OSError(5, "failed"), "OSError: [Errno 5] failed"),
            (Unprintable(), "Unprintable: "),
            (SystemExit("a text"), "RuntimeError: SystemExit"),
            (KeyboardInterrupt(), "RuntimeError: KeyboardInterrupt"),
            (asyncio.CancelledError(), "RuntimeError: CancelledError"),
        ):
            failing = mock.Mock(side_effect=error)
            self.want_warning(reason, mock.Mock(get=failing, add=failing, set=failing))

    def test_what_it_returns(self) -> None:
        for value, reason in (
            (7, "it returned an object of the type int"),
            (b"a value", "it returned an object of the type bytes"),
        ):
            store = mock.Mock(wraps=MemoryStore(), get=mock.Mock(return_value=value))
            self.want_warning(reason, store)

    def test_canceled_in_the_event_loop(self) -> None:
        failing = mock.AsyncMock(side_effect=asyncio.CancelledError)
        with self.assertLogs("automatic_rostering") as logs:
            asyncio.run(self.list_jobs(mock.Mock(get=failing, add=failing, set=failing)))
        self.want_log("RuntimeError: CancelledError", logs.output)
