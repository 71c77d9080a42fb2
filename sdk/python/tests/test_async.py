import asyncio
import gc

from automatic_rostering import AsyncClient

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
                # Closing the client waits for the token request, which fails.
            gc.collect()

        asyncio.run(play())
        self.assertEqual(unhandled, [])
        self.want_requests(2, 2)
