import gc
import resource
import sys
import weakref
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import TestCase, mock

import wasmtime

from automatic_rostering import Client, compiled
from automatic_rostering.instance import Instance
from automatic_rostering.plugin import bundled

from .service import CONFIG, Service


class Opening(TestCase):
    def test_plugin(self) -> None:
        path = Path(__file__).parents[3] / "plugin/rostering-core.wasm"
        for plugin in (path, str(path), bundled()):
            Client(CONFIG, plugin=plugin).close()
        with self.assertRaises(FileNotFoundError):
            Client(CONFIG, plugin="none.wasm")

    def test_addresses(self) -> None:
        """Some systems have few, such as those with `ulimit -v`."""
        before = addresses()
        for _ in range(10):
            self.enterContext(Client(CONFIG, http=Service().http()))
        self.assertLess(addresses() - before, 400 << 20)


class Compiled(TestCase):
    def setUp(self) -> None:
        self.file = Path(self.enterContext(TemporaryDirectory())) / "cache/plugin.cwasm"
        self.enterContext(mock.patch.object(compiled, "FILE", self.file))

    def compiles(self) -> bool:
        """Return whether a new process would compile the plugin, in place of what it finds."""
        with mock.patch.object(compiled, "Module", mock.Mock(wraps=wasmtime.Module)) as spy:
            engine, module = compiled.compiled.__wrapped__(bundled())
        wasmtime.Instance(wasmtime.Store(engine), module, [])
        self.assertEqual(spy.deserialize.called, not spy.called)
        return spy.called

    def test_once_for_later_processes(self) -> None:
        with mock.patch.object(sys, "dont_write_bytecode", False):
            self.assertTrue(self.compiles())
        self.assertFalse(self.compiles())
        content = self.file.read_bytes()
        self.assertEqual(self.file.stat().st_mode & 0o022, 0)
        for damaged in (content[:-1], content[:99999] + b"?" + content[100000:], b""):
            self.file.write_bytes(damaged)
            self.assertTrue(self.compiles())

    def test_no_file(self) -> None:
        with mock.patch.object(sys, "dont_write_bytecode", True):
            self.assertTrue(self.compiles())
        self.assertFalse(self.file.exists())
        self.file.parent.write_bytes(b"")  # is no folder
        with mock.patch.object(sys, "dont_write_bytecode", False):
            self.assertTrue(self.compiles())


def addresses() -> int:
    """Return how many bytes of addresses this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


class Kept(TestCase):
    def test_only_so_many_requests_are_kept(self) -> None:
        with Client(CONFIG, http=Service().http()) as client:
            requests = client._shared.service._requests
            for n in range(300):
                client.send_request(f"/{n}")
                self.assertLessEqual(len(requests), 256)
            client.send_request("/299")
            self.assertEqual(len(requests), 300 - 256)

    def test_an_instance_that_is_not_closed_is_freed(self) -> None:
        instance: Any = Instance(bundled())
        store = weakref.ref(instance._store)
        del instance
        gc.collect()
        self.assertIsNone(store())
