"""Why a call failed."""

import json
from dataclasses import dataclass, field, fields
from typing import Literal

Code = Literal[
    "invalid_input",
    "config_missing",
    "config_invalid",
    "clock_unusable",
    "token_endpoint_rejected",
    "token_endpoint_unavailable",
    "token_response_invalid",
    "token_mismatch",
    "service_unauthorized",
    "service_error",
    "network_error",
]


@dataclass(eq=False)
class RosteringError(Exception):
    """Why a call failed; what is not known is None. It holds no secret and no token."""

    #: For programs to act on.
    code: Code
    #: Says what to do, for people to read.
    message: str
    #: Whether the same call may succeed later.
    retryable: bool = False
    #: The config key or input field at fault.
    key: str | None = None
    #: That of the answer at fault.
    status: int | None = None
    #: The identity provider's (RFC 6749, section 5.2).
    oauth_error: str | None = None
    oauth_error_description: str | None = None
    #: For how many seconds the plugin will send no further token request.
    retry_after: int | None = None
    #: That of the service's answer, at most 64 KiB of it.
    body: str | None = field(default=None, repr=False)
    #: Whether there was more.
    body_truncated: bool = False

    def __post_init__(self) -> None:
        """Set what pickle and copy make an exception from, beside its attributes."""
        super().__init__(self.code, self.message)

    def __str__(self) -> str:
        """Give the code and the message."""
        return f"{self.code}: {self.message}"


_NAMES = frozenset(f.name for f in fields(RosteringError))


def decode_error(text: str) -> RosteringError | None:
    """Read the plugin's error text, if it is that: the SDK's errors are no JSON objects."""
    try:
        error = json.loads(text)
    except ValueError:
        return None
    if not isinstance(error, dict) or not {"code", "message"} <= error.keys():
        return None
    return RosteringError(**{name: value for name, value in error.items() if name in _NAMES})
