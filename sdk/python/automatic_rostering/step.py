"""The steps that the plugin asks a client to perform, and their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import httpx

from .token import Token

Result = httpx.Response | Token
#: What a step is resumed with: a response, why there is none, or the contract's fields.
Outcome = httpx.Response | Exception | Mapping[str, object]
#: Why there is no response; any other exception is a bug in someone's code. An OSError can be a
#: deadline that has passed, a UnicodeError is an invalid host name.
FAILURES = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)


@dataclass(frozen=True, repr=False)
class Step:
    """A step. Its repr shows no field: asyncio logs what a task returns, and most are secrets."""

    #: A request to the identity provider or to the service, a wait, an operation of the store, or
    #: the end of the call.
    kind: Literal["token", "service", "wait", "store", "done"]
    flow: object = None  #: what the call is resumed with
    timeout: float = 0  #: of a token request or of the store, in seconds

    method: str = ""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None  #: a str, or True for the body of the call
    limit: int = 0  #: of the body of a token response, in bytes: more need not be read
    last: bool = False  #: a 2xx is the result of the call

    seconds: float = 0  #: to wait at most
    until: Any = None  #: a threading.Event or an asyncio.Event, as the client's form

    op: str = ""  #: get, add or set
    arguments: tuple[object, ...] = ()

    result: Result | None = None

    @property
    def is_detached(self) -> bool:
        """Whether it is for all calls of the client, so that it does not end with its own."""
        return self.kind in ("token", "store")

    @cached_property
    def parsed(self) -> tuple[httpx.URL, dict[str, str]]:
        """The URL and the headers in httpx's form, made once for all calls that use the step."""
        # httpx refuses white space around a value, which has no meaning.
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        return httpx.URL(self.url), headers

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
