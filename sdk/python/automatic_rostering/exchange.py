"""Sends requests with httpx, and reads the responses up to a limit."""

import os
import ssl
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from typing import Any

import httpx

from . import __version__
from .connections import Connections, Deadline
from .request import AnyBody, AnyContent, opened
from .step import FAILURES, Outcome, Request

AnyHttp = httpx.Client | httpx.AsyncClient

_ERROR_BODY = (4 << 10) + 1  # bytes, one more than an error holds
#: Headers of a body on the wire. One that has been read is neither compressed nor chunked.
_OF_SENT_BODY = (b"content-encoding", b"transfer-encoding", b"content-length")
_USER_AGENT = f"automatic-rostering/{__version__} (python)"
_HTTPX_AGENT = f"python-httpx/{httpx.__version__}"


def http_options(*urls: str | None) -> dict[str, Any]:
    """Return the options of the default HTTP client, for requests to these URLs."""
    # A cookie from one customer's response would be sent with another's request.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    # A token request must not queue for a connection behind slow requests to the service. All
    # are kept, because httpx compares its limit of idle ones with those in use, too.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    # The proxies of the environment are not for loopback.
    hosts = {httpx.URL(url).host for url in urls if url}
    mounts = {_pattern(host): None for host in hosts if _is_loopback(host)}
    tls = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    options = {"cookies": cookies, "limits": limits, "mounts": mounts}
    return {**options, "timeout": None, "verify": tls}  # calls have a timeout


@dataclass(eq=False, repr=False)
class Exchange:
    """One request with its body, and its response, of which so many bytes are read."""

    request: Request
    body: AnyBody
    limit: int
    error_limit: int = _ERROR_BODY
    token: str | None = None
    _read: bytearray = field(default_factory=bytearray, init=False)

    def send(self, http: httpx.Client, connections: Connections, deadline: Deadline) -> Outcome:
        """Send it, until the deadline."""
        with opened(self.body) as content:
            try:
                request = self._request(http, content)
                timeouts = _shorter(request.extensions["timeout"], deadline.left())
                request.extensions |= {"timeout": timeouts, "trace": connections.trace}
                with connections.until(deadline):
                    sent = http.send(request, stream=True, auth=None, follow_redirects=False)
                    with closing(sent) as response:
                        for piece in response.iter_bytes():
                            deadline.left()
                            if self._enough(response, piece):
                                break
                        return self._outcome(response)
            except FAILURES as error:
                failed = self._failed(error)
        deadline.left()
        return failed

    async def send_async(self, http: httpx.AsyncClient) -> Outcome:
        """Send it. The caller bounds the time."""
        with opened(self.body) as content:
            try:
                request = self._request(http, content)
                sent = await http.send(request, stream=True, auth=None, follow_redirects=False)
                async with aclosing(sent) as response:
                    async for piece in response.aiter_bytes():
                        if self._enough(response, piece):
                            break
                    return self._outcome(response)
            except FAILURES as error:
                return self._failed(error)

    def _request(self, http: AnyHttp, content: AnyContent) -> httpx.Request:
        url, headers = self.request.parsed
        headers = headers.copy()
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        if http.headers.get("user-agent", _HTTPX_AGENT) == _HTTPX_AGENT:
            headers.setdefault("user-agent", _USER_AGENT)
        rest: dict[str, Any] = {"headers": headers, "content": content}
        return http.build_request(self.request.method, url, **rest)

    def _limit(self, response: httpx.Response) -> int:
        return self.limit if response.is_success else self.error_limit

    def _enough(self, response: httpx.Response, piece: bytes) -> bool:
        self._read += piece
        return len(self._read) >= self._limit(response)

    def _outcome(self, response: httpx.Response) -> Outcome:
        body = bytes(self._read[: self._limit(response)])
        headers = response.headers.raw
        if body:
            headers = [field for field in headers if field[0].lower() not in _OF_SENT_BODY]
        return httpx.Response(
            response.status_code, headers=headers, content=body, request=self.request.shown
        )

    def _failed(self, error: Exception) -> Exception:
        """Return an error to show as a cause, without secrets: in requests and tracebacks."""
        part: BaseException | None = error
        while part:
            part.__traceback__ = None
            if isinstance(part, httpx.RequestError):
                part.request = self.request.shown
            part = part.__cause__ or part.__context__
        return error


@cache
def _tls(*_: str | None) -> ssl.SSLContext:
    """Load the certificates, which takes 50 ms, once for each place that they are read from."""
    return httpx.create_ssl_context()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _pattern(host: str) -> str:
    return f"all://[{host}]" if ":" in host else f"all://{host}"


def _shorter(own: dict[str, float | None], left: float | None) -> dict[str, float | None]:
    """Return the client's timeouts, cut to the time left."""
    if left is None:
        return own
    return {name: min(t or left, left) for name, t in own.items()}
