"""The steps that the plugin asks a client to perform, and their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import httpx

#: The result of a call: the service's response, or a token object.
Result = httpx.Response | dict[str, Any]
#: What a step is resumed with: a response, why there is none, or the contract's fields.
Outcome = httpx.Response | Exception | Mapping[str, object]
#: Why there is no response; any other exception is a bug in someone's code. An OSError can be a
#: deadline that has passed, a UnicodeError is an invalid host name.
FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


@dataclass(frozen=True, kw_only=True)
class Unfinished:
    """A step with the flow to resume the call with."""

    flow: object = field(repr=False)


@dataclass(frozen=True)
class RequestStep(Unfinished):
    """Send a request."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)

    @cached_property
    def parsed(self) -> tuple[httpx.URL, dict[str, str]]:
        """The URL and the headers in httpx's form, made once for all calls that use the step."""
        # httpx refuses white space around a value, which has no meaning.
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        return httpx.URL(self.url), headers


@dataclass(frozen=True)
class TokenStep(RequestStep):
    """Send a request to the identity provider."""

    body: str = field(repr=False)
    timeout: float  #: in seconds
    limit: int  #: of the response's body, in bytes: more need not be read


@dataclass(frozen=True)
class ServiceStep(RequestStep):
    """Send a request to the service; `last`: a 2xx is the result of the call."""

    body: str | Literal[True] | None = field(default=None, repr=False)
    last: bool = False


@dataclass(frozen=True)
class WaitStep(Unfinished):
    """Wait for some seconds, or until an event is set."""

    seconds: float
    until: Any = field(repr=False)  #: a threading.Event or an asyncio.Event, as the client's form


@dataclass(frozen=True)
class StoreStep(Unfinished):
    """Call the store."""

    op: Literal["get", "add", "set"]
    arguments: tuple[object, ...] = field(repr=False)
    timeout: float  #: in seconds

    def outcome(self, returned: object) -> Outcome:
        """Return the outcome of the step. Raises a TypeError if a store may not return this."""
        match self.op, returned:
            case "get", str() | None:
                return {"value": returned}
            case "add", bool():
                return {"added": returned}
            case "set", _:
                return {}
        raise TypeError(type(returned))


@dataclass(frozen=True)
class Done:
    """End the call."""

    result: Result = field(repr=False)


#: Steps for all calls of the client, so they do not end with the call that performs them.
Detached = TokenStep | StoreStep
Pending = Detached | ServiceStep | WaitStep
Step = Pending | Done
