import asyncio
import unittest

import httpx

from automatic_rostering import AsyncClient, AsyncJobsClient, Client, JobsClient

from .service import CONFIG, Service


# snippet
class FakeClient:
    def __init__(self, *jobs: dict[str, str]) -> None:
        self.jobs = jobs

    def list_jobs(self, **_: object) -> httpx.Response:
        return httpx.Response(200, json=self.jobs)

    def send_request(self, path: str, **_: object) -> httpx.Response:
        return httpx.Response(404, text=path)

    def for_customer(self, customer_id: str | None) -> "FakeClient":
        return FakeClient({"id": f"a job of {customer_id}"})

    for_user = for_customer
    # end of snippet


def job_ids(client: JobsClient) -> list[str]:
    return [job["id"] for job in client.list_jobs().json()]


class Fake(unittest.TestCase):
    def test_fake(self) -> None:
        fake = FakeClient({"id": "1"}, {"id": "2"})
        self.assertEqual(job_ids(fake), ["1", "2"])
        self.assertEqual(job_ids(fake.for_customer("acme")), ["a job of acme"])


class Types(unittest.IsolatedAsyncioTestCase):
    """Pyright and mypy check them, too."""

    async def test_protocols(self) -> None:
        service = Service()
        clients: list[JobsClient] = [Client(CONFIG, http=service.http()), FakeClient()]
        for client in clients:
            self.assertEqual(client.for_user("eve").list_jobs(headers={"X": "y"}).status_code, 200)
        async with AsyncClient(CONFIG, http=service.async_http()) as opened:
            for_asyncio: AsyncJobsClient = opened
            task = asyncio.create_task(for_asyncio.for_customer(None).send_request("/jobs"))
            self.assertEqual((await task).status_code, 200)
