"""What both forms of the client can do."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType
from typing import Self, TypedDict, Unpack

from .token import Token

DEFAULT_TIMEOUT = 30.0


class Ids(TypedDict, total=False):
    """Replaces the config's ids in one call. None leaves the header out."""

    customer_id: str | None
    user_id: str | None


class Closing(ABC):
    """Something that is closed, or used in a `with` statement."""

    @abstractmethod
    def close(self) -> None:
        """Wait for the calls under way, if any, and free what is held."""

    def __enter__(self) -> Self:
        """Give the thing itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class BaseClient(Closing):
    """What `Client` and `HttpxClient` have in common: either serves where this is asked for."""

    def list_jobs(self, **ids: Unpack[Ids]) -> bytes:
        """Give the service's answer, byte for byte."""
        return self._call("list_jobs", ids)

    def send_request(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        **ids: Unpack[Ids],
    ) -> bytes:
        """Send another request to the service, with the same token; give its answer.

        `path` goes behind the config's base_url: "/jobs/1?full=true". The plugin sets the
        headers Authorization, CUSTOMER_ID and USER_ID.
        """
        fields: dict[str, object] = {"path": path, "method": method, **ids}
        if headers is not None:
            fields["headers"] = dict(headers)
        if body is not None:
            fields["body"] = body
        return self._call("send_request", fields)

    def get_token(self, *, force: bool = False) -> Token:
        """Give the token that the plugin has, or a new one; with `force` a new one in any case."""
        return Token.from_json(self._call("get_token", {"force": force}))

    def set_token(self, token: Token) -> None:
        """Take a token that another client got, to spare a token request.

        `token_mismatch` if it has expired, or belongs to another client, scope or token URL.
        """
        self._tell("set_token", token.to_json())

    def clear_token(self) -> None:
        """Forget the token, and the wait after failed token requests."""
        self._tell("clear_token", "")

    @abstractmethod
    def _call(self, call: str, fields: Mapping[str, object]) -> bytes:
        """Make a call that sends requests."""

    @abstractmethod
    def _tell(self, export: str, data: str) -> None:
        """Call an export that sends none."""


def check_timeout(timeout: float | None) -> None:
    """Refuse a time-out in which nothing could be done."""
    if timeout is not None and timeout <= 0:
        raise ValueError("timeout must be positive, or None")
