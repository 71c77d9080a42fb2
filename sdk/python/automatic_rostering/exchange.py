"""Sends requests with httpx, and reads the responses up to a limit."""

import os
import ssl
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx

from . import __version__
from .error import RosteringError
from .request import AnyBody, AnyContent, opened
from .step import FAILURES, Outcome, Request
from .tasks import Tasks
from .threads import Threads

E = TypeVar("E", bound=Exception)
AnyHttp = httpx.Client | httpx.AsyncClient

_ERROR_BODY = (4 << 10) + 1  # bytes, one more than an error holds
#: One alone: of two in each other, some KB from a server become GB. Others are not asked for.
_ENCODINGS = ("identity", "gzip", "deflate", "")
#: What the texts of exceptions have from the server, and what is said in its place.
_OF_WIRE: dict[type[Exception], str] = {
    httpx.ProtocolError: "the response is not valid HTTP, or ended early",
    httpx.DecodingError: "the response is compressed otherwise than with gzip, or damaged",
    httpx.ProxyError: "the proxy refused the connection",
}
_CA = "if a private CA issued it, set SSL_CERT_FILE, or verify in your httpx client"
_USER_AGENT = f"automatic-rostering/{__version__} (python)"
_HTTPX_AGENT = f"python-httpx/{httpx.__version__}"


def http_options() -> dict[str, Any]:
    """Return the options of the default HTTP client."""
    # A cookie from one customer's response would be sent with another's request.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    # A token request must not queue for a connection behind slow requests to the service. All
    # are kept, because httpx compares its limit of idle ones with those in use, too.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    # The proxies of the environment are not for loopback.
    mounts = {f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")}
    tls = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    options = {"cookies": cookies, "limits": limits, "mounts": mounts}
    return {**options, "timeout": None, "verify": tls}  # calls have a timeout


async def exchange(
    io: Threads | Tasks,
    request: Request,
    body: AnyBody,
    limit: int,
    error_limit: int = _ERROR_BODY,
    token: str | None = None,
) -> Outcome:
    """Send a request with a body, and read at most so many bytes of the response's."""

    def most(response: httpx.Response) -> int:
        if response.headers.get("content-encoding", "gzip").lower() not in _ENCODINGS:
            raise httpx.DecodingError("")
        return limit if response.is_success else error_limit

    with opened(body) as content:
        try:
            response, read = await io.exchange(_build(io.http, request, content, token), most)
        except FAILURES as error:
            io.check()
            return _failed(error, request)
    response._content = read  # noqa: SLF001 - as its read() does, which has no limit
    # What it refers to has the token.
    response.stream, response.next_request = httpx.ByteStream(read), None
    response.request = request.shown
    return response


def _build(
    http: AnyHttp, request: Request, content: AnyContent, token: str | None
) -> httpx.Request:
    url, headers = request.parsed
    headers = headers.copy()
    if token:
        headers["authorization"] = f"Bearer {token}"
    if http.headers.get("user-agent", _HTTPX_AGENT) == _HTTPX_AGENT:
        headers.setdefault("user-agent", _USER_AGENT)
    rest: dict[str, Any] = {"headers": headers, "content": content}
    return http.build_request(request.method, url, **rest)


def _failed(error: Exception, request: Request) -> Exception:
    """Return an error to show as a cause: without what the server sent, or the request was."""
    part: BaseException | None = error
    while part and not isinstance(part, ssl.SSLCertVerificationError):
        part = part.__cause__ or part.__context__
    failed = part if isinstance(part, Exception) else error
    failed.__cause__ = failed.__context__ = failed.__traceback__ = None
    if isinstance(failed, httpx.RequestError):
        vars(failed).clear()
        failed.request = request.shown
    for kind, text in _OF_WIRE.items():
        if isinstance(failed, kind):
            failed.args = (text,)
    return failed


def because(error: E, outcome: Outcome) -> E:
    """Return an error with the reason why there is no response, if there is one."""
    if isinstance(outcome, Exception):
        error.__cause__ = outcome
    if isinstance(outcome, ssl.SSLCertVerificationError) and isinstance(error, RosteringError):
        error.retryable, error.retry_after = False, None
        error.message = f"the server's certificate is not valid: {outcome.verify_message}; {_CA}"
    return error


@cache
def _tls(*_: str | None) -> ssl.SSLContext:
    """Load the certificates, which takes 50 ms, once for each place that they are read from."""
    return httpx.create_ssl_context()
