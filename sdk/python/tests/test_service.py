import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx

from rostering.thread import in_thread

from . import PATIENCE
from .case import ServiceCase

PROGRAM = Path(__file__).parents[1] / "service.py"
AT_ONCE = 200


class Service(ServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, PROGRAM],
            env={**os.environ, **self.sandbox.env, "PORT": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        assert self.process.stdout
        self.addCleanup(self.process.stdout.close)
        port = in_thread(self.process.stdout.readline).result(PATIENCE).decode().strip()
        self.http = self.enterContext(
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, trust_env=False)
        )

    def test_many_requests_at_once(self) -> None:
        async def get_all() -> list[httpx.Response]:
            url, limits = self.http.base_url, httpx.Limits(max_connections=None)
            async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as http:
                return await asyncio.gather(*(http.get("/jobs") for _ in range(AT_ONCE)))

        statuses = Counter(response.status_code for response in asyncio.run(get_all()))
        self.assertEqual(statuses, {200: AT_ONCE})
        self.want_requests(1, AT_ONCE)

    def test_errors(self) -> None:
        self.sandbox.fault("jobs", status=404)
        response = self.http.get("/jobs")
        self.assertEqual((response.status_code, response.json()["code"]), (502, "service_error"))
        self.sandbox.fault("jobs", status=429, headers={"Retry-After": "7"})
        response = self.http.get("/jobs")
        self.assertEqual((response.status_code, response.headers["Retry-After"]), (503, "7"))

    def test_end(self) -> None:
        self.sandbox.fault("jobs", hold=True)
        answer = in_thread(lambda: self.http.get("/jobs"))
        self.sandbox.wait(job_requests=1)
        self.process.send_signal(signal.SIGTERM)
        self.want_no_new_connections()
        self.sandbox.clear_faults()
        self.assertEqual(answer.result(PATIENCE).status_code, 200)
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def want_no_new_connections(self) -> None:
        async def wait() -> None:
            # Each request has a connection of its own: one that is kept would be served on.
            limits = httpx.Limits(max_keepalive_connections=0)
            async with httpx.AsyncClient(limits=limits) as http:
                while True:
                    with suppress(httpx.ReadError, httpx.RemoteProtocolError):
                        await http.get(self.http.base_url.join("/openapi.json"))

        with self.assertRaises(httpx.ConnectError):
            asyncio.run(asyncio.wait_for(wait(), PATIENCE))
