import asyncio
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any, ClassVar

import httpx

from automatic_rostering import Client, RosteringAuth

from . import PATIENCE
from .case import Blocking, InLoop, ServiceCase
from .sandbox import Sandbox
from .test_client import read_once, read_once_async


class Requests(ServiceCase):
    """Requests through your own HTTP client, with the token of a client."""

    #: Makes a body that can be read only once.
    read_once: ClassVar[Any] = staticmethod(read_once)

    def setUp(self) -> None:
        super().setUp()
        self.client = self.open()

    def http(self, **options: Any) -> Any:
        """Open an httpx client, which can be used like an httpx.Client."""
        options = {
            "base_url": self.config.base_url,
            "headers": {"CUSTOMER_ID": "c", "USER_ID": "u"},
            "timeout": PATIENCE,
            **options,
        }
        client: Any = self.client
        if not isinstance(client, InLoop):
            return self.enterContext(httpx.Client(auth=RosteringAuth(client), **options))
        http = httpx.AsyncClient(auth=RosteringAuth(client.client), **options)
        self.addCleanup(lambda: client.wait(http.aclose()))
        return Blocking(http, client)

    def sent(self, sandbox: Sandbox | None = None) -> list[str | None]:
        """Return the Authorization of each request to the service."""
        requests = (sandbox or self.sandbox).job_requests()
        return [request["headers"].get("authorization") for request in requests]

    def test_token(self) -> None:
        response = self.http().get("/jobs")
        self.assertEqual((response.status_code, response.json()["customer_id"]), (200, "c"))
        self.assertNotIn("Authorization", response.request.headers)
        self.assertEqual(self.sent(), [f"Bearer {self.client.get_token().access_token}"])
        self.want_requests(1, 1)

    def test_ids_are_not_added(self) -> None:
        self.assertEqual(self.http(headers={}).get("/jobs").status_code, 400)

    def test_revoked_token(self) -> None:
        http = self.http()
        request = http.build_request("GET", "/jobs")
        self.assertEqual(http.send(request).status_code, 200)
        self.sandbox.revoke()
        response = http.send(request)
        self.assertEqual(response.status_code, 200)
        self.assertEqual([earlier.status_code for earlier in response.history], [401])
        self.want_requests(2, 3)

    def test_service_401_for_a_new_token(self) -> None:
        self.sandbox.fault("jobs", status=401, body="no")
        http = self.http()
        response = http.get("/jobs")
        self.assertEqual((response.status_code, response.text), (401, "no"))
        self.want_requests(2, 2)
        self.assertEqual(http.get("/jobs").status_code, 401)
        self.want_requests(2, 3)

    def test_bodies(self) -> None:
        http = self.http()
        for body in {"content": b"bytes"}, {"data": {"a": "b"}}, {"json": [1]}, {"content": ""}:
            self.client.get_token(force=True)  # one that replaced another is kept for a minute
            self.sandbox.fault("jobs", status=401, requests=1)
            self.assertEqual(http.post("/jobs", **body).status_code, 405)
            first, second = self.sandbox.job_requests()[-2:]
            self.assertEqual(first["body"], second["body"])
        self.want_requests(8, 8)

    def test_bodies_that_can_be_read_once(self) -> None:
        http = self.http()
        self.sandbox.fault("jobs", status=401, body="no")
        bodies: list[dict[str, Any]] = [
            {"content": self.read_once()},
            {"files": {"file": BytesIO(b"of a form")}},
        ]
        if self.form is Client:
            bodies += {"content": BytesIO(b"of a file")}, {"content": iter([b"piece"])}
        for done, body in enumerate(bodies, 1):
            self.client.get_token(force=True)
            response = http.post("/jobs", **body)
            self.assertEqual((response.status_code, response.text), (401, "no"))
            self.want_requests(2 * done, done)

    def test_service_401_without_a_new_token(self) -> None:
        http = self.http()
        self.sandbox.fault("jobs", status=401)
        self.client.get_token()
        self.sandbox.fault("auth", status=503)
        self.assertEqual(http.get("/jobs").status_code, 401)
        self.want_error("token_endpoint_unavailable", lambda: http.get("/jobs"))  # the backoff
        self.assertEqual(self.sandbox.counts()["job_requests"], 1)

    def test_custom_authorization(self) -> None:
        response = self.http().get("/jobs", headers={"authorization": "Bearer mine"})
        self.assertEqual(response.status_code, 401)
        self.assertEqual(self.sent(), ["Bearer mine"])
        self.want_requests(0, 1)

    def test_other_origins(self) -> None:
        other = self.enterContext(Sandbox())
        http = self.http(follow_redirects=True)
        self.assertEqual(http.get(f"{other.config.base_url}/jobs").status_code, 401)
        # Another name of the same server is another origin.
        port = httpx.URL(self.config.base_url or "").port
        http.get(f"http://localhost:{port}/jobs")
        self.assertEqual(self.sent(other) + self.sent(), [None, None])
        self.want_requests(0, 1)

    def test_redirects(self) -> None:
        other = self.enterContext(Sandbox())
        http = self.http(follow_redirects=True)
        for status in (302, 307):
            headers = {"Location": f"{other.config.base_url}/jobs"}
            self.sandbox.fault("jobs", status=status, headers=headers, requests=1)
            # The 401 of another server says nothing about the token.
            self.assertEqual(http.get("/jobs").status_code, 401)
        self.assertEqual(self.sent(other), [None, None])
        self.want_requests(1, 2)
        self.sandbox.revoke()
        self.sandbox.fault("jobs", status=307, headers={"Location": "/jobs"}, requests=1)
        self.assertEqual(http.get("/jobs?first").status_code, 200)
        targets = [request["target"] for request in self.sandbox.job_requests()[2:]]
        self.assertEqual(targets, ["/jobs?first", "/jobs", "/jobs?first"])

    def test_one_connection_for_everything(self) -> None:
        options: Any = {"base_url": self.config.base_url, "limits": httpx.Limits(max_connections=1)}
        self.sandbox.fault("jobs", status=401, body="no" * 100_000)
        if self.form is InLoop:
            shared = httpx.AsyncClient(**options)
            client: Any = self.open(http=shared)
            shared.auth = RosteringAuth(client.client)
            response = client.wait(shared.get("/jobs"))
            client.wait(shared.aclose())
        else:
            with httpx.Client(**options) as http:
                sync_client = self.open(http=http)
                http.auth = RosteringAuth(sync_client)
                response = http.get("/jobs")
        self.assertEqual(response.status_code, 401)
        self.want_requests(2, 2)

    def test_base_url_is_missing(self) -> None:
        for base_url in (None, ""):
            with Client(replace(self.config, base_url=base_url)) as client:
                error = self.want_error("config_missing", partial(RosteringAuth, client))
            self.assertEqual(error.key, "base_url")


class AsyncRequests(Requests):
    form = InLoop
    read_once = staticmethod(read_once_async)


class Kinds(ServiceCase):
    def test_the_other_kind_of_client(self) -> None:
        async def get(client: Client) -> None:
            async with httpx.AsyncClient(auth=RosteringAuth(client)) as http:
                await http.get(self.sandbox.env["ROSTERING_BASE_URL"])

        with self.assertRaisesRegex(TypeError, "needs an AsyncClient, not a Client"):
            asyncio.run(get(self.open()))
        asynchronous = self.enterContext(InLoop(self.config)).client
        with (
            self.assertRaisesRegex(TypeError, "needs a Client, not an AsyncClient"),
            httpx.Client(auth=RosteringAuth(asynchronous)) as http,
        ):
            http.get(self.sandbox.env["ROSTERING_BASE_URL"])
        self.want_requests(0, 0)
