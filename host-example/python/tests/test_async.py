import asyncio
import gc
import threading

from rostering import AsyncClient

from .case import PATIENCE, ServiceCase
from .service import JOBS, Answer, Request, jobs


class Cancellation(ServiceCase):
    """A call that is cancelled while the service or the identity provider holds its answer back."""

    def setUp(self) -> None:
        super().setUp()
        self.arrived, self.release = threading.Event(), threading.Event()
        self.addCleanup(self.release.set)
        self.unhandled: list[object] = []

    def hold(self) -> None:
        self.arrived.set()
        self.release.wait(PATIENCE)

    async def cancel_call(self, client: AsyncClient) -> None:
        call = asyncio.create_task(client.list_jobs())
        self.assertTrue(await asyncio.to_thread(self.arrived.wait, PATIENCE))
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call

    async def play(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
        async with AsyncClient(self.config, timeout=PATIENCE) as client:
            await self.cancel_call(client)
            self.release.set()
            self.assertEqual((await client.list_jobs()).content, JOBS)
        gc.collect()
        self.assertEqual(self.unhandled, [])

    def test_token_request_goes_on(self) -> None:
        def answer() -> Answer:
            self.hold()
            return self.service.token()

        self.service.token_answer = answer
        asyncio.run(self.play())
        self.want_requests(1, 1)

    def test_request_to_the_service_ends(self) -> None:
        def answer(_: Request) -> Answer:
            self.service.jobs_answer = jobs
            self.hold()
            return Answer(200)

        self.service.jobs_answer = answer
        asyncio.run(self.play())
        self.want_requests(1, 2)

    def test_failure_that_nobody_waits_for(self) -> None:
        def answer() -> None:
            self.hold()

        async def play() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
            client = AsyncClient(self.config)
            await self.cancel_call(client)
            self.release.set()
            await client.close()  # waits for the token request
            gc.collect()

        self.service.token_answer = answer
        asyncio.run(play())
        self.assertEqual(self.unhandled, [])
        self.want_requests(1, 0)
