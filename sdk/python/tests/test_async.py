import asyncio
import gc
import threading
import time
from typing import Any
from unittest import mock

from automatic_rostering import AsyncClient
from automatic_rostering.plugin import Plugin

from . import PATIENCE
from .case import ServiceCase


class Cancellation(ServiceCase):
    async def cancel_call(self, client: AsyncClient, **counts: int) -> None:
        call = asyncio.create_task(client.list_jobs())
        await asyncio.to_thread(self.sandbox.wait, **counts)
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call

    def test_nothing_is_left_for_the_event_loop_to_report(self) -> None:
        unhandled: list[object] = []

        async def play() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: unhandled.append(context))
            async with AsyncClient(self.config, timeout=PATIENCE) as client:
                await client.list_jobs()
                self.sandbox.fault("jobs", hold=True)
                await self.cancel_call(client, job_requests=2)
                client.clear_token()
                self.sandbox.fault("auth", hold=True, cut_off=True)
                await self.cancel_call(client, token_requests=2)
                self.sandbox.clear_faults()
            gc.collect()

        asyncio.run(play())
        self.assertEqual(unhandled, [])
        self.want_requests(2, 2)


class Renewals(ServiceCase):
    def test_nothing_of_a_renewal_is_left_for_the_event_loop_to_report(self) -> None:
        unhandled: list[object] = []

        async def play(*, hold: bool) -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: unhandled.append(context))
            now = time.time()
            async with AsyncClient(self.config, timeout=PATIENCE, clock=lambda: now) as client:
                await client.list_jobs()
                tokens = self.sandbox.counts()["token_requests"]
                self.sandbox.fault("auth", hold=hold, cut_off=not hold)
                now += 3550
                await client.list_jobs()
                await asyncio.to_thread(self.sandbox.wait, token_requests=tokens + 1)
                if not hold:
                    await asyncio.gather(*client._core.sections, return_exceptions=True)
            self.sandbox.clear_faults()
            gc.collect()

        asyncio.run(play(hold=True))  # until the client is closed
        asyncio.run(play(hold=False))
        self.assertEqual(unhandled, [])
        self.want_requests(4, 4)

    def test_log_of_the_event_loop_has_no_token(self) -> None:
        async def play() -> None:
            loop = asyncio.get_running_loop()
            loop.slow_callback_duration = 0  # logs every callback
            now = time.time()
            async with AsyncClient(self.config, timeout=PATIENCE, clock=lambda: now) as client:
                await client.list_jobs()
                now += 3550
                await client.list_jobs()
                await asyncio.gather(*client._core.sections)
                await asyncio.create_task(client.get_token())

        with self.assertLogs("asyncio") as logs:
            asyncio.run(play(), debug=True)
        self.assertRegex("".join(logs.output), "_renew.* result=None")
        self.assertNotIn("eyJ", "".join(logs.output))  # as every token begins
        self.want_requests(2, 2)


class Loops(ServiceCase):
    def test_another_loop(self) -> None:
        client = AsyncClient(self.config)
        asyncio.run(client.open())
        for later in (client.list_jobs, client.close):
            with self.assertRaisesRegex(RuntimeError, "^the client belongs to <.*closed=True"):
                asyncio.run(later())
        self.want_requests(0, 0)

    def test_not_open(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "not open: use async with"):
            asyncio.run(AsyncClient(self.config).list_jobs())

    def test_opening_again(self) -> None:
        async def play() -> None:
            async with AsyncClient(self.config) as client:
                self.assertIs(await client.open(), client)
            with self.assertRaisesRegex(RuntimeError, "^the client is closed; open a new one$"):
                await client.open()

        asyncio.run(play())

    def test_opening_does_not_block_the_loop(self) -> None:
        loop_runs = threading.Event()

        def make_plugin(*args: Any) -> Plugin:
            self.assertTrue(loop_runs.wait(PATIENCE))
            return Plugin(*args)

        async def play() -> None:
            opening = asyncio.create_task(AsyncClient(self.config).open())
            await asyncio.sleep(0)
            loop_runs.set()
            await (await opening).close()

        with mock.patch("automatic_rostering.base.Plugin", make_plugin):
            asyncio.run(play())
