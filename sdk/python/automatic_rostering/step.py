"""The requests that the plugin builds, and what comes of them and of the steps of its flows."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import httpx

#: Why there is no response.
Reason = Literal[
    "timeout", "name_resolution", "connection", "tls_certificate", "tls", "proxy", "protocol", "canceled", "other"
]
#: A step of a token flow, as the contract has it.
Step = dict[str, Any]
#: How many bytes of the body of a response are read. Raises an error for one that must not be read.
Most = Callable[[httpx.Response], int]
#: Why there is no response; any other exception is a bug in someone's code. An OSError can be a deadline that has
#: passed, a UnicodeError is an invalid host name.
FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


@dataclass(frozen=True, repr=False)
class Failure:
    """Why a request got no response."""

    error: Exception
    reason: Reason


#: The result of a request or a step: a response, why it failed, or the contract's fields.
Outcome = httpx.Response | Failure | Exception | Mapping[str, object]


@dataclass(frozen=True, repr=False)
class Request:
    """A request without a token. Its repr shows no field: asyncio logs what a task refers to."""

    method: str
    url: str
    headers: dict[str, str]
    body: str | None = None  #: of a token request

    @cached_property
    def parsed(self) -> tuple[httpx.URL, dict[str, str]]:
        """The URL and the headers in httpx's form, made once for all calls that send it."""
        # httpx refuses white space around a value, which has no meaning.
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        return httpx.URL(self.url), {"accept-encoding": "gzip", **headers}

    @cached_property
    def shown(self) -> httpx.Request:
        """The request of a response or an error: without headers and body, which have secrets."""
        return httpx.Request(self.method, self.parsed[0])


def result_of(outcome: Outcome) -> Mapping[str, object]:
    """Return an outcome in the contract's fields."""
    if isinstance(outcome, httpx.Response):
        headers = {name: outcome.headers.get_list(name) for name in outcome.headers}
        body = outcome.content.decode(errors="replace")
        return {"status": outcome.status_code, "headers": headers, "body": body}
    if isinstance(outcome, Failure):
        return {**result_of(outcome.error), "reason": outcome.reason}
    if isinstance(outcome, Exception):  # the plugin redacts it
        text = "timed out" if isinstance(outcome, TimeoutError) else ""
        with suppress(Exception):  # of a store of the program's
            text = str(outcome) or text
        return {"failed": f"{type(outcome).__name__}: {text}"}
    return outcome
