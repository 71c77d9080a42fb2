"""What the tests have in common."""

import os
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any

from rostering import Client, Code, Config, RosteringError

from .service import JOBS, SECRET, Service

WASM = Path(__file__).resolve().parents[3] / "dist" / "rostering.wasm"
PATIENCE = 20.0  # bounds every wait; no measure of how long things take

# libextism sends even loopback's requests through a proxy of the environment.
os.environ["NO_PROXY"] = "*"


class ServiceCase(unittest.TestCase):
    """Each test has a service of its own."""

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

    def open(self, *, timeout: float = PATIENCE, **changes: Any) -> Client:  # noqa: ANN401
        config = replace(self.config, **changes)
        return self.enterContext(Client(WASM, config, timeout=timeout))

    def want_jobs(self, client: Client) -> None:
        self.assertEqual(client.list_jobs(), JOBS)

    def want_error(self, client: Client, code: Code) -> RosteringError:
        with self.assertRaises(RosteringError) as caught:
            client.list_jobs()
        self.assertEqual(caught.exception.code, code)
        self.assertNotIn(SECRET, f"{caught.exception!r} {caught.exception}")
        return caught.exception

    def want_requests(self, tokens: int, jobs: int) -> None:
        self.assertEqual(len(self.service.token_requests), tokens, "token requests")
        self.assertEqual(len(self.service.job_requests), jobs, "requests for jobs")
