"""Protocols to annotate code with that takes a client, so that tests can pass a fake."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

import httpx

from .base import Id, Timeout
from .request import QueryParams


class JobsClient(Protocol):
    """The calls of the service: those of a `Client`, or of a fake in your tests."""

    def list_jobs(
        self, *, customer_id: Id = ..., user_id: Id = ..., timeout: Timeout = ...
    ) -> httpx.Response:
        """Return the response to GET /jobs."""

    def send_request(
        self,
        path: str,
        *,
        method: str | None = ...,
        params: QueryParams | None = ...,
        headers: Mapping[str, str] | None = ...,
        content: Any = ...,  # noqa: ANN401
        json: Any = ...,  # noqa: ANN401
        customer_id: Id = ...,
        user_id: Id = ...,
        timeout: Timeout = ...,
    ) -> httpx.Response:
        """Return the response to another request."""

    def for_customer(self, customer_id: str | None) -> Self:
        """Return a view whose calls send this customer id."""

    def for_user(self, user_id: str | None) -> Self:
        """Return a view whose calls send this user id."""


class AsyncJobsClient(Protocol):
    """The calls of the service: those of an `AsyncClient`, or of a fake in your tests."""

    async def list_jobs(
        self, *, customer_id: Id = ..., user_id: Id = ..., timeout: Timeout = ...
    ) -> httpx.Response:
        """Return the response to GET /jobs."""

    async def send_request(
        self,
        path: str,
        *,
        method: str | None = ...,
        params: QueryParams | None = ...,
        headers: Mapping[str, str] | None = ...,
        content: Any = ...,  # noqa: ANN401
        json: Any = ...,  # noqa: ANN401
        customer_id: Id = ...,
        user_id: Id = ...,
        timeout: Timeout = ...,
    ) -> httpx.Response:
        """Return the response to another request."""

    def for_customer(self, customer_id: str | None) -> Self:
        """Return a view whose calls send this customer id."""

    def for_user(self, user_id: str | None) -> Self:
        """Return a view whose calls send this user id."""
