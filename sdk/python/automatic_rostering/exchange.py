"""Sends requests with httpx, and reads the responses up to a limit."""

import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx

from . import __version__
from .error import RosteringError
from .proxy import proxies
from .request import AnyBody, AnyContent, opened
from .signals import of_handler
from .step import FAILURES, Failure, Outcome, Reason, Request
from .tasks import Tasks
from .threads import Threads

E = TypeVar("E", bound=Exception)
AnyHttp = httpx.Client | httpx.AsyncClient

_ERROR_BODY = (4 << 10) + 1  # bytes, one more than an error holds
#: One of the first two at most: of two in each other, some KB from a server become GB. The others are not asked for.
#: What is no coding, such as UTF-8, has no effect.
_CODINGS = ("gzip", "deflate", "br", "zstd", "compress", "x-gzip", "x-compress")
#: What shows that the server closed an idle connection, perhaps before it saw the request.
_CLOSED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
#: What the texts of exceptions have from the server, and what is said in its place.
_OF_WIRE: dict[type[Exception], str] = {
    httpx.ProtocolError: "the response is not valid HTTP, or ended early",
    httpx.DecodingError: "the response is compressed otherwise than with gzip, or damaged",
    httpx.ProxyError: "the proxy refused the connection",
}
#: The reasons of the types of exceptions: the first that an exception, or what it was made of, has.
_REASONS: list[tuple[tuple[type[Exception], ...], Reason]] = [
    ((ssl.SSLCertVerificationError,), "tls_certificate"),
    ((socket.gaierror,), "name_resolution"),
    ((httpx.ProxyError,), "proxy"),
    ((httpx.TimeoutException, TimeoutError), "timeout"),
    ((ssl.SSLError,), "tls"),
    ((httpx.ProtocolError, httpx.DecodingError), "protocol"),
    ((httpx.NetworkError, OSError), "connection"),
]
_USER_AGENT = f"automatic-rostering/{__version__} (python)"
_HTTPX_AGENT = f"python-httpx/{httpx.__version__}"


def new_http(kind: type[Any], urls: Iterable[str]) -> Any:  # noqa: ANN401
    """Make the default HTTP client, for the servers of these URLs."""
    # A cookie from one customer's response would be sent with another's request.
    cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    # A token request must not queue for a connection behind slow requests to the service. All are kept, because httpx
    # compares its limit of idle ones with those in use, too.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    tls = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    transport: Any = httpx.HTTPTransport if kind is httpx.Client else httpx.AsyncHTTPTransport
    mounts = {at: proxy and transport(verify=tls, limits=limits, proxy=proxy) for at, proxy in proxies(urls).items()}
    options = {"cookies": cookies, "limits": limits, "mounts": mounts, "trust_env": False}
    http = kind(**options, timeout=None, verify=tls)  # calls have a timeout
    for each in (http._transport, *http._mounts.values()):  # noqa: SLF001
        pool = getattr(each, "_pool", None)
        if pool and kind is httpx.Client:
            # An exception of a signal handler can leave httpcore's own lock locked for all threads, but not this one.
            pool._optional_thread_lock = threading.Lock()  # noqa: SLF001
    return http


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
        response.stream = _Whole(response)
        named = response.headers.get_list("content-encoding", split_commas=True)
        codings = [name for name in map(str.lower, named) if name in _CODINGS]
        if len(codings) > 1 or not {*codings} <= {*_CODINGS[:2]}:
            raise httpx.DecodingError("")
        return limit if response.is_success else error_limit

    with opened(body) as content:
        for is_last in not (body is None and request.method in ("GET", "HEAD")), True:
            sent = _build(io.http, request, content, token)
            try:
                response, read = await io.exchange(sent, most)
                break
            except FAILURES as error:
                if of_handler(error):
                    raise
                io.check()
                if is_last or not _was_idle(error, sent):
                    return _failed(error, request)
    response._content = read  # noqa: SLF001 - as its read() does, which has no limit
    # What it refers to has the token.
    response.stream, response.next_request = httpx.ByteStream(read), None
    response.request = request.shown
    return response


