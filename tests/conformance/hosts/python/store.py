"""The store of a client under test: a server that the test scripts."""

from typing import Any

import httpx

# The library bounds the time. There is no TLS, whose certificates would take time to load.
OPTIONS: dict[str, Any] = {"timeout": None, "verify": False}


class HttpStore:
    """An `automatic_rostering.Store`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx.Client(**OPTIONS)

    def get(self, key: str) -> Any:
        """Get a value."""
        return self._post(op="get", key=key)["value"]

    def add(self, key: str, value: str, ttl: int) -> Any:
        """Set a value if the key is absent."""
        return self._post(op="add", key=key, value=value, ttl=ttl)["added"]

    def set(self, key: str, value: str, ttl: int) -> None:
        """Set a value."""
        self._post(op="set", key=key, value=value, ttl=ttl)

    def _post(self, **fields: object) -> Any:
        return self._http.post(self._url, json=fields).raise_for_status().json()


class AsyncHttpStore:
    """An `automatic_rostering.AsyncStore`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx.AsyncClient(**OPTIONS)

    async def get(self, key: str) -> Any:
        """Get a value."""
        return (await self._post(op="get", key=key))["value"]

    async def add(self, key: str, value: str, ttl: int) -> Any:
        """Set a value if the key is absent."""
        return (await self._post(op="add", key=key, value=value, ttl=ttl))["added"]

    async def set(self, key: str, value: str, ttl: int) -> None:
        """Set a value."""
        await self._post(op="set", key=key, value=value, ttl=ttl)

    async def _post(self, **fields: object) -> Any:
        return (await self._http.post(self._url, json=fields)).raise_for_status().json()
