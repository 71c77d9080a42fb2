import asyncio
import gc
import threading
import time
from typing import Any
from unittest import IsolatedAsyncioTestCase, TestCase, mock, skipUnless

import httpx

from automatic_rostering import AsyncClient, RosteringAuth
from automatic_rostering.plugin import Plugin

from .service import CLOSED, CONFIG, PATIENCE, Service


class Many(IsolatedAsyncioTestCase):
    async def test_no_http_client_has_many_connections(self) -> None:
        """For each request, httpcore takes a time that grows with their square."""
        held, arrived = asyncio.Event(), asyncio.Semaphore(0)
        service = Service()

        async def respond(request: httpx.Request) -> Any:
            if request.method == "GET":
                arrived.release()
                await held.wait()
            return service.respond(request)

        def make(kind: Any, _: object) -> Any:
            return kind(transport=httpx.MockTransport(respond))

        with mock.patch("automatic_rostering.shared.new_http", make):
            async with AsyncClient(CONFIG, timeout=PATIENCE) as client:
                calls = asyncio.gather(*(client.list_jobs() for _ in range(120)))
                for _ in range(120):
                    await asyncio.wait_for(arrived.acquire(), PATIENCE)
                sends = client._shared.io.sends
                self.assertEqual(sorted(sends.values()), [20, 50, 50])
                held.set()
                await calls
                self.assertEqual(dict(sends), {client._shared.io.http: 0})


class Left(IsolatedAsyncioTestCase):
    """Nothing is left for the event loop to report."""

    def setUp(self) -> None:
        self.service = Service()
        self.now = time.time()
        self.client = AsyncClient(CONFIG, http=self.service.async_http(), timeout=PATIENCE, clock=lambda: self.now)

    async def asyncSetUp(self) -> None:
        self.unhandled: list[object] = []
        self.released = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.unhandled.append(context))

    def want_nothing_left(self) -> None:
        gc.collect()
        self.assertEqual(self.unhandled, [])

    def hold(self) -> tuple[Any, asyncio.Event]:
        """Return what fails when it is released, and an event that it sets."""
        arrived = asyncio.Event()

        async def respond() -> None:
            arrived.set()
            await self.released.wait()
            raise httpx.ConnectError("cut off")

        return respond, arrived

    async def cancel_call(self, arrived: asyncio.Event) -> None:
        call = asyncio.create_task(self.client.list_jobs())
        await asyncio.wait_for(arrived.wait(), PATIENCE)
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call

    async def test_canceled_calls(self) -> None:
        async with self.client as client:
            self.service.jobs, arrived = self.hold()
            await self.cancel_call(arrived)
            client.clear_token()
            self.service.token, arrived = self.hold()
            await self.cancel_call(arrived)
            self.released.set()  # the token request fails after its caller has left
            await asyncio.wait(client._shared.io.running, timeout=PATIENCE)
        self.want_nothing_left()

    async def test_renewal_that_is_closed(self) -> None:
        async with self.client as client:
            await client.list_jobs()
            self.service.token, arrived = self.hold()
            self.now += 3550
            await client.list_jobs()
            await asyncio.wait_for(arrived.wait(), PATIENCE)
        self.want_nothing_left()


class Debug(TestCase):
    def test_log_of_the_event_loop_has_no_token(self) -> None:
        now = time.time()

        async def play() -> None:
            asyncio.get_running_loop().slow_callback_duration = 0  # logs every callback
            nonlocal now
            http = Service().async_http()
            async with AsyncClient(CONFIG, http=http, clock=lambda: now) as client:
                await client.list_jobs()
                now += 3550
                await client.list_jobs()
                await asyncio.gather(*client._shared.io.running)
                await asyncio.create_task(client.get_token())

        with self.assertLogs("asyncio") as logs:
            asyncio.run(play(), debug=True)
        self.assertRegex("\n".join(logs.output), "Flow.run.* result=None")
        self.assertNotIn("token-", "".join(logs.output))


class Loops(TestCase):
    @skipUnless(hasattr(asyncio, "eager_task_factory"), "Python 3.12")
    def test_eager_tasks(self) -> None:
        async def play() -> None:
            asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined]
            service, now = Service(), time.time()
            async with AsyncClient(CONFIG, http=service.async_http(), timeout=PATIENCE, clock=lambda: now) as client:
                await asyncio.gather(*(client.list_jobs() for _ in range(9)))
                now += 3550
                await client.list_jobs()
                await client.get_token(force=True)
            self.assertEqual(service.tokens, 3)

        asyncio.run(play())

    def test_another_loop(self) -> None:
        client = AsyncClient(CONFIG)
        asyncio.run(client.open())
        for later in (client.list_jobs, client.close):
            with self.assertRaisesRegex(RuntimeError, "^the client belongs to <.*closed=True"):
                asyncio.run(later())

    def test_not_open(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "not open: use async with"):
            asyncio.run(AsyncClient(CONFIG).list_jobs())

        async def get() -> None:
            async with httpx.AsyncClient(auth=RosteringAuth(AsyncClient(CONFIG))) as http:
                await http.get(f"{CONFIG.base_url}")

        with self.assertRaisesRegex(RuntimeError, "not open: use async with"):
            asyncio.run(get())

    def test_opening_again(self) -> None:
        async def play() -> None:
            async with AsyncClient(CONFIG) as client:
                self.assertIs(await client.open(), client)
            with self.assertRaisesRegex(RuntimeError, CLOSED):
                await client.open()

        asyncio.run(play())

    def test_opening_does_not_block_the_loop(self) -> None:
        loop_runs = threading.Event()

        def make_plugin(*args: Any, **options: Any) -> Plugin:
            self.assertTrue(loop_runs.wait(PATIENCE))
            return Plugin(*args, **options)

        async def play() -> None:
            opening = asyncio.create_task(AsyncClient(CONFIG).open())
            await asyncio.sleep(0)
            loop_runs.set()
            await (await opening).close()

        with mock.patch("automatic_rostering.shared.Plugin", make_plugin):
            asyncio.run(play())
