"""A store in Redis, for processes on any number of machines. Needs PyPI's redis."""

import redis
import redis.asyncio

from .check import check


class RedisStore:
    """A `Store` in Redis. Give the client a socket_timeout; it remains yours to close."""

    def __init__(self, client: redis.Redis) -> None:
        check("client", client, (redis.Redis, redis.RedisCluster))
        self._redis = client

    def get(self, key: str) -> str | None:
        return _text(self._redis.get(key))

    def add(self, key: str, value: str, ttl: int) -> bool:
        return bool(self._redis.set(key, value, nx=True, ex=ttl))

    def set(self, key: str, value: str, ttl: int) -> None:
        self._redis.set(key, value, ex=ttl)


class AsyncRedisStore:
    """An `AsyncStore` in Redis. The client remains yours to close."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        check("client", client, (redis.asyncio.Redis, redis.asyncio.RedisCluster))
        self._redis = client

    async def get(self, key: str) -> str | None:
        return _text(await self._redis.get(key))

    async def add(self, key: str, value: str, ttl: int) -> bool:
        return bool(await self._redis.set(key, value, nx=True, ex=ttl))

    async def set(self, key: str, value: str, ttl: int) -> None:
        await self._redis.set(key, value, ex=ttl)


def _text(value: bytes | str | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
