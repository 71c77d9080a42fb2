import asyncio
from typing import Any
from unittest import TestCase, mock

from automatic_rostering import AsyncClient, Client, MemoryStore

from .service import CONFIG, Service

QUOTE = "quotes a value"


class Failing(TestCase):
    """A failing store is logged as a warning, without the text of its error."""

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
            (ValueError(QUOTE), "ValueError"),
            (OSError("key", QUOTE), "OSError"),
            (OSError(5, QUOTE), "OSError (Input/output error)"),
            (SystemExit(QUOTE), "RuntimeError"),
            (KeyboardInterrupt(), "RuntimeError"),
            (asyncio.CancelledError(), "RuntimeError"),
        ):
            failing = mock.Mock(side_effect=error)
            self.want_warning(reason, mock.Mock(get=failing, add=failing, set=failing))

    def test_what_it_returns(self) -> None:
        for value in (7, b"a value", mock.Mock()):
            store = mock.Mock(wraps=MemoryStore(), get=mock.Mock(return_value=value))
            self.want_warning("TypeError", store)

    def test_canceled_in_the_event_loop(self) -> None:
        failing = mock.AsyncMock(side_effect=asyncio.CancelledError)
        with self.assertLogs("automatic_rostering") as logs:
            asyncio.run(self.list_jobs(mock.Mock(get=failing, add=failing, set=failing)))
        self.want_log("RuntimeError", logs.output)
