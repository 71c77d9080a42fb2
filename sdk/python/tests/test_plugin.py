import gc
import threading
import weakref
from pathlib import Path
from typing import Any
from unittest import TestCase

import httpx

from automatic_rostering import CONTRACT, Client
from automatic_rostering.extism_host import Instance
from automatic_rostering.plugin import bundled
from automatic_rostering.threads import in_thread

from .service import CONFIG, PATIENCE, Service


class Opening(TestCase):
    def test_plugin(self) -> None:
        path = Path(__file__).parents[3] / "plugin/rostering-nowasi.wasm"
        for plugin in (path, str(path), bundled()):
            Client(CONFIG, plugin=plugin).close()
        with self.assertRaises(FileNotFoundError):
            Client(CONFIG, plugin="none.wasm")
        with self.assertRaisesRegex(ValueError, f'needs a plugin of contract {CONTRACT}, and .* no export "version"'):
            Client(CONFIG, plugin=b"(module)")


class Kept(TestCase):
    def test_only_so_many_requests_are_kept(self) -> None:
        with Client(CONFIG, http=Service().http()) as client:
            requests = client._core.service._requests
            for n in range(300):
                client.send_request(f"/{n}")
                self.assertLessEqual(len(requests), 256)
            client.send_request("/299")
            self.assertEqual(len(requests), 300 - 256)

    def test_an_instance_that_is_not_closed_is_freed(self) -> None:
        instance: Any = Instance(bundled(), {}, print)
        state = weakref.ref(instance._state)
        del instance
        gc.collect()
        self.assertIsNone(state())


class Closing(TestCase):
    def test_calls_end_while_it_reads_which_there_are(self) -> None:
        service, arrived, leave, ended = Service(), threading.Semaphore(0), threading.Event(), threading.Event()

        class Calls(set[Any]):
            def __iter__(self) -> Any:
                for call in super().__iter__():
                    leave.set()
                    ended.wait(0.2)  # unless they have to wait for this
                    yield call

        def respond() -> httpx.Response:
            arrived.release()
            leave.wait(PATIENCE)
            return httpx.Response(200)

        service.jobs = respond
        client = Client(CONFIG, http=service.http())
        client._core.calls = Calls()
        for _ in range(2):
            in_thread(client.list_jobs).add_done_callback(lambda _: ended.set())
            arrived.acquire(timeout=PATIENCE)
        client.close(timeout=0)