class _Whole(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response. If the server sent more than that, the connection ends with it.

    The rest would be the response to the next request: another customer's, or no HTTP at all. httpx looks for it in
    the socket alone, not in what httpcore and TLS have read.
    """

    def __init__(self, response: httpx.Response) -> None:
        self._stream: Any = response.stream
        self._network: Any = response.extensions.get("network_stream")

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._stream)

    def close(self) -> None:
        self._end_connection()
        self._stream.close()

    async def aclose(self) -> None:
        self._end_connection()
        await self._stream.aclose()

    def _end_connection(self) -> None:
        h11 = self._stream  # its state, in httpcore's connection
        for name in ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state"):
            h11 = getattr(h11, name, None)
        tls = self._network.get_extra_info("ssl_object") if self._network else None
        with suppress(ssl.SSLError):  # there is nothing to read
            if h11 and (h11.trailing_data[0] or (isinstance(tls, ssl.SSLObject) and tls.read(1))):
                h11.send_failed()  # httpcore reuses no such connection


def _build(http: AnyHttp, request: Request, content: AnyContent, token: str | None) -> httpx.Request:
    url, headers = request.parsed
    headers = headers.copy()
    if token:
        headers["authorization"] = f"Bearer {token}"
    if http.headers.get("user-agent", _HTTPX_AGENT) == _HTTPX_AGENT:
        headers.setdefault("user-agent", _USER_AGENT)
    rest: dict[str, Any] = {"headers": headers, "content": content}
    sent = http.build_request(request.method, url, **rest)
    sent.extensions |= {"seen": []}  # httpcore's events
    if url.host.endswith("."):  # which neither SNI nor certificates have
        sent.extensions |= {"sni_hostname": url.host.rstrip(".")}
    return sent


def _was_idle(error: Exception, sent: httpx.Request) -> bool:
    """Return whether a connection that had been idle was closed before a response."""
    steps = [event.rpartition(".") for event in sent.extensions["seen"]]
    began = {name.rpartition(".")[2] for name, _, end in steps if end == "started"}
    ended = {name.rpartition(".")[2] for name, _, end in steps if end == "complete"}
    is_reused = "send_request_headers" in began and "connect_tcp" not in began
    is_malformed = isinstance(error, httpx.RemoteProtocolError) and bool(getattr(error.__cause__, "__context__", None))
    return isinstance(error, _CLOSED) and is_reused and "receive_response_headers" not in ended and not is_malformed


def _failed(error: Exception, request: Request) -> Failure:
    """Return why there is no response: without what a server sent, which it may have encoded."""
    parts: list[BaseException] = []
    part: BaseException | None = error
    while part and part not in parts:
        parts.append(part)
        part = part.__cause__ or part.__context__
    found = (reason for kinds, reason in _REASONS if any(isinstance(part, kinds) for part in parts))
    reason: Reason = next(found, "other")
    failed = next((part for part in parts if isinstance(part, ssl.SSLCertVerificationError)), error)
    failed.__cause__ = failed.__context__ = failed.__traceback__ = None
    if isinstance(failed, httpx.RequestError):
        vars(failed).clear()
        failed.request = request.shown
    for kind, text in _OF_WIRE.items():
        if isinstance(failed, kind):
            failed.args = (text,)
    return Failure(failed, reason)


def because(error: E, outcome: Outcome) -> E:
    """Return an error with why there is no response, if that is so, as its cause.

    Of that, only the type and the reason remain, as its text could quote the request.
    """
    if isinstance(outcome, Failure) and isinstance(error, RosteringError):
        failed = outcome.error
        base = OSError if isinstance(failed, OSError) else Exception
        cause = base.__new__(type(failed), outcome.reason)
        if isinstance(cause, httpx.RequestError) and isinstance(failed, httpx.RequestError):
            cause.request = failed.request
        error.__cause__ = cause
    return error


@cache
def _tls(*_: str | None) -> ssl.SSLContext:
    """Load the certificates, which takes 50 ms, once for each place that they are read from."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        why = error.strerror or type(error).__name__
    message = f"cannot load the certificates of SSL_CERT_FILE or SSL_CERT_DIR: {why}"
    raise RosteringError("config_invalid", message)
