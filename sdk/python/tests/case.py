"""What the tests share."""

import asyncio
import inspect
import os
import threading
import unittest
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from traceback import format_exception
from typing import Any, Self, cast

from automatic_rostering import AsyncClient, Client, Code, Config, RosteringError

from . import PATIENCE
from .sandbox import Sandbox

os.environ["NO_PROXY"] = "*"  # the clients that tests pass would use one of the environment


class Blocking:
    """Makes the async methods of an object blocking ones."""

    def __init__(self, inner: object, loop: "InLoop") -> None:
        self._inner, self._loop = inner, loop

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name)
        if not callable(attribute):
            return attribute

        def call(*args: Any, **options: Any) -> Any:
            result = attribute(*args, **options)
            if inspect.isawaitable(result):
                return self._loop.wait(result)
            return Blocking(result, self._loop) if isinstance(result, AsyncClient) else result

        return call


class InLoop:
    """An `AsyncClient` with the blocking methods of a `Client`. Its event loop runs in a thread."""

    def __init__(self, config: Config, **options: Any) -> None:
        client: Future[AsyncClient] = Future()

        async def run() -> None:
            self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
            try:
                client.set_result(await AsyncClient(config, **options).open())
            except Exception as error:
                client.set_exception(error)
            else:
                await self._end.wait()

        self._thread = threading.Thread(target=asyncio.run, args=(run(),))
        self._thread.start()
        self.client = client.result(PATIENCE)

    def __getattr__(self, name: str) -> Any:
        return getattr(Blocking(self.client, self), name)

    def wait(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.wait(self.client.close())
        finally:
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(PATIENCE)


class ServiceCase(unittest.TestCase):
    """Each test has its own sandbox. A subclass runs the same tests on an `AsyncClient`."""

    form: Callable[..., Any] = Client

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.config = self.sandbox.config

    def open(self, *, config: dict[str, Any] | None = None, **options: Any) -> Client:
        options = {"timeout": PATIENCE, **options}
        form = type(self).form
        client: Any = self.enterContext(form(replace(self.config, **config or {}), **options))
        if http := options.get("http"):
            close = http.close if form is Client else lambda: client.wait(http.aclose())
            self.addCleanup(close)
        return cast(Client, client)

    def want_error(self, code: Code, call: Callable[[], object]) -> RosteringError:
        with self.assertRaises(RosteringError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        shown = "".join(format_exception(caught.exception))
        sent = [r["headers"]["authorization"] for r in self.sandbox.job_requests()]
        for secret in (self.config.client_secret, *sent):
            self.assertNotIn(secret.removeprefix("Bearer "), shown)
        return caught.exception

    def want_requests(self, tokens: int, jobs: int) -> None:
        self.assertEqual(self.sandbox.counts(), {"token_requests": tokens, "job_requests": jobs})
