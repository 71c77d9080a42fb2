"""The token for requests through your own httpx client."""

from collections.abc import AsyncGenerator, Generator
from http import HTTPStatus
from inspect import isawaitable
from typing import Any

import httpx

from .check import check
from .client import AsyncClient, Client
from .error import Problem, RosteringError
from .send import Sends
from .threads import finish

_HEADER = "Authorization"


class RosteringAuth(httpx.Auth):
    """Adds the token to the requests of an httpx client.

        http = httpx.Client(base_url=config.base_url, auth=RosteringAuth(client))
        http.get("/jobs/7")

    Pass a `Client` for an httpx.Client, an `AsyncClient` for an httpx.AsyncClient.

    Only requests to the origin of `base_url` get the token, and none that has an Authorization. You get a 401 if there
    is no other token, or if the body is a file or an iterable, which cannot be read again. Adds no CUSTOMER_ID and no
    USER_ID. A request raises a `RosteringError` if no token can be obtained.
    """

    def __init__(self, client: Client | AsyncClient) -> None:
        check("client", client, (Client, AsyncClient))
        self._client, self._shared = client, client._shared  # noqa: SLF001 - of this package
        if not self._shared.config.base_url:
            message = "base_url is not set; set it, since only requests to it get the token"
            problems = (Problem("base_url", message),)
            raise RosteringError("config_missing", message, key="base_url", problems=problems)
        self._origin = _origin(httpx.URL(self._shared.config.base_url))

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the token to a request of an httpx.Client."""
        if not isinstance(self._client, Client):
            raise TypeError("an httpx.Client needs a Client, not an AsyncClient")
        flow, response = self._flow(request), None
        try:
            while True:
                response = yield finish(flow.asend(response))
        except StopAsyncIteration:
            pass
        finally:
            finish(flow.aclose())

    def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Add the token to a request of an httpx.AsyncClient."""
        if not isinstance(self._client, AsyncClient):
            raise TypeError("an httpx.AsyncClient needs an AsyncClient, not a Client")
        return self._flow(request)

    async def _flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, Any]:
        if _origin(request.url) != self._origin or _HEADER in request.headers:
            yield request
            return
        _ = self._shared.plugin  # raises an error unless it is open
        if self._origin[0] == "http":
            _keep_from_https(request, is_async=isinstance(self._client, AsyncClient))
        sends = Sends(self._shared.holder, repeatable=isinstance(request.stream, httpx.ByteStream))
        goes_on = True
        try:
            while goes_on:
                await _result(self._client._call(lambda _: sends.next()))  # noqa: SLF001
                sent = request.headers[_HEADER] = f"Bearer {sends.tokens[-1]}"
                response = yield request
                # httpx forwards the header to no other host.
                has_token = response.request.headers.get(_HEADER) == sent
                goes_on = sends.responded(response.status_code if has_token else HTTPStatus.OK)
                if goes_on:  # returns its connection, which the token request may need
                    is_async = isinstance(self._client, AsyncClient)
                    await (response.aread() if is_async else _result(response.read()))
        except (RosteringError, RuntimeError):  # a 401 is the response then
            if not sends.tokens:
                raise
        finally:
            request.headers.pop(_HEADER, None)  # it may be sent again, and logged


def _keep_from_https(request: httpx.Request, *, is_async: bool) -> None:
    """Remove the token from a request before it is redirected to https, where httpx would keep it."""
    others = request.extensions.get("trace")

    def trace(event: str, info: dict[str, Any]) -> Any:  # noqa: ANN401
        if event.endswith(".receive_response_headers.complete"):
            *_, headers = info["return_value"]
            if any(name.lower() == b"location" and value.lower().startswith(b"https:") for name, value in headers):
                request.headers.pop(_HEADER, None)
        return others(event, info) if others else None

    async def async_trace(event: str, info: dict[str, Any]) -> None:
        await _result(trace(event, info))

    request.extensions = {**request.extensions, "trace": async_trace if is_async else trace}


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port  # httpx drops a default port


async def _result(value: Any) -> Any:  # noqa: ANN401 - of either kind of client
    return await value if isawaitable(value) else value
