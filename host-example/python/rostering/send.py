"""Sends the plugin's requests with httpx."""

import re
from contextlib import closing
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from .deadline import Deadline
from .step import Answer, Request

# httpx quotes what it cannot send or read, which may be part of a header.
_QUOTED = re.compile(r"\b(bytearray\()?b['\"].*", re.DOTALL)


def new_http() -> httpx.Client:
    """Make the client that sends them, unless there is another. It has no time-outs."""
    # No cookies: one that comes with a customer's answer would go with another's request.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(cookies=cookies, timeout=httpx.Timeout(None))


def send(http: httpx.Client, request: Request, deadline: Deadline) -> Answer:
    """Send a request. A failure is an answer as well, with its reason."""
    try:
        return _exchange(http, request, deadline)
    # An OSError is a deadline that has passed, a UnicodeError a host name that cannot be one.
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
        return Answer(failed=_reason(error, deadline))


def _exchange(http: httpx.Client, request: Request, deadline: Deadline) -> Answer:
    deadline.check()
    outgoing = http.build_request(
        request.method,
        request.url,
        # White space around a value says nothing, and httpx refuses it.
        headers={name: value.strip() for name, value in request.headers.items()},
        content=request.body,
        timeout=_within(http.timeout, deadline.left()),
    )
    # Neither a redirect nor another Authorization, whatever the client is set to.
    response = http.send(outgoing, stream=True, auth=None, follow_redirects=False)
    with closing(response):
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            deadline.check()  # httpx bounds the wait for each piece alone
    return Answer(response.status_code, dict(response.headers), bytes(body))


def _within(own: httpx.Timeout, left: float | None) -> httpx.Timeout:
    """Give the client's own time-outs, where they are shorter than what is left."""
    if left is None:
        return own
    bounds = own.as_dict()
    return httpx.Timeout(**{name: min(t or left, left) for name, t in bounds.items()})


def _reason(error: Exception, deadline: Deadline) -> str:
    if deadline.left() == 0:
        return str(deadline)
    return f"{type(error).__name__}: {_QUOTED.sub('…', str(error))}"
