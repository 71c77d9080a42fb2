import socket
import threading
from concurrent.futures import Future
from functools import partial
from typing import Any
from unittest import mock

import httpx

from automatic_rostering.thread import in_thread

from . import PATIENCE
from .case import InLoop, ServiceCase

SOON = PATIENCE / 2  # less than a token request may take


class Close(ServiceCase):
    def want_closed(self, call: Any) -> None:
        with self.assertRaisesRegex(RuntimeError, "^the client is closed; open a new one$"):
            call()

    def test_close(self) -> None:
        client = self.open()
        client.list_jobs()
        client.close()
        client.close()
        view = client.for_customer("c")
        for later in (client.list_jobs, client.clear_token, view.list_jobs):
            self.want_closed(later)

    def test_close_waits_for_calls(self) -> None:
        client = self.open()
        self.sandbox.fault("jobs", hold=True)
        call = in_thread(client.list_jobs)
        self.sandbox.wait(job_requests=1)
        end = in_thread(client.close)
        while not client._core._closed:
            threading.Event().wait(0.01)
        self.want_closed(client.list_jobs)
        self.assertFalse(end.done())
        self.sandbox.clear_faults()
        self.assertEqual(call.result(PATIENCE).status_code, 200)
        end.result(PATIENCE)

    def test_close_cancels_calls_in_the_end(self) -> None:
        client = self.open()
        client.list_jobs()  # the connection of the next one is kept from this one
        self.sandbox.fault("jobs", hold=True)
        call = in_thread(client.list_jobs)
        self.sandbox.wait(job_requests=2)
        in_thread(partial(client.close, timeout=0.1)).result(SOON)
        self.want_closed(partial(call.result, SOON))

    def test_close_cancels_calls_that_wait_for_a_token(self) -> None:
        kind: Any = httpx.AsyncClient if self.form is InLoop else httpx.Client
        for options in ({}, {"http": kind()}):
            client = self.open(**options)
            self.sandbox.fault("auth", hold=True)
            tokens = self.sandbox.counts()["token_requests"]
            calls = [in_thread(client.list_jobs) for _ in range(2)]
            self.sandbox.wait(token_requests=tokens + 1)
            in_thread(partial(client.close, timeout=0)).result(SOON)
            for call in calls:
                self.want_closed(partial(call.result, SOON))
            self.sandbox.clear_faults()

    def test_close_without_calls_returns_at_once(self) -> None:
        client = self.open()
        self.sandbox.fault("auth", hold=True)
        self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        in_thread(client.close).result(SOON)


class AsyncClose(Close):
    form = InLoop


class Connecting(ServiceCase):
    def test_close_while_a_token_request_connects(self) -> None:
        real = socket.create_connection
        connects, closed = Future[threading.Thread](), threading.Event()

        def connect(*args: Any, **options: Any) -> socket.socket:
            connects.set_result(threading.current_thread())
            closed.wait(PATIENCE)
            return real(*args, **options)

        client = self.open()
        with mock.patch("socket.create_connection", connect):
            call = in_thread(client.list_jobs)
            section = connects.result(PATIENCE)
            client.close(timeout=0)
            with self.assertRaisesRegex(RuntimeError, "^the client is closed"):
                call.result(PATIENCE)
            closed.set()
            section.join(PATIENCE)
        self.want_requests(0, 0)
