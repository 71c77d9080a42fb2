"""Code of the program that the client calls: hooks and log handlers."""

import asyncio
import logging
import time
from concurrent.futures import Future
from contextlib import redirect_stderr
from io import StringIO
from typing import Any
from unittest import TestCase, mock

import httpx

from automatic_rostering import AsyncClient, Client, RosteringError
from automatic_rostering.plugin import Plugin, bundled

from .service import CONFIG, PATIENCE, Service


class Hooks(TestCase):
    def raise_once(self, path: str, error: BaseException) -> Any:
        """Return options of an HTTP client whose hook raises an error at one request."""
        errors = [error]

        def hook(request: httpx.Request) -> None:
            if request.url.path == path and errors:
                raise errors.pop()

        return {"event_hooks": {"request": [hook]}}

    def test_hook_that_raises(self) -> None:
        """A bug is no network_error, and what would end a program ends no token request in silence."""
        for error in (KeyError(), SystemExit(), KeyboardInterrupt(), asyncio.CancelledError()):
            of_token = KeyError if isinstance(error, KeyError) else RuntimeError
            for path, raised in (("/jobs", type(error)), ("/connect/token", of_token)):
                http = Service().http(**self.raise_once(path, error))
                with self.subTest(path, error=error), Client(CONFIG, http=http) as client:
                    with self.assertRaises(raised):
                        client.list_jobs()
                    client.list_jobs()

    def test_hook_of_a_task_that_raises(self) -> None:
        async def play(path: str, error: type[BaseException], raised: type[BaseException]) -> None:
            options = self.raise_once(path, error())
            (hook,) = options["event_hooks"]["request"]

            async def cancel(request: httpx.Request) -> None:
                hook(request)

            http = Service().async_http(event_hooks={"request": [cancel]})
            async with AsyncClient(CONFIG, http=http) as client:
                with self.assertRaises(raised):
                    await client.list_jobs()
                await client.list_jobs()

        asyncio.run(play("/jobs", KeyError, KeyError))
        asyncio.run(play("/jobs", asyncio.CancelledError, asyncio.CancelledError))
        asyncio.run(play("/connect/token", asyncio.CancelledError, RuntimeError))


class Calling(logging.Handler):
    """A log handler that makes a call."""

    client: Client | None = None

    def __init__(self) -> None:
        super().__init__()
        self.ended = Future[str]()

    def emit(self, _: logging.LogRecord) -> None:
        client, self.client = self.client, None
        if client:
            try:
                client.get_token(timeout=PATIENCE)
            except RosteringError as error:
                self.ended.set_result(error.code)


class LogHandlers(TestCase):
    def test_handler_that_makes_a_call(self) -> None:
        service, now = Service(), time.time()
        logger = logging.Logger("test")  # noqa: LOG001 - goes with the test
        logger.addHandler(handler := Calling())
        with Client(CONFIG, http=service.http(), logger=logger, clock=lambda: now) as client:
            service.token = lambda: httpx.Response(503)
            handler.client = client
            with self.assertRaises(RosteringError):
                client.list_jobs()
            # It did not wait for the token request whose failure it logged.
            self.assertEqual(handler.ended.result(PATIENCE), "token_endpoint_unavailable")

    def test_handler_that_raises_is_shown_as_logging_does(self) -> None:
        logger = logging.Logger("test")  # noqa: LOG001
        raises = mock.Mock(spec=["__call__"])
        logger.addFilter(raises)
        plugin = Plugin(bundled(), CONFIG, {}, logger)
        self.addCleanup(plugin.close)
        for raises.side_effect in ZeroDivisionError, SystemExit:
            plugin.log(logging.WARNING, "a line")
            with redirect_stderr(StringIO()) as shown:
                plugin.write_log()
            self.assertRegex(shown.getvalue(), f"(?s){raises.side_effect.__name__}.*a line")
