"""Processes that share one token."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self, TypeVar, Unpack

from .base import BaseClient, Closing, Ids
from .cache_key import cache_key
from .config import Config
from .error import RosteringError
from .store import Slot, Store, StoreDown
from .token import Token

_MARGIN = 60.0  # seconds before its expiry at which a token is renewed, if it lives for long
_SHORTEST, _LONGEST = 0.01, 0.25  # seconds between two looks for another process's token

T = TypeVar("T")


@dataclass(slots=True)
class _Held:
    """The token in the plugin, so far as the fleet knows. Times are in Unix seconds."""

    token: Token
    renew_at: float

    @classmethod
    def now(cls, token: Token) -> Self:
        """Note a token. Its lifetime is what is left of it."""
        expires_at = token.expires_at.timestamp()
        return cls(token, expires_at - min(_MARGIN, (expires_at - time.time()) / 2))

    @property
    def good(self) -> bool:
        return time.time() < self.renew_at

    @property
    def valid(self) -> bool:
        return time.time() < self.token.expires_at.timestamp()

    def put_off(self, seconds: float) -> None:
        """Renew it later, but not too late."""
        self.renew_at = min(time.time() + seconds, self.token.expires_at.timestamp())


class Fleet(Closing):
    """A client that shares its token with those of other processes, through a `store`.

    Who finds the token missing, or soon to expire, locks its place in the store, asks for a new
    one and puts it there. The others go on with the old one, or wait for twice `lock` at most.
    The lock of a process that dies ends after `lock` seconds: a token request takes less. While
    the store cannot be used, each process asks for itself.

    What comes from the store is not trusted: the plugin judges it, and no error shows it.

    `open_client` opens a `Client` or an `HttpxClient` with the config that it is given. Any
    number of threads may share a fleet. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        open_client: Callable[[Config], BaseClient],
        config: Config,
        store: Store,
        *,
        lock: float = 10.0,
    ) -> None:
        # With 0, the plugin does not renew by itself what the fleet is about to renew.
        self._client = open_client(replace(config, refresh_margin=0))
        self._key = cache_key(config)
        self._store = store
        self._lock = lock
        self._held: _Held | None = None
        self._past: str | None = None  # the access token before that
        self._turn = threading.Lock()

    def list_jobs(self, **ids: Unpack[Ids]) -> bytes:
        """Do as a client does."""
        return self._call(lambda: self._client.list_jobs(**ids))

    def send_request(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        **ids: Unpack[Ids],
    ) -> bytes:
        """Do as a client does."""
        return self._call(
            lambda: self._client.send_request(
                path, method=method, headers=headers, body=body, **ids
            )
        )

    def get_token(self) -> Token:
        """Give the token that all share."""
        return self._call(self._client.get_token)

    def close(self) -> None:
        """Wait for the calls under way, if any, and close the client. The others keep the token."""
        self._client.close()

    def _call(self, call: Callable[[], T]) -> T:
        self._prepare()
        try:
            answer = call()
        except RosteringError as error:
            if error.code == "service_error":  # with other errors, there may be no token
                self._hand_on()
            raise
        self._hand_on()
        return answer

    def _prepare(self) -> None:
        """See to it that there is a good token. One thread does; the others may have an old one."""
        held = self._held
        if held and held.good:
            return
        end = time.monotonic() + 2 * self._lock
        wait = 0 if held and held.valid else 2 * self._lock
        if not self._turn.acquire(timeout=wait):
            return  # if there is no old one, the plugin asks for itself
        try:
            if not (self._held and self._held.good):
                self._renew(end)
        finally:
            self._turn.release()

    def _renew(self, end: float) -> None:
        with suppress(StoreDown), self._store.open(self._key) as slot:
            self._share(slot, end)
        if not (self._held and self._held.good):
            self._ask()

    def _share(self, slot: Slot, end: float) -> None:
        """Take the token that is there, or be the one process that asks for a new one."""
        for pause in _pauses(end):
            if self._take(slot):
                return
            with slot.lock(self._lock) as mine:
                if mine:
                    # It may have come just before the lock.
                    if not self._take(slot) and self._ask():
                        self._put(slot)
                    return
            if self._held and self._held.valid:
                self._held.put_off(_LONGEST)
                return
            time.sleep(pause)
        if self._ask():
            self._put(slot)

    def _take(self, slot: Slot) -> bool:
        """Take the token that is there, if it is a new one and the plugin takes it."""
        token = _read(slot.get())
        if not token or _is(self._held, token) or token.access_token == self._past:
            return False
        try:
            self._client.set_token(token)
        except RosteringError:
            return False
        self._hold(token)
        return True

    def _ask(self) -> bool:
        """Ask for a new token. False if that failed and the old one will do."""
        held = self._held
        old = held if held and held.valid else None
        try:
            token = self._client.get_token(force=old is not None)
        except RosteringError as error:
            if not old:
                raise
            old.put_off(error.retry_after or 1)
            return False
        self._hold(token)
        return True

    def _put(self, slot: Slot) -> None:
        if self._held and self._held.valid:
            token = self._held.token
            slot.put(token.to_json(), token.expires_at.timestamp() - time.time())

    def _hand_on(self) -> None:
        """Put the token there that the plugin got by itself, after a 401."""
        before = self._held
        # The call has an end already, and a closed client's RuntimeError is not to replace it.
        with suppress(RosteringError, RuntimeError, StoreDown):
            token = self._client.get_token()  # no request: it is there
            # If it is not the one before, another thread may know of it by now.
            if _is(before, token) or _is(self._held, token):
                return
            self._hold(token)
            with self._store.open(self._key) as slot:
                self._put(slot)

    def _hold(self, token: Token) -> None:
        if self._held:
            self._past = self._held.token.access_token
        self._held = _Held.now(token)


def _is(held: _Held | None, token: Token) -> bool:
    return held is not None and held.token.access_token == token.access_token


def _pauses(end: float) -> Iterator[float]:
    """Give longer and longer pauses, until a time on the monotonic clock."""
    pause = _SHORTEST
    while time.monotonic() < end:
        yield pause
        pause = min(2 * pause, _LONGEST)


def _read(text: bytes | None) -> Token | None:
    try:
        return Token.from_json(text) if text else None
    except (ValueError, OSError, RecursionError):  # it could be anything
        return None
