"""Sends requests with httpx, and reads the answers up to a limit."""

import time
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from .call import AnyContent
from .step import Outcome, ServiceStep, TokenStep

AnyHttp = httpx.Client | httpx.AsyncClient

_ERROR_BODY = (64 << 10) + 1  # bytes, one more than an error holds
_STATUSES = range(100, 600)
# An OSError can be a deadline that has passed, a UnicodeError is an invalid host name.
_FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


class Deadline:
    """A point in time, in seconds from now; None means never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left, or None. Raises a TimeoutError if it has passed."""
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        return left


def http_options() -> dict[str, Any]:
    """Return the options of the default HTTP client."""
    # A cookie from one customer's answer would be sent with another's request.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    # A token request must not queue for a connection behind slow requests to the service.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    return {"cookies": cookies, "limits": limits, "timeout": None}  # calls have a time-out


@dataclass(eq=False, repr=False)
class Exchange:
    """A request with its content, and its answer."""

    step: TokenStep | ServiceStep
    content: AnyContent
    max_body: int
    _body: bytearray = field(default_factory=bytearray, init=False)

    def send(self, http: httpx.Client, deadline: Deadline) -> Outcome:
        """Send it. httpx bounds each wait; in between, this looks at the deadline."""
        try:
            request = self._request(http, _shorter(http.timeout, deadline.left()))
            sent = http.send(request, stream=True, auth=None, follow_redirects=False)
            with closing(sent) as response:
                for piece in response.iter_bytes():
                    deadline.left()
                    if self._enough(response, piece):
                        break
                return self._outcome(response)
        except _FAILURES as error:
            deadline.left()
            return failed(error)

    async def send_async(self, http: httpx.AsyncClient) -> Outcome:
        """Send it. The caller bounds the time."""
        try:
            request = self._request(http, http.timeout)
            sent = await http.send(request, stream=True, auth=None, follow_redirects=False)
            async with aclosing(sent) as response:
                async for piece in response.aiter_bytes():
                    if self._enough(response, piece):
                        break
                return self._outcome(response)
        except _FAILURES as error:
            return failed(error)

    def _request(self, http: AnyHttp, timeout: httpx.Timeout) -> httpx.Request:
        # httpx refuses white space around a value, which has no meaning.
        headers = {name: value.strip() for name, value in self.step.headers.items()}
        rest: dict[str, Any] = {"headers": headers, "content": self.content, "timeout": timeout}
        return http.build_request(self.step.method, self.step.url, **rest)

    def _limit(self, response: httpx.Response) -> int:
        if isinstance(self.step, TokenStep):
            return self.step.limit
        return self.max_body + 1 if response.is_success else _ERROR_BODY

    def _enough(self, response: httpx.Response, piece: bytes) -> bool:
        self._body += piece
        return len(self._body) >= self._limit(response)

    def _outcome(self, response: httpx.Response) -> Outcome:
        if response.status_code not in _STATUSES:
            return {"failed": f"invalid HTTP status {response.status_code}"}
        body = bytes(self._body[: self._limit(response)])
        of_service = isinstance(self.step, ServiceStep)
        if of_service and response.is_success and len(body) > self.max_body:
            return {"failed": f"the answer has more than {self.max_body} bytes"}
        headers = response.headers.copy()
        if body:  # which is neither compressed nor in chunks any more
            for name in ("Content-Encoding", "Transfer-Encoding", "Content-Length"):
                headers.pop(name, None)
        # The response's request is without its headers, which hold the token.
        request = httpx.Request(self.step.method, self.step.url)
        return httpx.Response(response.status_code, headers=headers, content=body, request=request)


def failed(error: Exception) -> dict[str, object]:
    """Return the outcome of a request that got no answer. The plugin redacts the reason."""
    text = str(error) or ("timed out" if isinstance(error, TimeoutError) else "")
    return {"failed": f"{type(error).__name__}: {text}"}


def _shorter(own: httpx.Timeout, left: float | None) -> httpx.Timeout:
    """Return the client's time-outs, cut to the time left."""
    if left is None:
        return own
    return httpx.Timeout(**{name: min(t or left, left) for name, t in own.as_dict().items()})
