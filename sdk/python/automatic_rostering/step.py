"""The steps that the plugin tells a client to perform, and their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

#: The result of a call: the service's response, or a token object.
Result = httpx.Response | dict[str, Any]
#: What a step is resumed with: a response, why there is none, or the contract's fields.
Outcome = httpx.Response | Exception | Mapping[str, object]
#: Why there is no response; another exception is a mistake in someone's code. An OSError can be a
#: deadline that has passed, a UnicodeError is an invalid host name.
FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


@dataclass(frozen=True)
class TokenStep:
    """Send a request to the identity provider."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: str = field(repr=False)
    timeout: float  #: in seconds
    limit: int  #: of the response's body, in bytes: more need not be read


@dataclass(frozen=True)
class ServiceStep:
    """Send a request to the service; `last`: a 2xx is the result of the call."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: str | Literal[True] | None = field(default=None, repr=False)
    last: bool = False


@dataclass(frozen=True)
class WaitStep:
    """Wait for some seconds, or until an event is set."""

    seconds: float
    until: Any = field(repr=False)  #: a threading.Event or an asyncio.Event, as the client's form


@dataclass(frozen=True)
class StoreStep:
    """Call the store."""

    op: Literal["get", "add", "set"]
    arguments: tuple[object, ...] = field(repr=False)
    timeout: float  #: in seconds

    def outcome(self, returned: object) -> Outcome:
        """Return the outcome of the step. Raises a TypeError if a store must not return this."""
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


#: Steps that serve every call of the client, so they must not end with the one that meets them.
Detached = TokenStep | StoreStep
Pending = Detached | ServiceStep | WaitStep
Step = Pending | Done
