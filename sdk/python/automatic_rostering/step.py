"""The requests that the plugin builds, and the steps of its token flows."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import httpx

from .token import Token

#: What comes of a request or a step: a response, why there is none, or the contract's fields.
Outcome = httpx.Response | Exception | Mapping[str, object]
#: How many bytes of the body of a response are read. Raises an error for one that must not be read.
Most = Callable[[httpx.Response], int]
#: Why there is no response; any other exception is a bug in someone's code. An OSError can be a
#: deadline that has passed, a UnicodeError is an invalid host name.
FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


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


@dataclass(frozen=True, repr=False)
class Step:
    """A step of a token flow. Its repr shows no field."""

    step: Literal["request", "store", "wait", "done"]
    flow: object = None  #: what the flow is resumed with
    token: Token | None = None  #: the token that calls use
    until: float = 0  #: the time until which they use it

    request: Request | None = None
    limit: int = 0  #: of the body of the response, in bytes: more need not be read
    timeout: float = 0  #: of the request or of the store, in seconds

    op: str = ""  #: of the store: get, add or set
    arguments: tuple[object, ...] = ()

    seconds: float = 0  #: to wait

    @classmethod
    def decode(cls, output: bytes) -> Self:
        """Decode a step of the plugin."""
        fields: dict[str, Any] = json.loads(output)
        arguments = tuple(fields.pop(name) for name in ("key", "value", "ttl") if name in fields)
        if "token" in fields:
            fields["token"] = Token.from_fields(fields["token"])
        if "request" in fields:
            fields["request"] = Request(**fields["request"])
        if "seconds" in fields:  # jitter, so that the clients of a store do not all look at once
            fields["seconds"] *= 1 + random.random() / 2  # noqa: S311
        return cls(**fields, arguments=arguments)

    def store_outcome(self, returned: object) -> Outcome:
        """Return what the store returned. Raises a TypeError if a store may not return this."""
        match self.op, returned:
            case "get", str() | None:
                return {"value": returned}
            case "add", bool():
                return {"added": returned}
            case "set", _:
                return {}
        raise TypeError(type(returned))


def result_of(outcome: Outcome) -> Mapping[str, object]:
    """Return an outcome in the contract's fields."""
    if isinstance(outcome, httpx.Response):
        body = outcome.content.decode(errors="replace")
        return {"status": outcome.status_code, "headers": dict(outcome.headers), "body": body}
    if isinstance(outcome, Exception):  # the plugin redacts it
        text = str(outcome) or ("timed out" if isinstance(outcome, TimeoutError) else "")
        return {"failed": f"{type(outcome).__name__}: {text}"}
    return outcome
