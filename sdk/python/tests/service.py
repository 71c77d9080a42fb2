"""An identity provider and a service without a network."""

from collections.abc import Callable
from typing import Any

import httpx

from automatic_rostering import Config

PATIENCE = 20.0  # seconds; bounds every wait
CONFIG = Config(
    environment="stage",
    auth_url="https://login.example.com",
    base_url="https://jobs.example.com",
    client_id="id",
    client_secret="a secret",
    customer_id="c",
    user_id="u",
)
CLOSED = "^the client is closed; open a new one$"


class Service:
    """Responds by `token` and `jobs`, which tests replace. For asyncio, they may be async."""

    def __init__(self) -> None:
        self.tokens = 0
        #: The requests to the service.
        self.requests: list[httpx.Request] = []
        self.token: Callable[[], Any] = self.new_token
        self.jobs: Callable[[], Any] = lambda: httpx.Response(200)

    def new_token(self) -> httpx.Response:
        token = {"access_token": f"token-{self.tokens:04}", "token_type": "Bearer", "expires_in": 3600}
        return httpx.Response(200, json=token)

    def respond(self, request: httpx.Request) -> Any:
        if request.url.path == "/connect/token":
            self.tokens += 1
            return self.token()
        self.requests.append(request)
        return self.jobs()

    def http(self, **options: Any) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self.respond), **options)

    def async_http(self, **options: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.respond), **options)
