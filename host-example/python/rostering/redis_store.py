"""A fleet's token in Redis."""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import redis

from .store import StoreDown

_LONGEST = 128 << 10  # bytes that are read; an access token has 32 KiB at most
# Another process may have the lock by now.
_UNLOCK = """
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0
"""

_log = logging.getLogger(__name__)


class RedisStore:
    """The Redis at `url`: rediss://user:password@host:6379/0, or redis:// without TLS.

    Connecting, and each command, may take `timeout` seconds. After a failure Redis is left
    alone for `rest` seconds. It is needed once in a token's lifetime, so no connection is kept.
    """

    def __init__(self, url: str, *, timeout: float = 1.0, rest: float = 5.0) -> None:
        self._url = url
        self._timeout = timeout
        self._rest = rest
        self._rests_until = 0.0
        if not _readable(url):  # raised out here, it has no cause, which could hold the password
            raise ValueError("the address of Redis must be redis[s]://[user:password@]host[:port]")

    @contextmanager
    def open(self, key: str) -> Iterator["RedisSlot"]:
        """Connect to Redis for the `with` block, which ends in a StoreDown if Redis fails."""
        if time.monotonic() < self._rests_until:
            raise StoreDown
        failure = ""
        with _connect(self._url, self._timeout) as connection:
            try:
                yield RedisSlot(connection, key)
            except redis.RedisError as error:
                # Its text is not shown: Redis quotes what it was sent, so it could hold the token.
                failure = type(error).__name__
        if failure:
            self._rests_until = time.monotonic() + self._rest
            _log.warning("Redis is not used for %g s: %s", self._rest, failure)
            raise StoreDown from None


class RedisSlot:
    """One key, and one with `:lock` behind it."""

    def __init__(self, connection: redis.Redis, key: str) -> None:
        self._redis = connection
        self._key = key

    def get(self) -> bytes | None:
        """Give the value."""
        value: bytes = self._redis.getrange(self._key, 0, _LONGEST)  # type: ignore[assignment]
        return value or None

    def put(self, text: str, seconds: float) -> None:
        """Set the value."""
        self._redis.set(self._key, text, px=max(int(seconds * 1000), 1))

    @contextmanager
    def lock(self, seconds: float) -> Iterator[bool]:
        """Lock the key for the `with` block. If this process dies, the lock ends by itself."""
        name, mine = self._key + ":lock", secrets.token_hex(16)
        locked = bool(self._redis.set(name, mine, nx=True, px=int(seconds * 1000)))
        try:
            yield locked
        finally:
            if locked:
                with suppress(redis.RedisError):  # as above
                    self._redis.eval(_UNLOCK, 1, name, mine)


def _connect(url: str, timeout: float) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        protocol=2,  # which every Redis, and what is in between, understands
    )


def _readable(url: str) -> bool:
    try:
        _connect(url, 1).close()
    except ValueError:
        return False
    return True
