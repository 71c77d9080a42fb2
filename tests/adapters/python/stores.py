"""The stores of clients."""

from functools import cache
from typing import Any

import httpx
import redis
import redis.asyncio

from automatic_rostering import FileStore, MemoryStore
from automatic_rostering.redis_store import AsyncRedisStore, RedisStore

# The library bounds the time. There is no TLS, whose certificates would take time to load.
OPTIONS: dict[str, Any] = {"timeout": None, "trust_env": False, "verify": False}


@cache
def make(name: str, url: str, *, for_asyncio: bool) -> Any:  # noqa: ARG001 - another name is another store
    """Make the store of a name, or return it."""
    kind, _, place = url.partition(":")
    match kind:
        case "memory":
            return MemoryStore()
        case "file":
            return FileStore(place)
        case "redis" if for_asyncio:
            return AsyncRedisStore(redis.asyncio.Redis.from_url(url, socket_timeout=1))
        case "redis":
            return RedisStore(redis.Redis.from_url(url, socket_timeout=1))
    return AsyncHttpStore(url) if for_asyncio else HttpStore(url)


class HttpStore:
    """An `automatic_rostering.Store`."""

    def __init__(self, url: str) -> None:
        self._url, self._http = url, httpx.Client(**OPTIONS)

    def get(self, key: str) -> Any:
        return self._post(op="get", key=key)

    def add(self, key: str, value: str, ttl: int) -> Any:
        return self._post(op="add", key=key, value=value, ttl=ttl)

    def set(self, key: str, value: str, ttl: int) -> None:
        self._post(op="set", key=key, value=value, ttl=ttl)

    def _post(self, **fields: object) -> Any:
        return self._http.post(self._url, json=fields).raise_for_status().json()


class AsyncHttpStore:
    """An `automatic_rostering.AsyncStore`."""

    def __init__(self, url: str) -> None:
        self._url, self._http = url, httpx.AsyncClient(**OPTIONS)

    async def get(self, key: str) -> Any:
        return await self._post(op="get", key=key)

    async def add(self, key: str, value: str, ttl: int) -> Any:
        return await self._post(op="add", key=key, value=value, ttl=ttl)

    async def set(self, key: str, value: str, ttl: int) -> None:
        await self._post(op="set", key=key, value=value, ttl=ttl)

    async def _post(self, **fields: object) -> Any:
        return (await self._http.post(self._url, json=fields)).raise_for_status().json()
