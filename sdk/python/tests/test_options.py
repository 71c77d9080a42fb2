"""Names that do not exist and values of the wrong type, which other languages' compilers refuse."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any
from unittest import TestCase, mock

import redis
import redis.asyncio

from automatic_rostering import (
    AsyncClient,
    Client,
    MemoryStore,
    RosteringAuth,
    RosteringError,
    Token,
    async_retry,
    retry,
)
from automatic_rostering.redis_store import AsyncRedisStore, RedisStore

from .service import CONFIG, Service

NAN = float("nan")
FORMS: tuple[Any, ...] = (Client, AsyncClient)


class Misuse(TestCase):
    def want_refused(self, error: type[Exception], name: str, call: Callable[[], object]) -> None:
        with self.subTest(name), self.assertRaisesRegex(error, f"^{name}\\b"):
            call()

    def clients(self) -> tuple[Any, Any]:
        """Return both kinds of client, which check arguments immediately."""
        http = Service().http()
        return self.enterContext(Client(CONFIG, http=http)), AsyncClient(CONFIG)

    def test_wrong_type_in_the_config(self) -> None:
        wrong: dict[str, Any] = {"allow_http": "false", "refresh_margin": 0.5, "auth_url": None, "customer_id": 7}
        for name, value in wrong.items():
            self.want_refused(TypeError, name, partial(replace, CONFIG, **{name: value}))
        wrong = {"client_secret": b"a secret"}
        with self.assertRaisesRegex(TypeError, "^client_secret must be str, not bytes$"):
            replace(CONFIG, **wrong)

    def test_secret_that_cannot_be_decoded(self) -> None:
        """As os.environ has it."""
        wrong, client = "a secret\udcff", self.clients()[0]
        for call in (lambda: Client(replace(CONFIG, client_secret=wrong)), lambda: client.set_secret(wrong)):
            with self.assertRaisesRegex(
                RosteringError, r"config_invalid: client_secret .* \(ROSTERING_CLIENT_SECRET\)$"
            ):
                call()

    def test_wrong_type_of_an_option(self) -> None:
        class NoSet:
            get = add = print

        wrong: list[tuple[str, Any]] = [
            ("timeout", "3"),
            ("timeout", True),
            ("max_body", "1"),
            ("max_body", 1.0),
            ("http", "http://proxy.example"),
            ("plugin", 7),
            ("clock", 7),
            ("headers", {"a": 1}),
            ("store", NoSet()),
            ("store", MemoryStore),
            ("logger", print),
            ("logger", logging),
        ]
        for form in FORMS:
            for name, value in wrong:
                self.want_refused(TypeError, name, partial(form, CONFIG, **{name: value}))
            self.want_refused(TypeError, "config", partial(form, {}))
        for form, other in zip(FORMS, (Service().async_http(), Service().http()), strict=True):
            self.want_refused(TypeError, "http", partial(form, CONFIG, http=other))
        mocks = {name: mock.AsyncMock() for name in ("get", "add", "set")}
        self.want_refused(TypeError, "store", partial(FORMS[0], CONFIG, store=mock.Mock(**mocks)))
        stores: tuple[Any, ...] = (RedisStore, AsyncRedisStore)
        self.want_refused(TypeError, "client", partial(stores[0], redis.asyncio.Redis()))
        self.want_refused(TypeError, "client", partial(stores[1], redis.Redis()))

    def test_wrong_type_of_an_argument(self) -> None:
        for client in self.clients():
            send = partial(client.send_request, "/jobs", method="POST")
            for name, call in (
                ("customer_id", partial(client.list_jobs, customer_id=7)),
                ("user_id", partial(client.list_jobs, user_id=b"u")),
                ("timeout", partial(client.list_jobs, timeout="3")),
                ("customer_id", partial(client.for_customer, 7)),
                ("path", partial(client.send_request, b"/")),
                ("method", partial(send, method=1)),
                ("params", partial(send, params=7)),
                ("headers", partial(send, headers=["a"])),
                ("headers", partial(send, headers={"a": 1})),
                ("headers", partial(client.list_jobs, headers={"a": 1})),
                ("secret", partial(client.set_secret, b"a")),
                ("content", partial(send, content={"a": "b"})),
                ("content", partial(send, content=bytearray(b"a"))),
                ("content", partial(send, content=7)),
                ("force", partial(client.get_token, force="no")),
                ("refused", partial(client.get_token, refused=b"t")),
                ("token", partial(client.set_token, "t")),
            ):
                self.want_refused(TypeError, name, call)
            with self.assertRaisesRegex(TypeError, "not both"):
                send(content="a", json=1)
        self.want_refused(TypeError, "content", partial(send, content=BytesIO()))  # asyncio's

    def test_wrong_type_elsewhere(self) -> None:
        wrong: Any = "60"
        self.want_refused(TypeError, "client", partial(RosteringAuth, wrong))
        self.want_refused(TypeError, "deadline", partial(retry, print, wrong))
        later = async_retry(mock.AsyncMock(), -1)
        self.want_refused(ValueError, "deadline", partial(asyncio.run, later))
        client = self.clients()[0]
        self.want_refused(TypeError, "timeout", partial(client.close, "1"))
        with Client(CONFIG, clock=lambda: wrong) as late:
            self.want_refused(TypeError, "the time that clock returns", late.list_jobs)
        for text in ("", "a-token", "[]", "{}", '{"access_token":"a","expires_at":"a"}'):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "^not a token") as caught:
                Token.from_json(text)
            self.assertIsNone(caught.exception.__context__)

    def test_invalid_value(self) -> None:
        for value in (NAN, float("inf"), 1e9):
            self.want_refused(ValueError, "timeout", partial(Client, CONFIG, timeout=value))
        client = self.clients()[0]
        self.want_refused(ValueError, "timeout", partial(client.list_jobs, timeout=NAN))
        with self.assertRaises(ValueError):
            client.send_request("/", method="POST", json=NAN)
        with self.assertRaises(UnicodeEncodeError):
            client.send_request("/", method="POST", content="\ud800")
