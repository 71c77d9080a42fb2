"""What the tests have in common."""

import os
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from rostering import BaseClient, Client, Code, Config, HttpxClient, RosteringError

from .service import JOBS, SECRET, Service

WASM = Path(__file__).resolve().parents[3] / "dist" / "rostering.wasm"
PATIENCE = 20.0  # bounds every wait; no measure of how long things take
THREADS = 20

# libextism sends even loopback's requests through a proxy of the environment.
os.environ["NO_PROXY"] = "*"


class ServiceCase(unittest.TestCase):
    """Each test has a service of its own."""

    #: Which form of the client it opens.
    form: type[Client | HttpxClient] = Client

    def setUp(self) -> None:
        self.service = self.enterContext(Service())
        self.config = Config(
            environment="stage",
            auth_url=self.service.url,
            base_url=self.service.url,
            client_id="client",
            client_secret=SECRET,
            customer_id="customer",
            user_id="user",
        )

    def open(self, *, timeout: float = PATIENCE, **changes: Any) -> BaseClient:  # noqa: ANN401
        config = replace(self.config, **changes)
        return self.enterContext(self.form(WASM, config, timeout=timeout))

    def at_once(self, call: Callable[[], bytes]) -> list[bytes]:
        """Make a call in many threads."""
        with ThreadPoolExecutor(THREADS) as pool:
            calls = [pool.submit(call) for _ in range(THREADS)]
            return [call.result(PATIENCE) for call in calls]

    def want_jobs(self, client: BaseClient) -> None:
        self.assertEqual(client.list_jobs(), JOBS)

    def want_error(self, client: BaseClient, code: Code) -> RosteringError:
        with self.assertRaises(RosteringError) as caught:
            client.list_jobs()
        self.assertEqual(caught.exception.code, code)
        self.assertNotIn(SECRET, f"{caught.exception!r} {caught.exception}")
        return caught.exception

    def want_requests(self, tokens: int, jobs: int) -> None:
        self.assertEqual(len(self.service.token_requests), tokens, "token requests")
        self.assertEqual(len(self.service.job_requests), jobs, "requests to the service")
