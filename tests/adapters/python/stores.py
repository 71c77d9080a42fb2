"""The stores of clients."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import httpx
import redis
import redis.asyncio

from automatic_rostering import FileStore, MemoryStore
from automatic_rostering.redis_store import AsyncRedisStore, RedisStore


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
        self._url = url
        # The library bounds the time. There is no TLS, whose certificates would take time to load.
        self._http = httpx.Client(timeout=None, trust_env=False, verify=False)  # noqa: S113, S501

    def get(self, key: str) -> Any:
        return self._post(op="get", key=key)

    def add(self, key: str, value: str, ttl: int) -> Any:
        return self._post(op="add", key=key, value=value, ttl=ttl)

    def set(self, key: str, value: str, ttl: int) -> Any:
        return self._post(op="set", key=key, value=value, ttl=ttl)

    def _post(self, **fields: object) -> Any:
        return self._http.post(self._url, json=fields).raise_for_status().json()


def later(method: Callable[..., Any]) -> Any:
    """Return a method that is async."""

    async def call(*arguments: object) -> Any:
        return await asyncio.to_thread(method, *arguments)

    return call


class AsyncHttpStore(HttpStore):
    """An `automatic_rostering.AsyncStore`."""

    get = later(HttpStore.get)
    add = later(HttpStore.add)
    set = later(HttpStore.set)
