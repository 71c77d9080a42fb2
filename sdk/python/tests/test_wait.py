import json
import threading
from typing import Any
from unittest import mock

from automatic_rostering import Client, MemoryStore
from automatic_rostering.thread import in_thread

from . import PATIENCE
from .case import InLoop, ServiceCase

FOR_CALL = {"step": "wait", "for": "call", "seconds": 10 * PATIENCE}
FOR_STORE = {**FOR_CALL, "for": "store"}
STORE = {"step": "store", "timeout": PATIENCE, "op": "get", "key": "k"}
DONE = {"step": "done"}


class Script:
    """Stands in for the plugin: has the steps of each call, in the order in which calls begin."""

    def __init__(self, client: Client, *calls: list[dict[str, Any]]) -> None:
        self._plugin, self._calls = client._core.plugin, calls
        self._numbers = iter(range(len(calls)))
        self.waits = threading.Event()  # for the end of a call

    def call(self, export: str, data: bytes, **_: object) -> bytes:
        number = next(self._numbers) if export == "begin" else json.loads(data)["flow"]
        step = self._calls[number].pop(0)
        if step is FOR_CALL:
            self.waits.set()
        if step.get("missed"):
            self._plugin.end_section()
        return json.dumps({**step, "flow": number}).encode()


class Waits(ServiceCase):
    """A wait that does not end early is longer than the call may last."""

    def play(self, *calls: list[dict[str, Any]]) -> tuple[Client, Script]:
        client = self.open(store=MemoryStore())
        script = Script(client, *calls)
        self.enterContext(mock.patch.object(client._core.plugin, "call", script.call))
        return client, script

    def test_wait_ends_with_a_section(self) -> None:
        client, script = self.play([FOR_CALL, DONE], [STORE, FOR_STORE], [STORE, DONE])
        waits = in_thread(client.list_jobs)
        script.waits.wait(PATIENCE)
        # A section that ends in a wait does not count.
        self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        self.assertFalse(waits.done())
        client.list_jobs()
        waits.result(PATIENCE)

    def test_wait_ends_if_the_section_ended_before(self) -> None:
        missed = {**FOR_CALL, "missed": True}
        client, _ = self.play([missed, DONE], [STORE, missed, DONE])
        client.list_jobs()
        client.list_jobs()

    def test_wait_for_the_store_continues(self) -> None:
        client, _ = self.play([{**FOR_STORE, "missed": True}])
        error = self.want_error("network_error", lambda: client.list_jobs(timeout=0.2))
        self.assertIn("timed out after 0.2 s", error.message)


class AsyncWaits(Waits):
    form = InLoop
