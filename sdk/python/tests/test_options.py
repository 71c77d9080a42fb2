import asyncio
import logging
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any
from unittest import TestCase, mock

import httpx

from automatic_rostering import (
    AsyncClient,
    Client,
    Config,
    RosteringAuth,
    RosteringError,
    async_retry,
    retry,
)

from .case import InLoop, ServiceCase

NAN = float("nan")
NEEDED: dict[str, Any] = {
    "auth_url": "https://a.example",
    "client_id": "id",
    "client_secret": "a secret",
}


class Configuration(TestCase):
    def test_config_from_env(self) -> None:
        env = {
            "ROSTERING_ENVIRONMENT": "stage",
            "ROSTERING_AUTH_URL": "https://a.example",
            "ROSTERING_BASE_URL": "https://b.example",
            "ROSTERING_CLIENT_ID": "id",
            "ROSTERING_CLIENT_SECRET": "secret",
            "ROSTERING_CUSTOMER_ID": "c",
            "ROSTERING_USER_ID": "u",
            "ROSTERING_SCOPE": "s",
            "ROSTERING_REFRESH_MARGIN": "0",
            "ROSTERING_ALLOW_HTTP": "true",
            "ROSTERING_SERVICE_HOST": "10.0.0.1",  # as Kubernetes has it
        }
        config = Config(
            environment="stage",
            auth_url="https://a.example",
            base_url="https://b.example",
            client_id="id",
            client_secret="secret",
            customer_id="c",
            user_id="u",
            scope="s",
            refresh_margin=0,
            allow_http=True,
        )
        self.assertEqual(Config.from_env(env), config)
        with mock.patch.dict("os.environ", env):
            self.assertEqual(Config.from_env(), config)
        empty = Config.from_env(dict.fromkeys(env, ""))
        self.assertEqual(empty, Config(auth_url="", client_id="", client_secret=""))

    def test_config_from_env_names_the_variable(self) -> None:
        for name, value in (
            ("ROSTERING_ALLOW_HTTP", "yes"),
            ("ROSTERING_ALLOW_HTTP", "True"),
            ("ROSTERING_REFRESH_MARGIN", "1.5"),
            ("ROSTERING_REFRESH_MARGIN", "-1"),
            ("ROSTERING_REFRESH_MARGIN", "9" * 5000),
        ):
            with self.subTest(name), self.assertRaisesRegex(RosteringError, name) as caught:
                Config.from_env({name: value})
            self.assertEqual(caught.exception.code, "config_invalid")

    def test_wrong_type_in_the_config(self) -> None:
        wrong: dict[str, Any] = {
            "allow_http": "false",
            "client_secret": b"a secret",
            "refresh_margin": 0.5,
            "auth_url": None,
            "customer_id": 7,
        }
        for name, value in wrong.items():
            with self.assertRaisesRegex(TypeError, f"^{name} must be ") as caught:
                Config(**{**NEEDED, name: value})
            self.assertNotIn("secret", str(caught.exception).removeprefix("client_secret"))

    def test_names_that_do_not_exist(self) -> None:
        config = Config(**NEEDED)
        client: Any = AsyncClient(config)
        form: Any = Client
        calls: list[Callable[..., object]] = [
            partial(Config, **NEEDED),
            partial(Client, config),
            partial(AsyncClient, config),
            client.list_jobs,
            client.get_token,
            partial(client.send_request, "/"),
            partial(form.list_jobs, None),
            partial(form.get_token, None),
            partial(form.send_request, None, "/"),
        ]
        for call in calls:
            for name in ("customer", "tiemout", "body", "data"):
                with self.assertRaisesRegex(TypeError, f"argument '{name}'"):
                    call(**{name: "acme"})
        with self.assertRaisesRegex(TypeError, "positional"):
            client.list_jobs("acme")


