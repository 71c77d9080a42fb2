"""Exceptions of signal handlers, such as Ctrl-C, `signal.alarm` and Celery's soft limit."""

import gc
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from unittest import TestCase, mock

import httpx

from automatic_rostering import Client, MemoryStore, RosteringError

from .service import CONFIG, PATIENCE, Service

TOKEN = b'{"access_token":"token-1234","token_type":"Bearer","expires_in":3600}'


class Alarm(Exception):  # noqa: N818 - not an error
    pass


class Signals(TestCase):
    def setUp(self) -> None:
        self.raised = self.caught = 0
        self.kind: type[Exception] = Alarm
        gc.disable()
        self.addCleanup(gc.enable)
        # Python warns of coroutines and sockets that were interrupted.
        self.enterContext(mock.patch("sys.unraisablehook"))
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, self.interrupt))

    def interrupt(self, *_: object) -> None:
        self.raised += 1
        raise self.kind

    def interrupted(self, call: Callable[[], object], seconds: float) -> None:
        """Make a call that a signal interrupts after this time."""
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                call()
            except RosteringError:
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
        except self.kind:
            self.caught += 1

    def want_each_raised(self, call: Callable[[], object], times: int) -> None:
        """Interrupt a call at many random moments. Each gives the exception, and the next one works."""
        took = []
        for _ in range(9):
            began = time.perf_counter()
            with suppress(RosteringError):
                call()
            took.append(time.perf_counter() - began)
        longest = 1.2 * sorted(took)[4]
        for n in range(times):
            if n % 50 == 0:
                gc.collect()  # in whose finalizers exceptions end
            self.interrupted(call, random.uniform(1e-6, longest))  # noqa: S311
        with suppress(RosteringError):
            call()
        self.assertEqual(self.caught, self.raised)
        self.assertGreater(self.caught, times / 10)

    def test_calls_that_run_the_plugin(self) -> None:
        service, now = Service(), time.time()
        service.jobs = lambda: httpx.Response(503, text="x" * 4096)
        with Client(CONFIG, http=service.http(), timeout=PATIENCE, clock=lambda: now) as client:
            token = client.get_token()
            calls = (
                client.list_jobs,
                client.status,
                lambda: client.get_token(force=True),
                lambda: client.set_token(token),
            )
            for call in calls:
                with self.subTest(call):
                    self.want_each_raised(call, 500)
            self.assertEqual(client._shared.calls, set())

    def test_requests(self) -> None:
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        threading.Thread(target=self.serve, args=(server,), daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        config = replace(CONFIG, auth_url=url, base_url=url)
        with Client(config, timeout=PATIENCE) as client:
            for self.kind in Alarm, TimeoutError, InterruptedError:
                self.want_each_raised(client.list_jobs, 150)

    def test_http_client_of_the_program_that_hangs_then(self) -> None:
        """As httpx does if the exception left a lock of its connections locked."""
        service, held = Service(), threading.Event()
        self.addCleanup(held.set)

        def jobs() -> httpx.Response:
            if self.raised:
                held.wait(PATIENCE)
            else:
                signal.raise_signal(signal.SIGALRM)
            return httpx.Response(200)

        service.jobs = jobs
        with Client(CONFIG, http=service.http(), timeout=PATIENCE) as client:
            with self.assertRaises(Alarm):
                client.list_jobs()
            with self.assertRaisesRegex(RosteringError, "timed out after 0.1 s"):
                client.list_jobs(timeout=0.1)

    def serve(self, server: socket.socket) -> None:
        while True:
            try:
                connection = server.accept()[0]
            except OSError:  # closed
                return
            threading.Thread(target=self.respond, args=(connection,), daemon=True).start()

    def respond(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while connection.recv(10_000):
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(TOKEN)
                connection.sendall(head + TOKEN)

    def test_status_between_any_two_lines(self) -> None:
        """A signal handler gets the status at any moment of a call, while another thread changes the token."""

        def between(frame: Any, *_: object) -> Any:
            if "automatic_rostering" not in frame.f_code.co_filename:
                return None
            changing = threading.Thread(target=change)
            changing.start()
            changing.join(0.01)  # it may wait for what this thread holds
            client.status()
            return between

        def change() -> None:
            with suppress(RuntimeError):  # the client is closed
                client.clear_token()

        service, statuses = Service(), iter([401, 200, 200])
        service.jobs = lambda: httpx.Response(next(statuses))
        client = Client(CONFIG, http=service.http(), timeout=PATIENCE)
        self.addCleanup(sys.settrace, None)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        sys.settrace(between)
        client.list_jobs()
        client.get_token(force=True)
        client.get_token(refused="token-0001")
        client.close()

    def test_near_the_recursion_limit(self) -> None:
        def deep(frames: int) -> None:
            if frames:
                deep(frames - 1)
            else:
                client.list_jobs()

        service = Service()
        service.jobs = lambda: httpx.Response(503)
        with Client(CONFIG, http=service.http(), timeout=PATIENCE) as client:
            depth = sys.getrecursionlimit() - len(list(frames_of(sys._getframe())))
            for left in range(1, 100):
                with suppress(RecursionError, RosteringError):
                    deep(depth - left)
            with self.assertRaisesRegex(RosteringError, "service_error"):
                client.list_jobs()


class NoThreads(TestCase):
    def test_without_another_thread(self) -> None:
        """As beyond a limit, in an isolated subinterpreter, and at Python's exit."""
        with (
            mock.patch("threading.Thread.start", side_effect=RuntimeError),
            mock.patch("_thread.start_new_thread", side_effect=RuntimeError),
            Client(CONFIG, http=Service().http(), store=MemoryStore(), timeout=PATIENCE) as client,
        ):
            self.assertEqual(client.list_jobs().status_code, 200)
            self.assertEqual(client.status().failed_calls, {})


def frames_of(frame: Any) -> Any:
    while frame:
        yield frame
        frame = frame.f_back
