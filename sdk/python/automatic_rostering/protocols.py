"""Protocols to annotate code with that takes a client, so that tests can pass a fake."""

from collections.abc import Coroutine
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import httpx

from .base import Id, Timeout
from .request import Headers, QueryParams

_R_co = TypeVar("_R_co", covariant=True)


class _Calls(Protocol[_R_co]):
    """The calls of the service, which return responses or awaitables of them."""

    def list_jobs(
        self, *, headers: Headers = ..., customer_id: Id = ..., user_id: Id = ..., timeout: Timeout = ...
    ) -> _R_co: ...

    def send_request(
        self,
        path: str,
        *,
        method: str | None = ...,
        params: QueryParams | None = ...,
        headers: Headers = ...,
        content: Any = ...,  # noqa: ANN401
        json: Any = ...,  # noqa: ANN401
        customer_id: Id = ...,
        user_id: Id = ...,
        timeout: Timeout = ...,
    ) -> _R_co: ...

    def for_customer(self, customer_id: str | None, /) -> Self: ...

    def for_user(self, user_id: str | None, /) -> Self: ...


#: The calls of a `Client`, or of a fake in your tests.
JobsClient: TypeAlias = _Calls[httpx.Response]
#: The calls of an `AsyncClient`, or of a fake in your tests.
AsyncJobsClient: TypeAlias = _Calls[Coroutine[Any, Any, httpx.Response]]
