"""What a client has done, for metrics, alerts and health checks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Self

from .error import Code


@dataclass(frozen=True, slots=True)
class Backoff:
    """Why the last token request failed. Holds no secret."""

    code: Code
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A snapshot of a client with its views. The numbers count since it was opened, until it was closed."""

    #: When the token expires, and when it is due for renewal. None without a usable token.
    token_expires_at: datetime | None = None
    renew_at: datetime | None = None
    #: Whether a token is being requested.
    renewing: bool
    #: In a backoff: when the next token request may be sent, and why the last one failed.
    retry_at: datetime | None = None
    error: Backoff | None = None
    #: The calls of list_jobs, send_request and get_token that began; those that raised a `RosteringError`, by its code.
    calls: int
    failed_calls: Mapping[Code, int]
    #: The requests to the service that were sent with a token, also by `RosteringAuth`.
    service_requests: int
    #: The token requests, and those that brought no usable token.
    token_requests: int = 0
    failed_token_requests: int = 0
    #: How many tokens the service refused, and how many operations of the store failed.
    refused_tokens: int = 0
    store_failures: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return what is known, for json.dumps, with times in Unix seconds."""
        times = {name: int(value.timestamp()) for name, value in asdict(self).items() if isinstance(value, datetime)}
        return {name: value for name, value in {**asdict(self), **times}.items() if value is not None}

    @classmethod
    def from_plugin(cls, fields: dict[str, Any], **rest: Any) -> Self:  # noqa: ANN401
        """Read the output of the plugin's export status, and add the rest."""
        values = {name: datetime.fromtimestamp(v, UTC) if name.endswith("_at") else v for name, v in fields.items()}
        error = Backoff(**fields["error"]) if "error" in fields else None
        return cls(**{**values, "error": error, **rest})