class Options(ServiceCase):
    def want_refused(self, error: type[Exception], name: str, call: Callable[[], object]) -> None:
        with self.subTest(name), self.assertRaisesRegex(error, f"^{name}\\b"):
            call()

    def test_wrong_type(self) -> None:
        other = httpx.Client() if self.form is InLoop else httpx.AsyncClient()
        wrong: list[tuple[str, Any]] = [
            ("timeout", "3"),
            ("timeout", True),
            ("max_body", "1"),
            ("max_body", 1.0),
            ("http", other),
            ("http", "http://proxy.example"),
            ("plugin", 7),
            ("clock", 7),
        ]
        for name, value in wrong:
            self.want_refused(TypeError, name, partial(self.open, **{name: value}))
        for config in (NEEDED, None, "stage"):
            self.want_refused(TypeError, "config", partial(type(self).form, config))
        self.want_requests(0, 0)

    def test_wrong_type_in_a_call(self) -> None:
        client: Any = self.open()
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
            ("content", partial(send, content={"a": "b"})),
            ("content", partial(send, content=bytearray(b"a"))),
            ("content", partial(send, content=7)),
            ("force", partial(client.get_token, force="no")),
            ("refused", partial(client.get_token, refused=b"t")),
            ("token", partial(client.set_token, "t")),
            ("timeout", partial(client.close, "1")),
        ):
            self.want_refused(TypeError, name, call)
        with self.assertRaisesRegex(TypeError, "not both"):
            send(content="a", json=1)
        if self.form is InLoop:
            self.want_refused(TypeError, "content", partial(send, content=BytesIO()))
        self.want_requests(0, 0)

    def test_invalid_value(self) -> None:
        wrong: list[tuple[str, Any]] = [
            *(("timeout", value) for value in (NAN, -1, 0, float("inf"), 1e9)),
            *(("max_body", value) for value in (0, -1)),
        ]
        for name, value in wrong:
            self.want_refused(ValueError, name, partial(self.open, **{name: value}))
        client = self.open()
        self.want_refused(ValueError, "timeout", partial(client.list_jobs, timeout=NAN))
        self.want_refused(ValueError, "timeout", partial(client.close, timeout=-1))
        with self.assertRaises(ValueError):
            client.send_request("/", method="POST", json=NAN)
        with self.assertRaises(UnicodeEncodeError):
            client.send_request("/", method="POST", content="\ud800")
        self.want_requests(0, 0)

    def test_store_invalid(self) -> None:
        class NoSet:
            get = add = print

        for store in (object(), NoSet()):
            self.want_refused(TypeError, "store", partial(self.open, store=store))
        if self.form is Client:
            asynchronous = mock.Mock(
                get=mock.AsyncMock(), add=mock.AsyncMock(), set=mock.AsyncMock()
            )
            self.want_refused(TypeError, "store", partial(self.open, store=asynchronous))

    def test_logger_invalid(self) -> None:
        for logger in (print, "name", logging):
            self.want_refused(TypeError, "logger", partial(self.open, logger=logger))

    def test_logger_invalid_later(self) -> None:
        logger = mock.Mock(spec=logging.Logger)
        logger.log.side_effect = OSError("the disk is full")
        self.open(logger=logger).list_jobs()
        logger.log.assert_called()

    def test_timeout(self) -> None:
        client = self.open()
        client.get_token()
        self.sandbox.fault("jobs", hold=True)
        for late in (partial(client.list_jobs, timeout=0.2), self.open(timeout=0.2).list_jobs):
            error = self.want_error("network_error", late)
            want = "the call timed out after 0.2 s; call again, or set a longer timeout"
            self.assertEqual((error.message, error.retryable), (want, True))
        self.sandbox.clear_faults()
        client.list_jobs(timeout=None)

    def test_timeout_by_default(self) -> None:
        with type(self).form(self.config) as client:
            self.assertEqual(client._core.timeout, 30)

    def test_max_body(self) -> None:
        body = '[{"id":1}]'
        self.sandbox.fault("jobs", status=200, body=body)
        self.assertEqual(self.open(max_body=len(body)).list_jobs().text, body)
        error = self.want_error("network_error", self.open(max_body=len(body) - 1).list_jobs)
        self.assertIn("max_body (9 bytes)", error.message)
        self.assertFalse(error.retryable)
        self.sandbox.fault("jobs", status=500, body="a" * 70_000)
        error = self.want_error("service_error", self.open(max_body=64 << 10).list_jobs)
        self.assertTrue(error.body_truncated)


class AsyncOptions(Options):
    form = InLoop


class Others(TestCase):
    def test_wrong_type_elsewhere(self) -> None:
        not_a_client: Any = "client"
        with self.assertRaisesRegex(TypeError, "^client must be "):
            RosteringAuth(not_a_client)
        late: Any = "60"
        with self.assertRaisesRegex(TypeError, "^deadline must be "):
            retry(print, late)
        with self.assertRaisesRegex(ValueError, "^deadline must be "):
            asyncio.run(async_retry(mock.AsyncMock(), -1))
