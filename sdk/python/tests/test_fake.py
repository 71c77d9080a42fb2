import unittest
from unittest import mock

import httpx

from automatic_rostering import AsyncClient, Client


def job_ids(client: Client) -> list[str]:
    return [job["id"] for job in client.list_jobs().json()]


class Fake(unittest.TestCase):
    def test_fake(self) -> None:
        # snippet
        fake = mock.create_autospec(Client, instance=True)  # rejects calls with wrong arguments
        fake.list_jobs.return_value = httpx.Response(200, json=[{"id": "1"}])
        fake.for_customer.return_value = fake
        # end of snippet
        self.assertEqual(job_ids(fake.for_customer("acme")), ["1"])
        with self.assertRaises(TypeError):
            fake.list_jobs(customer="acme")


class AsyncFake(unittest.IsolatedAsyncioTestCase):
    async def test_fake(self) -> None:
        fake = mock.create_autospec(AsyncClient, instance=True)
        fake.list_jobs.return_value = httpx.Response(200, json=[{"id": "1"}])
        self.assertEqual((await fake.list_jobs(timeout=3)).json(), [{"id": "1"}])
        with self.assertRaises(TypeError):
            await fake.list_jobs(customer="acme")
        for call in fake.send_request("/jobs"), fake.get_token(), fake.close():
            await call
        fake.set_secret("another")  # sends nothing, so it is not awaited
        fake.set_secret.assert_called_once()
