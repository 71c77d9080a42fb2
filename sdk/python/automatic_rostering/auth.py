"""The token for requests through your own httpx client."""

from collections.abc import AsyncGenerator, Generator
from functools import partial
from http import HTTPStatus
from inspect import isawaitable
from typing import Any

import httpx

from .async_client import AsyncClient
from .check import check
from .client import Client
from .error import RosteringError
from .send import Sends
from .threads import finish

_HEADER = "Authorization"


class RosteringAuth(httpx.Auth):
    """Adds the token to the requests of an httpx client.

        http = httpx.Client(base_url=config.base_url, auth=RosteringAuth(client))
        http.get("/jobs/7")

    Pass a `Client` for an httpx.Client, an `AsyncClient` for an httpx.AsyncClient.

    Only requests to the scheme, host and port of the config's `base_url` get the token, and none
    that has an Authorization already. After a 401 the token is replaced and the request sent again,
    twice at most. You get the 401 if there is no other token, or if the body is a file or an
    iterable, which cannot be read again. Adds no CUSTOMER_ID and no USER_ID. A request raises a
    `RosteringError` if there is no token for it, and this constructor if there is no `base_url`.
    """

    def __init__(self, client: Client | AsyncClient) -> None:
        check("client", client, (Client, AsyncClient))
        self._client = client
        self._origin = _origin(_base_url(client))

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
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

    def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Add the token to a request of an httpx.AsyncClient."""
        if not isinstance(self._client, AsyncClient):
            raise TypeError("an httpx.AsyncClient needs an AsyncClient, not a Client")
        return self._flow(request)

    async def _flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, Any]:
        if not self._wants_token(request):
            yield request
            return
        sends, goes_on = self._sends(request), True
        call = partial(self._client._call, lambda _: sends.next())  # noqa: SLF001 - of this package
        try:
            while goes_on and await _result(call()):
                response = yield _with_token(request, sends.tokens[-1])
                goes_on = sends.responded(_status(response, sends.tokens[-1]))
                if goes_on:  # returns its connection, which the token request may need
                    await _result(
                        response.aread()
                        if isinstance(self._client, AsyncClient)
                        else response.read()
                    )
        except (RosteringError, RuntimeError):  # a 401 is the response then
            if not sends.tokens:
                raise
        finally:
            request.headers.pop(_HEADER, None)  # it may be sent again, and logged

    def _sends(self, request: httpx.Request) -> Sends:
        core = self._client._core  # noqa: SLF001
        _ = core.plugin  # raises an error unless it is open
        return Sends(core.holder, repeatable=isinstance(request.stream, httpx.ByteStream))

    def _wants_token(self, request: httpx.Request) -> bool:
        return _origin(request.url) == self._origin and _HEADER not in request.headers


def _base_url(client: Client | AsyncClient) -> httpx.URL:
    url = client._core.config.base_url  # noqa: SLF001 - of this package
    if not url:
        message = "base_url is not set; set it, since only requests to it get the token"
        raise RosteringError("config_missing", message, key="base_url")
    return httpx.URL(url)


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port  # httpx drops a default port


def _with_token(request: httpx.Request, token: str) -> httpx.Request:
    request.headers[_HEADER] = f"Bearer {token}"
    return request


def _status(response: httpx.Response, token: str) -> int:
    """Return the status of a response to the token, which httpx forwards to no other host."""
    sent = response.request.headers.get(_HEADER) == f"Bearer {token}"
    return response.status_code if sent else HTTPStatus.OK


async def _result(value: Any) -> Any:  # noqa: ANN401 - of either kind of client
    return await value if isawaitable(value) else value
